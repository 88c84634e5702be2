"""One root as the watcher keeps it: its watches while it is there, and one above it always."""

from __future__ import annotations

import os
from collections.abc import Callable

from conductd.watch.hints import Backend, HintKind, NameWatch, Tree
from conductd.watch.rescan import look_at_root
from conductd.watch.watchset import WatchSet

Identity = tuple[int, int]


class WatchedRoot:
    """``identity`` None: missing. Not thread-safe: the watcher's lock is held around every method;
    attributes may be read without."""

    def __init__(self, path: bytes, plan: WatchSet, *, polled: bool) -> None:
        self.path = path
        self.plan = plan
        self.polled = polled
        self.settled = False  # whether its path has been looked at
        self.identity: Identity | None = None
        self.tree: Tree | None = None
        self._above: NameWatch | None = None
        self._above_path = b""

    @property
    def needs_poll(self) -> bool:
        tree = self.tree
        return self.polled or tree is None or bool(tree.unwatched)

    def attach(self, backend: Backend | None, ears: Ears, identity: Identity) -> None:
        """The directory is there: watch it, or leave it to polling."""
        self.identity = identity
        if backend is None:
            return
        try:
            self.tree = backend.watch(self.path, self.plan, ears)
            self.identity = self.tree.identity
        except PermissionError:
            self.tree = None
        except OSError:
            self.identity = None  # gone again

    def detach(self) -> None:
        """The directory is no longer what stands at the path."""
        self.identity = None
        if self.tree is not None:
            self.tree.close()
            self.tree = None

    def watch_above(self, backend: Backend | None, ears: Ears) -> None:
        """Watch the nearest directory above for the next name on the way to the root, whether the root
        is there or not. Without a backend, or when it cannot be watched, the watcher's looks remain."""
        while backend is not None:
            above, name = os.path.split(self.path)
            while above != b"/" and not os.path.isdir(above):
                above, name = os.path.split(above)
            if not self._is_watched_above(above):
                self._close_above()
                try:
                    self._above = backend.watch_name(above, name, ears)
                except OSError:
                    return
                self._above_path = above
            on_the_way = os.path.join(above, name)
            if on_the_way == self.path or not os.path.isdir(on_the_way):
                return

    def _is_watched_above(self, above: bytes) -> bool:
        return (
            self._above is not None
            and self._above_path == above
            and look_at_root(above, self._above.identity).state == "same"
        )

    def drop_watches(self) -> None:
        """The backend is dead; what was there stays there, polled."""
        identity = self.identity
        self.close()
        self.identity = identity

    def close(self) -> None:
        self.detach()
        self._close_above()

    def _close_above(self) -> None:
        if self._above is not None:
            self._above.close()
            self._above = None


class Ears:
    """A `Listener` bound to one root: what a tree tells, with the root's name on it."""

    def __init__(
        self,
        path: bytes,
        *,
        hint: Callable[[bytes, HintKind, bytes | None, int], None],
        wake: Callable[[bytes, bool], None],
        refused: Callable[[OSError], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self._path = path
        self._hint = hint
        self._wake = wake
        self._refused = refused
        self._failed = failed

    def hint(self, kind: HintKind, path: bytes | None, cookie: int = 0) -> None:
        self._hint(self._path, kind, path, cookie)

    def look_again(self) -> None:
        self._wake(self._path, False)

    def set_again(self) -> None:
        self._wake(self._path, True)

    def refused(self, error: OSError) -> None:
        self._refused(error)

    def failed(self, error: Exception) -> None:
        self._failed(error)
        self._wake(self._path, True)  # the event is lost: as after an overflow
