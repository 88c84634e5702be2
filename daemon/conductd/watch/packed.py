"""What a small packed text holds: a rotated note that was compressed is archived, not lost.

Reads gzip alone, within bounds whatever the header promises. Never raises. Called by `watch.search`.
"""

from __future__ import annotations

import zlib

MOST = 4 * 1024 * 1024  # bytes unpacked
_GZIP = b"\x1f\x8b\x08"
_GZIP_WINDOW = 31


def unpacked(path: bytes, data: bytes) -> bytes | None:
    """The text inside a `.gz`; None for anything else, what is damaged, and what is too large."""
    if not path.lower().endswith(b".gz") or not data.startswith(_GZIP):
        return None
    out = bytearray()
    while data:
        unpacker = zlib.decompressobj(_GZIP_WINDOW)
        try:
            out += unpacker.decompress(data, MOST + 1 - len(out))
        except zlib.error:
            return None
        if len(out) > MOST or not unpacker.eof:
            return None
        data = unpacker.unused_data  # members may follow each other
        if not data.startswith(_GZIP):
            break
    return bytes(out)
