"""Finds the file and the version that a person named. Reading only; raises NotFound or Ambiguous."""

from __future__ import annotations

import os
from collections.abc import Collection
from datetime import datetime

from conductd.core.when import parse
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, Seen
from conductd.errors import Ambiguous, NotFound, UsageError
from conductd.index.reader import IndexReader
from conductd.model import Actor, Cause, FileState
from conductd.ports import Clock
from conductd.views import VersionView, shown
from conductd.views.words import pasted

DIGEST_DIGITS = 4


class Naming:
    """See the module."""

    def __init__(self, state: State, reader: IndexReader, clock: Clock) -> None:
        self._state, self._reader, self._clock = state, reader, clock

    def workspace(self, name: str | None) -> str | None:
        """A workspace id from an id or a root."""
        if name is None:
            return None
        with self._state.lock:
            if name in self._state.workspaces:
                return name
            root = os.fsencode(name).rstrip(b"/")
            found = self._state.workspace_at(root)
        if found is None:
            raise NotFound(f"no workspace {name}", "conductd status lists them")
        return found.id

    def files(self, path: bytes, workspace: str | None) -> list[FileTrack]:
        """Files at this path: absolute, relative to a workspace, or its last parts."""
        wanted = self.workspace(workspace)
        with self._state.lock:
            roots = {w.id: w.root for w in self._state.workspaces.values() if wanted in (None, w.id)}
        if path.startswith(b"/"):
            whole = self._below(roots, path)
            if whole:
                return whole
            real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
            return self._below({name: os.path.realpath(root) for name, root in roots.items()}, real)
        with self._state.lock:
            exact = [f for f in (self._state.track(name, path) for name in roots) if f is not None]
            if exact:
                return exact
            tracks = [f for f in self._state.files.values() if f.workspace in roots]
        return [f for f in tracks if f.path.endswith(b"/" + path)]

    def _below(self, roots: dict[str, bytes], path: bytes) -> list[FileTrack]:
        """By lookup, not by a walk: a workspace can hold ten thousand files."""
        with self._state.lock:
            found = [
                self._state.track(name, path[len(root) + 1 :])
                for name, root in roots.items()
                if path.startswith(root + b"/")
            ]
        return [file for file in found if file is not None]

    def file(self, path: bytes, workspace: str | None) -> FileTrack:
        found = self.files(path, workspace)
        if not found:
            raise NotFound(f"no protected file {shown(path)}", "conductd status --json names the workspaces")
        if len(found) > 1:
            with self._state.lock:
                names = ", ".join(shown(self._state.workspaces[f.workspace].root + b"/" + f.path) for f in found[:5])
            raise Ambiguous(f"{shown(path)} is {len(found)} files: {names}", "give the whole path")
        return found[0]

    def whole(self, file: FileTrack) -> str:
        """A file as a command takes it, wherever it is typed."""
        with self._state.lock:
            return shown(os.path.join(self._state.workspaces[file.workspace].root, file.path))

    def version(self, file: FileTrack | None, name: str) -> VersionView:
        """`name`: "" for the newest, a sequence, a digest prefix, or a time."""
        files = None if file is None else (file.id,)
        about = f" of {shown(file.path)}" if file else ""
        hint = pasted("conductd", "log", self.whole(file)) if file else "conductd log"
        for found in self._candidates(files, name):
            if len(found) > 1:
                raise Ambiguous(
                    f"{name} fits {len(found)} versions{about}", "give more digits, or the number from the log"
                )
            if found:
                version = self._reader.version(found[0])
                if version is not None:
                    return version
        raise NotFound(f"no version {name or 'at all'}{about}", hint)

    def seen(self, file: FileTrack, name: str) -> Seen:
        return seen_of(self.version(file, name))

    def _candidates(self, files: Collection[int] | None, name: str) -> list[list[int]]:
        """Sequences that the name may mean, by each reading of it in turn."""
        if not name:
            newest = self._reader.versions(files, 1)
            return [[v.seq for v in newest]]
        found = []
        if name.isdecimal() and len(name) < 19:
            found.append(self._reader.resolve_seq(int(name), files))
        if len(name) >= DIGEST_DIGITS:
            found.append(self._reader.resolve_digest(name.lower(), files))
        now = datetime.fromtimestamp(self._clock.wall_ns() / 1e9).astimezone()
        moment = parse(name, now, datetime.astimezone)
        if moment is not None:
            if files is None:
                raise UsageError("a time needs a file", "conductd show FILE@TIME")
            found.append(self._reader.resolve_time(round(moment.timestamp() * 1e9), files))
        return found


def seen_of(view: VersionView) -> Seen:
    """A version out of the index as the state knows it."""
    digest = bytes.fromhex(view.digest) if view.digest else None
    return Seen(
        view.seq, FileState(view.state), view.at_ns, Cause(view.cause), digest, view.size, None, Actor(view.actor)
    )
