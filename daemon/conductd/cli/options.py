"""The options every command takes, before or after its name, and what follows from them.

`--state-dir`, `--socket` and `--config` win over CONDUCTD_STATE_DIR, CONDUCTD_SOCKET and
CONDUCTD_CONFIG, which win over the configuration file, which wins over the platform's places.
"""

from __future__ import annotations

import functools
import os
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

if TYPE_CHECKING:
    from conductd.api.client import Client
    from conductd.errors import DaemonNotRunning

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Options:
    """As given; None where nothing was."""

    state_dir: str | None = None
    socket: str | None = None
    config: str | None = None
    json: bool = False

    def over(self, earlier: Options) -> Options:
        """What is given after the command wins over what is given before it."""
        return replace(
            self,
            state_dir=self.state_dir or earlier.state_dir,
            socket=self.socket or earlier.socket,
            config=self.config or earlier.config,
            json=self.json or earlier.json,
        )

    def environ(self) -> dict[str, str]:
        """The process's environment with these options in it."""
        given = {
            "CONDUCTD_STATE_DIR": self.state_dir,
            "CONDUCTD_SOCKET": self.socket,
            "CONDUCTD_CONFIG": self.config,
        }
        return {**os.environ, **{name: value for name, value in given.items() if value}}

    def socket_path(self) -> bytes:
        """The wished socket: absolute, and perhaps too long for an address (the client knows what then).

        As the daemon decides: a state directory given as an option brings its own socket.
        """
        if self.socket:
            return os.path.abspath(os.fsencode(self.socket))
        if self.state_dir:
            return os.path.abspath(os.path.join(os.fsencode(self.state_dir), b"conductd.sock"))
        named = os.environ.get("CONDUCTD_SOCKET")
        if named:  # the quick way: nothing else need be known
            return os.path.abspath(os.fsencode(os.path.expanduser(named)))
        return os.fsencode(_places(self.environ())[1])

    def state_path(self) -> str:
        """The state directory, absolute."""
        return _places(self.environ())[0]

    def client(self) -> Client:
        """A connection to the daemon; warns when it is of another version. Raises DaemonNotRunning, NotOurSocket."""
        from conductd import __version__
        from conductd.api.client import API_VERSION, Client
        from conductd.errors import DaemonNotRunning

        client = Client(self.socket_path())
        try:
            hello = client.hello()
        except DaemonNotRunning as error:
            raise self._unreachable() or error from error
        if hello.api != API_VERSION or hello.daemon != __version__:
            click.echo(
                f"warning: the daemon is version {hello.daemon} (API {hello.api}), this command is {__version__} "
                f"(API {API_VERSION}); restart the daemon",
                err=True,
            )
        return client

    def _unreachable(self) -> DaemonNotRunning | None:
        """What to say when a daemon runs on the state directory all the same."""
        from conductd.errors import DaemonNotRunning
        from conductd.journal.lock import holder

        state = self.state_path()
        pid = holder(os.path.join(state, "lock"))
        if not pid:
            return self._elsewhere(state)
        return DaemonNotRunning(
            f"the daemon runs as process {pid}, but nobody answers on {os.fsdecode(self.socket_path())}",
            "if its socket was removed it is back within seconds: try again; else name it with --socket, or restart it",
        )

    def _elsewhere(self, state: str) -> DaemonNotRunning | None:
        """The configuration names another place than the one where its daemon still is: a new start would begin a
        second history."""
        from conductd.config import paths
        from conductd.config.last_place import last_place
        from conductd.engine.configuring.reading import ran_with
        from conductd.errors import DaemonNotRunning
        from conductd.journal.lock import holder

        if self.state_dir or self.socket:
            return None
        env = self.environ()
        source = paths.expand(env.get("CONDUCTD_CONFIG") or paths.default_config_path(env), env)
        for place in map(os.path.abspath, filter(None, (last_place(source, env), paths.default_state_dir(env)))):
            is_other = place != state and ran_with(place, source)
            pid = holder(os.path.join(place, "lock")) if is_other else ""
            if pid:
                return DaemonNotRunning(
                    f"a daemon runs on {place} as process {pid}, and {state} is the place that is configured now",
                    f"restart it to have it move there (it begins a new history); until then: "
                    f"conductd status --state-dir {shlex.quote(place)}",
                )
        return None


def _places(env: dict[str, str]) -> tuple[str, str]:
    """The state directory and the socket. A broken configuration is told and passed over."""
    from conductd.config import paths
    from conductd.config.last_place import last_place

    if os.path.exists(env.get("CONDUCTD_CONFIG") or paths.default_config_path(env)):
        from conductd.config.load import load
        from conductd.errors import ConfigError

        try:
            config = load(None, env)
        except ConfigError as error:
            tell_broken(error.message, error.faults)
        else:
            return config.state_dir, config.socket
    source = paths.expand(env.get("CONDUCTD_CONFIG") or paths.default_config_path(env), env)
    said = env.get("CONDUCTD_STATE_DIR") or last_place(source, env)
    state = os.path.abspath(paths.expand(said or paths.default_state_dir(env), env))
    socket = env.get("CONDUCTD_SOCKET") or paths.default_socket(state)
    return state, os.path.abspath(paths.expand(socket, env))


@functools.cache
def tell_broken(message: str, faults: tuple[str, ...]) -> None:
    """A configuration that is passed over is told with its faults: once, whoever reads it again."""
    from conductd.cli.output import harmless

    for line in (f"warning: {message}", *(f"  {fault}" for fault in faults)):
        click.echo(harmless(line), err=True)


def common(function: Callable[..., R]) -> Callable[..., R]:
    """Adds the options; the command is called with `options` first."""

    @click.option("--state-dir", metavar="DIR", help="Where the journal is [CONDUCTD_STATE_DIR].")
    @click.option("--socket", metavar="PATH", help="The daemon's socket [CONDUCTD_SOCKET].")
    @click.option("--config", metavar="FILE", help="The configuration file [CONDUCTD_CONFIG].")
    @click.option("--json", is_flag=True, help="Print JSON.")
    @click.pass_context
    @functools.wraps(function)
    def command(context: click.Context, /, **given: Any) -> R:
        here = Options(
            state_dir=given.pop("state_dir"),
            socket=given.pop("socket"),
            config=given.pop("config"),
            json=given.pop("json"),
        )
        options = here.over(context.obj or Options())
        context.find_root().obj = context.obj = options
        return function(options, **given)

    return command


class Number(click.IntRange):
    """A whole number, called so in help and in what is said about a wrong one."""

    name = "number"

    def _describe_range(self) -> str:
        """Nothing where any number will do."""
        return "" if self.min is None and self.max is None else super()._describe_range()


def confirmed(question: str, *, default: bool = True) -> bool:
    """Ask; a no is told, and nothing is done. `default`: what an empty line means."""
    if click.confirm(question, default=default, err=True):
        return True
    click.echo("nothing is written", err=True)
    return False


def person_at_terminal() -> bool:
    """Whether somebody can be asked: both the question and the answer go to a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()
