"""`conductd diff FILE[@A] [@B]`: what changed."""

from __future__ import annotations

import click

from conductd.cli import files, output
from conductd.cli.options import Options, common


@click.command()
@click.argument("file", metavar="FILE[@A]")
@click.argument("new", metavar="[@B]", required=False, default="")
@common
def command(options: Options, file: str, new: str) -> None:
    """What changed in FILE from version A to version B.

    Without A: from the last good state before the newest change. Without B: to the newest version.
    """
    path, old = files.path_and_version(file)
    with options.client() as client:
        text = client.diff(path, old, new.removeprefix("@").strip())
    if options.json:
        output.as_json({"diff": text.decode("utf-8", "replace")})
        return
    if not text:
        output.say("no difference")
    elif output.coloured():
        output.lines(map(_painted, text.decode("utf-8", "surrogateescape").splitlines()))
    else:
        output.text(text)


def _painted(line: str) -> str:
    shown = output.harmless(line)
    if line.startswith(("+++", "---")):
        return output.paint(shown, "bold")
    colour = {"+": "green", "-": "red", "@": "blue"}.get(line[:1])
    return output.paint(shown, colour) if colour else shown
