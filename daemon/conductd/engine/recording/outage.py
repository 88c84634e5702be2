"""What is kept while the store takes no writes: the newest observation of each file, in bounded memory.

Owns the knowledge that the store is down. Bytes that stand at no path any more are kept whatever they
take; of files only so much, the rest is read again when the store is back. Recorder thread only, but
for `down`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import structlog

from conductd.engine.health.degraded import Degraded
from conductd.engine.recording.drafting import Observed
from conductd.errors import StoreUnavailable
from conductd.journal.journal import Draft
from conductd.model import Cause, EventClass, EventRecord, JobRunRecord, Severity

log = structlog.get_logger("recorder")

HELD_BYTES = 8 * 1024 * 1024  # tried, so compressed, again every half second

Reread = Callable[[str, bytes, Cause], None]
"""Have a file read again: workspace, path, and why it was read the first time."""


class Outage:
    """See the module."""

    def __init__(self, degraded: Degraded) -> None:
        self._degraded = degraded
        self._held: dict[tuple[str, bytes, bytes], Observed] = {}  # the newest of each file
        self._unread: dict[tuple[str, bytes], Cause] = {}  # there was no room for their bytes
        self._bytes = 0
        self.down = False

    def begin(self, error: StoreUnavailable, observed: Sequence[Observed]) -> None:
        """The store refused these. Nothing of them is acknowledged; they are kept."""
        if not self.down:
            log.error("the store takes no writes", error=error.message)
        self.down = True
        self._degraded.raise_("store", error.message, error.hint)
        for each in observed:
            if each.durable is not None and not each.durable.done():
                each.durable.set_result(False)
            self.hold(each)

    def hold(self, observed: Observed) -> None:
        """Keep an observation in the place of an older one of its file."""
        place = (observed.workspace, observed.path)
        # Bytes taken out of place are at no path, so each of them is a thing of its own.
        own = (observed.observation.digest or b"") if observed.cause is Cause.SWAPPED_OUT else b""
        known = self._held.pop((*place, own), None)
        first = known.cause if known is not None else self._unread.pop(place, observed.cause) if not own else None
        if known is not None:
            self._bytes -= known.size
        if known is not None and known is not observed:
            observed = msgspec.structs.replace(
                observed, cause=known.cause, coalesced=observed.coalesced + known.coalesced + 1
            )
        elif first is not None and first is not observed.cause:
            observed = msgspec.structs.replace(observed, cause=first)
        if not own and observed.size and self._held and self._bytes + observed.size > HELD_BYTES:
            self._unread[place] = observed.cause
            return
        self._bytes += observed.size
        self._held[(*place, own)] = observed

    def held(self) -> list[Observed]:
        return list(self._held.values())

    def end(self, reread: Reread) -> None:
        """The store took what was held; the rest is read again."""
        self.down = False
        self._held.clear()
        self._bytes = 0
        unread, self._unread = self._unread, {}
        log.info("the store takes writes again", read_again=len(unread))
        for (workspace, path), cause in unread.items():
            reread(workspace, path, cause)


def probe() -> Draft:
    """A record to try the store with when nothing else waits: of a kind that may not use the space kept
    for verdicts and plans, or trying again and again would use it up."""
    return Draft(JobRunRecord("store probe", "ok"))


def over() -> Draft:
    """Tells in the history that there was a gap."""
    return Draft(EventRecord(EventClass.STORE_UNAVAILABLE, Severity.INFO, reason="the store takes writes again"))
