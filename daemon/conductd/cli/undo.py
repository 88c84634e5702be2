"""`conductd undo [INCIDENT|ACT]`: reverse the last restore or repair."""

from __future__ import annotations

import click

from conductd.cli import outcome
from conductd.cli.options import Number, Options, common


@click.command()
@click.argument("incident", type=Number(min=0), required=False, metavar="[INCIDENT|ACT]")
@click.option("--dry-run", is_flag=True, help="Only say what would be written.")
@common
def command(options: Options, incident: int | None, dry_run: bool) -> int:
    """Reverse the last restore or repair, or the last one of INCIDENT, or the act with that number: what
    was written together, as its notice and `conductd log` name it. Again: reverse the undo.

    What was written to the files since is kept. What has no effect any more is passed over. When an agent
    asks for it, it is only a request: a person confirms it.
    """
    with options.client() as client:
        view = client.undo(incident, dry_run)
    return outcome.tell(options, view)
