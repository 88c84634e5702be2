"""`conductd protect DIR`."""

from __future__ import annotations

import click

from conductd.cli.mode import set_mode
from conductd.cli.options import Options, common


@click.command()
@click.argument("directory", metavar="DIR")
@click.option("--end", is_flag=True, help="Let DIR go: it is not watched any more; what is recorded of it is kept.")
@common
def command(options: Options, directory: str, end: bool) -> int:
    """Protect the memory files of DIR: what is destroyed is put back.

    A protected DIR stays known when it is gone, until --end. From an agent, or without a terminal, --end is only
    a request.
    """
    return set_mode(options, directory, "end" if end else "protect")
