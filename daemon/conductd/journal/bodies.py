"""Bodies back from their deltas, and which earlier body a new one is stored against.

Owns the cache of plain bodies (bounded bytes) and, per file, the *line*: the few (place, sequence)
pairs that later versions may be based on. `body` is for any thread; the line methods belong to the writer.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from conductd.errors import ContentUnavailable, StoreDamaged
from conductd.journal import content
from conductd.journal.entry import Entry
from conductd.journal.segment import Segment

CACHE_BYTES = 12 << 20
CACHE_ITEM = 4 << 20
_LOOK_BACK = 16  # segments searched for a file's line after a start
_MAX_STEPS = 4096  # a longer chain of bases is made by no writer

Line = tuple[tuple[int, int], ...]  # (place, sequence), rising


class Cache:
    """Plain bodies by sequence, least recently used first out."""

    def __init__(self, limit: int = CACHE_BYTES) -> None:
        self._limit = limit
        self._held: OrderedDict[int, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()
        self._generation = 0

    def get(self, seq: int) -> bytes | None:
        with self._lock:
            body = self._held.get(seq)
            if body is not None:
                self._held.move_to_end(seq)
            return body

    @property
    def generation(self) -> int:
        return self._generation

    def put(self, seq: int, body: bytes, generation: int) -> None:
        """Nothing is entered that was read before the last `clear`."""
        if len(body) > CACHE_ITEM:
            return
        with self._lock:
            if generation != self._generation or seq in self._held:
                return
            self._held[seq] = body
            self._bytes += len(body)
            while self._bytes > self._limit:
                _, old = self._held.popitem(last=False)
                self._bytes -= len(old)

    def clear(self) -> None:
        with self._lock:
            self._held.clear()
            self._bytes = 0
            self._generation += 1


class Bodies:
    """``find`` gives the segment that holds a sequence; ``segments`` all, oldest first."""

    def __init__(self, find: Callable[[int], Segment | None], segments: Callable[[], Sequence[Segment]]) -> None:
        self.cache = Cache()
        self._find = find
        self._segments = segments
        self._lines: dict[int, Line] = {}
        self._floor = 0  # lines are not continued from records before this one

    def body(self, seq: int) -> bytes:
        """Raises ContentUnavailable (none, or erased) or StoreDamaged."""
        while True:
            generation = self.cache.generation
            try:
                return self._decode(seq, generation)
            except (StoreDamaged, ContentUnavailable):
                if generation == self.cache.generation:
                    raise  # not a segment that was swapped under the walk

    def _decode(self, seq: int, generation: int) -> bytes:
        steps: list[tuple[Entry, bytes]] = []
        body: bytes | None = None
        at = seq
        while True:
            body = self.cache.get(at)
            if body is not None:
                break
            entry, data = self._stored(at, seq)
            steps.append((entry, data))
            if entry.base_seq is None or len(steps) > _MAX_STEPS:
                break
            at = entry.base_seq
        if not steps:
            assert body is not None
            return body
        for entry, data in reversed(steps):
            if entry.head.base == content.RAW:
                body = data
                continue
            try:
                body = content.decompress(data, entry.head.size, body if entry.base_seq is not None else None)
            except ValueError as error:
                raise _damaged(seq, entry.seq, str(error)) from error
        assert body is not None
        if hashlib.sha256(body).digest() != steps[0][0].digest:
            raise _damaged(seq, seq, "the digest does not match")
        self.cache.put(seq, body, generation)
        return body

    def _stored(self, at: int, wanted: int) -> tuple[Entry, bytes]:
        segment = self._find(at)
        found = segment.content(at) if segment is not None else None
        if found is None:
            raise _damaged(wanted, at, "the record is damaged or missing")
        entry, data = found
        if entry.digest is None:
            why = "was erased" if entry.redacted else "was never stored"
            raise ContentUnavailable(
                f"the content of version {at} {why}", "`conductd log FILE` lists the versions that can be restored"
            )
        if data is None:
            raise _damaged(wanted, at, "the content is damaged")
        return entry, data

    # ----------------------------------------------------------------- lines (writer thread)

    def line(self, stream: int) -> Line:
        """The line of a file, looked up in the newest segments when it is not known."""
        known = self._lines.get(stream)
        if known is None:
            known = self._lines[stream] = self._find_line(stream)
        return known

    def enter(self, lines: dict[int, Line]) -> None:
        self._lines.update(lines)

    def forget_lines(self, floor: int) -> None:
        """Erasure begins: nothing new may be based on records before ``floor``."""
        self._lines.clear()
        self._floor = floor

    def _find_line(self, stream: int) -> Line:
        for segment in reversed(self._segments()[-_LOOK_BACK:]):
            if segment.last_seq < max(self._floor, segment.first_seq):
                continue
            try:
                seq: int | None = segment.loaded().streams.get(stream)
            except StoreDamaged:
                continue
            if seq is None:
                continue
            line: list[tuple[int, int]] = []
            while seq is not None and seq >= self._floor and len(line) < _MAX_STEPS:
                holder = self._find(seq)
                try:
                    entry = holder.entry(seq) if holder is not None else None
                except StoreDamaged:
                    entry = None
                if entry is None or entry.digest is None:
                    return ()
                line.append((entry.head.index, seq))
                seq = entry.base_seq
            return tuple(reversed(line)) if seq is None else ()
        return ()


def next_place(line: Line, size: int) -> tuple[int, int | None, Line]:
    """For a body of ``size`` bytes: (its place, sequence of its base or None, the part of the line that stays)."""
    index = line[-1][0] + 1 if line else 0
    wanted = content.base_index(index, size)
    if wanted is None:
        return index, None, ()
    kept = tuple(pair for pair in line if pair[0] <= wanted)
    return index, (kept[-1][1] if kept else None), kept


def _damaged(wanted: int, at: int, what: str) -> StoreDamaged:
    where = f"version {wanted}" if wanted == at else f"version {wanted}, which needs version {at},"
    return StoreDamaged(
        f"{where} cannot be restored: {what}", "`conductd verify` names what is damaged and what is still restorable"
    )
