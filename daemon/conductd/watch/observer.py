"""The portable backend: any watchdog observer (FSEvents, kqueue, Windows, polling) behind our port.

Used where there is no inotify. Costs what the observer costs (a thread or two a watch); `set_again`
schedules anew, so directories that appear later are watched after one rescan.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter
from collections.abc import Callable

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers.api import BaseObserver, ObservedWatch

from conductd.watch.hints import HintKind, Listener
from conductd.watch.tree import ROOT
from conductd.watch.watchset import WatchSet, parent

# Everything but opened and closed-no-write: with those, 7.1.0 spins from about 5,000 directories.
EVENTS: list[type[FileSystemEvent]] = [
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
]
_KINDS: dict[str, HintKind] = {
    "closed": HintKind.CLOSED,
    "created": HintKind.CREATED,
    "deleted": HintKind.DELETED,
    "modified": HintKind.MODIFIED,
}


class ObserverBackend:
    """``make_observer`` gives a new watchdog observer, e.g. the class ``watchdog.observers.Observer``."""

    def __init__(self, make_observer: Callable[[], BaseObserver]) -> None:
        self._make_observer = make_observer
        self._observer: BaseObserver | None = None
        self._users: Counter[ObservedWatch] = Counter()  # equal watches of several trees share an emitter
        self._lock = threading.Lock()

    def start(self) -> None:
        observer = self._make_observer()
        observer.name = "watch-observer"
        observer.start()
        self._observer = observer

    def stop(self) -> None:
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()

    def alive(self) -> bool:
        return self._observer is not None and self._observer.is_alive()

    def watch(self, root: bytes, plan: WatchSet, listener: Listener) -> ObserverTree:
        if self._observer is None:
            raise RuntimeError("the backend was not started")
        return ObserverTree(self, root, plan, listener)

    def watch_name(self, directory: bytes, name: bytes, listener: Listener) -> ObserverName:
        return ObserverName(self, directory, name, listener)

    def schedule(self, handler: FileSystemEventHandler, path: bytes, *, recursive: bool) -> ObservedWatch:
        """OSError when the system refuses."""
        if self._observer is None:
            raise RuntimeError("the backend was not started")
        with self._lock:
            watch = self._observer.schedule(handler, os.fsdecode(path), recursive=recursive, event_filter=EVENTS)
            self._users[watch] += 1
            return watch

    def unschedule(self, handler: FileSystemEventHandler, watch: ObservedWatch) -> None:
        if self._observer is None:
            return
        with self._lock, contextlib.suppress(KeyError):  # KeyError: its emitter has ended by itself
            self._users[watch] -= 1
            self._observer.remove_handler_for_watch(handler, watch)
            if self._users[watch] <= 0:
                del self._users[watch]
                self._observer.unschedule(watch)


class ObserverTree(FileSystemEventHandler):
    """One watch for each flat directory and one recursive watch for each tree that is there."""

    def __init__(self, backend: ObserverBackend, root: bytes, plan: WatchSet, listener: Listener) -> None:
        self._backend = backend
        self._root = root
        self._plan = plan
        self._listener = listener
        self._lock = threading.Lock()
        self._watches: list[ObservedWatch] = []
        self._unwatched: set[bytes] = set()
        self._closed = False
        with os.scandir(root):  # OSError now rather than in the observer's thread
            seen = os.stat(root)
        self.identity = (seen.st_dev, seen.st_ino)
        self.set_again()

    @property
    def unwatched(self) -> frozenset[bytes]:
        return frozenset(self._unwatched)

    @property
    def watched(self) -> int:
        return len(self._watches)

    def set_again(self) -> None:
        with self._lock:
            self._drop()
            if self._closed:
                return
            for directory in sorted(self._plan.flat):
                self._schedule(directory, recursive=False)
            for tree in sorted(self._plan.trees):
                self._schedule(tree, recursive=True)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._drop()

    def _schedule(self, directory: bytes, *, recursive: bool) -> None:
        path = os.path.join(self._root, directory) if directory else self._root
        if not os.path.isdir(path) or (directory and os.path.islink(path)):
            return
        try:
            watch = self._backend.schedule(self, path, recursive=recursive)
        except OSError as error:
            self._unwatched.add(directory)
            self._listener.refused(error)
        else:
            self._watches.append(watch)

    def _drop(self) -> None:
        for watch in self._watches:
            self._backend.unschedule(self, watch)
        self._watches.clear()
        self._unwatched.clear()

    # ------------------------------------------------------------------ watchdog's thread

    def dispatch(self, event: FileSystemEvent) -> None:
        try:
            self._handle(event)
        except Exception as error:  # it would end the observer's thread, silently
            self._listener.failed(error)

    def _handle(self, event: FileSystemEvent) -> None:
        source, destination = self._relative(event.src_path), self._relative(event.dest_path)
        if ROOT in (source, destination):
            self._listener.look_again()
        elif event.is_directory:
            if event.event_type != "modified":
                self._handle_directory(*(path for path in (source, destination) if path is not None))
        elif event.event_type == "moved":
            if source is not None and self._plan.watches(parent(source)):
                self._listener.hint(HintKind.MOVED_FROM, source)
            if destination is not None and self._plan.watches(parent(destination)):
                self._listener.hint(HintKind.MOVED, destination)
        elif source is not None and event.event_type in _KINDS and self._plan.watches(parent(source)):
            self._listener.hint(_KINDS[event.event_type], source)

    def _handle_directory(self, *paths: bytes) -> None:
        for path in paths:
            if path in self._plan.trees or path in self._plan.flat:
                self._listener.set_again()  # it needs a watch of its own
            if self._plan.watches(path):
                self._listener.hint(HintKind.DIRECTORY, path)

    def _relative(self, path: bytes | str) -> bytes | None:
        """Below our root, as raw bytes; None when empty or elsewhere."""
        raw = os.fsencode(path)
        if raw == self._root:
            return ROOT
        return raw[len(self._root) + 1 :] if raw.startswith(self._root + b"/") else None


class ObserverName(FileSystemEventHandler):
    """One name in one directory."""

    def __init__(self, backend: ObserverBackend, directory: bytes, name: bytes, listener: Listener) -> None:
        self._backend = backend
        self._path = os.path.join(directory, name)
        self._directory = directory
        self._listener = listener
        seen = os.stat(directory)
        self.identity = (seen.st_dev, seen.st_ino)
        self._watch = backend.schedule(self, directory, recursive=False)

    def close(self) -> None:
        self._backend.unschedule(self, self._watch)

    def dispatch(self, event: FileSystemEvent) -> None:
        if {os.fsencode(event.src_path), os.fsencode(event.dest_path)} & {self._path, self._directory}:
            self._listener.look_again()
