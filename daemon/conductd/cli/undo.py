"""`conductd undo [INCIDENT]`: reverse the last restore or repair."""

from __future__ import annotations

import click

from conductd.cli import output
from conductd.cli.options import Number, Options, common


@click.command()
@click.argument("incident", type=Number(min=0), required=False)
@click.option("--dry-run", is_flag=True, help="Only say what would be written.")
@common
def command(options: Options, incident: int | None, dry_run: bool) -> None:
    """Reverse the last restore or repair, or the last one of INCIDENT. Again: reverse the undo.

    What was written to the files since is kept. What has no effect any more is passed over.
    """
    with options.client() as client:
        view = client.undo(incident, dry_run)
    if options.json:
        output.as_json(view)
        return
    from conductd.cli import render

    output.lines(render.did(view))
