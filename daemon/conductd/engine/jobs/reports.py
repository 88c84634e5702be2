"""The daemon's own directory with what the jobs of the night wrote about a workspace: `<state dir>/reports/<id>`.

Private: directories 0700, files 0600. The daemon alone writes here, so that names are its own; a person may edit what
stands here, which the jobs respect. Files are written whole; none is ever removed, some are moved to `done`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterator
from contextlib import suppress

from conductd import whole_file
from conductd.core.continuity.page import without_quotations
from conductd.errors import Refused, StoreUnavailable

_MOST = 4 * 1024 * 1024  # bytes of a file that is read
_MOST_FILES = 4_000
_DEEP = 4


class Reports:
    """Of one workspace. Names are relative paths as bytes ("continuity/parser.md")."""

    def __init__(self, state_dir: str, workspace: str) -> None:
        self.path = os.path.join(os.fsencode(state_dir), b"reports", os.fsencode(workspace))

    def put(self, name: bytes, data: bytes) -> bytes:
        """Write it whole, durable when it returns; the absolute path. Raises StoreUnavailable, Refused."""
        path = os.path.join(self.path, name)
        try:
            self._make(os.path.dirname(path))
            if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
                raise Refused(f"{os.fsdecode(path)} is no regular file: it is left alone", "move it away")
            whole_file.put(path, data)
        except OSError as error:
            raise _unavailable(path, error) from error
        return path

    def move(self, name: bytes, to: bytes) -> bytes:
        """Rename a file; what stands at `to` already stays, and the file gets the next free name beside it (`-2`).
        The new name, relative. Raises StoreUnavailable."""
        stem, ending = os.path.splitext(to)
        target, number = to, 2
        while os.path.lexists(os.path.join(self.path, target)):
            target, number = b"%s-%d%s" % (stem, number, ending), number + 1
        path = os.path.join(self.path, target)
        try:
            self._make(os.path.dirname(path))
            os.rename(os.path.join(self.path, name), path)
        except OSError as error:
            raise _unavailable(path, error) from error
        return target

    def replace(self, name: bytes, by: bytes) -> None:
        """Rename `by` to `name`, over what is there. Raises StoreUnavailable."""
        path = os.path.join(self.path, name)
        try:
            os.replace(os.path.join(self.path, by), path)
        except OSError as error:
            raise _unavailable(path, error) from error

    def remove(self, name: bytes) -> None:
        """Nothing where it is not. Raises StoreUnavailable."""
        path = os.path.join(self.path, name)
        try:
            with suppress(FileNotFoundError):
                os.unlink(path)
        except OSError as error:
            raise _unavailable(path, error) from error

    def within(self, directory: bytes, ending: bytes) -> dict[bytes, bytes]:
        """The files right in a directory (``b"continuity/"``) with an ending, by name without both."""
        found = {}
        for name in sorted(self._names(os.path.join(self.path, directory), b"", 1, (ending,))):
            data = self.get(directory + name)
            if data is not None:
                found[name.removesuffix(ending)] = data
        return found

    def get(self, name: bytes) -> bytes | None:
        """The bytes of a regular file; None: there is none, or it cannot be read. Follows no link."""
        try:
            descriptor = os.open(
                os.path.join(self.path, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            )
        except OSError:
            return None
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            try:
                data = file.read(_MOST + 1)
            except OSError:
                return None
        return data if len(data) <= _MOST else None

    def unsay(self, names: Collection[str]) -> int:
        """Take the lines that quote these files (as `Quoter` names them) out of everything written here, and pages that
        are named by such a line altogether. How many files were changed or removed. Raises StoreUnavailable."""
        changed = 0
        for name in self._names(self.path, b"", _DEEP, (b".md", b".base", b".html")):
            data = self.get(name)
            if data is None:
                continue
            left = without_quotations(data, names)
            if left == data:
                continue
            changed += 1
            path = os.path.join(self.path, name)
            try:
                if left is None:
                    os.unlink(path)
                else:
                    whole_file.put(path, left)
            except OSError as error:
                raise _unavailable(path, error) from error
        return changed

    def all(self) -> tuple[tuple[bytes, bytes], ...]:
        """(name, bytes) of the Markdown files, by name."""
        found: list[tuple[bytes, bytes]] = []
        for name in sorted(self._names(self.path, b"", _DEEP, (b".md",))):
            data = self.get(name) if len(found) < _MOST_FILES else None
            if data is not None:
                found.append((name, data))
        return tuple(found)

    def _names(self, directory: bytes, prefix: bytes, deep: int, endings: tuple[bytes, ...]) -> Iterator[bytes]:
        try:
            with os.scandir(directory) as there:
                entries = list(there)
        except OSError:
            return
        for each in entries:
            name = prefix + each.name
            if each.is_dir(follow_symlinks=False) and deep > 1:
                yield from self._names(each.path, name + b"/", deep - 1, endings)
            elif each.is_file(follow_symlinks=False) and each.name.endswith(endings):
                yield name

    def _make(self, directory: bytes) -> None:
        """The directory and those above it up to the state directory, private."""
        missing = []
        while not os.path.isdir(directory):
            missing.append(directory)
            directory = os.path.dirname(directory)
        for each in reversed(missing):
            os.mkdir(each, 0o700)


def _unavailable(path: bytes, error: OSError) -> StoreUnavailable:
    hint = {errno.ENOSPC: "free some space", errno.EROFS: "mount it writable"}.get(error.errno or 0, "conductd status")
    return StoreUnavailable(f"{os.fsdecode(path)} cannot be written: {error.strerror}", hint)
