"""The list of what is wrong with the daemon right now; healthy means it is empty.

A reason is raised once and cleared by whoever raised it. `watcher_degraded` is told as one event
per start, to which further reasons are added. Thread-safe.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from conductd.views import DegradedView


class Degraded:
    """Named reasons, each with a sentence and the fix."""

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns
        self._lock = threading.Lock()
        self._reasons: dict[str, DegradedView] = {}

    def raise_(self, reason: str, message: str, hint: str = "") -> bool:
        """True when the reason was not known before."""
        with self._lock:
            known = self._reasons.get(reason)
            since = known.since_ns if known else self._now_ns()
            self._reasons[reason] = DegradedView(reason, message, hint, since)
            return known is None

    def clear(self, reason: str) -> bool:
        """True when the reason was raised before."""
        with self._lock:
            return self._reasons.pop(reason, None) is not None

    def list(self) -> list[DegradedView]:
        with self._lock:
            return sorted(self._reasons.values(), key=lambda d: d.since_ns)

    def __contains__(self, reason: str) -> bool:
        return reason in self._reasons
