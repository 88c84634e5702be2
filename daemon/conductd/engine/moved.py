"""Whether a directory that nobody knows is a workspace that was moved: told by what cannot be had by chance.

A template, a copied project or a stock file stands in many workspaces, and a number of a removed directory is
given to the next one; who takes one workspace for another writes the notes of the one into the other. So a
directory is a known workspace only when it is the very same directory, or when everything that only that
workspace held stands in it. Reads the state and the directory; called by `workspaces`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import structlog

from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, Seen, WorkspaceTrack
from conductd.model import FileState
from conductd.watch.reader import observe

log = structlog.get_logger("workspaces")

ENOUGH = 2  # files that only one workspace held; one alone tells when it is all that was held


class Moved(NamedTuple):
    """A workspace whose directory stands elsewhere now. `differing`: (file, version) of what it held and what is
    otherwise there; `standing`: (file, version) of what is there as it was."""

    track: WorkspaceTrack
    differing: tuple[tuple[int, int], ...] = ()
    standing: frozenset[tuple[int, int]] = frozenset()


class _Gone(NamedTuple):
    """A workspace whose root is not there, as of one moment."""

    track: WorkspaceTrack
    known: list[FileTrack]
    held: list[tuple[FileTrack, Seen]]
    elsewhere: frozenset[bytes]  # contents that other workspaces had as well


def moved_here(state: State, root: bytes) -> Moved | None:
    """The one workspace that was moved to `root`; None when there is none, or more than one could be meant."""
    gone = _gone(state)
    if not gone:
        return None
    try:
        fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = [each for each in gone if _is_renamed(fd, each)] or [each for each in gone if _holds_all(fd, each)]
        if len(found) != 1:
            return None
        (one,) = found
        there = {file.id for file, seen in one.held if _stands(fd, file, seen)}
    finally:
        os.close(fd)
    log.info("a workspace was moved", old=one.track.root, new=root)
    differing = tuple((file.id, seen.seq) for file, seen in one.held if file.id not in there)
    return Moved(one.track, differing, frozenset(_as_they_were(one, there)))


def _gone(state: State) -> list[_Gone]:
    with state.lock:
        tracks = list(state.workspaces.values())
        owed = {
            file
            for incident in state.incidents.values()
            if incident.record.state == "open"
            for file, _ in incident.record.debt
        }
        files = {track.id: state.files_of(track.id) for track in tracks}
        contents = {number: frozenset(_contents(known)) for number, known in files.items()}
        held = {number: list(_held(known, owed)) for number, known in files.items()}
    return [
        _Gone(
            track,
            files[track.id],
            held[track.id],
            frozenset().union(*(had for number, had in contents.items() if number != track.id)),
        )
        for track in tracks
        if held[track.id] and not os.path.lexists(track.root)
    ]


def _held(files: Sequence[FileTrack], owed: set[int]) -> Iterator[tuple[FileTrack, Seen]]:
    """What the files held when they were last there; not those whose end was meant."""
    for file in files:
        is_kept = file.baseline is not None and file.baseline.state is FileState.FILE
        last = last_content(file) if is_kept or file.id in owed else None
        if last is not None:
            yield file, last


def _contents(files: Sequence[FileTrack]) -> Iterator[bytes]:
    for file in files:
        for seen in (file.head, file.baseline, *file.since, *file.earlier):
            if seen is not None and seen.digest is not None:
                yield seen.digest


def _as_they_were(gone: _Gone, there: set[int]) -> Iterator[tuple[int, int]]:
    """The versions that these files hold, under every number of the same content."""
    for file, last in gone.held:
        for seen in (file.baseline, *file.earlier) if file.id in there else ():
            if seen is not None and seen.digest == last.digest:
                yield file.id, seen.seq


def _is_renamed(root: int, gone: _Gone) -> bool:
    """Whether this is the recorded directory itself, and not a new one that was given its number: a file in it
    has not been touched since it was recorded either."""
    there = os.fstat(root)
    if not gone.track.inode or (there.st_dev, there.st_ino) != (gone.track.device, gone.track.inode):
        return False
    for file in gone.known:
        stat = observe(root, file.path).stat if file.stat is not None else None
        if stat is not None and file.stat is not None and stat.key == file.stat.key:
            return True
    return False


def _holds_all(root: int, gone: _Gone) -> bool:
    """Whether everything that this workspace alone held stands here."""
    own = [(file, seen) for file, seen in gone.held if seen.size and seen.digest not in gone.elsewhere]
    if len(own) < ENOUGH and len(own) < len(gone.held):
        return False
    return bool(own) and all(_stands(root, file, seen) for file, seen in own)


def _stands(root: int, file: FileTrack, seen: Seen) -> bool:
    return observe(root, file.path).digest == seen.digest


def last_content(file: FileTrack) -> Seen | None:
    """The newest content a file had, also when it is gone now."""
    states = (file.head, *reversed(file.since), file.baseline, *file.earlier)
    return next((seen for seen in states if seen is not None and seen.state is FileState.FILE), None)
