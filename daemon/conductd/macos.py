"""What macOS does in another way than Linux, in one place. It has not been run on macOS yet.

Written from the system's headers and manual pages: fcntl(2) (F_FULLFSYNC), renameatx_np(2), unix(4) and sys/ucred.h
(LOCAL_PEERCRED), sysctl(3) (kern.bootsessionuuid). The parts that do not need the system are tested everywhere.
Imports nothing of conductd.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import subprocess
import sys
from typing import NamedTuple, Protocol

IS_MACOS = sys.platform == "darwin"

# fcntl.h: a number of the system's own, that Python names on macOS only.
F_FULLFSYNC = getattr(fcntl, "F_FULLFSYNC", 51)
_NO_FULL_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.ENOTTY})

RENAMEATX = "renameatx_np"
RENAME_SWAP, RENAME_EXCL = 2, 4  # sys/stdio.h

# sys/un.h. The level of these options is 0.
SOL_LOCAL, LOCAL_PEERCRED, LOCAL_PEERPID = 0, 0x001, 0x002
XUCRED = struct.Struct("=IIhxx16I")  # cr_version, cr_uid, cr_ngroups, cr_groups
_XUCRED_VERSION = 0


class Peer(NamedTuple):
    pid: int  # 0 when the kernel does not say
    uid: int


class HasOptions(Protocol):
    """A socket, as far as it is asked."""

    def getsockopt(self, level: int, option: int, size: int, /) -> bytes: ...


def full_sync(fd: int) -> None:
    """What was written is on the medium: fsync(2) stops at the drive's cache there. A file system that cannot do it
    (SMB, some FUSE) gets an fsync. Raises OSError."""
    try:
        fcntl.fcntl(fd, F_FULLFSYNC)
    except OSError as error:
        if error.errno not in _NO_FULL_SYNC:
            raise
        os.fsync(fd)


def peer(connection: HasOptions) -> Peer:
    """Who is at the other end of a Unix socket. Raises OSError; also for an answer of a form that is not known."""
    uid = user_of(connection.getsockopt(SOL_LOCAL, LOCAL_PEERCRED, XUCRED.size))
    try:
        (pid,) = struct.unpack("i", connection.getsockopt(SOL_LOCAL, LOCAL_PEERPID, 4))
    except (OSError, struct.error):
        pid = 0
    return Peer(pid, uid)


def user_of(xucred: bytes) -> int:
    """The user id in a `struct xucred`. Raises OSError (EPROTO) when it is none, or of another version."""
    if len(xucred) >= 8:
        version, uid = struct.unpack_from("=II", xucred)
        if version == _XUCRED_VERSION:
            return int(uid)
    raise OSError(errno.EPROTO, "the peer's credentials are of an unknown form")


def boot_session() -> str:
    """What changes when the machine starts anew; "" where it cannot be told."""
    try:
        done = subprocess.run(
            ["/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"], capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
