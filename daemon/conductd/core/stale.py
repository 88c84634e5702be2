"""Lost updates: a writer with an old copy brings an older state back.

Owns the question "which version did the writer have?" and refuses to guess: the new text must be
made of that version, everything it lost must be younger, nothing younger may have survived, and
the writer must not be the one who added what is gone. Pure; called by `core.judge`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from conductd.core.case import Case
from conductd.core.change import Place, compare, share, spans_weight
from conductd.core.charge import State, baseline_state, known
from conductd.core.entries import Entry, EntryTable, TableSource
from conductd.core.policy import Policy
from conductd.core.standins import counts_as_new
from conductd.model import Change, Span

_REWORDED_ENTRIES = 5_000  # of a larger baseline something must stand word for word
_SIDES = 8  # sessions nobody named; more versions that each drop the last one's lines are one program's status line


class Stale(NamedTuple):
    """The writer of ``charged_to`` had the version ``base_seq``. ``sides``: the versions whose additions
    belong together, oldest first, the one on disk last. ``distance``: 0 = the baseline itself."""

    base_seq: int
    sides: tuple[int, ...]
    charged_to: int
    dropped: int
    distance: int


def from_sibling(baseline: State, states: Sequence[State], elsewhere: Sequence[Place], policy: Policy) -> Stale | None:
    """Versions since the baseline that added something the last one does not have, while both were
    made from the baseline (two appends 40 ms apart)."""
    last = states[-1]
    sides: list[int] = []
    tips: list[frozenset[bytes]] = []  # what each side dropped; a state on the way to one is no side of its own
    unnamed = 0
    charged_to = last.seq
    for place in range(len(states) - 2, -1, -1):
        state = states[place]
        added = _additions(baseline, state, last, policy)
        if added and any(added.keys() <= tip for tip in tips):
            sides.append(state.seq)
            continue
        gone = _dropped(added, baseline, state, last, elsewhere, policy)
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
        if not (differ or recent or heavy):
            continue
        charged_to = charged_to if tips else after.seq
        sides.append(state.seq)
        tips.append(frozenset(span.fingerprint for span in gone))
        unnamed += not known(state.actor)
    if not sides or unnamed > _SIDES:
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
    if compare(baseline.table, state.table, elsewhere, limits).lost_share >= limits.shrink_share:
        return []
    change = compare(state.table, last.table, elsewhere, limits)
    back = went_back(change, last.table, baseline.table)
    if any(place.old.fingerprint in added and place.old not in back for place in change.reworded):
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


def from_older(
    case: Case,
    good: State,
    charged: State,
    last: State,
    change: Change,
    lost: Sequence[Span],
    lost_share: float,
    policy: Policy,
    table_of: TableSource,
) -> Stale | None:
    """The newest earlier baseline that the text on disk can have been made from.

    An edit that is undone counts as dropped too, but alone only between known writers: nobody can
    tell a stale copy from second thoughts.
    """
    if not lost and not (change.reworded and known(charged.actor)):
        return None
    limits = policy.thresholds
    lost_marks = {span.fingerprint for span in lost}
    younger = [good]  # than the base that is tried, newest first
    survivors = [e for e in last.table.entries if e.fingerprint in good.table.places and counts_as_new(e, limits)]
    for distance, text in enumerate(case.earlier, 1):
        base = baseline_state(text, case.key, table_of)
        younger.append(base)
        if text.destructive or not base.table.entries:
            continue
        if lost_marks & base.table.places.keys():
            continue
        if any(e.fingerprint not in base.table.places for e in survivors):
            continue
        if not survivors and (
            len(base.table.entries) > _REWORDED_ENTRIES or not _reworded_from(base.table, last.table, policy)
        ):
            continue
        undone = went_back(change, last.table, base.table)
        if not lost and not undone:
            continue
        marks = lost_marks | {span.fingerprint for span in undone}
        own = bool(lost) and any(e.fingerprint not in base.table.places for e in last.table.entries)
        if not _may_be_stale(charged, younger[-2::-1], marks, lost_share if lost else 0.0, policy, own=own):
            return None
        return Stale(base.seq, (good.seq, last.seq), charged.seq, len(marks), distance)
    return None


def _reworded_from(base: EntryTable, last: EntryTable, policy: Policy) -> bool:
    change = compare(base, last, (), policy.thresholds)
    targets = {place.line for place in change.reworded}
    return any(e.line in targets and counts_as_new(e, policy.thresholds) for e in last.entries)


def _may_be_stale(
    charged: State, younger: Sequence[State], lost_marks: set[bytes], lost_share: float, policy: Policy, *, own: bool
) -> bool:
    """Who added what is gone, when, and how much is it? ``own``: the writer brought something of its own;
    somebody who within seconds goes back to exactly what was there undoes."""
    adders: dict[bytes, State] = {}
    for state in younger:
        for mark in lost_marks & state.table.places.keys():
            adders.setdefault(mark, state)
    found = list(adders.values())
    if known(charged.actor) and any(known(s.actor) and s.actor.name == charged.actor.name for s in found):
        return False
    if known(charged.actor) and found and all(known(s.actor) for s in found):
        return True
    oldest = min((s.at_ns for s in found), default=0)
    if own and charged.at_ns - oldest <= policy.thresholds.lost_update_recent_ms * 1_000_000:
        return True
    return lost_share >= policy.thresholds.lost_update_share
