"""Which entries each protected file holds, as fingerprints: answers "is it anywhere?" without reading.

A file that was not written lately matters to a judgement only if it holds a lost entry word for
word; similar notes that stood there all along are no new home of a lost one. Judge thread only.
"""

from __future__ import annotations

from collections.abc import Iterable

from conductd.core.reading.entries import EntryTable, entry_table
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, Seen
from conductd.engine.gathering.content import Contents
from conductd.engine.gathering.tables import Tables

SIZE = 8  # bytes of a fingerprint
KEPT = 1_024  # of contents that no file holds any more


class Prints:
    """Fingerprints by content, worked out once for each; `warm` does one that is missing."""

    def __init__(self, state: State, contents: Contents, tables: Tables) -> None:
        self._state, self._contents, self._tables = state, contents, tables
        self._known: dict[bytes, bytes] = {}
        self._cold: list[int] | None = None

    def holds_any(self, seen: Seen, wanted: frozenset[bytes]) -> bool:
        """Whether a version holds one of these entries, word for word."""
        marks = self._of(seen)
        return any(marks[at : at + SIZE] in wanted for at in range(0, len(marks), SIZE))

    def of(self, seen: Seen) -> frozenset[bytes]:
        """All that a version holds."""
        marks = self._of(seen)
        return frozenset(marks[at : at + SIZE] for at in range(0, len(marks), SIZE))

    def table(self, data: bytes, digest: bytes | None = None) -> EntryTable:
        return self._tables(data, self._tables.key, digest)

    def _of(self, seen: Seen) -> bytes:
        if seen.digest is None:
            return b""
        known = self._known.get(seen.digest)
        if known is None:
            data = self._contents.of(seen)
            # Not through the cache of tables: it is for texts that are judged.
            table = entry_table(data, self._tables.key) if data else None
            known = b"".join(entry.fingerprint for entry in table.entries) if table else b""
            if len(self._known) > 2 * len(self._state.files) + KEPT:
                self._forget_old()
            self._known[seen.digest] = known
        return known

    def warm(self, now: Iterable[FileTrack]) -> bool:
        """Work out one file that nobody asked about yet; False when all are known."""
        if self._cold is None:
            self._cold = [file.id for file in now]
        while self._cold:
            file = self._state.files.get(self._cold.pop())
            head = file.head if file is not None else None
            if head is not None and head.digest is not None and head.digest not in self._known:
                self._of(head)
                return True
        return False

    def drop(self) -> None:
        """Something was forgotten: work all out again."""
        self._known.clear()

    def _forget_old(self) -> None:
        """Keep only what some file holds now."""
        with self._state.lock:
            heads = {file.head.digest for file in self._state.files.values() if file.head is not None}
        self._known = {digest: marks for digest, marks in self._known.items() if digest in heads}
