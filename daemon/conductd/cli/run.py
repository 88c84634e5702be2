"""`conductd run`: the daemon in the foreground."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import click

from conductd.cli import files
from conductd.cli.options import Options, common

if TYPE_CHECKING:
    from conductd.app import App


@click.command()
@click.option(
    "--workspace", "workspaces", metavar="DIR", multiple=True, help="Protect this directory (may be repeated)."
)
@click.option("--observe", is_flag=True, help="Record, judge and tell, but write into no workspace.")
@click.option("--demo/--no-demo", default=True, help="Make a demo workspace when none is given or found (the default).")
@common
def command(options: Options, workspaces: tuple[str, ...], observe: bool, demo: bool) -> int:
    """Run the daemon in the foreground: on the workspaces given, else on those it finds."""
    from conductd import app
    from conductd.api.server import face

    request = app.Request(
        workspaces=tuple(map(files.path, workspaces)),
        observe=observe,
        state_dir=options.state_dir,
        socket=options.socket,
        config=options.config,
        demo=demo,
    )
    return app.run(request, face, started=_greet)


def _greet(running: App) -> None:
    """What a person at a terminal wants to know first; on stderr, like all talk."""
    from conductd.cli.greeting import greeting

    program = "conductd" if shutil.which("conductd") else sys.argv[0]
    for line in greeting(running.roots, running.state_dir, running.socket, running.own_place, program):
        click.echo(line, err=True)
