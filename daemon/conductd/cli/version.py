"""`conductd version`."""

from __future__ import annotations

import click

from conductd import __version__
from conductd.cli import output
from conductd.cli.options import Options, common


@click.command()
@common
def command(options: Options) -> None:
    """Print the version of this program."""
    if options.json:
        output.as_json({"version": __version__})
    else:
        output.lines([__version__])
