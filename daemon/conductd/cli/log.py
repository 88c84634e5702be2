"""`conductd log [FILE]`: versions, newest first."""

from __future__ import annotations

import time

import click

from conductd.cli import files, output
from conductd.cli.moments import moment_ns
from conductd.cli.options import Number, Options, common
from conductd.views import VersionView

PAGE = 500


@click.command()
@click.argument("file", required=False)
@click.option("-n", "--number", type=Number(min=1), default=20, show_default=True, help="How many at most.")
@click.option("--since", metavar="TIME", help='Only those from then on: "2h ago", "yesterday 14:00", "2026-03-08".')
@common
def command(options: Options, file: str | None, number: int, since: str | None) -> None:
    """The history of FILE, or of all files, newest first."""
    earliest = None if since is None else moment_ns(since)
    path = None if file is None else files.path(file)
    found: list[VersionView] = []
    with options.client() as client:
        before: int | None = None
        while len(found) < number:
            page = client.versions(path, limit=min(PAGE, number - len(found)), before=before)
            found += [v for v in page if earliest is None or v.at_ns >= earliest]
            # Sequence orders, a clock does not: one old version in a page does not end the search there.
            if not page or (earliest is not None and all(v.at_ns < earliest for v in page)):
                break
            before = page[-1].seq
        spaces = [] if options.json or path is not None else client.workspaces()
    if options.json:
        output.as_json(found)
        return
    from conductd.cli import render

    output.lines(render.versions(found, time.time_ns(), file is None, render.places(spaces)))
    if not found:
        output.say("no versions" if since is None else f"no versions since {since}")
