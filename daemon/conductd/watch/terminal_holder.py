"""Who is at the other end of a pseudo-terminal: the program that made it holds its master. Linux, from /proc.

A process can leave its parents behind. The terminal that it was given is still held by who made it: a terminal
emulator, sshd, tmux, or an agent that wants to look like a person.
"""

from __future__ import annotations

import os
from contextlib import suppress

_MASTERS = ("/dev/ptmx", "/dev/pts/ptmx")
_FIRST_MAJOR, _LAST_MAJOR = 136, 143  # of the slaves of Unix98 pseudo-terminals


def pty_number(terminal: int) -> int | None:
    """Of /dev/pts/N, from the device number that /proc/PID/stat has; None for any other terminal."""
    major, minor = terminal >> 8 & 0xFFF, terminal & 0xFF | terminal >> 12 & 0xFFF00
    return (major - _FIRST_MAJOR) * 256 + minor if _FIRST_MAJOR <= major <= _LAST_MAJOR else None


def holders(pid: int, terminal: int) -> list[int]:
    """The processes that hold the master of the controlling terminal of `pid`, as far as they may be looked at. Of
    another container, which counts its terminals anew, none."""
    number = pty_number(terminal)
    mounts = _mounts(pid)
    if number is None or not mounts:
        return []
    return [each for each in _processes() if _holds(each, number) and _mounts(each) == mounts]


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _mounts(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/ns/mnt")
    except OSError:
        return ""


def _holds(pid: int, number: int) -> bool:
    try:
        files = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return False  # gone, or somebody else's
    for fd in files:
        with suppress(OSError):  # closed since it was listed: that says nothing about the others
            if os.readlink(f"/proc/{pid}/fd/{fd}") in _MASTERS and _index(pid, fd) == number:
                return True
    return False


def _index(pid: int, fd: str) -> int | None:
    with open(f"/proc/{pid}/fdinfo/{fd}", "rb") as file:
        for line in file:
            name, _, value = line.partition(b":")
            if name == b"tty-index":
                return int(value)
    return None
