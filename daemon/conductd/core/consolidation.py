"""A second look at what seems lost: several notes made into one, near-duplicates dropped, dates folded together.

Similarity asks whether one entry is another in other words. This asks whether every fact of an entry still
stands in the text that came of it: its numbers and dates, its names and identifiers, whether it says no, and
nearly all of its other words, close together in a few entries of one section. A text that only mentions the
subject covers nothing. And the other way round: of several entries that went into one, each must have kept
its numbers and names. Pure, bounded; called by `core.judge` and `core.erosion`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import structs

from conductd.core.blocks import Kind
from conductd.core.entries import Entry, EntryTable
from conductd.core.function_words import FUNCTION_WORDS
from conductd.core.policy import Thresholds
from conductd.core.standins import counts_as_new, is_stand_in
from conductd.core.text import ids, is_character
from conductd.core.wording import NOT, core_words, fact
from conductd.model import Change, Relocated

COVERED = 0.80  # of an entry's words; of a short one all of them
CHARACTERS, PAIRS = 0.72, 0.50  # of scripts without spaces: characters, and pairs of neighbours
SHORT = 4  # words, all of which must be there
ENTRIES = 3  # that one entry may have gone into
LONGEST = 400  # words; a longer entry is looked at by similarity alone
_BUDGET = 600_000  # places of words and words of candidates looked at, about half a second
_TRIED = 24  # candidates for one entry
_SAME_SIZE = 1.5
_OWN = 0.75  # of a part's words, when an entry fell into several: they come from it
_ROOT = 4  # letters
_FILL = frozenset(
    """also too likewise furthermore moreover additionally again ebenfalls zudem außerdem ferner auch wiederum aussi
    également también además anche inoltre também além också ook eveneens также тоже أيضا كذلك 也 亦 还 還 又""".split()  # noqa: SIM905 - dozens of literals are no easier to read
)

_TEXT = (Kind.ITEM, Kind.PARAGRAPH, Kind.ROW)
_NAME = re.compile(r"(?<=[^\W\d_]\s)[^\W\d_a-zß-öø-ÿ][\w'-]*[^\W\d_][\w'-]*|\b[A-Z]{2,}\b|\b[a-z]+[A-Z]\w*")
_SPAN = re.compile(r"`([^`]+)`|\b(\w+(?:[/._@-]\w+)+)\b")
_PARTS = re.compile(r"\d+")


class _Facts(NamedTuple):
    """What an entry says, taken apart. ``values``: numbers and names with digits, dates as their parts."""

    words: tuple[str, ...]
    values: frozenset[str]
    names: frozenset[str]
    negated: bool
    characters: bool
    ids: frozenset[str]


def _facts(entry: Entry) -> _Facts:
    words = core_words(tuple(word for word in entry.words if word not in _FILL) or entry.words)
    found = fact(words)
    values = frozenset(part for value in found.values for part in _value_parts(value))
    plain = tuple(_root(word) for word in words if word != NOT and word not in found.values)
    characters = sum(map(is_character, plain)) * 2 > len(plain)
    return _Facts(plain, values, _names(entry), found.negated, characters, ids(entry.text))


def _root(word: str) -> str:
    """ "owned" and "owners", which notes made into a list often turn into one another."""
    return word[:_ROOT] if word.isalpha() else word


def _value_parts(value: str) -> Iterable[str]:
    """A date may be folded with others, its year said once: the day and the month must be there."""
    if "/" not in value:
        return (value.lstrip("\0#"),)
    parts = _PARTS.findall(value)
    return [part for part in parts if len(part) < 4]


def _names(entry: Entry) -> frozenset[str]:
    """Names and identifiers, in the words of the table: capitals inside a sentence (of a language that writes
    nouns small), abbreviations, code, paths, addresses."""
    found: set[str] = set()
    for match in _SPAN.finditer(entry.text):
        found.update(core_words(tuple((match[1] or match[2]).casefold().split())))
    capitals = _NAME.findall(entry.text)
    words = entry.text.split()
    if len(capitals) * 3 <= len(words):  # more are German nouns, or a title
        for name in capitals:
            found.update(core_words((name.casefold(),)))
    return frozenset(
        _root(word) for word in found if word and word != NOT and word not in FUNCTION_WORDS and not _PARTS.search(word)
    )


# --------------------------------------------------------------------------- the text that came of it


class _Candidate(NamedTuple):
    entry: Entry
    facts: _Facts
    all_words: frozenset[str]


class _Text:
    """The new entries, which facts may have gone into, and which words stand in which of them. What stood there
    all along is no new home of a fact; near-duplicates of it are `core.change`'s."""

    def __init__(self, table: EntryTable, before: EntryTable) -> None:
        self.candidates: list[_Candidate] = []
        self.by_word: dict[str, list[int]] = {}
        for entry in table.entries:
            if entry.fingerprint in before.places or entry.kind not in _TEXT or is_stand_in(entry):
                continue
            if not entry.words or len(entry.words) > LONGEST:
                continue
            facts = _facts(entry)
            words = frozenset((*facts.words, *facts.values))
            self.candidates.append(_Candidate(entry, facts, words))
            for word in words:
                self.by_word.setdefault(word, []).append(len(self.candidates) - 1)

    def cost(self, facts: _Facts) -> int:
        return 16 + sum(len(self.by_word.get(word, ())) for word in {*facts.words, *facts.values})

    def likely(self, facts: _Facts) -> list[int]:
        """The candidates that share most with an entry, best first."""
        shared: dict[int, int] = {}
        for word in {*facts.words, *facts.values}:
            for number in self.by_word.get(word, ()):
                shared[number] = shared.get(number, 0) + 1
        most = len({*facts.words, *facts.values})
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
    text = _Text(after, before)
    budget = _BUDGET if text.candidates else 0
    found: dict[int, Relocated] = {}
    targets: set[int] = set()
    for span in change.lost:
        entry = old.get(span.line)
        if entry is None or not _can_be_folded(entry):
            continue
        facts = _facts(entry)
        budget -= text.cost(facts)
        if budget <= 0:
            break
        numbers = text.likely(facts)
        budget -= sum(len(text.candidates[number].facts.words) for number in numbers)
        if budget <= 0:
            break
        into = _covering(facts, numbers, text)
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


def _covering(facts: _Facts, numbers: Sequence[int], text: _Text) -> _Cover | None:
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


def _is_part(facts: _Facts, one: _Candidate) -> bool:
    """It says hardly anything that the entry did not say."""
    own = set(one.facts.words)
    return len(own.intersection(facts.words)) >= _OWN * len(own) and one.facts.values <= facts.values


def _adds(facts: _Facts, chosen: Sequence[_Candidate], other: _Candidate) -> bool:
    """It says something of the entry that the others do not."""
    have = frozenset().union(*(each.all_words for each in chosen))
    more = {word for word in (*facts.words, *facts.values) if word in other.all_words and word not in have}
    return len(more) * 5 >= len(set(facts.words)) or bool(facts.values & more)


def _is_covered(facts: _Facts, chosen: Sequence[_Candidate]) -> bool:
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


def _share(facts: _Facts, chosen: Sequence[_Candidate]) -> float:
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


def _pairs(facts: _Facts, chosen: Sequence[_Candidate]) -> float:
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
        target = _facts(new[line])
        have = frozenset((*target.words, *target.values))
        for place in places:
            facts = _facts(old[place.old.line])
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
