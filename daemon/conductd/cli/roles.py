"""`conductd roles`: what people said that files are for."""

from __future__ import annotations

import click

from conductd.cli import output
from conductd.cli.options import Options, common


@click.command()
@common
def command(options: Options) -> None:
    """What you said that files are for, over what their profile says."""
    with options.client() as client:
        views = client.roles()
    if options.json:
        output.as_json(views)
        return
    from conductd.cli import people

    if not views:
        output.say("nothing was learned: every file is for what its profile and the configuration say")
    output.lines(people.roles(views))
