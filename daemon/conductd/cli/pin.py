"""`conductd pin FILE[:LINE|#HEADING] [TEXT]`: entries whose loss counts at any size."""

from __future__ import annotations

import click

from conductd.cli import outcome
from conductd.cli.options import Options, common
from conductd.cli.places import place
from conductd.errors import UsageError


@click.command()
@click.argument("where", metavar="FILE[:LINE|#HEADING]")
@click.argument("text", required=False, default="")
@click.option("--marked", is_flag=True, help="What stands inside the <!-- pin --> marks of the file.")
@common
def command(options: Options, where: str, text: str, marked: bool) -> int:
    """Pin the entry on a line, those below a heading, the one that holds TEXT, or all of a file.

    A pinned entry is put back at any size of a loss, goes with its words into other lines and files, and stays
    pinned over restarts. What an agent asks to pin, a person has to confirm.
    """
    found = place(where, text)
    if marked and (found.line or found.heading or found.text):
        raise UsageError("--marked is for a whole file", "conductd pin FILE --marked")
    with options.client() as client:
        view = client.pin(found.path, line=found.line, heading=found.heading, text=found.text, marked=marked)
    return outcome.tell(options, view)
