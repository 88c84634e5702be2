"""`conductd index rebuild`: the index anew from the journal."""

from __future__ import annotations

import click

from conductd.cli import output
from conductd.cli.options import Options, common
from conductd.cli.progress import finished
from conductd.errors import DaemonNotRunning


@click.group(no_args_is_help=False)
@common
def command(_options: Options) -> None:
    """The index: made from the journal, and never the truth."""


@command.command(short_help="Make it anew, also while no daemon runs.")
@common
def rebuild(options: Options) -> None:
    """Rebuild the index from the journal (through the daemon when it runs)."""
    try:
        with options.client() as client:
            records: int = finished(client.rebuild_index(), "rebuilding", options.json)
    except DaemonNotRunning:
        from conductd.cli import offline

        records = finished(offline.rebuild_index(options.state_path()), "rebuilding", options.json)
    if options.json:
        output.as_json({"records": records})
    else:
        output.lines([f"the index is rebuilt: {records:,} records"])
