"""Which source of events this system has: inotify on Linux, watchdog's own observer elsewhere."""

from __future__ import annotations

import sys

from conductd.watch.hints import Backend


def default_backend() -> Backend:
    """A backend, not started. OSError where the system has none (then everything is polled)."""
    if sys.platform == "linux":
        try:
            from conductd.watch.inotify import InotifyBackend
        except ImportError:
            pass  # a libc without inotify, or a watchdog that moved its low-level module: the long way round
        else:
            return InotifyBackend()
    from watchdog.observers import Observer

    from conductd.watch.observer import ObserverBackend

    return ObserverBackend(Observer)
