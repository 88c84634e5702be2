"""How a command ends that changed something, or only asked for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conductd.cli import output
from conductd.cli.options import Options

if TYPE_CHECKING:
    from conductd.views import DidView

REQUESTED = 15  # nothing is done yet: a person has to confirm it


def tell(options: Options, view: DidView) -> int:
    """Say what was done; returns the exit code."""
    if options.json:
        output.as_json(view)
    else:
        from conductd.cli import render

        output.lines(render.did(view))
    return 0 if view.request is None else REQUESTED
