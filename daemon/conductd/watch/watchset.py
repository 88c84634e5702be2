"""Which directories of a workspace are watched and scanned. Pure: values in, values out.

The workspace root itself but not its subtree (it can hold a virtualenv of 100,000 files), trees such
as ``memory/`` with everything below, the directories of single files configured beside them, and the
directories on the way to all of these, so that their being made is seen. Used alike by the watcher
and the rescan: what one is told of, the other finds.
"""

from __future__ import annotations

from collections.abc import Iterable

from conductd.model import Frozen

MEMORY_TREE = b"memory"

# Tool-owned directories inside a tree: never memory, often huge, rewritten without end.
SKIPPED = frozenset({b".git", b".hg", b".svn", b".jj", b"node_modules"})


class WatchSet(Frozen, frozen=True):
    """Directories relative to the workspace root (``b""`` is the root). Make one with `watch_set`.

    ``flat``: watched, not what is below; closed under parents. ``trees``: watched with all below.
    """

    flat: frozenset[bytes]
    trees: frozenset[bytes]

    def watches(self, directory: bytes) -> bool:
        """Whether files directly in ``directory`` are watched."""
        return directory in self.flat or self.in_tree(directory)

    def in_tree(self, directory: bytes) -> bool:
        """Whether ``directory`` is one of the trees or below one, outside of skipped directories."""
        for tree in self.trees:
            if tree == b"":
                below = directory
            elif directory == tree:
                return True
            elif directory.startswith(tree + b"/"):
                below = directory[len(tree) + 1 :]
            else:
                continue
            return SKIPPED.isdisjoint(below.split(b"/"))
        return False


def watch_set(
    *,
    trees: Iterable[bytes] = (MEMORY_TREE,),
    directories: Iterable[bytes] = (),
    files: Iterable[bytes] = (),
) -> WatchSet:
    """The watch set for these trees, single directories, and the directories that hold these files."""
    kept: list[bytes] = []
    for tree in sorted(trees, key=len):  # a tree inside another says nothing new
        if not any(outer in (b"", tree) or tree.startswith(outer + b"/") for outer in kept):
            kept.append(tree)
    flat = {b""}
    wanted = [*directories, *(parent(file) for file in files), *(parent(tree) for tree in kept if tree)]
    for directory in wanted:
        flat.add(directory)
        flat.update(ancestors(directory))
    return WatchSet(frozenset(flat), frozenset(kept))


def parent(path: bytes) -> bytes:
    """The directory that holds ``path``; ``b""`` for a name in the root."""
    return path.rpartition(b"/")[0]


def ancestors(directory: bytes) -> list[bytes]:
    """Every directory above ``directory``, nearest first, ending with the root ``b""``."""
    above = []
    while directory:
        directory = parent(directory)
        above.append(directory)
    return above


def join(directory: bytes, name: bytes) -> bytes:
    return directory + b"/" + name if directory else name


def outermost(directories: Iterable[bytes]) -> list[bytes]:
    """The directories that are below no other of them, sorted: rescanning these covers them all."""
    kept: list[bytes] = []
    for directory in sorted(directories, key=lambda path: path.split(b"/") if path else []):
        last = kept[-1] if kept else None
        if last is None or not (last in (b"", directory) or directory.startswith(last + b"/")):
            kept.append(directory)
    return kept
