"""The Linux backend: one inotify instance and one thread for all roots, on watchdog's `InotifyFD`.

Takes watchdog's reader thread and its raw events, not its emitters: those hold moves back, cost a
thread a root and tell nobody of an overflow (docs/adr/0005-watching.md). Sets watches through
``/proc/self/fd``, so that no link is followed between the check and the watch.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable

from watchdog.observers.inotify_c import CallbackId, InotifyConstants, InotifyEvent, InotifyFD, Mask, WatchDescriptor

from conductd.watch.hints import HintKind, Listener
from conductd.watch.tree import ROOT, Visit, walk
from conductd.watch.watchmap import WatchMap
from conductd.watch.watchset import WatchSet, join

_C = InotifyConstants

# Neither opened nor closed-no-write nor accessed: they are the bulk, and our own reads would make them.
MASK = Mask(
    _C.IN_CLOSE_WRITE
    | _C.IN_MOVED_TO
    | _C.IN_MOVED_FROM
    | _C.IN_MODIFY
    | _C.IN_CREATE
    | _C.IN_DELETE
    | _C.IN_ATTRIB
    | _C.IN_DELETE_SELF
    | _C.IN_MOVE_SELF
    | _C.IN_ONLYDIR
    | _C.IN_EXCL_UNLINK
)
# Added to what another root may have asked of the same directory, never in place of it.
NAME_MASK = Mask(
    _C.IN_CREATE
    | _C.IN_DELETE
    | _C.IN_MOVED_FROM
    | _C.IN_MOVED_TO
    | _C.IN_DELETE_SELF
    | _C.IN_MOVE_SELF
    | _C.IN_ONLYDIR
    | _C.IN_MASK_ADD
)
_SELF = _C.IN_DELETE_SELF | _C.IN_MOVE_SELF | _C.IN_UNMOUNT
_FILE_KINDS = (
    (_C.IN_CLOSE_WRITE, HintKind.CLOSED),
    (_C.IN_MOVED_TO, HintKind.MOVED),
    (_C.IN_MODIFY, HintKind.MODIFIED),
    (_C.IN_CREATE, HintKind.CREATED),
    (_C.IN_DELETE, HintKind.DELETED),
    (_C.IN_MOVED_FROM, HintKind.MOVED_FROM),
    (_C.IN_ATTRIB, HintKind.METADATA),
)
_ANCHOR = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_LIMITS = (errno.ENOSPC, errno.EMFILE, errno.ENOMEM)
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.EBADF)


class InotifyBackend:
    """One inotify instance. `start` before `watch`."""

    def __init__(self, make_instance: Callable[[], InotifyFD] = InotifyFD) -> None:
        self._make_instance = make_instance
        self._instance: InotifyFD | None = None

    def start(self) -> None:
        instance = self._make_instance()
        instance.name = "watch-inotify"
        instance.start()
        self._instance = instance

    def stop(self) -> None:
        if self._instance is not None:
            self._instance.stop()
            self._instance.join()

    def alive(self) -> bool:
        return self._instance is not None and self._instance.is_alive()

    def watch(self, root: bytes, plan: WatchSet, listener: Listener) -> InotifyTree:
        if self._instance is None:
            raise RuntimeError("the backend was not started")
        return InotifyTree(self._instance, root, plan, listener)

    def watch_name(self, directory: bytes, name: bytes, listener: Listener) -> InotifyName:
        if self._instance is None:
            raise RuntimeError("the backend was not started")
        return InotifyName(self._instance, directory, name, listener)


class InotifyTree:
    """The watches of one root. watchdog calls `on_event`, `on_watch_deleted` and `on_queue_overflow`
    in its own thread; the rest is called by the watcher."""

    def __init__(self, instance: InotifyFD, root: bytes, plan: WatchSet, listener: Listener) -> None:
        self._instance = instance
        self._plan = plan
        self._listener = listener
        self._id = CallbackId(id(self))
        self._lock = threading.Lock()
        self._map = WatchMap()
        self._unwatched: set[bytes] = set()
        self._closed = False
        self._root_fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        seen = os.fstat(self._root_fd)
        self.identity = (seen.st_dev, seen.st_ino)
        try:
            self._set(ROOT)
        except BaseException:
            self.close()
            raise

    @property
    def unwatched(self) -> frozenset[bytes]:
        with self._lock:
            return frozenset(self._unwatched)

    @property
    def watched(self) -> int:
        return len(self._map)

    def set_again(self) -> None:
        # Not "add what is missing": after an overflow a kept descriptor may be dead or stand for
        # another path, and nothing will ever say so.
        with self._lock:
            self._drop(self._map.clear())
            self._unwatched.clear()
        self._set(ROOT)

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._drop(self._map.clear())
            os.close(self._root_fd)

    # ------------------------------------------------------------------ watchdog's thread

    def on_event(self, event: InotifyEvent) -> None:
        directory = self._map.path(event.wd)
        if directory is None or self._closed:  # of a watch that is gone; its rescan was hinted
            return
        try:
            self._handle(directory, event.mask, event.name, event.cookie)
        except Exception as error:  # it would end the only reader thread, silently
            self._listener.failed(error)

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        with self._lock:
            directory = self._map.path(wd)
            if directory is not None:
                self._map.remove(directory)
        if directory == ROOT and not self._closed:
            self._listener.look_again()

    def on_queue_overflow(self) -> None:
        self._listener.hint(HintKind.OVERFLOW, None)
        self._listener.set_again()

    # ------------------------------------------------------------------ events

    def _handle(self, directory: bytes, mask: int, name: bytes, cookie: int) -> None:
        if mask & _SELF:
            # Of a directory below the root its parent tells, with a name.
            if directory == ROOT:
                self._listener.look_again()
            elif mask & _C.IN_UNMOUNT:
                self._listener.hint(HintKind.DIRECTORY, directory)
            return
        if mask & _C.IN_ISDIR:
            if name and self._plan.watches(join(directory, name)):
                self._handle_directory(join(directory, name), mask, cookie)
            elif not name and directory == ROOT:  # a chmod may have hidden or uncovered everything
                self._listener.hint(HintKind.DIRECTORY, ROOT)
            return
        path = join(directory, name)
        for bit, kind in _FILE_KINDS:
            if mask & bit:
                self._listener.hint(kind, path, cookie)
                return

    def _handle_directory(self, path: bytes, mask: int, cookie: int) -> None:
        if mask & _C.IN_CREATE:
            if self._set(path):  # else the walk of a directory above it has been here, and hinted
                self._listener.hint(HintKind.DIRECTORY, path)
            return
        if mask & _C.IN_DELETE:
            with self._lock:
                # Itself only: it was empty; what the map holds below is a newer directory's.
                self._drop_one(self._map.remove(path))
                self._unwatched.discard(path)
        elif mask & _C.IN_MOVED_FROM:
            with self._lock:
                self._drop(self._map.remove_tree(path))
                self._unwatched -= {gone for gone in self._unwatched if (gone + b"/").startswith(path + b"/")}
        elif mask & (_C.IN_MOVED_TO | _C.IN_ATTRIB):  # ATTRIB: it may have become readable
            self._set(path)
        self._listener.hint(HintKind.DIRECTORY, path, cookie)

    # ------------------------------------------------------------------ watches

    def _set(self, under: bytes) -> bool:
        """Watch ``under`` and the directories of the watch set below it; whether any watch is new."""
        new = False
        for visit in walk(self._root_fd, self._plan, under):
            with self._lock:
                if self._closed:
                    return new
                new = self._watch(visit) or new
        return new

    def _watch(self, visit: Visit) -> bool:
        if visit.fd < 0:
            self._unwatched.add(visit.path)
            return True
        seen = os.fstat(visit.fd)
        identity = (seen.st_dev, seen.st_ino)
        known_as = self._map.place(identity)
        if known_as == visit.path:
            return False
        if known_as is not None:
            # Moved here, or its inode was given to this new directory; the events that say which are
            # late, and when its parent is new too there may be none for this place.
            self._drop_one(self._map.remove(known_as))
        if self._map.identity(visit.path) is not None:  # another directory stood here; its events are late
            self._drop(self._map.remove_tree(visit.path))
        try:
            wd = self._instance.add_callback(_by_descriptor(visit.fd), MASK, self, self._id)
        except OSError as error:
            if error.errno not in _GONE:
                self._unwatched.add(visit.path)
            if error.errno in _LIMITS:
                self._listener.refused(error)
            return error.errno not in _GONE
        if wd < 0:  # watchdog's way to say EACCES
            self._unwatched.add(visit.path)
            return True
        self._unwatched.discard(visit.path)
        self._map.add(visit.path, wd, identity)
        return True

    def _drop(self, watches: list[int]) -> None:
        if watches:
            self._instance.remove_callbacks([(WatchDescriptor(wd), self._id) for wd in watches])

    def _drop_one(self, watch: int | None) -> None:
        if watch is not None:
            self._drop([watch])


class InotifyName:
    """One name in one directory: the root's in the directory above it. A root that anybody holds
    open (we do) tells nothing itself when it is removed."""

    def __init__(self, instance: InotifyFD, directory: bytes, name: bytes, listener: Listener) -> None:
        self._instance = instance
        self._name = name
        self._listener = listener
        self._id = CallbackId(id(self))
        fd = os.open(directory, _ANCHOR)
        try:
            seen = os.fstat(fd)
            self.identity = (seen.st_dev, seen.st_ino)
            self._watch = instance.add_callback(_by_descriptor(fd), NAME_MASK, self, self._id)
        finally:
            os.close(fd)
        if self._watch < 0:
            raise PermissionError(errno.EACCES, "cannot be watched", directory)

    def close(self) -> None:
        self._instance.remove_callbacks([(self._watch, self._id)])

    def on_event(self, event: InotifyEvent) -> None:
        if event.name == self._name or event.mask & _SELF:
            self._listener.look_again()

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:  # noqa: ARG002 - watchdog's signature
        self._listener.look_again()

    def on_queue_overflow(self) -> None:
        self._listener.look_again()


def _by_descriptor(fd: int) -> bytes:
    return b"/proc/self/fd/%d" % fd
