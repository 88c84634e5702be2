"""Installs, asks and removes the daemon as a service of the user's own service manager.

Every act can be shown before it is done. The manager's file is written whole or not at all, and only where none
stands or one of ours does.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping

from conductd import shipped, whole_file
from conductd.errors import (
    AlreadyRunning,
    ConfigError,
    NotFound,
    Refused,
    ServiceManagerError,
    StoreTooNew,
    StoreUnavailable,
)
from conductd.model import Frozen
from conductd.service.launchd import Launchd
from conductd.service.managed import Manager, Run, Standing, Start
from conductd.service.program import is_there
from conductd.service.systemd import Systemd

TIMEOUT_S = 330  # the unit gives a start 300 s
UNKNOWN_S = 30  # launchd kills what has not ended 20 s after it was told to (ExitTimeOut)
UNKNOWN_EVERY_S = 0.1


class Shape(Frozen, frozen=True):
    """What stands and what would stand. ``before``: the file's text now, None where there is none."""

    file: str
    text: str
    before: str | None
    runs: tuple[Run, ...]

    @property
    def is_changed(self) -> bool:
        return self.before != self.text


class Stands(Frozen, frozen=True):
    """``is_installed``: the file is there. ``command``: what it starts, ``is_startable``: whether that is there.
    ``is_current``: the file is what an install would write now."""

    is_installed: bool
    command: tuple[str, ...]
    is_startable: bool
    is_current: bool
    standing: Standing


class Control:
    """One user's service. ``env``: the process's environment. ``patience_s``: how long a removal may take."""

    def __init__(self, manager: Manager, env: Mapping[str, str], patience_s: float = UNKNOWN_S) -> None:
        self._manager, self._env, self._patience_s = manager, env, patience_s

    @property
    def manager(self) -> Manager:
        return self._manager

    def plan(self, start: Start, *, starts: bool = True, lingers: bool = False) -> Shape:
        """What `install` writes and runs. Raises Refused where another's file stands, ServiceManagerError where the
        manager cannot be told of such a program or environment."""
        manager = self._manager
        text, before = manager.text(start), self._text()
        self._refuse_anothers(before)
        runs = manager.installing(start=starts)
        return Shape(manager.file, text, before, (*runs, *manager.lingering()) if lingers else runs)

    def install(self, shape: Shape) -> None:
        """Idempotent. Raises ServiceManagerError."""
        self._reachable()
        if shape.is_changed:
            _write(shape.file, shape.text)
        self._start(shape.runs)

    def uninstall(self) -> bool:
        """Whether there was something to remove."""
        manager = self._manager
        before = self._text()
        was = before is not None
        if was:
            self._refuse_anothers(before)
            self._reachable()
            for run in manager.removing():
                self._run(run)
            os.unlink(manager.file)
            for run in manager.removed():
                self._run(run)
        return was

    def removal(self) -> tuple[Run, ...]:
        return (*self._manager.removing(), *self._manager.removed())

    def restart(self) -> None:
        """Raises NotFound where none is installed, ServiceManagerError where it does not start."""
        if self._text() is None:
            raise NotFound("no service is installed", "conductd service install")
        self._start(self._manager.restarting())

    def stands(self, start: Start) -> Stands:
        """How the service is; "unknown" where the manager cannot be asked."""
        manager, before = self._manager, self._text()
        command = manager.started_by(before) if before is not None else ()
        try:
            answers = tuple(self._run(run) for run in manager.asking())
            standing = manager.standing(answers)
        except ServiceManagerError as error:
            standing = Standing("unknown", error.message)
        try:
            is_current = before == manager.text(start)
        except ServiceManagerError:
            is_current = False  # this release could not be installed from here
        return Stands(before is not None, command, is_there(command), is_current, standing)

    def _start(self, runs: tuple[Run, ...]) -> None:
        """A daemon that ends at once has said why by its exit code."""
        try:
            for run in runs:
                self._run(run)
        except ServiceManagerError as error:
            try:
                standing = self._manager.standing(tuple(self._run(run) for run in self._manager.asking()))
            except ServiceManagerError:
                raise error from None
            if standing.state != "failed" or standing.code not in _WHY:
                raise
            why, hint = _WHY[standing.code]
            raise ServiceManagerError(f"the daemon does not start: {why}", hint) from error

    def _text(self) -> str | None:
        try:
            with open(self._manager.file, encoding="utf-8", errors="surrogateescape") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise ServiceManagerError(
                f"{self._manager.file} cannot be read: {error.strerror}", "look at what stands there"
            ) from error

    def _refuse_anothers(self, text: str | None) -> None:
        """What a person wrote or copied there stays."""
        if text is not None and not self._manager.is_ours(text):
            raise Refused(f"{self._manager.file} was not written by conductd", "move it away first")

    def _reachable(self) -> None:
        """Nothing is written while the manager cannot be told of it."""
        for run in self._manager.asking()[:1]:
            self._run(run)

    def _run(self, run: Run) -> str:
        ran = self._ran(run.argv)
        if ran is None:
            if run.may_fail:
                return ""
            raise ServiceManagerError(f"there is no {run.argv[0]} on this machine", _RUN_IT)
        if ran.returncode and not run.may_fail:
            said = ran.stderr.decode("utf-8", "replace").strip().splitlines()
            raise ServiceManagerError(
                f"`{' '.join(run.argv)}` failed: {said[0] if said else f'exit code {ran.returncode}'}", _hint(said)
            )
        if run.until_unknown:
            self._wait_until_unknown(run.until_unknown)
        return ran.stdout.decode("utf-8", "replace") if not ran.returncode else ""

    def _wait_until_unknown(self, argv: tuple[str, ...]) -> None:
        """Raises ServiceManagerError when the manager still knows it after a time in which everything ends."""
        deadline = time.monotonic() + self._patience_s
        while (ran := self._ran(argv)) is not None and not ran.returncode:
            if time.monotonic() >= deadline:
                raise ServiceManagerError(
                    f"the service does not end: `{' '.join(argv)}` still knows it after {self._patience_s:.0f} s",
                    "wait until it has ended, then again; conductd service logs",
                )
            time.sleep(UNKNOWN_EVERY_S)

    def _ran(self, argv: tuple[str, ...]) -> subprocess.CompletedProcess[bytes] | None:
        """None where there is no such program. Raises ServiceManagerError when it does not answer."""
        try:
            return subprocess.run(
                argv,
                env=_with_bus(self._env),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT_S,
                check=False,
            )
        except FileNotFoundError:
            return None
        except subprocess.TimeoutExpired:
            raise ServiceManagerError(f"`{' '.join(argv)}` does not answer", "conductd service logs") from None


