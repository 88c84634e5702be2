"""Walks the frames of one segment file, past damage, in windows of bounded memory.

Owns the resynchronisation after bad bytes. Reads only; holds no state between walks. Called by the
segment reader, recovery, erasure and verification; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from conductd.journal import format as fmt
from conductd.journal.format import Bad, Frame

Read = Callable[[int, int], bytes]  # (size, offset) -> bytes, short at the end of the file

WINDOW = 1 << 18
_STARTS = re.compile(rb"[\xc1-\xcf]")
_RESYNC_HEADER = 1 << 16  # a longer header is not looked for in garbage: bounds the work


class _Window:
    """A moving view of the file."""

    def __init__(self, read: Read, limit: int) -> None:
        self._read = read
        self._limit = limit
        self.data = b""
        self.start = 0

    def hold(self, offset: int, size: int) -> int:
        """Have at least ``size`` bytes from ``offset`` (fewer at the limit); index of ``offset``."""
        at = offset - self.start
        if at < 0 or at + size > len(self.data):
            want = min(max(size, WINDOW), self._limit - offset)
            self.data = self._read(want, offset) if want > 0 else b""
            self.start = offset
            at = 0
        return at


def walk(read: Read, start: int, limit: int, seed: int) -> Iterator[Frame | Bad]:
    """Frames and bad stretches of ``[start, limit)`` in order; ends where only zeros follow.

    A `Bad` ends at the next valid frame or at ``limit``.
    """
    window = _Window(read, limit)
    offset = start
    while offset < limit:
        at = window.hold(offset, fmt.PREFIX_SIZE)
        frame = fmt.parse_frame(window.data, at, offset, seed, limit)
        if isinstance(frame, int):
            at = window.hold(offset, frame)
            frame = fmt.parse_frame(window.data, at, offset, seed, limit)
        if isinstance(frame, Frame):
            yield frame
            offset = frame.end
            continue
        dirty = first_nonzero(read, offset, limit)
        if dirty is None:
            return
        found = _resync(window, dirty if dirty > offset else offset + 1, limit, seed)
        yield Bad(offset, limit if found is None else found)
        if found is None:
            return
        offset = found


def _resync(window: _Window, offset: int, limit: int, seed: int) -> int | None:
    while offset < limit:
        at = window.hold(offset, 1)
        if not window.data:
            return None
        match = _STARTS.search(window.data, at)
        if match is None:
            offset = window.start + len(window.data)
            continue
        offset = window.start + match.start()
        at = window.hold(offset, fmt.PREFIX_SIZE)
        frame = fmt.parse_frame(window.data, at, offset, seed, limit)
        if isinstance(frame, int) and frame <= _RESYNC_HEADER:
            at = window.hold(offset, frame)
            frame = fmt.parse_frame(window.data, at, offset, seed, limit)
        if isinstance(frame, Frame):
            return offset
        offset += 1
    return None


def first_nonzero(read: Read, start: int, limit: int) -> int | None:
    """Offset of the first byte that is not zero, or None."""
    while start < limit:
        data = read(min(WINDOW, limit - start), start)
        if not data:
            return None
        rest = data.lstrip(b"\0")
        if rest:
            return start + len(data) - len(rest)
        start += len(data)
    return None


def last_nonzero(read: Read, start: int, limit: int) -> int:
    """Offset behind the last byte that is not zero, ``start`` when all are."""
    end = limit
    while end > start:
        low = max(start, end - WINDOW)
        data = read(end - low, low).rstrip(b"\0")
        if data:
            return low + len(data)
        end = low
    return start


def content_ok(read: Read, frame: Frame, seed: int) -> bool:
    """Whether the content's own checksum holds (a frame without content: yes)."""
    if not frame.content_size:
        return True
    data = read(frame.content_size + fmt.SUM_SIZE, frame.content)
    body, stored = data[: frame.content_size], data[frame.content_size :]
    return int.from_bytes(stored, "little") == fmt.checksum(body, seed, frame.offset) and len(stored) == fmt.SUM_SIZE
