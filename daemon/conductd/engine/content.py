"""Bytes of recorded versions, with a small cache in front of the journal. Thread-safe."""

from __future__ import annotations

import threading
from collections import OrderedDict

from conductd.engine.tracks import FileTrack, Seen
from conductd.errors import ConductdError
from conductd.journal.journal import Journal
from conductd.model import FileState

CACHE_BYTES = 8 * 1024 * 1024


class Contents:
    """Reads bodies; keeps the newest few."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = threading.Lock()
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self._size = 0

    def get(self, seq: int) -> bytes:
        """The bytes of a version. Raises ContentUnavailable or StoreDamaged."""
        with self._lock:
            known = self._cache.get(seq)
            if known is not None:
                self._cache.move_to_end(seq)
                return known
        data = self._journal.body(seq)
        self.put(seq, data)
        return data

    def put(self, seq: int, data: bytes) -> None:
        if len(data) > CACHE_BYTES // 4:
            return
        with self._lock:
            if seq not in self._cache:
                self._size += len(data)
                self._cache[seq] = data
            while self._size > CACHE_BYTES:
                self._size -= len(self._cache.popitem(last=False)[1])

    @staticmethod
    def find(file: FileTrack, digest: bytes | None) -> Seen | None:
        """A version of the file that memory knows and that has this content."""
        known = (file.head, file.baseline, *file.since, *file.earlier)
        return next((seen for seen in known if seen is not None and digest is not None and seen.digest == digest), None)

    def of(self, seen: Seen | None) -> bytes | None:
        """The bytes of a state, None when it has none (absent, oversize, damaged, erased)."""
        if seen is None or seen.state is not FileState.FILE:
            return None
        try:
            return self.get(seen.seq)
        except ConductdError:
            return None
