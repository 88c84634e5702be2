"""A boot card in a file: written whole or not at all, only when it changed, and over nothing but a boot card.

The one place that writes one. Private (0600). Called by the daemon that keeps them and by `conductd bootcard --output`.
"""

from __future__ import annotations

import os
import stat

from conductd import whole_file
from conductd.core.notes.source import MARK
from conductd.errors import Refused

_MOST = 4 * 1024 * 1024


def put(path: bytes, text: str) -> bool:
    """Whether it was written; it stands there already otherwise. Raises Refused when something else stands there, and
    OSError."""
    data = text.encode("utf-8", "replace")
    there = _there(path)
    if there == data:
        return False
    whole_file.put(path, data)
    return True


def is_card(path: bytes) -> bool:
    """Whether a boot card stands there."""
    try:
        return bool(_there(path))
    except (Refused, OSError):
        return False


def _there(path: bytes) -> bytes | None:
    """The card that stands there; None: nothing."""
    shown = os.fsdecode(path)
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise Refused(f"{shown} is no regular file: it is left alone", "name another file")
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        data = file.read(_MOST)
    if data and not data.startswith(MARK.encode()):
        raise Refused(f"{shown} is no boot card: it is left alone", "name another file, or move it away")
    return data
