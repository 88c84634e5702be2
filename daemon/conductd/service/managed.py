"""What the service managers have in common: what is to be started, what is written and run for it, how it stands.

Values only. `service.systemd` and `service.launchd` say what it is on theirs, `service.control` does it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Protocol

from conductd.config.paths import expand
from conductd.model import Frozen

# Where conductd's own things lie. One that is relative means another place in the directory of a service.
OWN_PLACES = ("CONDUCTD_CONFIG", "CONDUCTD_STATE_DIR", "CONDUCTD_SOCKET")
# What changes where things lie, or which agents are found: a service manager's environment has it not.
# Names only, and none that holds a secret.
CARRIED = (
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_DATA_HOME",
    *OWN_PLACES,
    "CONDUCTD_ALLOW_NETWORK_STATE",
    "OPENCLAW_HOME",
    "OPENCLAW_STATE_DIR",
    "OPENCLAW_CONFIG_PATH",
    "OPENCLAW_WORKSPACE_DIR",
    "OPENCLAW_PROFILE",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "HERMES_HOME",
)


class Start(Frozen, frozen=True):
    """What the manager starts: an absolute program with its arguments, what it has it read its configuration again by,
    and what it adds to its environment."""

    command: tuple[str, ...]
    reload: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()


class Run(Frozen, frozen=True):
    """A command of the manager's. ``may_fail``: its failure says that there was nothing to do. ``until_unknown``: what
    it begins is over once this command fails; () where it is over when it returns."""

    argv: tuple[str, ...]
    may_fail: bool = False
    until_unknown: tuple[str, ...] = ()


class Standing(Frozen, frozen=True):
    """How the service stands. ``state``: "running", "stopped", "failed", "starting" or "unknown"; ``detail``: the
    manager's own words. ``at_login``: it is started by itself. ``lingers``: it goes on while nobody is logged in;
    None: not known, or not a thing of this manager. ``code``: what it ended with, where it failed."""

    state: str
    detail: str = ""
    pid: int = 0
    at_login: bool = False
    lingers: bool | None = None
    code: int = 0


class Manager(Protocol):
    """One service manager. ``name`` as it calls itself, ``file`` the absolute path of what it reads."""

    name: str
    file: str

    def text(self, start: Start) -> str:
        """What belongs into the file. Raises ServiceManagerError where the manager cannot be told of that start."""
        ...

    def is_ours(self, text: str) -> bool:
        """Whether `text` made it, of this release or another."""
        ...

    def started_by(self, text: str) -> tuple[str, ...]:
        """The command in a text of the file; () when none can be read."""
        ...

    def installing(self, *, start: bool) -> tuple[Run, ...]:
        """After the file is written."""
        ...

    def lingering(self) -> tuple[Run, ...]: ...
    def removing(self) -> tuple[Run, ...]:
        """Before the file is removed."""
        ...

    def removed(self) -> tuple[Run, ...]:
        """After it."""
        ...

    def restarting(self) -> tuple[Run, ...]: ...
    def asking(self) -> tuple[Run, ...]:
        """What `standing` reads the output of, in order."""
        ...

    def standing(self, answers: tuple[str, ...]) -> Standing: ...
    def logs(self, lines: int, *, follow: bool) -> tuple[str, ...]: ...


def carried(env: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """What of an environment the service needs too, its own places absolute."""
    given = ((name, env[name]) for name in CARRIED if env.get(name))
    return tuple((name, os.path.abspath(expand(value, env)) if name in OWN_PLACES else value) for name, value in given)
