"""`conductd rotate FILE`: what an agent does not load of a file moves to a topic file, with a pointer in its place."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from conductd.cli import files, output
from conductd.cli.options import Number, Options, common

if TYPE_CHECKING:
    from conductd.views import RotateView

NOT_ENOUGH = 20  # the file is still larger than it should be


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--to", metavar="FILE", help="Where the sections go (default: memory/NAME-archive.md), in the workspace.")
@click.option(
    "--until-percent",
    type=Number(min=1, max=100),
    metavar="N",
    help="How full the file may be afterwards, also when it fits now (default: 80, when it is over its limit).",
)
@click.option("--dry-run", is_flag=True, help="Only say what would move.")
@common
def command(options: Options, file: str, to: str | None, until_percent: int | None, dry_run: bool) -> int:
    """Make a file fit that its agent does not load whole: whole sections of it move to a topic file, the oldest first,
    and one line that says where stands in place of each.

    Nothing is deleted, what is pinned stays, and `conductd undo` puts all of it back. When the file fits, nothing
    happens.
    """
    from conductd.cli.outcome import REQUESTED

    target = None if to is None else os.fsencode(to)
    with options.client() as client:
        view = client.rotate(files.path(file), target, until_percent or 0, dry_run)
    if options.json:
        output.as_json(view)
    else:
        output.lines(_lines(view))
    if view.request is not None:
        return REQUESTED
    return 0 if view.is_enough else NOT_ENOUGH


def _lines(view: RotateView) -> list[str]:
    from conductd.cli.output import harmless, paint
    from conductd.views.words import counted

    out = [harmless(view.text)]
    for each in view.sections:
        dated = f"  {each.date}" if each.date else ""
        lines = f"lines {each.first}-{each.last}"
        out.append(f"  {harmless(each.heading) or '(no heading)'}  {lines}, {counted(each.size, 'character')}{dated}")
    for limit in view.allowed:
        percent = round(100 * limit.after / limit.limit) if limit.limit else 100
        change = f"{limit.before:,} -> {limit.after:,}" if view.sections else f"{limit.before:,}"
        figures = f"{change} of {limit.limit:,} {limit.unit}, {percent} %"
        out.append(paint(f"  {harmless(limit.agent)}: {figures}", "yellow" if limit.after > limit.limit else "dim"))
    out += [paint(f"  note: {harmless(note)}", "dim") for note in view.notes]
    if view.request is not None:
        out.append(f"a person has to confirm it: conductd confirm {view.request}")
    return [*out, f"undo it with: {view.undo_command}"] if view.undo_command else out
