"""A clock that stands still until it is told to move.

Owned by the test entry point; moved through the control socket. Wall and monotonic time move
independently, as they do on a machine that sleeps or whose clock is set.
"""

from __future__ import annotations

import queue
import threading
from typing import TypeVar

T = TypeVar("T")

# A waiter is woken by an item or by the clock; this is only how long a missed wake-up could cost.
_BACKSTOP_S = 1.0


class FakeClock:
    """Implements `conductd.ports.Clock`. Thread-safe.

    Waiters sleep on their own queue's condition, so that an item and a move of the clock wake them
    alike and nothing polls.
    """

    def __init__(self, wall_ns: int, mono_ns: int) -> None:
        self._lock = threading.Lock()
        self._wall_ns = wall_ns
        self._mono_ns = mono_ns
        self._waiting: list[queue.Queue[object]] = []

    def wall_ns(self) -> int:
        with self._lock:  # both move at once
            return self._wall_ns

    def mono_ns(self) -> int:
        with self._lock:
            return self._mono_ns

    def get(self, source: queue.Queue[T], deadline_mono_ns: int | None) -> T | None:
        while True:
            try:
                return source.get_nowait()
            except queue.Empty:
                pass
            with source.not_empty:
                # Registered before the time is read: a move of the clock after that notifies us.
                self._enter(source)
                try:
                    if source.queue:
                        continue
                    if deadline_mono_ns is not None and self._mono_ns >= deadline_mono_ns:
                        return None
                    source.not_empty.wait(_BACKSTOP_S)
                finally:
                    self._leave(source)

    def advance(self, ns: int) -> None:
        """Time passes: both clocks move."""
        if ns < 0:
            raise ValueError("monotonic time never goes back")
        self._move(wall_ns=self._wall_ns + ns, mono_ns=self._mono_ns + ns)

    def set_wall(self, ns: int) -> None:
        """Somebody sets the clock, or the machine slept: only the wall clock moves."""
        self._move(wall_ns=ns, mono_ns=self._mono_ns)

    def _move(self, wall_ns: int, mono_ns: int) -> None:
        with self._lock:
            self._wall_ns, self._mono_ns = wall_ns, mono_ns
            waiting = list(self._waiting)
        for source in waiting:
            with source.not_empty:
                source.not_empty.notify_all()

    def _enter(self, source: queue.Queue[T]) -> None:
        with self._lock:
            self._waiting.append(source)  # type: ignore[arg-type]  # only its condition is used

    def _leave(self, source: queue.Queue[T]) -> None:
        with self._lock:
            self._waiting.remove(source)  # type: ignore[arg-type]