_WHY = {
    NotFound.exit_code: ("there is nothing to watch", "conductd init, or name a workspace in the configuration"),
    AlreadyRunning.exit_code: ("another one runs already", "stop that one; conductd status says where it is"),
    Refused.exit_code: ("its state directory is refused", "conductd run says why"),
    ConfigError.exit_code: ("the configuration is not valid", "conductd run names every fault"),
    StoreUnavailable.exit_code: ("the journal cannot be written", "conductd run says why"),
    StoreTooNew.exit_code: ("the journal was written by a newer release", "install that release"),
}
_RUN_IT = "run `conductd run` under what starts programs here"


def control(env: Mapping[str, str], platform: str = sys.platform) -> Control:
    """For the service manager of this machine. Raises ServiceManagerError where it has none that is known."""
    if platform == "darwin":
        return Control(Launchd(env, shipped.text("launchd/dev.conductd.daemon.plist"), os.getuid()), env)
    if shutil.which("systemctl", path=env.get("PATH")) is None:
        raise ServiceManagerError("there is no systemd on this machine", _RUN_IT)
    return Control(Systemd(env, shipped.text("systemd/conductd.service"), _user()), env)


def _user() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _with_bus(env: Mapping[str, str]) -> dict[str, str]:
    """After `su` or in a cron job nobody says where the user's manager is; it is where it always is."""
    given = dict(env)
    runtime = f"/run/user/{os.getuid()}"
    if not given.get("XDG_RUNTIME_DIR") and os.path.isdir(runtime):
        given["XDG_RUNTIME_DIR"] = runtime
    return given


def _hint(said: list[str]) -> str:
    if any("connect to bus" in line or "No medium" in line for line in said):
        return (
            "your own service manager does not run: log in as this user (not with su or sudo), or let it run always: "
            f"sudo loginctl enable-linger {_user()}"
        )
    return "conductd service logs"


def _write(path: str, text: str) -> None:
    """Readable to all, as units are. Raises ServiceManagerError."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        whole_file.put(path, text.encode("utf-8", "surrogateescape"), mode=0o644)
    except OSError as error:
        raise ServiceManagerError(
            f"{path} cannot be written: {error.strerror}: nothing was installed",
            "make its directory writable; conductd service install --dry-run shows what belongs there",
        ) from error
