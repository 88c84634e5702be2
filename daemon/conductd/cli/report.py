"""`conductd report`: what became of memory on a day, in the terminal or as a page in the browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile

import click

from conductd.cli import here, output
from conductd.cli.options import Options, common
from conductd.errors import Refused, UsageError
from conductd.views import ReportView


@click.command()
@click.option("--date", "day", metavar="DATE", default="", help="Of that day, as 2026-03-08; else the last one kept.")
@click.option("--workspace", metavar="DIR", help="Of which one (default: the one you are in, or the only one).")
@click.option("--open", "opens", is_flag=True, help="Show the page in your browser.")
@click.option("--html", is_flag=True, help="Print the page as HTML.")
@common
def command(options: Options, day: str, workspace: str | None, opens: bool, html: bool) -> None:
    """What became of memory on a day: clean, handled, or something for you to do.

    A day of which none was kept gets one now, of what the history has; that one is not kept.
    """
    if html + opens + options.json > 1:
        raise UsageError("--open, --html and --json exclude each other", "give one of them")
    with options.client() as client:
        view = client.report(here.workspace(client, workspace), day)
    if options.json:
        output.as_json(view)
        return
    if not view.kept:
        output.say(f"there is no report of {view.day} yet: this one was made now, and is not kept")
    if opens:
        _open(view)
    else:
        output.text((view.html if html else view.markdown).encode("utf-8", "replace"))


def _open(view: ReportView) -> None:
    """Raises Refused: there is nothing to open it with."""
    program = shutil.which("open" if sys.platform == "darwin" else "xdg-open")
    path = view.where or _written(view)
    if program is None or not _has_screen():
        why = "there is no xdg-open" if program is None else "there is no screen here"
        raise Refused(f"the page cannot be shown: {why}", f"open {output.harmless(path)} yourself")
    subprocess.Popen(
        [program, path],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # the browser stays when this terminal goes
    )
    output.say(f"opened {output.harmless(path)}")


def _has_screen() -> bool:
    return sys.platform == "darwin" or any(os.environ.get(each) for each in ("DISPLAY", "WAYLAND_DISPLAY"))


def _written(view: ReportView) -> str:
    """Private; the system clears it away."""
    with tempfile.NamedTemporaryFile("w", prefix="conductd-report-", suffix=".html", delete=False) as file:
        file.write(view.html)
    return file.name
