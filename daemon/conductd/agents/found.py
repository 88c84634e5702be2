"""One place an agent keeps memory in, and the bounded looks at the disk that finding it takes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping

from conductd.core.globs import matches
from conductd.model import Frozen

# More entries than this in one directory are not looked at: discovery is a look round, not a search.
ENTRIES = 4_096


class Found(Frozen, frozen=True):
    """``root`` is a real path; ``why`` one phrase for people; ``state_dir`` the agent's own, where it has one."""

    root: bytes
    profile: str
    why: str
    state_dir: bytes | None = None


def real_directory(path: str) -> str | None:
    """The real path of an existing directory; None for anything else."""
    if not path:
        return None
    try:
        real = os.path.realpath(path, strict=True)
        return real if stat.S_ISDIR(os.stat(real).st_mode) else None
    except (OSError, ValueError):
        return None


def subdirectories(path: str) -> Iterator[str]:
    """Names of the directories right below, links left out, in order; nothing when it cannot be read."""
    try:
        with os.scandir(path) as entries:
            names = [entry.name for _, entry in zip(range(ENTRIES), entries, strict=False) if _is_directory(entry)]
    except (OSError, ValueError):
        return
    yield from sorted(names)


def is_at(real: str, pattern: str, home: str) -> bool:
    """Whether the directory is one that the glob means, which is absolute or below `~/`."""
    base = os.path.realpath(home) if pattern.startswith("~/") else ""
    inside = real.startswith(base.rstrip("/") + "/")
    return inside and matches(
        "/" + pattern.removeprefix("~/").strip("/"), os.fsencode(os.path.relpath(real, base or "/"))
    )


def set_value(env: Mapping[str, str], name: str) -> str:
    """The variable, trimmed; "" too for what OpenClaw takes as unset (a script's `undefined` and `null`)."""
    value = env.get(name, "").strip()
    return "" if value in ("undefined", "null") or "\0" in value else value


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
