"""Lost updates from an older baseline: a writer with an old copy brings an older state back.

Owns the question "which version did the writer have?" and refuses to guess: the new text, or the sections
of it that stand again as they once did, must be made of that version; what they lost must be younger; nothing
younger may have survived there; and the writer must not be the one who added what is gone. Pure; called by
`core.judging.classify`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from conductd.core.case import Text
from conductd.core.comparing.change import compare
from conductd.core.judging.charge import State, baseline_state, known
from conductd.core.losses.bookkeeping import Books
from conductd.core.losses.conflict_marks import is_marked
from conductd.core.losses.stale import Stale, went_back
from conductd.core.losses.standins import counts_as_new
from conductd.core.policy import Policy
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, EntryTable, TableSource
from conductd.model import Change, Span

_REWORDED_ENTRIES = 5_000  # of a larger baseline something must stand word for word
_ANSWERS = 0.5  # of the words of the shorter one: unrelated notes share fewer of what they are about
_SEVERAL = 2  # entries: one alone may be second thoughts
_YOUNGER, _NOTES = 3, 10  # entries: a smaller file whose last notes go may have been tidied


class Writing(NamedTuple):
    """The write in question: ``good`` before it, ``charged`` it, ``last`` what stands; ``lost`` are the losses
    that count, ``lost_share`` their share; ``rolled_back`` other files went back at the same time."""

    good: State
    charged: State
    last: State
    change: Change
    lost: Sequence[Span]
    lost_share: float
    rolled_back: int = 0


class _Base(NamedTuple):
    """An earlier baseline that the text can have been made from. ``dropped``: marks of what is younger and
    gone. ``undone``: of those, the ones that stand in their older wording. ``removed``: marks of what the
    base has and the writer took out. ``explained``: entries that came and are the base's. ``states``: all
    that stood, newest first."""

    state: State
    distance: int
    states: list[State]
    dropped: frozenset[bytes]
    undone: int
    removed: frozenset[bytes] = frozenset()
    explained: int = 0
    partial: bool = False  # single sections are the base's, while the rest of the file is current

    @property
    def size(self) -> int:
        return sum(entry.kind is not Kind.HEADING and bool(entry.words) for entry in self.state.table.entries)


def from_older(
    earlier: Sequence[Text], key: bytes, now: Writing, policy: Policy, table_of: TableSource
) -> Stale | None:
    """Which of the ``earlier`` states (newest first) the text on disk was made from: the one that explains it best.

    An edit that is undone counts as dropped too, but alone only between known writers: nobody can
    tell a stale copy from second thoughts.
    """
    if not now.lost and not now.change.reworded:
        return None
    named = known(now.charged.actor)
    own = _own(earlier, key, now, table_of) if named else None
    bases = list(_bases(earlier, key, now, policy, table_of))
    # What it took out of its own copy is little, and mostly its own; what stands as it once did is there; the
    # newest of equals.
    bases.sort(key=lambda base: (base.partial, len(base.removed), _foreign(base, now), -base.explained, base.distance))
    if not named:
        bases = bases[:1]
    found = [stale for base in bases if (stale := _judged(base, now, own, policy)) is not None]
    return next((stale for stale in found if stale.sure), next(iter(found), None))


def _bases(earlier: Sequence[Text], key: bytes, now: Writing, policy: Policy, table_of: TableSource) -> Iterator[_Base]:
    limits = policy.thresholds
    lost = {span.fingerprint: span for span in now.lost}
    good, last = now.good.table, now.last.table
    survivors = [e for e in last.entries if e.fingerprint in good.places and counts_as_new(e, limits)]
    fresh = [e for e in last.entries if e.fingerprint not in good.places and counts_as_new(e, limits)]
    books = Books((e for e in good.entries if e.fingerprint not in last.places), len(now.lost))
    counted = {e.line for e in last.entries if e.fingerprint not in good.places and books.keeps(e)}
    fresh = [e for e in fresh if e.line not in counted]
    recounted = {place.old.fingerprint for place in now.change.reworded if not place.path and place.line in counted}
    states = [now.good]
    for distance, text in enumerate(earlier, 1):
        base = baseline_state(text, key, table_of)
        states.append(base)
        if text.destructive or not base.table.entries or is_marked(text.data):
            continue
        undone = {span.fingerprint for span in went_back(now.change, last, base.table)} - recounted
        removed = frozenset(lost.keys() & base.table.places.keys())
        dropped = frozenset(lost.keys() - removed | undone)
        if not dropped:
            continue
        explained = sum(e.fingerprint in base.table.places for e in fresh)
        found = _Base(base, distance, states, dropped, len(undone), removed, explained)
        if any(e.fingerprint not in base.table.places for e in survivors):
            if _is_of_sections(found, fresh, survivors, good):
                yield found._replace(partial=True)
            continue
        if not survivors and (
            len(base.table.entries) > _REWORDED_ENTRIES or not _reworded_from(base.table, last, policy)
        ):
            continue
        if not removed or _share(removed, lost, now) < limits.shrink_share:
            yield found


def _share(marks: Iterable[bytes], lost: dict[bytes, Span], now: Writing) -> float:
    weight = sum(lost[mark].weight for mark in marks)
    return weight / now.good.table.weight if now.good.table.weight else 0.0


def _is_of_sections(base: _Base, fresh: list[Entry], survivors: list[Entry], good: EntryTable) -> bool:
    """Some sections are all of the base, while other sections are current: all that was dropped stood in these
    sections, nothing younger survived there, and some of it stands again or stayed."""
    before = base.state.table.places
    back = [e for e in fresh if e.fingerprint in before]
    gone = [e for e in good.entries if e.fingerprint in base.dropped and e.kind is not Kind.HEADING]
    sections = {e.headings for e in back or gone}
    if not gone or not all(e.headings in sections for e in gone):
        return False
    there = [e for e in survivors if e.headings in sections]
    return all(e.fingerprint in before for e in there) and (bool(back) or len(there) >= _SEVERAL)


def _reworded_from(base: EntryTable, last: EntryTable, policy: Policy) -> bool:
    """Some of the text is some of the base in other words. A change is judged twice, before and after it was looked
    for what is lost, and this is most of the work where all is other words."""
    limits = policy.thresholds
    figures = (limits.reworded_similarity, limits.new_entry_tokens, limits.new_entry_cjk)
    known = last.reworded_from.setdefault(base, {})
    if figures not in known:
        targets = {place.line for place in compare(base, last, (), limits).reworded}
        known[figures] = any(e.line in targets and counts_as_new(e, limits) for e in last.entries)
    return known[figures]


def _own(earlier: Sequence[Text], key: bytes, now: Writing, table_of: TableSource) -> State | None:
    """What a named writer wrote last: of that it knows."""
    name = now.charged.actor.name
    if now.good.actor.name == name:
        return now.good
    text = next((text for text in earlier if text.actor.name == name), None)
    return None if text is None else baseline_state(text, key, table_of)


def _judged(base: _Base, now: Writing, mine: State | None, policy: Policy) -> Stale | None:
    """Who added what is gone, when, and how much is it? ``mine``: what the writer wrote before."""
    charged, limits = now.charged, policy.thresholds
    found = _adders(base.dropped, base.states)
    result = Stale(base.state.seq, (now.good.seq, now.last.seq), charged.seq, len(base.dropped), base.distance)
    younger = len(base.dropped) > base.undone  # something is gone, and not only for its older wording
    if known(charged.actor):
        if _knew(base, mine, charged, found):
            return None
        if found and all(known(state.actor) for state in found):
            if (removal := _as_removal(base, now, found, policy)) is not None:
                return result._replace(sure=False) if removal else None
            if base.partial:
                return result if _shows(base, now, found) else _asked(result, base, now)
            return result._replace(sure=_is_sure(base, now, mine) and not _has_read(base, now))
    if not now.lost or base.removed:
        return None  # nobody can tell a stale copy from second thoughts
    if base.partial:
        return result._replace(sure=False) if base.explained >= _SEVERAL and younger else None
    own = _brought_own(base, now)  # who goes back to exactly what was there undoes
    oldest = min((state.at_ns for state in found), default=0)
    if own and charged.at_ns - oldest <= limits.lost_update_recent_ms * 1_000_000 and not _has_read(base, now):
        return result
    if now.lost_share >= limits.lost_update_share:
        return result._replace(sure=now.lost_share >= limits.overwrite_share or _is_no_tidying(base, now, found))
    # Little of it, and later: enough to ask, not enough to write.
    return result._replace(sure=False) if own and len(base.dropped) - base.undone >= _SEVERAL else None


def _is_no_tidying(base: _Base, now: Writing, adders: list[State]) -> bool:
    """Nobody is named, and it was some time ago: who tidies a small file takes out what came last as well. No chance
    is that all went that several writes had added, back to the very bytes; or that of a larger file all of the
    younger entries went and nothing else, while something new came; or that several files went back to their very
    bytes in one moment, as a sync client or a snapshot does it."""
    if now.rolled_back >= _SEVERAL and now.last.digest == base.state.digest:
        return True
    if len(base.dropped) - base.undone < _YOUNGER:
        return False
    if now.last.digest == base.state.digest:
        return len({state.seq for state in adders}) >= _SEVERAL
    return max(base.size, len(base.dropped)) >= _NOTES and _brought_own(base, now) and not _has_read(base, now)


def _has_read(base: _Base, now: Writing) -> bool:
    """Something younger than the base is there in other words: the writer had the newer text before it."""
    older, last, good = base.state.table, now.last.table, now.good.table
    young = [
        (good.entries[good.places[place.old.fingerprint]], place.line)
        for place in now.change.reworded
        if place.path is None and place.old.fingerprint in good.places.keys() - older.places.keys() - base.dropped
    ]
    if not young:
        return False
    at = {entry.line: entry for entry in last.entries}
    went = [set(older.sides(entry).words) for entry in older.entries if entry.fingerprint not in last.places]
    for entry, line in young:
        then, mine = good.sides(entry), last.sides(at[line])
        # Notes of one pattern are two notes; and what the base had too may have been edited twice.
        twice = any(2 * len(words & set(mine.words)) > len(mine.words) for words in went)
        if len(mine.words) >= _SEVERAL and then.fact == mine.fact and not twice:
            return True
    return False


def _shows(base: _Base, now: Writing, adders: list[State]) -> bool:
    """Sections of a named writer are old for certain: several entries stand as they once did, or one does and younger
    ones went; or exactly what is younger went, in several writes or in number, and something of its own came."""
    if base.explained:
        return base.explained >= _SEVERAL or len(base.dropped) > base.undone
    if base.removed or not _brought_own(base, now):
        return False
    return len(base.dropped) > _SEVERAL or len({state.seq for state in adders}) >= _SEVERAL


def _asked(found: Stale, base: _Base, now: Writing) -> Stale | None:
    """Two younger entries gone from a section, with something else in their place: nobody can tell whether it was an
    old copy of it."""
    several = len(base.dropped) - base.undone >= _SEVERAL and not base.removed
    return found._replace(sure=False) if several and _brought_own(base, now) else None


def _as_removal(base: _Base, now: Writing, adders: list[State], policy: Policy) -> bool | None:
    """A named writer has read what it only took from, or put something else in the place of: nobody keeps a copy for
    long to write it back as it was. True: asked about all the same, because it is much, or went in one with what
    several writes had added. None: no plain removal, or within seconds of what it drops."""
    limits = policy.thresholds
    oldest = min(state.at_ns for state in adders)
    if base.undone or base.explained or now.charged.at_ns - oldest <= limits.lost_update_recent_ms * 1_000_000:
        return None
    if len(base.dropped) >= _SEVERAL and not base.removed and not _brought_own(base, now):
        return None  # all of an older state, as it was
    if base.removed and not _foreign(base, now):
        return None  # it took out what is its own, and the rest went with the copy it did that in
    if _brought_own(base, now):
        return True if _is_answered(base, now) else None
    return now.lost_share >= limits.lost_update_share or len({state.seq for state in adders}) >= _SEVERAL


def _is_answered(base: _Base, now: Writing) -> bool:
    """One note went and one came that is about the same: the opposite of it, perhaps."""
    own = [e for e in now.last.table.entries if _is_own(e, base, now)]
    gone = [e for e in now.good.table.entries if e.fingerprint in base.dropped and e.kind is not Kind.HEADING]
    if len(own) != 1 or len(gone) != 1:
        return False
    mine, other = now.last.table.sides(own[0]).words, now.good.table.sides(gone[0]).words
    shared = len(set(mine) & set(other))
    return shared >= _SEVERAL and shared >= _ANSWERS * min(len(set(mine)), len(set(other)))


def _adders(marks: frozenset[bytes], states: list[State]) -> list[State]:
    """For each mark the oldest of the states (newest first) that holds it."""
    adders: dict[bytes, State] = {}
    for state in states[::-1]:
        for mark in marks & state.table.places.keys():
            adders.setdefault(mark, state)
    return list(adders.values())


def _knew(base: _Base, mine: State | None, charged: State, adders: list[State]) -> bool:
    """The writer is known to have added something of what is gone. What went from a text that it read after its
    own write went by somebody else's hand."""
    if mine is None:
        return any(state.actor.name == charged.actor.name for state in adders)
    return base.state.seq <= mine.seq and bool(base.dropped & mine.table.places.keys())


def _is_sure(base: _Base, now: Writing, mine: State | None) -> bool:
    """A named writer took nothing out besides; or it is its own text that it went on from, its own entries that it took
    out; or too much is explained."""
    if not base.removed or (mine is not None and base.state.seq == mine.seq):
        return True
    return not _foreign(base, now) or (len(base.dropped) >= _SEVERAL and _brought_own(base, now))


def _foreign(base: _Base, now: Writing) -> bool:
    """The writer took something out that somebody else had added."""
    return any(state.actor.name != now.charged.actor.name for state in _adders(base.removed, base.states))


def _brought_own(base: _Base, now: Writing) -> bool:
    """News, and no line that only counts anew what is left."""
    own = [entry for entry in now.last.table.entries if _is_own(entry, base, now)]
    if not own:
        return False
    still = now.last.table.places
    tables = (now.good.table, base.state.table)
    went = (e for table in tables for e in table.entries if e.fingerprint not in still)
    return any(map(Books(went, len(now.lost)).is_news, own))


def _is_own(entry: Entry, base: _Base, now: Writing) -> bool:
    return entry.fingerprint not in base.state.table.places and entry.fingerprint not in now.good.table.places
