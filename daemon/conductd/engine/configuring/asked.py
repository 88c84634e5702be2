"""Reloads that somebody waits for: asked for on any thread, done on the main one, answered to all who waited."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet

from conductd.errors import Busy, Refused
from conductd.views.reload import ReloadView

PATIENCE_S = 60.0  # the main thread looks after others every 2 s, and a reload waits for judge and intake


class AskedReloads:
    """`wake`: makes the main thread look."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._lock = threading.Lock()
        self._waiting: list[Future[ReloadView]] = []
        self._is_closed = False

    def reload(self) -> ReloadView:
        """What came of it. Raises Refused when the daemon ends, Busy when it takes too long: it is still done then."""
        future: Future[ReloadView] = Future()
        with self._lock:
            if self._is_closed:
                raise Refused("the daemon is ending", "conductd service status")
            self._waiting.append(future)
        self._wake()
        try:
            return future.result(PATIENCE_S)
        except NotYet:
            raise Busy("the reload takes longer than a minute; it goes on", "conductd status") from None

    def take(self) -> list[Future[ReloadView]]:
        """Those who wait now. To be called before the configuration is read: who asks later wants it read again."""
        with self._lock:
            taken, self._waiting = self._waiting, []
        return taken

    def close(self) -> None:
        """No reload comes any more."""
        with self._lock:
            self._is_closed = True
        for each in self.take():
            each.set_exception(Refused("the daemon is ending", "conductd service status"))
