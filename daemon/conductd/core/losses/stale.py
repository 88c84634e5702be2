"""Lost updates among the versions since the baseline: several were made from it, the last one stands.

Owns the sides of such an update: which versions added something that the one on disk does not have,
while both were made from the baseline (two appends 40 ms apart). Pure; called by `core.judging.classify`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from conductd.core.comparing.change import Place, compare, share, spans_weight
from conductd.core.judging.charge import State, known
from conductd.core.losses.conflict_marks import is_marked
from conductd.core.losses.standins import counts_as_new
from conductd.core.policy import Policy
from conductd.core.reading.entries import Entry, EntryTable
from conductd.model import Change, Span

UNNAMED = 8  # sessions nobody named; more versions that each drop the last one's lines are one program's status line


class Stale(NamedTuple):
    """The writer of ``charged_to`` had the version ``base_seq``. ``sides``: the versions whose additions
    belong together, oldest first, the one on disk last. ``distance``: 0 = the baseline itself, n = n
    baselines before it. ``sure``: enough to write; else it is offered. ``bases``: what each side after the
    first was made from, where it is not ``base_seq`` for all."""

    base_seq: int
    sides: tuple[int, ...]
    charged_to: int
    dropped: int
    distance: int
    sure: bool = True
    bases: tuple[int, ...] = ()


def from_sibling(
    baseline: State,
    states: Sequence[State],
    elsewhere: Sequence[Place],
    policy: Policy,
    told: frozenset[bytes] = frozenset(),
) -> Stale | None:
    """Versions since the baseline that added something the last one does not have, while both were
    made from the baseline (two appends 40 ms apart). ``told``: fingerprints of what nobody misses."""
    last = states[-1]
    own = last.data != baseline.data  # somebody who goes back to exactly what was there undoes
    sides: list[int] = []
    tips: list[frozenset[bytes]] = []  # what each side dropped; a state on the way to one is no side of its own
    unnamed = 0
    charged_to = last.seq
    for place in range(len(states) - 2, -1, -1):
        state = states[place]
        if is_marked(state.data):
            continue  # a conflict that was settled since
        added = _additions(baseline, state, last, policy)
        if added and any(added.keys() <= tip for tip in tips):
            sides.append(state.seq)
            continue
        gone = [s for s in _dropped(added, baseline, state, last, elsewhere, policy) if s.fingerprint not in told]
        if not gone:
            continue
        after = next(s for s in states[place + 1 :] if gone[0].fingerprint not in s.table.places)
        if known(state.actor) and state.actor.name == after.actor.name:
            continue
        differ = known(state.actor) and known(after.actor)
        recent = after.at_ns - state.at_ns <= policy.thresholds.lost_update_recent_ms * 1_000_000
        heavy = (
            share(spans_weight(gone), len(gone), baseline.table) >= policy.thresholds.lost_update_share
            if baseline.table.entries
            else False
        )
        if not differ and not _any_content_shared(baseline.table, last.table, policy):
            continue
        if not (differ or (own and (recent or heavy))):
            continue
        charged_to = charged_to if tips else after.seq
        sides.append(state.seq)
        tips.append(frozenset(span.fingerprint for span in gone))
        unnamed += not known(state.actor)
    if not sides or unnamed > UNNAMED:
        return None
    return Stale(baseline.seq, (*sides[::-1], last.seq), charged_to, len(frozenset().union(*tips)), 0)


def _additions(baseline: State, state: State, last: State, policy: Policy) -> dict[bytes, Entry]:
    """What ``state`` had added to the baseline; nothing when ``last`` shows that its writer had seen it."""
    before, now = baseline.table.places, last.table.places
    added = {
        entry.fingerprint: entry
        for entry in state.table.entries
        if entry.fingerprint not in before and counts_as_new(entry, policy.thresholds)
    }
    return {} if any(mark in now for mark in added) else added


def _dropped(
    added: dict[bytes, Entry],
    baseline: State,
    state: State,
    last: State,
    elsewhere: Sequence[Place],
    policy: Policy,
) -> list[Span]:
    """Which of the additions ``last`` lacks; none when ``state`` is itself a loss."""
    limits = policy.thresholds
    if not added:
        return []
    before = compare(baseline.table, state.table, elsewhere, limits)
    if before.lost_share >= limits.shrink_share:
        return []
    edited = {place.line for place in before.reworded}  # both may have edited the same entry of the baseline
    change = compare(state.table, last.table, elsewhere, limits)
    back = went_back(change, last.table, baseline.table)
    seen = (place.old for place in change.reworded if place.old.line not in edited and place.old not in back)
    if any(span.fingerprint in added for span in seen):
        return []
    gone = [span for span in (*change.lost, *back) if span.fingerprint in added]
    texts = sorted(entry.text for entry in last.table.entries) if gone else []
    return [span for span in gone if not _grew(added[span.fingerprint].text, texts)]


def went_back(change: Change, now: EntryTable, base: EntryTable) -> list[Span]:
    """Old entries that are younger than ``base`` and stand in its wording again: an edit undone."""
    marks = {entry.line: entry.fingerprint for entry in now.entries}
    return [
        place.old
        for place in change.reworded
        if place.path is None and place.old.fingerprint not in base.places and marks.get(place.line) in base.places
    ]


def _grew(text: str, texts: Sequence[str]) -> bool:
    """The entry was seen half written: a later one (of the sorted ``texts``) begins with it."""
    after = bisect_left(texts, text)
    return after < len(texts) and texts[after].startswith(text)


def _any_content_shared(old: EntryTable, new: EntryTable, policy: Policy) -> bool:
    return any(e.fingerprint in new.places and counts_as_new(e, policy.thresholds) for e in old.entries)
