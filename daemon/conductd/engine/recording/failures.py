"""What the recorder could not do for a fault of conductd's own: a reason to be degraded, and when it is over.

It is over when every change that could not be recorded was read again and recorded after all, with the same bytes. What
else went wrong stays until the next start: nothing that is on record proves it mended. On the recorder thread.
"""

from __future__ import annotations

from collections.abc import Sequence

from conductd.engine.health.degraded import Degraded
from conductd.engine.recording.drafting import Observed
from conductd.model import FileState

REASON = "recorder"


class Failures:
    """See the module."""

    def __init__(self, degraded: Degraded) -> None:
        self._degraded = degraded
        self._owed: dict[tuple[str, bytes], tuple[FileState, bytes | None]] = {}
        self._lasts = False

    def last(self, message: str, hint: str = "see the log") -> None:
        """Until the next start."""
        self._lasts = True
        self._degraded.raise_(REASON, message, hint)

    def unrecorded(self, seen: Observed, message: str) -> bool:
        """A change that could not be recorded. True: it is to be read once more, which was not tried yet."""
        at, what = (seen.workspace, seen.path), (seen.observation.state, seen.observation.digest)
        known = self._owed.get(at)
        if known is not None and known != what:
            self._lasts = True  # the one before is nowhere by now
        self._owed[at] = what
        self._degraded.raise_(REASON, message, "see the log")
        return known is None

    def recorded(self, batch: Sequence[Observed]) -> None:
        """These are on record, or were already."""
        if not self._owed:
            return
        for seen in batch:
            at, what = (seen.workspace, seen.path), (seen.observation.state, seen.observation.digest)
            owed = self._owed.pop(at, what)
            self._lasts = self._lasts or owed != what
        if not self._owed and not self._lasts:
            self._degraded.clear(REASON)
