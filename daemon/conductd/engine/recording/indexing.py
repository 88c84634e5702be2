"""Keeps the index up to what is durable; feeds it the journal again when it lags or was damaged.

The index is a cache of the journal: a broken one is rebuilt between batches, never a reason to stop
recording. Recorder thread only, but for `progress`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Protocol

import structlog

from conductd.engine.health.degraded import Degraded
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

    def scrub(self) -> None:
        """`reset`, and nothing of what it held is left in its files."""
        ...

    def is_there(self) -> bool:
        """Whether its file is still the one that was opened."""
        ...


class IndexFeed:
    """See the module. Nothing that is wrong with the index is raised: it is noted in `trouble`, and tried again."""

    def __init__(self, index: Index, journal: Journal, degraded: Degraded) -> None:
        self._index, self._journal, self._degraded = index, journal, degraded
        self._behind: Iterator[Stored] | None = None  # the records still to be fed
        self._done, self._due_ns = 0, 0
        self.trouble: StoreUnavailable | None = None
        self._guarded(self._look_how_far)

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
        self._guarded(self._start_over)

    def scrub(self) -> None:
        """As `start_over`, for an index that knew what nobody may know any more."""
        self._guarded(self._scrub)

    def look_after(self) -> None:
        """Make the index anew when its file was removed or replaced."""
        self._guarded(self._remake)

    def take(self, records: Sequence[Stored]) -> None:
        """Records that have just become durable. While the index lags they come with the rest."""
        if self._behind is None:
            self._guarded(lambda: self._feed(records))

    def catch_up(self) -> None:
        """Feed a lagging index some of what it lacks; the rest comes after the next batch."""
        if self._behind is not None and not self.wait_ns():
            self._guarded(self._catch_up)

    # ------------------------------------------------------------------ steps that may fail

    def _look_how_far(self) -> None:
        position = self._index.position()
        if position < self._journal.last_seq:
            self._behind = self._journal.replay(position)

    def _start_over(self) -> None:
        self._behind, self._done = self._journal.replay(0), 0
        self._index.reset()
        self._fine()

    def _scrub(self) -> None:
        self._behind, self._done = self._journal.replay(0), 0
        self._index.scrub()
        self._fine()

    def _remake(self) -> None:
        if not self._index.is_there():
            log.warning("the index was removed or replaced: rebuilding it")
            self._start_over()

    def _catch_up(self) -> None:
        assert self._behind is not None
        if self.trouble is not None:
            self._remake()
        records = list(islice(self._behind, CHUNK))
        if records:
            self._done = records[-1].seq
            self._feed(records)
        elif self._index.position() >= self._journal.last_seq:
            self._behind = None
        else:
            self._behind = self._journal.replay(self._index.position())

    def _feed(self, records: Sequence[Stored]) -> None:
        if not self._index.apply(records):
            log.warning("the index was damaged: rebuilding it")
            self._behind, self._done = self._journal.replay(0), 0
        self._fine()

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:
            trouble = error if isinstance(error, StoreUnavailable) else None
            if trouble is None:
                log.exception("the index cannot be fed")
                trouble = StoreUnavailable(f"the index cannot be fed: {error}", "see the log")
            self.trouble = trouble
            self._degraded.raise_("index", trouble.message, trouble.hint)
            self._due_ns = time.monotonic_ns() + RETRY_NS
            self._behind = self._rest()

    def _fine(self) -> None:
        self.trouble = None
        self._degraded.clear("index")

    def _rest(self) -> Iterator[Stored]:
        """What the index lacks, so far as it can tell; it passes over what it has."""
        try:
            return self._journal.replay(self._index.position())
        except Exception:
            return self._journal.replay(0)
