"""`conductd restore --at TIME [DIR]`: a directory, a workspace, or all of them, as they were at a time."""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING

from conductd.cli import files, outcome, output
from conductd.cli.failures import DECLINED
from conductd.cli.options import Options, confirmed, person_at_terminal
from conductd.cli.progress import finished
from conductd.errors import NotFound, Refused, UsageError

if TYPE_CHECKING:
    from conductd.api.client import Client
    from conductd.views import SetView


def run(options: Options, at: str, directory: str | None, exact: bool, dry_run: bool, yes: bool) -> int:
    """Show the plan, ask, write. The exit code is that of a refusal when a file could not be written, 3
    when nothing is recorded of that time."""
    from conductd.cli import set_lines
    from conductd.views import iso_exactly

    asks = person_at_terminal() and not (yes or dry_run or options.json)
    with options.client() as client:
        where = files.path(directory) if directory is not None else _meant(client, asks)
        if asks:
            plan = _restored(client, at, where, exact, True, options)
            for line in set_lines.lines(plan):
                output.say(line)
            if not set_lines.is_due(plan):
                return NotFound.exit_code if set_lines.is_unknown(plan) else 0
            if not confirmed("restore all of it?"):
                return DECLINED
            at = iso_exactly(plan.at_ns)  # the moment that was shown, however long the answer took
        view = _restored(client, at, where, exact, dry_run, options)
    if options.json:
        output.as_json(view)
    else:
        output.lines(set_lines.lines(view))
    if view.request is not None:
        return outcome.REQUESTED
    if set_lines.is_unknown(view):
        return NotFound.exit_code
    return Refused.exit_code if view.counts.get("refused") else 0


def _restored(client: Client, at: str, where: bytes | None, exact: bool, dry_run: bool, options: Options) -> SetView:
    label = "looking" if dry_run else "restoring"
    view: SetView = finished(client.restore_at(at, where, exact, dry_run), label, options.json)
    return view


def _meant(client: Client, asks: bool) -> bytes | None:
    """Without a directory: the workspace around the current one, or the only one; None: all, if that is agreed to."""
    roots = [base64.b64decode(space.root_b64) for space in client.workspaces()]
    here = os.path.realpath(os.getcwdb())
    around = [root for root in roots if (here + b"/").startswith(root.rstrip(b"/") + b"/")]
    if around:
        return max(around, key=len)
    if len(roots) == 1:
        return roots[0]
    names = [output.harmless(os.fsdecode(root)) for root in sorted(roots)]
    if not asks:
        raise UsageError(
            f"which of {len(roots)} workspaces? {', '.join(names)}", "name a directory: conductd restore --at TIME DIR"
        )
    for name in names:
        output.say(f"  {name}")
    if not confirmed(f"all {len(roots)} workspaces?", default=False):
        raise UsageError("no workspace was chosen", "name a directory: conductd restore --at TIME DIR")
    return None
