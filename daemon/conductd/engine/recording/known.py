"""What is on record of a workspace's files, for a rescan to compare with. Any thread."""

from __future__ import annotations

from collections.abc import Iterable

from conductd.engine.fold.state import State
from conductd.model import FileStat, FileState
from conductd.watch.rescan import Found

_MISSING = FileStat(0, 0, 0, 0, 0, 0, 0, 0, 0)


def known(state: State, workspace: str) -> dict[bytes, FileStat]:
    """By path, what was seen last of every file that was there; of one without a stat, one that no file has."""
    with state.lock:
        return {
            file.path: file.stat or _MISSING
            for file in state.files_of(workspace)
            if file.head is not None and file.head.state is not FileState.ABSENT
        }


def recorded(state: State, workspace: str, found: Iterable[Found]) -> dict[bytes, bytes | None]:
    """By path, the digest of what was recorded last. To be asked before the files are read again."""
    with state.lock:
        tracks = {each.path: state.track(workspace, each.path) for each in found}
        return {path: file.head.digest for path, file in tracks.items() if file is not None and file.head is not None}
