"""A second look at what seems lost: several notes made into one, near-duplicates dropped, dates folded together.

Similarity asks whether one entry is another in other words. This asks whether every fact of an entry still
stands in the text that came of it: its numbers and dates, its names and identifiers, whether it says no, and
nearly all of its other words, close together in a few entries of one section. A text that only mentions the
subject covers nothing. And the other way round: of several entries that went into one, each must have kept
its numbers and names. Pure, bounded; called by `core.judging.judge` and `core.losses.erosion`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from msgspec import structs

from conductd.core.comparing.entry_facts import Facts, facts_of
from conductd.core.comparing.similarity import tells_apart
from conductd.core.comparing.twins import LONGEST, Twins
from conductd.core.losses.standins import counts_as_new, is_stand_in
from conductd.core.policy import Thresholds
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, EntryTable
from conductd.model import Change, Relocated

COVERED = 0.80  # of an entry's words; of a short one all of them
CHARACTERS, PAIRS = 0.72, 0.50  # of scripts without spaces: characters, and pairs of neighbours
SHORT = 4  # words, all of which must be there
ENTRIES = 3  # that one entry may have gone into
_BUDGET = 600_000  # places of words and words of candidates looked at, about half a second
_TRIED = 24  # candidates for one entry
_SAME_SIZE = 1.5
_OWN = 0.75  # of a part's words, when an entry fell into several: they come from it

_TEXT = (Kind.ITEM, Kind.PARAGRAPH, Kind.ROW)


# --------------------------------------------------------------------------- the text that came of it


class _Candidate(NamedTuple):
    entry: Entry
    facts: Facts
    all_words: frozenset[str]


class _Text:
    """The new entries, which facts may have gone into, and which words stand in which of them."""

    def __init__(self, table: EntryTable, before: EntryTable) -> None:
        self.candidates: list[_Candidate] = []
        self.by_word: dict[str, list[int]] = {}
        for entry in table.entries:
            if entry.fingerprint in before.places or entry.kind not in _TEXT or is_stand_in(entry):
                continue
            if not entry.words or len(entry.words) > LONGEST:
                continue
            facts = facts_of(entry)
            words = frozenset((*facts.words, *facts.values))
            self.candidates.append(_Candidate(entry, facts, words))
            for word in words:
                self.by_word.setdefault(word, []).append(len(self.candidates) - 1)

    def cost(self, facts: Facts) -> int:
        return 16 + sum(len(self.by_word.get(word, ())) for word in {*facts.words, *facts.values})

    def likely(self, facts: Facts) -> list[int]:
        """The candidates that share most with an entry, best first."""
        words = {*facts.words, *facts.values}
        shared = Counter(chain.from_iterable(self.by_word.get(word, ()) for word in words))
        most = len(words)
        hopeful = [
            number
            for number, count in shared.items()
            if 2 * count >= most or count >= _OWN * len(self.candidates[number].all_words)
        ]
        return sorted(hopeful, key=lambda number: (-shared[number], number))[:_TRIED]


def folded(change: Change, before: EntryTable, after: EntryTable, limits: Thresholds) -> Change:
    """The change after the second look: entries whose facts all stand in the new text are reworded, those
    that went into one with others and left a number or a name behind are lost."""
    change = _left_behind(change, before, after)
    if not change.lost or not after.entries:
        return change
    old = {entry.line: entry for entry in before.entries}
    text, kept = _Text(after, before), Twins(after, before)
    budget = _BUDGET
    found: dict[int, Relocated] = {}
    targets: set[int] = set()
    for span in change.lost:
        entry = old.get(span.line)
        if entry is None or not _can_be_folded(entry):
            continue
        facts = facts_of(entry)
        budget -= text.cost(facts) + kept.cost(entry)
        if budget <= 0:
            break
        numbers = text.likely(facts)
        budget -= sum(len(text.candidates[number].facts.words) for number in numbers)
        if budget <= 0:
            break
        into = _covering(facts, numbers, text)
        twin = kept.twin(entry, facts) if into is None else None
        if twin is not None and not tells_apart(entry.words, twin.words):
            found[span.line] = Relocated(span, None, twin.line, 1.0)
        if into is not None:
            found[span.line] = Relocated(span, None, into.entries[0].line, into.share)
            targets.update(target.line for target in into.entries)
    if not found:
        return change
    return _with(change, found, targets, after, limits)


def _can_be_folded(entry: Entry) -> bool:
    return entry.kind in _TEXT and 3 <= len(entry.words) <= LONGEST and not is_stand_in(entry)


def _with(
    change: Change, found: dict[int, Relocated], targets: set[int], after: EntryTable, limits: Thresholds
) -> Change:
    lost = tuple(span for span in change.lost if span.line not in found)
    weight = max(0, change.weight_lost - sum(place.old.weight for place in found.values()))
    added = tuple(span for span in change.added if span.line not in targets)
    lines = {span.line for span in added}
    return structs.replace(
        change,
        reworded=(*change.reworded, *(found[line] for line in sorted(found))),
        lost=lost,
        added=added,
        new_entries=len({e.fingerprint for e in after.entries if e.line in lines and counts_as_new(e, limits)}),
        weight_lost=weight,
        weight_added=sum(span.weight for span in added),
        lost_share=min(1.0, weight / change.weight_before) if change.weight_before else 0.0,
        unsearched=min(change.unsearched, len(lost)),
    )


# --------------------------------------------------------------------------- does it cover an entry


class _Cover(NamedTuple):
    entries: list[Entry]
    share: float


def _covering(facts: Facts, numbers: Sequence[int], text: _Text) -> _Cover | None:
    """A few entries of one section that say all that the entry said; None when there are none."""
    for number in numbers:
        first = text.candidates[number]
        chosen = [first]
        if _is_covered(facts, chosen):
            return _Cover([first.entry], _share(facts, chosen))
        if not _is_part(facts, first):
            continue
        for more in numbers:
            other = text.candidates[more]
            if more == number or other.entry.headings != first.entry.headings:
                continue
            if not _is_part(facts, other) or not _adds(facts, chosen, other):
                continue
            chosen.append(other)
            if _is_covered(facts, chosen):
                return _Cover([each.entry for each in chosen], _share(facts, chosen))
            if len(chosen) == ENTRIES:
                break
    return None


def _is_part(facts: Facts, one: _Candidate) -> bool:
    """It says hardly anything that the entry did not say."""
    own = set(one.facts.words)
    return len(own.intersection(facts.words)) >= _OWN * len(own) and one.facts.values <= facts.values


def _adds(facts: Facts, chosen: Sequence[_Candidate], other: _Candidate) -> bool:
    """It says something of the entry that the others do not."""
    have = frozenset().union(*(each.all_words for each in chosen))
    more = {word for word in (*facts.words, *facts.values) if word in other.all_words and word not in have}
    return len(more) * 5 >= len(set(facts.words)) or bool(facts.values & more)


def _is_covered(facts: Facts, chosen: Sequence[_Candidate]) -> bool:
    have = frozenset().union(*(each.all_words for each in chosen))
    if not facts.values <= have or not facts.names <= have:
        return False
    if facts.negated and not any(each.facts.negated for each in chosen):
        return False
    alone = chosen[0] if len(chosen) == 1 and len(chosen[0].facts.words) <= _SAME_SIZE * len(facts.words) else None
    if alone is not None and alone.facts.negated and not facts.negated:
        return False  # a longer text may say no to something else; one of the same size says no to this
    share = _share(facts, chosen)
    others = frozenset().union(*(each.facts.ids for each in chosen))
    if facts.ids and others and not facts.ids & others:
        return share == 1.0
    if facts.characters:
        return share >= CHARACTERS and _pairs(facts, chosen) >= PAIRS
    if len(set(facts.words)) <= SHORT:
        return share == 1.0
    return share >= COVERED


def _share(facts: Facts, chosen: Sequence[_Candidate]) -> float:
    """The share of the entry's words that stand close together in the chosen ones."""
    wanted = set(facts.words)
    if not wanted:
        return 1.0 if facts.values else 0.0
    found: set[str] = set()
    for each in chosen:
        found |= _near(wanted, each.facts.words)
    return round(len(found) / len(wanted), 4)


