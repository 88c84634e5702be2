"""A source of file system events that loses some, sends none, or cannot be had."""

from __future__ import annotations

import errno
import threading

from conductd.watch.hints import Backend, HintKind, Listener, NameWatch, Tree
from conductd.watch.watchset import WatchSet
from entry.faults import Fault, Faults, failed


class FaultBackend:
    """Implements `conductd.watch.hints.Backend` around another one."""

    def __init__(self, inner: Backend, faults: Faults) -> None:
        self._inner = inner
        self._faults = faults
        self._lock = threading.Lock()
        self._listeners: list[Listener] = []
        faults.listen(self._turned_on)

    def start(self) -> None:
        if self._faults.is_on("emfile_inotify"):
            raise failed(errno.EMFILE)
        self._inner.start()

    def stop(self) -> None:
        self._inner.stop()

    def alive(self) -> bool:
        return self._inner.alive()

    def watch(self, root: bytes, plan: WatchSet, listener: Listener) -> Tree:
        return self._inner.watch(root, plan, self._deafened(listener))

    def watch_name(self, directory: bytes, name: bytes, listener: Listener) -> NameWatch:
        return self._inner.watch_name(directory, name, self._deafened(listener))

    def _deafened(self, listener: Listener) -> Listener:
        filtered = _Deaf(listener, self._faults)
        with self._lock:
            self._listeners.append(filtered)
        return filtered

    def _turned_on(self, fault: Fault) -> None:
        if fault.kind != "inotify_overflow":
            return
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            # What the inotify backend does when the kernel says that its queue ran over.
            listener.hint(HintKind.OVERFLOW, None)
            listener.set_again()


class _Deaf:
    """Passes on what a tree tells, except while the mount sends no events."""

    def __init__(self, inner: Listener, faults: Faults) -> None:
        self._inner = inner
        self._faults = faults

    def hint(self, kind: HintKind, path: bytes | None, cookie: int = 0) -> None:
        if not self._faults.is_on("no_events"):
            self._inner.hint(kind, path, cookie)

    def look_again(self) -> None:
        if not self._faults.is_on("no_events"):
            self._inner.look_again()

    def set_again(self) -> None:
        self._inner.set_again()

    def refused(self, error: OSError) -> None:
        self._inner.refused(error)

    def failed(self, error: Exception) -> None:
        self._inner.failed(error)
