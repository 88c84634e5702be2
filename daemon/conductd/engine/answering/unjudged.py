"""Which changes could not be judged or answered: the reason `judge`, until they are.

On the judge thread only.
"""

from __future__ import annotations

from collections.abc import Sequence

from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.health.degraded import Degraded

REASON = "judge"


class Unjudged:
    """A file is in it until nothing of it is left to be judged, a round of the thread until one goes well."""

    def __init__(self, state: State, degraded: Degraded) -> None:
        self._state, self._degraded = state, degraded
        self._files: set[int] = set()
        self._stumbled = False

    def fail(self, message: str, files: Sequence[int] = ()) -> None:
        """Without files: the round."""
        self._files.update(files)
        self._stumbled = self._stumbled or not files
        self._degraded.raise_(REASON, message, "see the log")

    @property
    def is_any(self) -> bool:
        return bool(self._files) or self._stumbled

    def round_done(self) -> None:
        """A whole round went well."""
        if not self.is_any:
            return
        self._stumbled = False
        self._files = {number for number in self._files if not _is_judged(self._state.files[number])}
        if not self._files:
            self._degraded.clear(REASON)


def _is_judged(file: FileTrack) -> bool:
    """Or guarded no more, which has a reason of its own."""
    waits_for_repair = file.judged is not None and bool(file.since) and file.judged[0] == file.since[-1].seq
    return not file.since or waits_for_repair or file.stood_down
