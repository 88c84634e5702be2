"""`conductd gc`: erase the content of old versions, as `[retention]` of the configuration says."""

from __future__ import annotations

import click

from conductd.cli import output
from conductd.cli.failures import DECLINED
from conductd.cli.options import Options, common, person_at_terminal
from conductd.cli.outcome import REQUESTED


@click.command()
@click.option("--dry-run", is_flag=True, help="Only say what would go, by file.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@common
def command(options: Options, dry_run: bool, yes: bool) -> int:
    """Erase the content of old versions: all are kept for retention.keep_days (90 unless configured), then fewer.

    What is on record of them stays: when, who, the verdict. Never erased is the content of the last versions of a
    file, of what a repair, an incident, a pin or undo needs, and of the versions around a loss.
    """
    from conductd.cli import render_gc

    with options.client() as client:
        if not dry_run and not (yes or options.json) and person_at_terminal():
            planned = client.gc(dry_run=True)
            output.lines(render_gc.collected(planned))
            if not planned.erased:
                return 0
            if not click.confirm("erase it for good?", default=False, err=True):
                click.echo("nothing is erased", err=True)
                return DECLINED
        view = client.gc(dry_run=dry_run)
    if options.json:
        output.as_json(view)
    else:
        output.lines(render_gc.collected(view))
    return 0 if view.request is None else REQUESTED
