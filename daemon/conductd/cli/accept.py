"""`conductd accept INCIDENT|FILE`: the loss was meant."""

from __future__ import annotations

import click

from conductd.cli import files, outcome, output
from conductd.cli.failures import DECLINED
from conductd.cli.options import Options, common, confirmed, person_at_terminal


@click.command()
@click.argument("what", metavar="INCIDENT|FILE")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@common
def command(options: Options, what: str, yes: bool) -> int:
    """Say that a loss was meant: an incident by its number, or the newest incident of a file.

    A repair is taken back: the file is again as it was written (or deleted), and what came since is kept.
    Who asked is recorded and told. From an agent, or without a terminal, it is only a request: a person
    confirms it. (A file named like a number: ./12)
    """
    from conductd.cli import render

    number = int(what) if what.isascii() and what.isdigit() else None
    path = None if number is not None else files.path(what)
    with options.client() as client:
        if person_at_terminal() and not (yes or options.json):
            for line in render.did(client.accept(incident=number, path=path, dry_run=True)):
                output.say(line)
            if not confirmed("accept?", default=False):
                return DECLINED
        view = client.accept(incident=number, path=path)
    return outcome.tell(options, view)
