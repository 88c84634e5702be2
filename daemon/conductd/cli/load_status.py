"""What `conductd status` says of what agents see: nothing where all is well, a line for each thing that is not."""

from __future__ import annotations

from collections.abc import Sequence

from conductd.cli.output import harmless, paint
from conductd.views import LoadLineView

_LINES = 40  # of all workspaces; the rest is counted


def lines(views: Sequence[LoadLineView]) -> list[str]:
    """A workspace whose agent is not known is said to be so: it is not fine, nobody knows."""
    found: list[str] = []
    for view in views:
        place = "" if len(views) == 1 else f"{harmless(view.root)}: "
        if view.state != "ok":
            found.append(paint(f"load: {place}{harmless(view.state)}", "dim"))
        found += [paint(f"load: {place}{harmless(each)}", "yellow") for each in view.lines]
    if len(found) > _LINES:
        found = [*found[:_LINES], f"load: {len(found) - _LINES} more: conductd load in each workspace"]
    return ["", *found] if found else []
