"""`conductd confirm REQUEST`: do what was asked for."""

from __future__ import annotations

import time

import click

from conductd.cli import outcome, output
from conductd.cli.failures import DECLINED
from conductd.cli.options import Number, Options, common, confirmed, person_at_terminal


@click.command()
@click.argument("request", type=Number(min=0))
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@common
def command(options: Options, request: int, yes: bool) -> int:
    """Do what was asked for: shows who asked and what would be done, then asks you.

    Needs a terminal that no agent has opened. `conductd refuse` says no.
    """
    from conductd.cli import people

    with options.client() as client:
        if person_at_terminal() and not options.json:
            asked = next((each for each in client.requests() if each.id == request), None)
            if asked is not None:
                for line in people.request(asked, time.time_ns()):
                    output.say(line)
                if not yes and not confirmed("do it?", default=False):
                    return DECLINED
        view = client.confirm(request)
    return outcome.tell(options, view)
