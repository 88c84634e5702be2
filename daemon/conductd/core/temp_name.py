"""The names of the daemon's own temporary files, so that every layer agrees on them.

A name begins with a dot and does not end in ``.md``: no agent loads or indexes it. The
watcher leaves such names out; the repairer makes them. Pure: the random part comes in.
"""

from __future__ import annotations

PREFIX = b".conductd-"
SUFFIX = b".tmp"


def temp_name(token: bytes) -> bytes:
    """The name for a random part of at least 8 bytes."""
    return PREFIX + token.hex().encode("ascii") + SUFFIX


def is_temp_name(path: bytes) -> bool:
    """True for the last part of ``path`` being one of our temporary names."""
    name = path.rpartition(b"/")[2]
    return name.startswith(PREFIX) and name.endswith(SUFFIX)
