"""`conductd restore FILE@VERSION`: an earlier version back in place."""

from __future__ import annotations

import click

from conductd.cli import files, output
from conductd.cli.options import Options, common, person_at_terminal
from conductd.errors import UsageError


@click.command()
@click.argument("file", metavar="FILE@VERSION")
@click.option("--dry-run", is_flag=True, help="Only say what would be written.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@common
def command(options: Options, file: str, dry_run: bool, yes: bool) -> None:
    """Write FILE as it was at VERSION: a sequence number, a digest prefix or a time.

    What is there now is recorded first, and `conductd undo` brings it back.
    """
    path, version = files.path_and_version(file)
    if not version:
        raise UsageError(f"which version of {file}?", f"write {file}@VERSION; see: conductd log {file}")
    from conductd.cli import render

    with options.client() as client:
        if person_at_terminal() and not (yes or dry_run or options.json):
            for line in render.did(client.restore(path, version, dry_run=True)):
                output.say(line)
            click.confirm("restore?", default=True, abort=True, err=True)
        view = client.restore(path, version, dry_run=dry_run)
    if options.json:
        output.as_json(view)
    else:
        output.lines(render.did(view))
