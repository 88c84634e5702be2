"""`conductd run`: the daemon in the foreground."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

from conductd.cli import files, output
from conductd.cli.options import Options, common

if TYPE_CHECKING:
    from conductd.app import App


@click.command()
@click.option("--workspace", "workspaces", metavar="DIR", multiple=True, help="Take this directory (may be repeated).")
@click.option("--observe", is_flag=True, help="Record, judge and tell, but write into no workspace.")
@click.option(
    "--demo/--no-demo", default=True, help="Make a demo workspace when none is given or found.", show_default=True
)
@common
def command(options: Options, workspaces: tuple[str, ...], observe: bool, demo: bool) -> int:
    """Run the daemon in the foreground, until Ctrl-C.

    It takes the workspaces given and protects them; else those of the configuration; else those of OpenClaw and
    Claude Code that it finds, which it only observes; else it makes a demo to try it on.
    """
    from conductd import app
    from conductd.api.server import face
    from conductd.service import notify

    request = app.Request(
        workspaces=tuple(map(files.path, workspaces)),
        observe=observe,
        state_dir=options.state_dir,
        socket=options.socket,
        config=options.config,
        demo=demo,
    )
    return app.run(request, face, started=_started, stopping=notify.stopping)


def _started(running: App) -> None:
    """Tell the service manager, and what a person at a terminal wants to know first: on stderr, like all talk."""
    from conductd.cli.greeting import Place, greeting
    from conductd.service import notify
    from conductd.views.words import counted

    spaces = running.service.workspaces() if running.service is not None else []
    socket = running.socket if running.own_place else None
    place = Place(_program(), running.state_dir, socket, os.path.expanduser("~"))
    output.say("\n".join(greeting(running.roots, spaces, place)))
    files = sum(each.files for each in spaces)
    notify.ready(f"{counted(len(spaces), 'workspace')}, {counted(files, 'file')}")


def _program() -> str:
    """How the command line is called from another terminal, in whatever directory."""
    beside = os.path.join(os.path.dirname(sys.executable), "conductd")
    if shutil.which("conductd") or not os.path.exists(beside):
        return "conductd"
    return beside
