"""`conductd run`: the daemon in the foreground."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import time
from typing import TYPE_CHECKING

import click

from conductd.cli import files, output
from conductd.cli.failures import tell
from conductd.cli.options import Options, common
from conductd.errors import AlreadyRunning, ConfigError, NotFound, Refused, UsageError
from conductd.service.words import status_line

if TYPE_CHECKING:
    from conductd.app import App
    from conductd.views.reload import ReloadView

STATUS_S = 10.0
# What a new start does not cure. systemd knows the exit codes (RestartPreventExitStatus).
INCURABLE = (UsageError, NotFound, AlreadyRunning, Refused, ConfigError)


@click.command()
@click.option("--workspace", "workspaces", metavar="DIR", multiple=True, help="Take this directory (may be repeated).")
@click.option("--observe", is_flag=True, help="Record, judge and tell, but write into no workspace.")
@click.option(
    "--demo/--no-demo", default=True, help="Make a demo workspace when none is given or found.", show_default=True
)
@common
def command(options: Options, workspaces: tuple[str, ...], observe: bool, demo: bool) -> int:
    """Run the daemon in the foreground, until Ctrl-C.

    It takes the workspaces given and protects them; else those of the configuration; else those of the agents that
    it finds (`conductd init` shows them), which it only observes; else it makes a demo to try it on.
    """
    from conductd import app
    from conductd.api.server import face
    from conductd.service import notify

    _begin_log_anew()
    request = app.Request(
        workspaces=tuple(map(files.path, workspaces)),
        observe=observe,
        state_dir=options.state_dir,
        socket=options.socket,
        config=options.config,
        demo=demo,
    )
    with notify.Starting() as starting:

        def started(running: App) -> None:
            starting.over()
            _settle()
            _started(running)

        try:
            told = app.Told(
                started=started,
                tended=_Tended(),
                stopping=notify.stopping,
                reloading=notify.reloading,
                reloaded=_reloaded,
                waiting=notify.waiting if notify.manager() else None,
            )
            return app.run(request, face, told=told)
        except INCURABLE as error:
            # launchd starts whatever ended badly again every ten seconds, and cannot be told which ends are for good.
            if notify.manager() != "launchd":
                raise
            tell(error, options.json)
            return 0


def _settle() -> None:
    """What was made for the start stays: a collection that goes through all of it holds up every write: with the
    history of 2,000 files for 50 to 100 ms."""
    gc.collect()
    gc.freeze()


class _Tended:
    """Tells the service manager that the daemon gets on, and now and then how it is."""

    def __init__(self) -> None:
        self._due, self._said = 0.0, ""

    def __call__(self, running: App) -> None:
        from conductd.service import notify

        if not running.is_hung:
            notify.gets_on()
        _begin_log_anew()
        if not notify.is_managed() or time.monotonic() < self._due or running.service is None:
            return
        self._due = time.monotonic() + STATUS_S
        line = status_line(running.service.brief())
        if line != self._said:
            self._said = line
            notify.status(line)


def _started(running: App) -> None:
    """Tell the service manager, and what a person at a terminal wants to know first: on stderr, like all talk."""
    from conductd.cli.greeting import Place, greeting
    from conductd.service import notify

    spaces = running.service.workspaces() if running.service is not None else []
    socket = running.socket if running.own_place else None
    place = Place(_program(), running.state_dir, socket, os.path.expanduser("~"))
    output.say("\n".join(greeting(running.roots, spaces, place)))
    if running.service is not None:
        notify.ready(status_line(running.service.brief()))


def _reloaded(running: App, _view: ReloadView) -> None:
    """It is ready again, by the new configuration or the one before: the status says which."""
    from conductd.service import notify

    if running.service is not None:
        notify.ready(status_line(running.service.brief()))


def _begin_log_anew() -> None:
    from conductd.config.paths import home
    from conductd.service import launchd, log_file

    log_file.begin_anew(launchd.log_path(home(os.environ)))


def _program() -> str:
    """How the command line is called from another terminal, in whatever directory."""
    beside = os.path.join(os.path.dirname(sys.executable), "conductd")
    if shutil.which("conductd") or not os.path.exists(beside):
        return "conductd"
    return beside
