"""Keeps the index up to what is durable; feeds it the journal again when it lags or was damaged.

The index is a cache of the journal: a broken one is rebuilt between batches, never a reason to stop
recording. Recorder thread only, but for `progress`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Protocol

import structlog

from conductd.engine.degraded import Degraded
from conductd.errors import StoreUnavailable
from conductd.journal.journal import Journal
from conductd.model import Stored

log = structlog.get_logger("index")

CHUNK = 2_000  # records fed between two batches
RETRY_NS = 500_000_000  # after the index took no writes


class Index(Protocol):
    """What the recorder asks of the index."""

    def apply(self, batch: Sequence[Stored]) -> bool:
        """False: it was damaged and is empty now."""
        ...

    def position(self) -> int: ...

    def reset(self) -> None: ...


class IndexFeed:
    """See the module."""

    def __init__(self, index: Index, journal: Journal, degraded: Degraded) -> None:
        self._index, self._journal, self._degraded = index, journal, degraded
        self._behind: Iterator[Stored] | None = None  # the records still to be fed
        self._done, self._due_ns = 0, 0
        if index.position() < journal.last_seq:
            self._behind = journal.replay(index.position())

    @property
    def is_behind(self) -> bool:
        return self._behind is not None

    @property
    def progress(self) -> float:
        """How much of the journal is in the index (0..1)."""
        return 1.0 if self._behind is None else min(1.0, self._done / max(1, self._journal.last_seq))

    def wait_ns(self) -> int:
        """How long until `catch_up` can do something (real time)."""
        return max(0, self._due_ns - time.monotonic_ns())

    def start_over(self) -> None:
        """Empty the index; `catch_up` feeds it everything again."""
        self._index.reset()
        self._behind, self._done = self._journal.replay(0), 0

    def take(self, records: Sequence[Stored]) -> None:
        """Records that have just become durable. While the index lags they come with the rest."""
        if self._behind is None:
            self._feed(records)

    def catch_up(self) -> None:
        """Feed a lagging index some of what it lacks; the rest comes after the next batch."""
        if self._behind is None or self.wait_ns():
            return
        records = list(islice(self._behind, CHUNK))
        if records:
            self._done = records[-1].seq
            self._feed(records)
        elif self._index.position() >= self._journal.last_seq:
            self._behind = None
        else:
            self._behind = self._journal.replay(self._index.position())

    def _feed(self, records: Sequence[Stored]) -> None:
        try:
            if not self._index.apply(records):
                log.warning("the index was damaged: rebuilding it")
                self._behind, self._done = self._journal.replay(0), 0
        except StoreUnavailable as error:
            self._degraded.raise_("index", error.message, error.hint)
            self._due_ns = time.monotonic_ns() + RETRY_NS
            self._behind = self._journal.replay(self._index.position())
        else:
            self._degraded.clear("index")
