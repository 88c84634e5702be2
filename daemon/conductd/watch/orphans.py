"""Processes that left their parents behind: whether one did, and who else is of its session. Linux, from /proc.

A child is born into the session of its parent, and leaves it only to lead one of its own. A process that leads none,
and whose parent is of another session, was therefore adopted: who started it has ended. Of one that leads a session
right below init this cannot be told from a service, but for a shell or a command that nobody named as one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

SHELLS = ("sh", "bash", "dash", "zsh", "fish", "ksh", "busybox", "conductd", "curl", "python", "node", "perl", "ruby")
# Programs that adopt what others left, and start services themselves.
REAPERS = ("init", "systemd", "launchd", "tini", "dumb-init", "docker-init", "catatonit", "runit", "s6-svscan")


class Groups(NamedTuple):
    parent: int
    group: int
    session: int  # 0: led from outside of this container


def groups(pid: int) -> Groups | None:
    """None when the process is gone or hidden."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            line = file.read()
        fields = line[line.rfind(b")") + 1 :].split()
        return Groups(int(fields[1]), int(fields[2]), int(fields[3]))
    except (OSError, ValueError, IndexError):
        return None


def adopted(
    chain: Sequence[tuple[int, str]],
    terminal: bool,
    look: Callable[[int], Groups | None] = groups,
    name_of: Callable[[int], str] | None = None,
) -> int | None:
    """The process among a caller (``chain[0]``: pid and name) and its ancestors that somebody else adopted, or that may
    be; None when there is none, up to who leads the session."""
    unnamed, name_of = True, name_of or _program
    for number, (pid, name) in enumerate(chain):
        own = look(pid)
        if own is None:
            return None
        unnamed = unnamed and _is_unnamed(name)
        if own.session in (pid, 0):
            above = chain[number + 1][1] if number + 1 < len(chain) else name_of(own.parent)
            return pid if unnamed and not terminal and own.parent and _is_reaper(own.parent, above) else None
        parent = look(own.parent)
        if own.parent == 0 or parent is None:
            return None
        if parent.session != own.session:
            return pid if unnamed else None  # below a program that has a name, that name is told
    return None


def kin(pid: int) -> list[int]:
    """The other processes of its session, or of its group."""
    own = groups(pid)
    if own is None:
        return []
    found = []
    for each in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        other = groups(each) if each != pid else None
        if other is not None and ((own.session and other.session == own.session) or other.group == own.group):
            found.append(each)
    return found


def _is_unnamed(name: str) -> bool:
    """A shell or interpreter with no script of its own, or conductd itself."""
    first, _, script = name.partition(" ")
    program = first.rstrip("0123456789.")
    return program in SHELLS and (not script or program in SHELLS[:7] or script.startswith("-m conductd"))


def _is_reaper(pid: int, name: str) -> bool:
    """The first process of a container that is a shell or a script started what it has below it."""
    program = name.partition(" ")[0]
    return program in REAPERS or (pid == 1 and program.rstrip("0123456789.") not in SHELLS)


def _program(pid: int) -> str:
    """By its file; where that may not be looked at (init of the system, for anybody but root, or another user's), by
    what it calls itself."""
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        pass
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""
