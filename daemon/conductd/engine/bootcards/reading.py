"""Which files of a workspace a boot card may quote, and their bytes. Looks at the disk, writes nothing, never raises.

Files of the root, its memory directories and users' own files, and what the agent's loader takes up wherever it lies.
Links that lead out of the workspace are not followed. Called by `gathering`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

from conductd.agents.bootstrap_read import Guard, read
from conductd.core.load.loaded import Load, LoadedFile, Why
from conductd.core.load.told import plain
from conductd.core.notes.source import Source
from conductd.core.roles import is_throw_away
from conductd.model import Frozen

_MOST_BYTES = 2 * 1024 * 1024  # of a file
_MOST_FILES = 2_000
_MOST_ALL = 64 * 1024 * 1024
_DEEP = 6
TREES = (
    b"memory",
    b"memories",
    b"memory-bank",
    b".memory-bank",
    b"users",
    b"daily",
    b"diary",
    b"journal",
    b"journals",
    b"logs",
    b"notes",
    b"tasks",
    b"continuity",
    b"qc",
)
_ENDINGS = (b".md", b".mdc", b".markdown")
_RULES = (b".claude/CLAUDE.md", b".github/copilot-instructions.md")


class Found(Frozen, frozen=True):
    """``unread``: what could not be read, as (name, reason)."""

    sources: tuple[Source, ...]
    unread: tuple[tuple[str, str], ...]


Clean = Callable[[bytes], bytes | None]
"""What of a file may be shown: nothing that was forgotten. None: nothing of it."""


def found(
    root: bytes,
    load: Load | None,
    home: bytes,
    trees: Iterable[bytes] = (),
    further: Iterable[bytes] = (),
    clean: Clean | None = None,
) -> Found:
    """``trees``: directories with memory, relative, beside those known. ``further``: directories anywhere, with what
    was written about the workspace (continuity, QC)."""
    root = os.path.realpath(root)
    sources: list[Source] = []
    unread: list[tuple[str, str]] = []
    seen: set[bytes] = set()
    left = _MOST_ALL
    for path in _paths(root, load, trees, further):
        if len(sources) >= _MOST_FILES or left <= 0:
            unread.append((_name(path, root, home), "too many files"))
            break
        is_below = path.startswith(root + b"/")
        got = read(os.fsdecode(path), Guard(root=os.fsdecode(root) if is_below else None, most=_MOST_BYTES))
        real = os.fsencode(got.real)
        if got.why is Why.MISSING or (real and real in seen):
            continue
        if got.data is None:
            unread.append((_name(path, root, home), got.why.value))
            continue
        seen.add(real)
        left -= len(got.data)
        data = clean(got.data) if clean is not None else got.data
        if data is None or data.count(b"\n") != got.data.count(b"\n"):  # its lines would be told at other places
            unread.append((_name(path, root, home), "forgotten"))
            continue
        sources.append(Source(_name(path, root, home), path, data))
    return Found(tuple(sources), tuple(unread))


def _name(path: bytes, root: bytes, home: bytes) -> str:
    for base, before in ((root, ""), (home.rstrip(b"/"), "~/")):
        if len(base) > 1 and path.startswith(base + b"/"):
            return before + plain(os.fsdecode(path[len(base) + 1 :]))
    return plain(os.fsdecode(path))


def _paths(root: bytes, load: Load | None, trees: Iterable[bytes], further: Iterable[bytes]) -> Iterator[bytes]:
    """In an order that does not depend on how directories list; what is loaded first, so that it is never what is
    left out for number."""
    if load is not None:
        yield from sorted(os.fsencode(each.path) for each in load.files if _is_file(each))
    yield from _files_in(root)
    yield from (os.path.join(root, each) for each in _RULES)
    for tree in sorted({*TREES, *(each for each in trees if each)}):
        yield from _below(os.path.join(root, tree))
    for each in further:
        yield from _below(os.path.realpath(each))


def _is_file(file: LoadedFile) -> bool:
    return bool(file.path) and file.why is not Why.MISSING


def _files_in(directory: bytes) -> list[bytes]:
    try:
        with os.scandir(directory) as entries:
            names = [each.name for each in entries if _is_text(each.name) and not each.is_dir()]
    except (OSError, ValueError):
        return []
    return [os.path.join(directory, name) for name in sorted(names)]


def _is_text(name: bytes) -> bool:
    return name.lower().endswith(_ENDINGS) and not is_throw_away(name)


def _below(top: bytes, depth: int = 0) -> Iterator[bytes]:
    """Files of a tree: no links to directories, nothing hidden, no trees of other tools."""
    yield from _files_in(top)
    if depth >= _DEEP:
        return
    try:
        with os.scandir(top) as entries:
            names = sorted(each.name for each in entries if each.is_dir(follow_symlinks=False))
    except (OSError, ValueError):
        return
    for name in names:
        if not name.startswith(b".") and not is_throw_away(name + b"/x.md"):
            yield from _below(os.path.join(top, name), depth + 1)
