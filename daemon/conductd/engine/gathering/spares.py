"""Finds out what the texts around a file held when a loss in it was written, and which were spares of all of it.

Reading only; what it finds is kept with the verdict, so that replay need not find it again. Called by
`engine.gathering.cases`, on the judge thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from conductd.core.case import Case, Elsewhere
from conductd.core.losses.spare_copies import Nearby, spare_copies
from conductd.core.policy import Thresholds
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, Seen
from conductd.engine.gathering.prints import Prints
from conductd.model import Cause, FileState, Span, Verdict

_NONE: frozenset[bytes] = frozenset()
_HALF = 0.5  # of the entries that went, by number: a file that held fewer is not looked at further


def spares(
    state: State,
    prints: Prints,
    limits: Thresholds,
    case: Case,
    file: FileTrack,
    first: Verdict,
    found: Sequence[Elsewhere],
    since_ns: int,
) -> tuple[bytes, ...]:
    """Of ``found``, those that held the whole file before the loss was written and before ``since_ns``: what was copied
    a moment before may be the first half of a move. ``first``: the verdict without any other text."""
    base, now = case.baseline, case.versions[-1]
    if base is None or now.data is None or first.change.lost_share < limits.shrink_share:
        return ()
    lost_ns = _lost_ns(file, first)
    nearby = []
    for each in found:
        if _came_ns(state, file, each) >= since_ns:
            continue
        held = _held_at(state, prints, file, each, lost_ns)
        if _is_worth_it(first.change.lost, held):
            nearby.append(Nearby(each.path, held))
    if not nearby:
        return ()
    old, new = prints.table(base.data, base.digest), prints.table(now.data, now.digest)
    return spare_copies(first.change, old, new, now.data, nearby, limits)


def inner_workspaces(state: State, workspace: str) -> tuple[bytes, ...]:
    """Where other workspaces lie in this one, as the beginnings of paths: what they hold is theirs. The state's lock
    is held by the caller."""
    track = state.workspaces.get(workspace)
    above = track.root.rstrip(b"/") + b"/" if track is not None else b""
    roots = [each.root for each in state.workspaces.values() if each.id != workspace]
    return tuple(root[len(above) :].rstrip(b"/") + b"/" for root in roots if above and root.startswith(above))


def written_ns(file: FileTrack, head: Seen) -> int:
    """When the content came to be there: for a file met at first sight what its time stamp says."""
    if head.cause is Cause.FIRST_SIGHT and file.stat is not None:
        return min(head.at_ns, file.stat.mtime_ns)
    return head.at_ns


def _is_worth_it(lost: Sequence[Span], held: frozenset[bytes]) -> bool:
    return bool(held) and sum(span.fingerprint in held for span in lost) >= _HALF * len(lost)


def _lost_ns(file: FileTrack, first: Verdict) -> int:
    """When the version was written that the loss is charged to."""
    losing = next((seen for seen in file.since if seen.seq == first.charged_to), file.since[-1])
    return _by_its_stat(file, losing)


def _by_its_stat(file: FileTrack, seen: Seen) -> int:
    """Of what stands there the file system's own time, which is what others are held against."""
    if file.head is not None and file.head.seq == seen.seq and file.stat is not None:
        return file.stat.ctime_ns
    return seen.at_ns


def _held_at(state: State, prints: Prints, file: FileTrack, other: Elsewhere, at_ns: int) -> frozenset[bytes]:
    """What another text held at that time, as far as it is known; nothing, if it is the very file that was moved."""
    inode = file.baseline.inode if file.baseline is not None else 0
    with state.lock:
        track = state.track(file.workspace, other.path)
    if track is None or track.head is None:
        is_it = bool(inode) and other.inode == inode
        was_there = not is_it and 0 < other.changed_ns <= at_ns
        return frozenset(prints.table(other.data, other.digest).places) if was_there else _NONE
    if inode and track.head.inode == inode:
        return _NONE
    states: Iterable[Seen | None] = (track.head, *reversed(track.since), track.baseline, *track.earlier)
    seen = next((each for each in states if each is not None and _by_its_stat(track, each) <= at_ns), None)
    return prints.of(seen) if seen is not None and seen.state is FileState.FILE else _NONE


def _came_ns(state: State, file: FileTrack, other: Elsewhere) -> int:
    with state.lock:
        track = state.track(file.workspace, other.path)
    return written_ns(track, track.head) if track is not None and track.head is not None else other.changed_ns
