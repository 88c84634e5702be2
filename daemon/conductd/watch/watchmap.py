"""Which watch descriptor stands for which directory of a root. Pure bookkeeping.

inotify reports a descriptor and a name; a directory's path changes when it or one above it is
moved, and its descriptor dies with it. Not thread-safe: the tree that owns it holds a lock.
"""

from __future__ import annotations

from conductd.watch.watchset import parent

Identity = tuple[int, int]  # device, inode


class WatchMap:
    """Directories by path, descriptor and identity, and which lie directly below which."""

    def __init__(self) -> None:
        self._paths: dict[int, bytes] = {}
        self._watches: dict[bytes, tuple[int, Identity]] = {}
        self._identities: dict[Identity, bytes] = {}
        self._below: dict[bytes, set[bytes]] = {}

    def __len__(self) -> int:
        return len(self._watches)

    def path(self, watch: int) -> bytes | None:
        return self._paths.get(watch)

    def place(self, identity: Identity) -> bytes | None:
        """The path under which this directory is watched, as far as the events told so far."""
        return self._identities.get(identity)

    def identity(self, path: bytes) -> Identity | None:
        known = self._watches.get(path)
        return known[1] if known else None

    def add(self, path: bytes, watch: int, identity: Identity) -> None:
        self._paths[watch] = path
        self._watches[path] = (watch, identity)
        self._identities[identity] = path
        if path:
            self._below.setdefault(parent(path), set()).add(path)

    def remove(self, path: bytes) -> int | None:
        """Forget one directory; its descriptor, if it had one."""
        known = self._watches.pop(path, None)
        if known is None:
            return None
        watch, identity = known
        if self._paths.get(watch) == path:
            del self._paths[watch]
        if self._identities.get(identity) == path:
            del self._identities[identity]
        siblings = self._below.get(parent(path))
        if siblings is not None and path:
            siblings.discard(path)
            if not siblings:
                del self._below[parent(path)]
        return watch

    def remove_tree(self, path: bytes) -> list[int]:
        """Forget a directory and all below it; their descriptors."""
        doomed = [path]
        for directory in doomed:  # grows while it is walked
            doomed.extend(self._below.get(directory, ()))
        return [watch for directory in reversed(doomed) if (watch := self.remove(directory)) is not None]

    def clear(self) -> list[int]:
        """Forget everything; the descriptors."""
        watches = [watch for watch, _ in self._watches.values()]
        for table in (self._paths, self._watches, self._identities, self._below):
            table.clear()
        return watches
