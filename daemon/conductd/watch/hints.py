"""What the watcher tells the engine, and the seam behind which a system's own events live.

A hint says where to look, never what happened: the reader and the rescan find that out. Owns the
hint and degradation values and the backend port; does nothing.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from conductd.model import Frozen
from conductd.watch.watchset import WatchSet


class HintKind(StrEnum):
    """For a file: what the system reported. For the others the answer is always a rescan."""

    CLOSED = "closed"  # closed by a writer: whole now, as far as that writer goes
    MOVED = "moved"  # a file was renamed to this path
    MOVED_FROM = "moved_from"  # a file was renamed away; same cookie as its MOVED, if that was seen
    MODIFIED = "modified"  # written or truncated, maybe still open
    CREATED = "created"
    DELETED = "deleted"
    METADATA = "metadata"  # mode, owner, links, time stamps
    DIRECTORY = "directory"  # new, moved or removed: rescan `path` and below
    OVERFLOW = "overflow"  # events were lost: rescan the root
    POLL = "poll"  # no events for all of it: rescan the root
    ROOT_GONE = "root_gone"
    ROOT_BACK = "root_back"  # a directory stands at the root's path again, perhaps another one


class Hint(Frozen, frozen=True):
    """``root`` is the absolute path given to `add_root`; ``path`` is relative to it, None for the
    whole root. ``mono_ns``: monotonic time at which it was read. ``cookie``: pairs a rename (0: none).
    """

    root: bytes
    path: bytes | None
    kind: HintKind
    mono_ns: int
    cookie: int = 0


class Degraded(Frozen, frozen=True):
    """The watcher does less than it should: why (a stable word), in a sentence, and what to do.

    ``reason``: "watch_limit", "instance_limit", "no_backend", "no_events" (of one root),
    "watcher_failed" or "watcher_stopped". ``root`` None: all roots.
    """

    reason: str
    message: str
    hint: str
    root: bytes | None = None


class Listener(Protocol):
    """Who is told by a tree. Called from the backend's thread; must not block, must not raise."""

    def hint(self, kind: HintKind, path: bytes | None, cookie: int = 0) -> None: ...

    def look_again(self) -> None:
        """The root itself was deleted, moved or unmounted, perhaps."""
        ...

    def set_again(self) -> None:
        """Watches may be missing or misplaced (events were lost): set all of them anew."""
        ...

    def refused(self, error: OSError) -> None:
        """A watch could not be set because of a limit."""
        ...

    def failed(self, error: Exception) -> None:
        """A fault of our own while an event was handled."""
        ...


class Tree(Protocol):
    """The watches of one root. Thread-safe."""

    identity: tuple[int, int]  # (device, inode) of the root directory being watched

    @property
    def unwatched(self) -> frozenset[bytes]:
        """Directories of the watch set that are there but could not be watched."""
        ...

    @property
    def watched(self) -> int:
        """How many directories are watched."""
        ...

    def set_again(self) -> None:
        """Drop all watches and set them anew; what happens meanwhile is lost, so rescan after it."""
        ...

    def close(self) -> None: ...


class NameWatch(Protocol):
    """A watch on one name in a directory. Thread-safe."""

    identity: tuple[int, int]  # of the directory

    def close(self) -> None: ...


class Backend(Protocol):
    """A source of file system events."""

    def start(self) -> None:
        """OSError when the system refuses (EMFILE: instance limit)."""
        ...

    def stop(self) -> None: ...

    def alive(self) -> bool: ...

    def watch(self, root: bytes, plan: WatchSet, listener: Listener) -> Tree:
        """Watch ``root``; OSError when it is no directory that can be opened. A directory below it
        that cannot be watched is no error: see `Tree.unwatched`."""
        ...

    def watch_name(self, directory: bytes, name: bytes, listener: Listener) -> NameWatch:
        """Call `look_again` when ``name`` comes to or leaves ``directory``, or that goes. OSError."""
        ...
