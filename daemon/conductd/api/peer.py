"""Who is at the other end of a Unix socket, as the kernel says.

Used by the server (only our own user and root may speak) and by the client (only our own user's or
root's daemon is believed; by root, that of the user whom the socket belongs to).
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from typing import NamedTuple, Protocol


class Peer(NamedTuple):
    pid: int  # 0 when the kernel does not say
    uid: int


class _HasOptions(Protocol):
    def getsockopt(self, level: int, option: int, size: int, /) -> bytes: ...


def of(connection: _HasOptions) -> Peer:
    """The credentials the peer had when the connection was made. Raises OSError."""
    if sys.platform == "linux":
        pid, uid, _gid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return Peer(pid, uid)
    # struct xucred: version, uid, group count, 16 groups; SOL_LOCAL is 0 (macOS and the BSDs).
    local_peercred, local_peerpid = 0x001, 0x002
    _version, uid = struct.unpack_from("=II", connection.getsockopt(0, local_peercred, 76))
    try:
        (pid,) = struct.unpack("i", connection.getsockopt(0, local_peerpid, 4))
    except OSError:
        pid = 0
    return Peer(pid, uid)


def trusted(uid: int) -> bool:
    """Our own user, or root."""
    return uid in (0, os.geteuid())


def believed(uid: int) -> bool:
    """Whether a client takes that user's daemon for the one it means: our own or root's; root asks anybody's."""
    return trusted(uid) or os.geteuid() == 0
