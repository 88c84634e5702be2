"""`conductd restore FILE@VERSION`: an earlier version back in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from conductd.cli import files, outcome, output
from conductd.cli.failures import DECLINED
from conductd.cli.options import Number, Options, common, confirmed, person_at_terminal
from conductd.errors import UsageError

if TYPE_CHECKING:
    from conductd.api.client import Client
    from conductd.views import DidView


@click.command()
@click.argument("file", metavar="[FILE@VERSION|DIR]", required=False)
@click.option("--at", metavar="TIME", help='Everything below DIR as it was then: "yesterday 14:00", "2h ago".')
@click.option("--exact", is_flag=True, help="With --at: remove what came later.")
@click.option("--incident", type=Number(min=0), metavar="ID", help="Bring back what this incident still owes.")
@click.option("--dry-run", is_flag=True, help="Only say what would be written.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@common
def command(
    options: Options, file: str | None, at: str | None, exact: bool, incident: int | None, dry_run: bool, yes: bool
) -> int:
    """Write FILE as it was at VERSION: a sequence number, a digest prefix or a time.

    With --at: every file below DIR (a workspace, a directory in one; without DIR the workspace you are in) as it was
    at that time. With --incident: what was lost in it and is not back yet, merged into what is there now.
    What is there now is recorded first, and `conductd undo` brings it back, all of it at once.
    """
    if at is not None:
        if incident is not None:
            raise UsageError("--at and --incident are two things", "give one of them")
        from conductd.cli import restore_at

        return restore_at.run(options, at, file, exact, dry_run, yes)
    if exact:
        raise UsageError("--exact goes with --at", "conductd restore --at TIME --exact")
    from conductd.cli import render

    with options.client() as client:
        restore = _restore(client, file, incident)
        if person_at_terminal() and not (yes or dry_run or options.json):
            meant = restore(True)
            for line in render.did(meant):
                output.say(line)
            if any(plan.from_digest != plan.to_digest for plan in meant.plans) and not confirmed("restore?"):
                return DECLINED
        view = restore(dry_run)
    return outcome.tell(options, view)


def _restore(client: Client, file: str | None, incident: int | None) -> Callable[[bool], DidView]:
    """The one question, to be asked with dry_run or without."""
    if (file is None) == (incident is None):
        raise UsageError("what is to be restored?", "write FILE@VERSION, or --incident ID; see: conductd log FILE")
    if incident is not None:
        return lambda dry_run: client.bring_back(incident, dry_run)
    path, version = files.path_and_version(file or "")
    if not version:
        raise UsageError(f"which version of {file}?", f"write {file}@VERSION; see: conductd log {file}")
    return lambda dry_run: client.restore(path, version, dry_run=dry_run)
