"""Runs of readable characters in bytes of any kind, as they may have been entries once. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_RUN = re.compile(rb"[^\x00-\x1f\"\\\x7f]{3,}")
_WIDE = re.compile(rb"(?:[^\x00-\x1f\"\\\x7f]\x00){3,}")
_LEAD = 4  # a length or type before a text may look like a character of it


def entries_in(data: bytes) -> Iterator[bytes]:
    """Each run, and what it is without the few bytes that may stand before it."""
    yield data
    for found in _RUN.finditer(data):
        yield from (found[0][at:] for at in range(min(_LEAD, len(found[0]) - 2)))
    if b"\0" in data:
        for found in _WIDE.finditer(data):
            yield found[0].replace(b"\0", b"")
