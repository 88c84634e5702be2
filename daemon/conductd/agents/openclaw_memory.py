"""The files of OpenClaw's memory, found on disk as its own scan finds them, and what lies near them and is not taken.

Read-only, never raises, bounded: after `ENTRIES` names the rest is only said to be there. Rules are
`core.openclaw_memory.rules`'. Source: `packages/memory-host-sdk/src/host/internal.ts` (`listMemoryFiles`).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable

from conductd.agents.openclaw_memory_settings import Extra, MemorySettings
from conductd.core.load.openclaw_versions import Version
from conductd.core.openclaw_memory.minimatch import matches
from conductd.core.openclaw_memory.rules import (
    NO_MEDIA,
    REPAIR_DIRECTORY,
    Media,
    Medium,
    Rules,
    is_skipped,
    medium,
    root_names,
    rules,
)
from conductd.model import Frozen

ENTRIES = 200_000
TOLD = 1_000  # that are not taken


class MemoryFile(Frozen, frozen=True):
    """``path`` as OpenClaw names it: relative to the workspace, with `..` where it lies outside. ``source``: "root",
    "memory" or "extra"; ``readable`` False: it is listed, and cannot be read."""

    path: str
    absolute: str
    source: str
    medium: Medium
    size: int
    readable: bool = True


class NotTaken(Frozen, frozen=True):
    path: str
    why: str


class Listing(Frozen, frozen=True):
    """``files`` in OpenClaw's order. ``review``: DREAMS.md, which `memory_get` reads and the search does not.
    ``more``: so many others that are not taken are not named. ``is_whole`` False: there is more than was looked at."""

    files: tuple[MemoryFile, ...]
    review: tuple[MemoryFile, ...] = ()
    not_taken: tuple[NotTaken, ...] = ()
    more: int = 0
    is_whole: bool = True


def listing(own: MemorySettings, version: Version) -> Listing:
    looked = _Scan(own, rules(version))
    looked.root()
    looked.memory()
    for each in own.extra:
        looked.further(each)
    return looked.result()


class _Scan:
    """One scan of a workspace and its extra paths; what it has found grows as it goes."""

    def __init__(self, own: MemorySettings, those: Rules) -> None:
        self._own, self._rules = own, those
        self._root = own.workspace
        self._files: list[MemoryFile] = []
        self._seen: dict[str, str] = {}
        self._not_taken: dict[str, str] = {}
        self._more = 0
        self._left = ENTRIES

    def root(self) -> None:
        try:
            names = os.listdir(self._root)
        except (OSError, ValueError) as error:
            self._refuse(self._root, _why(error))
            return
        wanted = root_names(self._rules)
        for name in wanted:
            if name in names:
                self._take(os.path.join(self._root, name), "root")
        for name in sorted(names):
            same = next((each for each in ("MEMORY.md", "USER.md") if each.lower() == name.lower()), None)
            if same is not None and name not in wanted:
                self._refuse(
                    os.path.join(self._root, name), "no memory of this release" if name == same else f"not {same}"
                )

    def memory(self) -> None:
        """Below `memory/`, if that is a directory and no link to one."""
        path = os.path.join(self._root, "memory")
        mode = self._mode(path)
        if mode is None:
            return
        if not stat.S_ISDIR(mode):
            self._refuse(path, "a symbolic link" if stat.S_ISLNK(mode) else "no directory")
            return
        self._walk(path, "memory", NO_MEDIA, lambda _path: True)

    def further(self, wanted: Extra) -> None:
        path = wanted.path
        if is_skipped(self._shown(path), self._rules):
            self._refuse(path, "left to the repair of the root's memory")
            return
        mode = self._mode(path)
        if mode is None:
            self._not_taken.setdefault(self._shown(path), "not there")
        elif stat.S_ISLNK(mode):
            self._refuse(path, "an extra path that is a symbolic link")
        elif stat.S_ISDIR(mode):
            self._walk(path, "extra", self._own.media, lambda each: _fits(wanted, each))
        elif stat.S_ISREG(mode) and medium(path, self._own.media) is not None:
            self._take(path, "extra", self._own.media)
        else:
            self._refuse(path, "neither Markdown (.md) nor a medium that is switched on")

    def result(self) -> Listing:
        review: list[MemoryFile] = []
        if self._rules.dreams:
            try:
                names = sorted(name for name in os.listdir(self._root) if name.lower() == "dreams.md")
            except (OSError, ValueError):
                names = []
            review = [
                found
                for name in names
                if name.endswith(".md") and (found := self._file(os.path.join(self._root, name), "root", NO_MEDIA))
            ]
        taken = {each.path for each in self._files}
        return Listing(
            files=tuple(self._files),
            review=tuple(review),
            not_taken=tuple(NotTaken(path, why) for path, why in self._not_taken.items() if path not in taken),
            more=self._more,
            is_whole=self._left > 0,
        )

    # ------------------------------------------------------------------ one directory, one file

    def _walk(self, top: str, source: str, kinds: Media, fits: Callable[[str], bool]) -> None:
        """Everything below, no link followed. Sorted as OpenClaw sorts: by the UTF-16 units of the whole path."""
        found: list[str] = []
        waiting = [top]
        while waiting and self._left > 0:
            directory = waiting.pop()
            try:
                with os.scandir(directory) as entries:
                    for entry in entries:
                        self._left -= 1
                        if self._left <= 0:
                            break
                        self._entry(entry, waiting, found, kinds)
            except (OSError, ValueError) as error:
                self._refuse(directory, _why(error))
        for path in sorted((each for each in found if fits(each)), key=_units):
            self._take(path, source, kinds)

    def _entry(self, entry: os.DirEntry[str], waiting: list[str], found: list[str], kinds: Media) -> None:
        path = entry.path
        if is_skipped(self._shown(path), self._rules):
            return
        if entry.is_symlink():
            if entry.name.lower().endswith(".md") or entry.is_dir():
                self._refuse(path, "a symbolic link")
        elif entry.is_dir(follow_symlinks=False):
            if entry.name != REPAIR_DIRECTORY:
                waiting.append(path)
        elif medium(entry.name, kinds) is None or not entry.is_file(follow_symlinks=False):
            if entry.name.lower().endswith(".md"):
                is_file = entry.is_file(follow_symlinks=False)
                self._refuse(path, "ends in .md in capital letters" if is_file else "no regular file")
        else:
            found.append(path)

    def _take(self, path: str, source: str, kinds: Media = NO_MEDIA) -> None:
        found = self._file(path, source, kinds)
        if found is None:
            return
        real = os.path.realpath(path)
        if real in self._seen:
            if self._seen[real] != found.path:
                self._refuse(path, f"the same file as {self._seen[real]}")
            return
        self._seen[real] = found.path
        self._files.append(found)

    def _file(self, path: str, source: str, kinds: Media) -> MemoryFile | None:
        try:
            found = os.lstat(path)
        except (OSError, ValueError) as error:
            self._refuse(path, _why(error))
            return None
        if not stat.S_ISREG(found.st_mode):
            self._refuse(path, "a symbolic link" if stat.S_ISLNK(found.st_mode) else "no regular file")
            return None
        if any("\udc80" <= letter <= "\udcff" for letter in path):
            self._refuse(path, "its name is no UTF-8: OpenClaw cannot open it")
            return None
        kind = medium(path, kinds)
        if kind not in (None, Medium.MARKDOWN) and found.st_size > kinds.most_bytes:
            self._refuse(path, f"larger than {kinds.most_bytes:,} bytes")
            return None
        readable = os.access(path, os.R_OK)
        return MemoryFile(self._shown(path), path, source, kind or Medium.MARKDOWN, found.st_size, readable)

    def _mode(self, path: str) -> int | None:
        try:
            return os.lstat(path).st_mode
        except (OSError, ValueError) as error:
            if not isinstance(error, OSError) or error.errno not in (errno.ENOENT, errno.ENOTDIR):
                self._refuse(path, _why(error))
            return None

    def _refuse(self, path: str, why: str) -> None:
        if len(self._not_taken) >= TOLD:
            self._more += 1
        else:
            self._not_taken.setdefault(self._shown(path), why)

    def _shown(self, path: str) -> str:
        return os.path.relpath(path, self._root)


def _fits(wanted: Extra, path: str) -> bool:
    return not wanted.pattern or matches(wanted.pattern, os.path.relpath(path, wanted.path))


def _units(path: str) -> bytes:
    return path.encode("utf-16-be", "surrogatepass")


def _why(error: Exception) -> str:
    return f"cannot be read: {error.strerror}" if isinstance(error, OSError) and error.strerror else "cannot be read"
