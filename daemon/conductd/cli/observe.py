"""`conductd observe DIR`."""

from __future__ import annotations

import click

from conductd.cli.mode import set_mode
from conductd.cli.options import Options, common


@click.command()
@click.argument("directory", metavar="DIR")
@common
def command(options: Options, directory: str) -> int:
    """Only record the memory files of DIR: judge and tell, never write.

    Where losses are put back now, this is only a request when an agent asks, or when no terminal is there.
    """
    return set_mode(options, directory, "observe")
