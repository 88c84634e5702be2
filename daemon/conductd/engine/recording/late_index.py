"""An index that may not be there yet: on a full disk recording begins without it.

Opened by the first use for which there is room; until then every use raises what stands in the way,
and whoever feeds it tries again. Recorder thread, once that has started.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import structlog

from conductd.errors import StoreUnavailable
from conductd.index.writer import IndexWriter
from conductd.model import Stored

log = structlog.get_logger("index")


class LateIndex:
    """See the module (implements `indexing.Index`)."""

    def __init__(self, make: Callable[[], IndexWriter]) -> None:
        self._make = make
        self._made: IndexWriter | None = None
        try:
            self._index()
        except StoreUnavailable as error:
            log.warning("the index cannot be opened; recording goes on without it", error=error.message)

    @property
    def vanished(self) -> int:
        """Records it knew of that the journal does not hold; 0 while it is not open."""
        return self._made.vanished if self._made is not None else 0

    def _index(self) -> IndexWriter:
        if self._made is None:
            self._made = self._make()
        return self._made

    def apply(self, batch: Sequence[Stored]) -> bool:
        return self._index().apply(batch)

    def position(self) -> int:
        return self._index().position()

    def reset(self) -> None:
        self._index().reset()

    def scrub(self) -> None:
        self._index().scrub()

    def is_there(self) -> bool:
        return self._index().is_there()

    def close(self) -> None:
        if self._made is not None:
            self._made.close()
