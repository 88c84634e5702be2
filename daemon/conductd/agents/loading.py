"""Every agent whose loading can be computed: how it is asked for, told by a directory, and asked.

The way from a directory to `core.load.loaded.Load`. Read-only. Loaders are imported when they are asked: the command
line wants to be quick.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from conductd.agents.installed import installed
from conductd.core.load.loaded import Load
from conductd.core.load.openclaw_versions import Session
from conductd.errors import UsageError
from conductd.model import Frozen


class Asked(Frozen, frozen=True):
    """What is asked of a loader: an absolute directory, a release, a kind of session, and whose environment."""

    root: str
    version: str
    session: Session
    env: Mapping[str, str]
    home: str


class Loader(Frozen, frozen=True):
    """``marks``: relative paths of which any says that a directory is this agent's. ``newest``: the newest release
    known here. ``program`` and ``packages``: what an installed one is found by."""

    name: str
    display: str
    marks: tuple[str, ...]
    newest: str
    program: str
    packages: tuple[str, ...]
    load: Callable[[Asked], Load]


def _openclaw(asked: Asked) -> Load:
    from conductd.agents.openclaw_bootstrap import load
    from conductd.core.load.openclaw_versions import parse_version

    version = parse_version(asked.version)
    if version is None:
        raise UsageError(f"{asked.version} is no version of OpenClaw", "say it like 2026.9.6")
    return load(asked.root, version, asked.session, asked.env, asked.home)


# In the order in which a directory is asked: the surest first.
LOADERS: tuple[Loader, ...] = (
    Loader(
        "openclaw",
        "OpenClaw",
        ("SOUL.md", "IDENTITY.md", "BOOTSTRAP.md", "HEARTBEAT.md", "MEMORY.md", "memory.md", ".openclaw"),
        "2026.9.6",
        "openclaw",
        ("openclaw",),
        _openclaw,
    ),
)


def named(name: str) -> Loader:
    """The loader; raises UsageError for a name that is not known."""
    for each in LOADERS:
        if each.name == name:
            return each
    raise UsageError(f"no agent is called {name}", f"known are: {', '.join(each.name for each in LOADERS)}")


def guessed(root: str) -> tuple[Loader, str] | None:
    """The agent that a directory looks like, and by what; None when nothing says."""
    for each in LOADERS:
        for mark in each.marks:
            if os.path.lexists(os.path.join(root, mark)):
                return each, mark
    return None


def version_of(loader: Loader, env: Mapping[str, str]) -> tuple[str, bool]:
    """The release to take, and whether it is the one that is installed."""
    found = installed(loader.program, loader.packages, env) if loader.program else None
    return (found, True) if found else (loader.newest, False)
