"""Search, not protect: the text files of a workspace that changed just now.

When entries are lost from a protected file, they may have been moved to a file nobody protects.
Bounded by count, bytes and time; follows no link; opens nothing but regular files. Called by the
judge's thread; the answer is a snapshot and is named by digests.
"""

from __future__ import annotations

import os
import stat
import time
from collections import deque
from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

from conductd.core.policy import Search
from conductd.model import FileState
from conductd.watch.ignore import Ignored, read_ignored
from conductd.watch.packed import unpacked
from conductd.watch.reader import observe
from conductd.watch.tree import ROOT, open_directory
from conductd.watch.watchset import SKIPPED, WatchSet, join

# Beside version control: what tools install or build, by the thousands.
_SKIPPED = SKIPPED | {
    b".venv", b"venv", b"__pycache__", b".tox", b".nox", b".mypy_cache", b".ruff_cache", b".pytest_cache",
    b"site-packages", b"target", b"dist", b"build", b".cache", b".next",
}  # fmt: skip
_MAX_FILE = 1024 * 1024  # a note is smaller; one big log must not use up the whole budget
_BINARY_PROBE = 8_192
_NOTES = (b".md", b".mdc", b".markdown", b".txt")


class Text(NamedTuple):
    path: bytes
    digest: bytes
    data: bytes


class Stamp(NamedTuple):
    """``changed_ns``: mtime or ctime, the later one."""

    changed_ns: int = 0
    inode: int = 0


class Searched(NamedTuple):
    """``complete`` is false when a bound was met: absence from ``texts`` then proves nothing. ``stamps``: by path."""

    texts: list[Text]
    complete: bool
    stamps: dict[bytes, Stamp]


def search(
    root_fd: int,
    now_ns: int,
    bounds: Search,
    *,
    skip: Callable[[bytes], bool] = lambda _: False,
    within: WatchSet | None = None,
    mono_ns: Callable[[], int] = time.monotonic_ns,
) -> Searched:
    """The text files changed in the last ``bounds.recent_ms`` before ``now_ns`` (wall clock), shallow
    ones first. ``skip``: paths the caller has already (the protected files). ``within``: only notes in these
    directories (beside them an agent keeps its transcripts, and copies of files from before it changed them)."""
    deadline = mono_ns() + bounds.budget_ms * 1_000_000
    since_ns = now_ns - bounds.recent_ms * 1_000_000
    ignored = read_ignored(root_fd)
    texts: list[Text] = []
    stamps: dict[bytes, Stamp] = {}
    left = bounds.total_bytes
    complete = True
    directories = deque([ROOT])
    while directories:
        if mono_ns() > deadline:
            return Searched(texts, False, stamps)
        below, recent = _list(root_fd, directories.popleft(), since_ns, ignored)
        directories.extend(each for each in below if within is None or within.watches(each))
        for path in recent:
            if skip(path) or (within is not None and not path.lower().endswith(_NOTES)):
                continue
            if len(texts) >= bounds.files or mono_ns() > deadline:
                return Searched(texts, False, stamps)
            seen = observe(root_fd, path, limit=max(0, min(_MAX_FILE, left)), digest_limit=0, attempts=1)
            if seen.state is FileState.OVERSIZE:
                complete = False
            if seen.data is None or seen.digest is None or seen.torn:
                continue
            data, digest = seen.data, seen.digest
            inside = unpacked(path, data)
            if inside is not None:
                data, digest = inside, sha256(inside).digest()
            if b"\0" in data[:_BINARY_PROBE]:
                continue
            left -= len(data)
            texts.append(Text(path, digest, data))
            if seen.stat is not None:
                stamps[path] = Stamp(max(seen.stat.mtime_ns, seen.stat.ctime_ns), seen.stat.inode)
    return Searched(texts, complete, stamps)


def _list(root_fd: int, directory: bytes, since_ns: int, ignored: Ignored) -> tuple[list[bytes], list[bytes]]:
    """Sub-directories to go on with, and regular files changed since."""
    below: list[bytes] = []
    recent: list[bytes] = []
    try:
        fd = open_directory(root_fd, directory)
    except OSError:
        return below, recent
    try:
        with os.scandir(fd) as listing:
            for entry in listing:
                name = os.fsencode(entry.name)
                path = join(directory, name)
                if entry.is_dir(follow_symlinks=False):
                    if name not in _SKIPPED and not ignored.matches(path, is_directory=True):
                        below.append(path)
                elif _is_recent(entry, since_ns) and not ignored.matches(path, is_directory=False):
                    recent.append(path)
    except OSError:
        pass  # gone or unreadable in part: what was listed counts
    finally:
        os.close(fd)
    return below, recent


def _is_recent(entry: os.DirEntry[str], since_ns: int) -> bool:
    try:
        seen = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    # A move keeps the mtime and sets the ctime; a clock set back leaves both in the future.
    return stat.S_ISREG(seen.st_mode) and max(seen.st_mtime_ns, seen.st_ctime_ns) >= since_ns
