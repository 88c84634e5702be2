"""Who is at the other end of a Unix socket, as the kernel says.

Used by the server (only our own user and root may speak) and by the client (only our own user's or
root's daemon is believed; by root, that of the user whom the socket belongs to).
"""

from __future__ import annotations

import os
import socket
import struct
import sys

from conductd import macos
from conductd.macos import HasOptions, Peer

__all__ = ["Peer", "believed", "of", "trusted"]


def of(connection: HasOptions) -> Peer:
    """The credentials the peer had when the connection was made. Raises OSError."""
    if sys.platform == "linux":
        pid, uid, _gid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return Peer(pid, uid)
    return macos.peer(connection)  # the BSDs have the same option


def trusted(uid: int) -> bool:
    """Our own user, or root."""
    return uid in (0, os.geteuid())


def believed(uid: int) -> bool:
    """Whether a client takes that user's daemon for the one it means: our own or root's; root asks anybody's."""
    return trusted(uid) or os.geteuid() == 0
