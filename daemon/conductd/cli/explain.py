"""`conductd explain INCIDENT|FILE[@VERSION]`: what was seen, which rule decided, what would have changed it."""

from __future__ import annotations

import time

import click

from conductd.cli import files, output
from conductd.cli.options import Options, common
from conductd.errors import UsageError


@click.command()
@click.argument("what", metavar="INCIDENT|FILE[@VERSION]")
@common
def command(options: Options, what: str) -> None:
    """What was seen, which rule decided and why, what would have changed it, and what you can do.

    FILE: its newest incident, else its last verdict. FILE@VERSION: the verdict on that version, also one that was only
    recorded. (A file named like a number: ./12)
    """
    number = int(what) if what.isascii() and what.isdigit() else None
    if number is not None and number >= 1 << 63:
        raise UsageError(f"there is no incident {what}", "conductd incidents --all")
    with options.client() as client:
        if number is not None:
            view = client.explain(number)
        else:
            path, version = files.path_and_version(what)
            view = client.explain_file(path, version)
        pending = [] if options.json else client.pending()
    if options.json:
        output.as_json(view)
        return
    from conductd.cli import explain_lines

    output.lines(explain_lines.lines(view, time.time_ns(), pending))
