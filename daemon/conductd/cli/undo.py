"""`conductd undo`: reverse the last restore or repair."""

from __future__ import annotations

import click

from conductd.cli import output
from conductd.cli.options import Options, common


@click.command()
@click.option("--dry-run", is_flag=True, help="Only say what would be written.")
@common
def command(options: Options, dry_run: bool) -> None:
    """Reverse the last restore or repair. Again: reverse the undo."""
    with options.client() as client:
        view = client.undo(dry_run)
    if options.json:
        output.as_json(view)
        return
    from conductd.cli import render

    output.lines(render.did(view))
