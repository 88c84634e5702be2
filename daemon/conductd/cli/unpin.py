"""`conductd unpin FILE[:LINE|#HEADING] [TEXT]`: let pins go."""

from __future__ import annotations

import click

from conductd.cli import outcome
from conductd.cli.options import Options, common
from conductd.cli.places import place


@click.command()
@click.argument("where", metavar="FILE[:LINE|#HEADING]")
@click.argument("text", required=False, default="")
@common
def command(options: Options, where: str, text: str) -> int:
    """Unpin the entry on a line, those below a heading, the one that holds TEXT, or all of a file.

    Entries that are missing from the file are meant by their TEXT. Who asked is recorded and told; from an agent,
    or without a terminal, it is only a request that a person confirms.
    """
    found = place(where, text)
    with options.client() as client:
        view = client.pin(found.path, line=found.line, heading=found.heading, text=found.text, remove=True)
    return outcome.tell(options, view)
