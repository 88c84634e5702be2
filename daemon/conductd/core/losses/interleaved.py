"""Versions of several writers since the baseline, read one after the other: what was each made from?

Owns the reading of rounds in which some writers read the file again and others go on from an old copy. A writer can
only have what stood on disk once, never what the versions should have become together. Pure; called by
`core.losses.lost_update`, and by `core.judging.judge` where all came back to the bytes of the baseline.
"""

from __future__ import annotations

from typing import NamedTuple

from conductd.core.case import Text
from conductd.core.comparing.change import compare
from conductd.core.judging.charge import State, is_human, known
from conductd.core.judging.finding import Evidence
from conductd.core.losses.conflict_marks import is_marked
from conductd.core.losses.older_base import Writing, from_older
from conductd.core.losses.stale import UNNAMED, Stale
from conductd.core.merging.merge import three_way
from conductd.model import DAEMON

_MOST = 64  # versions


class _Story(NamedTuple):
    """What the versions so far should be together, and what a writer can have had, newest first. ``sides`` are
    (version, version it was made from)."""

    whole: State
    disk: State
    had: tuple[Text, ...]
    sides: tuple[tuple[int, int], ...] = ()
    first: Stale | None = None
    dropped: int = 0


class Reading(NamedTuple):
    """``found`` None: read to the end, and nobody had an old copy, or nothing of it is missing now."""

    found: Stale | None


def interleaved(e: Evidence) -> Reading | None:
    """The sides of a lost update among the versions since the baseline, each with its own base. None: nothing to
    go by, because one writer made all of them, or nobody is named and none shows that its copy was old."""
    # Who settles a conflict has read it: its marks, and the side not taken, are nobody's additions.
    states = (*(state for state in e.states[:-1] if not is_marked(state.data)), e.last)
    named = [known(state.actor) for state in states]
    if not 1 < len(states) <= _MOST or e.case.leased:
        return None
    if all(named) and len({state.actor.name for state in states}) == 1:
        return None
    story = _Story(e.baseline, e.baseline, e.case.earlier)
    for state in states:
        story = _read(story, state, e)
    if story.first is None:
        return Reading(None) if all(named) else None
    if not all(named) and (len(story.sides) > UNNAMED or e.last.data == e.baseline.data):
        return None
    if story.whole.data == e.last.data:
        return Reading(None)
    good = next((s.seq for s in reversed(states) if s.seq < story.sides[0][0]), e.baseline.seq)
    found = story.first._replace(
        sides=(good, *(seq for seq, _ in story.sides)),
        bases=tuple(base for _, base in story.sides),
        dropped=story.dropped,
    )
    return Reading(found)


def has_sides(e: Evidence) -> bool:
    """Something that a version added is missing, though nobody took it out."""
    reading = interleaved(e)
    return reading is not None and reading.found is not None


def _read(story: _Story, state: State, e: Evidence) -> _Story:
    whole, disk = story.whole, story.disk
    had = (_text(disk), *story.had)
    found = None if is_human(state.actor) else _stale(story, state, e)
    if found is None and story.first is None:
        return _Story(state, state, had)
    base = _data(found.base_seq, had) if found is not None else disk.data
    if base is None:
        return story._replace(disk=state, had=had)
    base_seq = found.base_seq if found is not None else disk.seq
    merged = three_way(base, whole.data, state.data).data
    table = e.table_of(merged, e.case.key)
    return _Story(
        state._replace(actor=DAEMON, data=merged, table=table, digest=b""),
        state,
        had,
        (*story.sides, (state.seq, base_seq)),
        story.first or found,
        story.dropped + (found.dropped if found is not None else 0),
    )


def _stale(story: _Story, state: State, e: Evidence) -> Stale | None:
    whole = story.whole
    if state.data.startswith(whole.data):
        return None
    had = story.had if story.disk is whole else (_text(story.disk), *story.had)
    change = compare(whole.table, state.table, e.elsewhere, e.policy.thresholds)
    now = Writing(whole, state, state, change, change.lost, change.lost_share)
    found = from_older(had, e.case.key, now, e.policy, e.table_of)
    return found if found is not None and found.sure else None


def _text(state: State) -> Text:
    return Text(state.seq, state.digest, state.data, state.at_ns, state.actor)


def _data(seq: int, had: tuple[Text, ...]) -> bytes | None:
    return next((text.data for text in had if text.seq == seq), None)
