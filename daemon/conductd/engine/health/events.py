"""Fans durable records out to whoever listens: bounded queues that never hold the recorder up.

Called by the recorder after a batch is durable and indexed. A slow listener loses events and is
told so by one `gap`; it can fetch what it missed from the index.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import cast

from conductd.views import EventView

QUEUE = 1024


def gap(seq: int, at_ns: int, missed: int) -> EventView:
    return EventView(seq, "", at_ns, "gap", "", "", "", "", "info", "", "", None, f"{missed} events missed", {})


class Subscription:
    """One listener's queue (implements views.Events)."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._queue: deque[EventView] = deque()
        self._missed: list[EventView] = []  # the last one that found no room
        self._count = 0
        self._ready = threading.Condition()
        self._wake: Callable[[], None] | None = None

    def push(self, events: Sequence[EventView]) -> None:
        with self._ready:
            for event in events:
                if len(self._queue) >= QUEUE:
                    self._missed, self._count = [event], self._count + 1
                else:
                    self._tell_gap()
                    self._queue.append(event)
            self._ready.notify()
            wake = self._wake
        if wake is not None:
            wake()

    def _tell_gap(self) -> None:
        for last in self._missed:
            self._queue.append(gap(last.seq, last.at_ns, self._count))
        self._missed, self._count = [], 0

    def get(self, timeout_s: float) -> EventView | None:
        with self._ready:
            if not self._queue:
                self._tell_gap()
            if not self._queue:
                self._ready.wait(timeout_s)
            return self._queue.popleft() if self._queue else None

    def drain(self) -> list[EventView]:
        with self._ready:
            self._tell_gap()
            events = list(self._queue)
            self._queue.clear()
            return events

    def set_wakeup(self, wake: object) -> None:
        self._wake = cast("Callable[[], None]", wake)

    def close(self) -> None:
        self._hub.drop(self)


class Hub:
    """All subscriptions."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._subscriptions: list[Subscription] = []

    def subscribe(self) -> Subscription:
        with self._lock:
            subscription = Subscription(self)
            self._subscriptions.append(subscription)
            return subscription

    def drop(self, subscription: Subscription) -> None:
        with self._lock:
            if subscription in self._subscriptions:
                self._subscriptions.remove(subscription)

    @property
    def listening(self) -> bool:
        return bool(self._subscriptions)

    @property
    def streams(self) -> int:
        return len(self._subscriptions)

    def publish(self, events: Sequence[EventView]) -> None:
        with self._lock:
            for subscription in self._subscriptions:
                subscription.push(events)
