"""Does anybody have this file open? Asked of the kernel by leases, of /proc where it cannot say.

A read lease is granted only while nobody has the file open for writing (a writable mapping
counts); a write lease only while nobody else has it open at all, and whoever opens it then
waits until we let go. Only the owner (or CAP_LEASE) may ask. Linux only.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

_WANTS_WAIT: Final = (errno.EAGAIN, errno.EBUSY)


@dataclass(frozen=True, slots=True)
class Free:
    """No writer. ``evidence`` is not empty when it was found out the weaker way."""

    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """Somebody has it open; ``reason`` names the process when it can be seen."""

    reason: str


@dataclass(frozen=True, slots=True)
class NoLease:
    """The file system, the platform or the owner does not allow leases."""

    reason: str


def no_writer(descriptor: int) -> Free | Held:
    """Whether somebody has the file open for writing right now. ``descriptor`` is read-only."""
    if sys.platform == "linux":
        try:
            _quiet_signal(descriptor)
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError as error:
            if error.errno in _WANTS_WAIT:
                return Held(_named(descriptor, writers_only=True))
            why = f"no lease ({errno.errorcode.get(error.errno or 0, 'unknown')})"
        else:
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            return Free()
    else:
        why = "no leases on this platform"
    found = next(openers(os.fstat(descriptor), writers_only=True), None)
    if found is not None:
        return Held(f"open for writing by pid {found}")
    return Free(f"{why}: own processes were looked through instead")


@contextmanager
def write_lease(descriptor: int) -> Iterator[Held | NoLease | None]:
    """None while the lease is held: nobody else has the file open, and nobody gets it before the
    block ends (the kernel breaks leases after /proc/sys/fs/lease-break-time, 45 s by default)."""
    if sys.platform != "linux":
        yield NoLease("no leases on this platform")
        return
    try:
        _quiet_signal(descriptor)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except OSError as error:
        if error.errno in _WANTS_WAIT:
            yield Held(_named(descriptor, writers_only=False))
            return
        yield NoLease(errno.errorcode.get(error.errno or 0, "unknown"))
        return
    try:
        yield None
    finally:
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def _quiet_signal(descriptor: int) -> None:
    """A process that opens a leased file makes the kernel signal the holder. The default, SIGIO,
    would end the daemon; SIGURG is ignored unless somebody asks for it."""
    fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)


def _named(descriptor: int, *, writers_only: bool) -> str:
    how = "open for writing" if writers_only else "open elsewhere"
    for pid in openers(os.fstat(descriptor), writers_only=writers_only, but=descriptor):
        return f"{how} by pid {pid}"
    return f"{how} by another process"


def openers(of: os.stat_result, *, writers_only: bool, but: int = -1) -> Iterator[int]:
    """Process ids that have this inode open, as far as /proc shows them (own user's processes).
    ``but`` is a descriptor of this process to leave out."""
    try:
        processes = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return
    own = str(os.getpid())
    for process in processes:
        try:
            descriptors = os.listdir(f"/proc/{process}/fd")
        except OSError:
            continue  # another user's, or gone
        for number in descriptors:
            if process == own and int(number) == but:
                continue
            if _is_open_on(process, number, of) and not (writers_only and not _writes(process, number)):
                yield int(process)
                break


def _is_open_on(process: str, number: str, of: os.stat_result) -> bool:
    try:
        seen = os.stat(f"/proc/{process}/fd/{number}")
    except OSError:
        return False
    return (seen.st_dev, seen.st_ino) == (of.st_dev, of.st_ino)


def _writes(process: str, number: str) -> bool:
    try:
        with open(f"/proc/{process}/fdinfo/{number}", "rb") as info:
            for line in info:
                if line.startswith(b"flags:"):
                    return int(line.split()[1], 8) & os.O_ACCMODE != os.O_RDONLY
    except (OSError, ValueError):
        return False
    return False
