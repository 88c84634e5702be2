"""One daemon per workspace: a lock on the open root directory.

`flock` on the directory's own descriptor needs no file in the workspace and goes away with the
process. Whoever does not get it observes, and says who holds it.
"""

from __future__ import annotations

import errno
import fcntl
import os

from conductd.model import Frozen
from conductd.watch.ancestry import process_name

_FLOCK_FIELDS = 8  # "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF"


class Held(Frozen, frozen=True):
    """We hold it as long as ``fd`` is open."""

    fd: int

    def release(self) -> None:
        os.close(self.fd)


class Taken(Frozen, frozen=True):
    """Another holds it; ``pid`` and ``name`` where the system tells."""

    pid: int | None = None
    name: str = ""


class Unlockable(Frozen, frozen=True):
    """There is nothing to lock (no such directory) or its file system knows no locks; the errno name."""

    reason: str


def try_lock(root: bytes) -> Held | Taken | Unlockable:
    """Lock the workspace at ``root`` against other daemons. Does not wait."""
    try:
        fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        return Unlockable(_name(error))
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES):
            taken = _holder(os.fstat(fd))
            os.close(fd)
            return taken
        os.close(fd)
        return Unlockable(_name(error))
    return Held(fd)


def _holder(seen: os.stat_result) -> Taken:
    try:
        with open("/proc/locks", encoding="ascii", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return Taken()
    pid = holder_in(lines, seen.st_dev, seen.st_ino)
    return Taken(pid, process_name(pid)) if pid is not None else Taken()


def holder_in(lines: list[str], device: int, inode: int) -> int | None:
    """The pid that holds a flock on this inode, from the lines of /proc/locks. Where the device there
    is not the one stat gives (btrfs), a single holder of that inode number is believed."""
    exact = f"{os.major(device):02x}:{os.minor(device):02x}:{inode}"
    holders = []
    for line in lines:
        fields = line.split()
        if len(fields) < _FLOCK_FIELDS or fields[1] != "FLOCK" or not fields[4].lstrip("-").isdigit():
            continue
        pid = int(fields[4])
        if pid > 0 and fields[5] == exact:
            return pid
        if pid > 0 and fields[5].endswith(f":{inode}"):
            holders.append(pid)
    return holders[0] if len(holders) == 1 else None


def _name(error: OSError) -> str:
    return errno.errorcode.get(error.errno or 0, "EIO")
