"""Of what came into a file lately: what stood in another file of the workspace before, and is no gain of the workspace.

Reading only; judge thread only. Asked where a change lost something that may be too much with what went before it.
"""

from __future__ import annotations

from conductd.core.case import Case
from conductd.core.judging.charge import trusted_name
from conductd.core.policy import Thresholds
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.gathering.prints import Prints
from conductd.model import UNKNOWN, Verdict

SOURCES = 64  # files that something may have come from, those written last first
EARLIER = 4  # of each, versions before its baseline


def brought(
    state: State, prints: Prints, limits: Thresholds, file: FileTrack, case: Case, first: Verdict
) -> frozenset[bytes]:
    """Fingerprints of entries that came into the file, or into others by its writer, after they stood in another
    one: moved or copied. ``first``: the verdict without them."""
    booked, writer = first.booked, trusted_name(case.versions[-1].actor)
    if booked is None or not booked.lost:
        return frozenset()
    with state.lock:
        files = list(state.files_of(file.workspace))
        lines = [(f.id, x) for f in files for x in f.ledger if f.id == file.id or x.actor == writer != UNKNOWN.name]
        seen = {f.id: [s for s in (f.head, f.baseline, *f.earlier[:EARLIER]) if s is not None] for f in files}
    if sum(line.lost for _, line in lines) + len(booked.lost) < limits.erosion_entries:
        return frozenset()
    came: dict[int, dict[bytes, int]] = {}  # by file: when it came, as a sequence number
    for number, line in lines:
        came.setdefault(number, {}).update(dict.fromkeys(line.gained, line.seq))
    came.setdefault(file.id, {}).update(dict.fromkeys(booked.gained, case.versions[-1].seq))
    if not any(came.values()):
        return frozenset()
    lately = sorted((number for number in seen if seen[number]), key=lambda n: -max(s.seq for s in seen[n]))
    found: set[bytes] = set()
    for number in lately[:SOURCES]:
        wanted = {mark: seq for into, marks in came.items() if into != number for mark, seq in marks.items()}
        for one in {s.seq: s for s in seen[number]}.values():
            found |= {mark for mark in wanted.keys() & prints.of(one) if one.seq < wanted[mark]}
    return frozenset(found)