def _near(wanted: set[str], words: Sequence[str]) -> set[str]:
    """Those of the wanted words that stand in the stretch of the text which has most of them."""
    width = 3 * len(wanted) + 8
    if len(words) <= width:
        return wanted.intersection(words)
    best: set[str] = set()
    for start in range(0, len(words) - width + 1, max(1, width // 4)):
        here = wanted.intersection(words[start : start + width])
        if len(here) > len(best):
            best = here
    tail = wanted.intersection(words[-width:])
    return tail if len(tail) > len(best) else best


def _pairs(facts: Facts, chosen: Sequence[_Candidate]) -> float:
    wanted = set(zip(facts.words, facts.words[1:], strict=False))
    have = {pair for each in chosen for pair in zip(each.facts.words, each.facts.words[1:], strict=False)}
    return len(wanted & have) / len(wanted) if wanted else 1.0


# --------------------------------------------------------------------------- what was left behind


def _left_behind(change: Change, before: EntryTable, after: EntryTable) -> Change:
    """Of several entries that went into one: those whose numbers or names are not in it."""
    groups: dict[int, list[Relocated]] = {}
    for place in change.reworded:
        if place.path is None and place.similarity < 1.0:
            groups.setdefault(place.line, []).append(place)
    groups = {line: places for line, places in groups.items() if len(places) > 1}
    if not groups:
        return change
    old = {entry.line: entry for entry in before.entries}
    new = {entry.line: entry for entry in after.entries}
    gone: list[Relocated] = []
    for line, places in groups.items():
        target = facts_of(new[line])
        have = frozenset((*target.words, *target.values))
        for place in places:
            facts = facts_of(old[place.old.line])
            if not facts.values <= have or (facts.negated and not target.negated):
                gone.append(place)
    if not gone:
        return change
    lines = {place.old.line for place in gone}
    lost = tuple(sorted((*change.lost, *(place.old for place in gone)), key=lambda span: span.line))
    weight = change.weight_lost + sum(place.old.weight for place in gone)
    return structs.replace(
        change,
        reworded=tuple(place for place in change.reworded if place.old.line not in lines),
        lost=lost,
        weight_lost=weight,
        lost_share=min(1.0, weight / change.weight_before) if change.weight_before else change.lost_share,
    )
