"""Bytes of recorded versions, with a small cache in front of the journal and a veil over it. Thread-safe."""

from __future__ import annotations

import threading
from collections import OrderedDict

from conductd.engine.fold.tracks import FileTrack, Seen
from conductd.engine.forgetting.veil import Veil
from conductd.errors import ConductdError, ContentUnavailable
from conductd.journal.journal import Journal
from conductd.model import FileState

CACHE_BYTES = 8 * 1024 * 1024


class Contents:
    """Reads bodies, without what is forgotten; keeps the newest few. Without a veil only for what shows no text."""

    def __init__(self, journal: Journal, veil: Veil | None = None) -> None:
        self._journal, self._veil = journal, veil
        self._lock = threading.Lock()
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self._size = 0
        self._generation = 0

    def get(self, seq: int) -> bytes:
        """The bytes of a version. Raises ContentUnavailable or StoreDamaged."""
        with self._lock:
            known = self._cache.get(seq)
            if known is not None:
                self._cache.move_to_end(seq)
                return known
            generation = self._generation
        data: bytes | None = self._journal.body(seq)
        if data is not None and self._veil is not None:
            data = self._veil.shown(seq, data)
        if data is None:
            raise ContentUnavailable(f"the content of version {seq} is forgotten", "conductd status")
        self._put(seq, data, generation)
        return data

    def drop(self) -> None:
        """Something was forgotten: nothing that was read before it is given any more."""
        with self._lock:
            self._cache.clear()
            self._size = 0
            self._generation += 1

    def is_veiled(self, seen: Seen) -> bool:
        """Whether its bytes, or its absence of bytes, are not what its digest says."""
        hidden = self._veil is not None and self._veil.hides(seen.seq)
        return hidden or (seen.state is FileState.FILE and seen.digest is None)

    def _put(self, seq: int, data: bytes, generation: int) -> None:
        if len(data) > CACHE_BYTES // 4:
            return
        with self._lock:
            if generation != self._generation:
                return
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
