"""`conductd service`: the daemon as a service of your own, under systemd or launchd."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from conductd.cli import output
from conductd.cli.options import Number, Options, common

if TYPE_CHECKING:
    from conductd.service.control import Control, Shape, Stands
    from conductd.service.managed import Start


@click.group(no_args_is_help=True)
@common
def command(_options: Options) -> None:
    """The daemon as a service of your own: it starts when you log in, and again when it fails."""


@command.command(short_help="Install it, or bring it up to date.")
@click.option("--dry-run", is_flag=True, help="Only show what would be written and run.")
@click.option("--no-start", is_flag=True, help="Do not start it now.")
@click.option("--linger", is_flag=True, help="Let it go on while you are not logged in (systemd).")
@common
def install(options: Options, dry_run: bool, no_start: bool, linger: bool) -> None:
    """Write the service's file and start it. Again: the same, and nothing twice.

    Whatever is given of --state-dir, --socket and --config goes into the service; so does what your environment says
    of where agents keep their things.
    """
    control = _control()
    shape = control.plan(_start(options), starts=not no_start, lingers=linger)
    if dry_run:
        _tell(options, shape, done=False)
        return
    if shape.before is not None and shape.is_changed:
        _refuse_agents("changes the service")
    control.install(shape)
    _tell(options, shape, done=True)


@command.command(short_help="Remove it; what was recorded stays.")
@click.option("--dry-run", is_flag=True, help="Only show what would be run and removed.")
@click.option("--purge", is_flag=True, help="Remove the whole recorded history as well. There is no way back.")
@common
def uninstall(options: Options, dry_run: bool, purge: bool) -> None:
    """Stop the service and remove its file. The history stays, and `conductd run` goes on with it."""
    from conductd.cli.purge import purged, refuse_to_purge
    from conductd.config.last_place import forget

    control = _control()
    state_dir = options.state_path()
    if dry_run:
        runs = [" ".join(run.argv) for run in control.removal()]
        files = [control.manager.file, *([state_dir] if purge else [])]
        if options.json:
            output.as_json({"done": False, "removes": files, "runs": runs})
        else:
            output.lines([*(f"removes {each}" for each in files), *(f"runs {each}" for each in runs)])
        return
    if purge:
        refuse_to_purge(state_dir)
        word = click.prompt(
            f"every recorded version in {state_dir} goes, for good. Type purge to go on", default="", err=True
        )
        if word.strip() != "purge":
            click.echo("nothing is removed", err=True)
            raise click.exceptions.Exit(1)
    _refuse_agents("removes the service")
    was = control.uninstall()
    left = purged(state_dir) if purge else []
    if purge:
        forget(state_dir, options.environ())
    gone = purge and not left
    if options.json:
        output.as_json({"done": was or gone, "removed": [control.manager.file] * was + [state_dir] * gone})
        return
    output.lines([f"removed {control.manager.file}" if was else "no service was installed"])
    if left:
        output.lines(["removed the history; what is not conductd's stays:", *map(output.harmless, left)])
    elif gone:
        output.lines([f"removed {state_dir}"])
    elif os.path.isdir(state_dir):
        output.lines([f"what was recorded stays in {state_dir}"])


@command.command(short_help="Does it run, and as it should?")
@common
def status(options: Options) -> None:
    """How the service stands. Exit code 0 only when it runs, and what it starts is there."""
    control = _control()
    stands = control.stands(_start(options))
    if options.json:
        output.as_json(_as_json(control, stands))
    else:
        output.lines(_lines(control, stands))
    if stands.standing.state != "running" or not stands.is_startable:
        raise click.exceptions.Exit(5 if stands.is_installed else 3)


@command.command(short_help="What it wrote into its log.")
@click.option("-n", "lines", type=Number(1, 1_000_000), default=50, show_default=True, help="The last so many lines.")
@click.option("-f", "--follow", is_flag=True, help="Go on with what comes.")
@common
def logs(_options: Options, lines: int, follow: bool) -> None:
    """The service's log, by the manager's own reader. Exit code 3: none is installed."""
    from conductd.errors import NotFound, ServiceManagerError

    manager = _control().manager
    argv = manager.logs(lines, follow=follow)
    if not os.path.lexists(manager.file):
        raise NotFound(
            f"no service is installed ({manager.name}): there is no log of one",
            f"conductd service install; what an earlier one wrote: {' '.join(argv)}",
        )
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - no shell on purpose
    except OSError as error:
        raise ServiceManagerError(f"{argv[0]} cannot be run: {error.strerror}", "read the log by hand") from error


@command.command(short_help="Stop it and start it again.")
@common
def restart(options: Options) -> None:
    """Returns when the daemon answers again."""
    control = _control()
    control.restart()
    if options.json:
        output.as_json({"restarted": True})
    else:
        output.lines(["the service runs again"])


def _control() -> Control:
    from conductd.service.control import control

    return control(os.environ)


def _refuse_agents(what: str) -> None:
    """Who ends the watch, or points it elsewhere, is a person (promise P8). Evident, not bullet-proof: an agent that
    has a shell can talk to the service manager itself."""
    from conductd.errors import Refused
    from conductd.watch.ancestry import asker

    if asker(os.getpid()).is_agent:
        raise Refused(f"no agent {what}", "a person may, in a terminal of their own")


def _start(options: Options) -> Start:
    from conductd.service.managed import Start, carried
    from conductd.service.program import program

    given = (("--state-dir", options.state_dir), ("--socket", options.socket), ("--config", options.config))
    words = [word for name, value in given if value for word in (name, os.path.abspath(os.path.expanduser(value)))]
    called = program(os.environ)
    return Start((*called, "run", "--no-demo", *words), (*called, "reload", *words), carried(os.environ))


def _tell(options: Options, shape: Shape, *, done: bool) -> None:
    what = "unchanged" if not shape.is_changed else "new" if shape.before is None else "changed"
    runs = [" ".join(run.argv) for run in shape.runs]
    if options.json:
        output.as_json({"done": done, "file": shape.file, "what": what, "text": shape.text, "runs": runs})
        return
    if not done:
        output.lines([f"{shape.file} ({what}):", "", *shape.text.splitlines(), "", *(f"runs {each}" for each in runs)])
        return
    output.lines([f"{'wrote' if shape.is_changed else 'left as it was:'} {shape.file}"])
    output.lines([f"ran {each}" for each in runs])


def _as_json(control: Control, stands: Stands) -> dict[str, object]:
    standing = stands.standing
    return {
        "manager": control.manager.name,
        "file": control.manager.file,
        "installed": stands.is_installed,
        "command": list(stands.command),
        "startable": stands.is_startable,
        "current": stands.is_current,
        "state": standing.state,
        "detail": standing.detail,
        "pid": standing.pid,
        "at_login": standing.at_login,
        "lingers": standing.lingers,
    }


def _lines(control: Control, stands: Stands) -> Iterator[str]:
    standing = stands.standing
    if not stands.is_installed:
        yield f"no service is installed ({control.manager.name}); to install one: conductd service install"
        return
    pid = f", process {standing.pid}" if standing.pid else ""
    yield f"{standing.state}{pid}{f': {output.harmless(standing.detail)}' if standing.detail else ''}"
    yield f"{control.manager.name}: {control.manager.file}"
    if not stands.is_startable:
        yield f"what it starts is not there: {output.harmless(' '.join(stands.command))}"
        yield "the program was moved or removed; to name the one in use: conductd service install"
    elif not stands.is_current:
        yield "its file is not what this release would write; to bring it up to date: conductd service install"
    if not standing.at_login and standing.state != "unknown":
        yield "it is not started at login: conductd service install"
    if standing.lingers is False:
        yield "it ends when you log out; to let it go on: conductd service install --linger"
