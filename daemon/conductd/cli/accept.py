"""`conductd accept INCIDENT|FILE`: the loss was meant."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from conductd.cli import files, outcome, output
from conductd.cli.failures import DECLINED
from conductd.cli.options import Options, common, confirmed, person_at_terminal

if TYPE_CHECKING:
    from conductd.views import IncidentView


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
            meant = number if path is None else _newest(client.incidents(), path)
            if meant is not None:
                for line in render.accepting(client.explain(meant), path):
                    output.say(line)
                if not confirmed("accept?"):
                    return DECLINED
        view = client.accept(incident=number, path=path)
    return outcome.tell(options, view)


def _newest(incidents: list[IncidentView], path: bytes) -> int | None:
    """The one the daemon will take for this file; None where it will find none, and say so."""
    name = path.decode("utf-8", "replace")
    found = [
        i.id
        for i in incidents
        if i.state in ("open", "resolved") and any(os.path.join(i.root, file) == name for file in i.files)
    ]
    return max(found, default=None)
