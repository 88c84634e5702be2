"""`conductd lease FILE`: a person is at a file for a while."""

from __future__ import annotations

import time

import click

from conductd.cli import files, outcome, output
from conductd.cli.failures import DECLINED
from conductd.cli.options import Options, common, confirmed, person_at_terminal
from conductd.cli.spans import Span
from conductd.errors import Refused


@click.command()
@click.argument("file", metavar="FILE|DIR")
@click.option("--for", "seconds", type=Span(), default="10m", show_default=True, help="How long: 20m, 1h30m.")
@click.option("--end", is_flag=True, help="End it before its time.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@common
def command(options: Options, file: str, seconds: int, end: bool, yes: bool) -> int:
    """Leave FILE alone for a while, or everything in DIR: what is written there is recorded, not judged.

    Up to 20 minutes (people.lease_minutes) at once, longer when you confirm it. From an agent, or without a
    terminal, it is only a request. What an agent announces as its own is not excused: it is offered back
    when the lease has ended.
    """
    from conductd.cli import people

    path = files.path(file)
    with options.client() as client:
        if end:
            view = client.end_lease(path=path)
        else:
            try:
                view = client.lease(path, seconds, confirmed=yes)
            except Refused:
                # Too long to be granted without a question; who asks has been looked at already.
                if yes or options.json or not person_at_terminal():
                    raise
                if not confirmed(f"leave {file} alone for {people.span(seconds)}?", default=False):
                    return DECLINED
                view = client.lease(path, seconds, confirmed=True)
    if options.json:
        output.as_json(view)
    elif end and view.request is None:
        output.lines([f"{people.leased(view)} is guarded again"])
    else:
        output.lines(people.lease(view, time.time_ns()))
    return 0 if view.request is None else outcome.REQUESTED
