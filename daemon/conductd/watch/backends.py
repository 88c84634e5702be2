"""Which source of events this system has: inotify on Linux, watchdog's own observer elsewhere."""

from __future__ import annotations

import sys

from conductd.watch.hints import Backend


def default_backend() -> Backend:
    """A backend, not started. OSError where the system has none (then everything is polled)."""
    if sys.platform == "linux":
        from conductd.watch.inotify import InotifyBackend

        return InotifyBackend()
    from watchdog.observers import Observer

    from conductd.watch.observer import ObserverBackend

    return ObserverBackend(Observer)
