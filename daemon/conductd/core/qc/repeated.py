"""Entries that are said twice, nearly twice, or in two ways that cannot both be right. Pure.

Near ones are found by the rarest of their words, so that the work grows with the number of entries and not with its
square.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from conductd.core.qc.check import Check, Seen
from conductd.core.qc.notes import Given, Placed
from conductd.core.qc.results import Grade
from conductd.views.words import counted, verb

_WORDS = 4  # an entry with fewer says too little to be a copy
_NEAR_WORDS = 6
_NEAR = 0.85  # of all their words, both have
_RAREST = 3
_COMPARED = 1_000_000  # pairs, of one night
_OWN_WORDS = 8  # an entry with fewer says something of its heading: "prefers tea" below Alice, and below Bob
_SERIES = 3  # more entries that differ in their numbers alone are a table, no contradiction
_NUMBER = re.compile(r"\d[\d.,:/-]*\d|\d")
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|\d{1,2}:\d{2}(?::\d{2})?")


def _duplicates(given: Given) -> Seen:
    places: dict[bytes, list[Placed]] = defaultdict(list)
    for each in given.lasting:
        if len(each.entry.words) >= _WORDS:
            places[each.entry.fingerprint].append(each)
    found = [same for same in places.values() if len(same) > 1 and not _are_of_headings(same)]
    if not found:
        return Seen(Grade.PASS, "no entry stands twice")
    told = [" = ".join(each.place for each in same[:3]) for same in found]
    said = f"{counted(len(found), 'entry', 'entries')} {verb(len(found), 'stands', 'stand')} more than once"
    return Seen(Grade.WARN, said, told, "keep one of each, remove the others")


def _are_of_headings(same: Sequence[Placed]) -> bool:
    """Short entries of one file, each under a heading of its own: what is said twice is said of two."""
    headings = {each.heading for each in same}
    is_short = len(same[0].entry.words) < _OWN_WORDS
    return is_short and len(headings - {""}) == len(same) and len({each.source.name for each in same}) == 1


def _near(given: Given) -> Seen:
    entries = [each for each in given.lasting if len(set(each.entry.words)) >= _NEAR_WORDS]
    often = Counter(word for each in entries for word in set(each.entry.words))
    shelves: dict[str, list[int]] = defaultdict(list)
    words = [frozenset(each.entry.words) for each in entries]
    found: list[tuple[Placed, Placed]] = []
    compared = 0
    for at, each in enumerate(entries):
        rarest = sorted(words[at], key=lambda word: (often[word], word))[:_RAREST]
        others = sorted({other for word in rarest for other in shelves[word]})
        compared += len(others)
        if compared > _COMPARED:
            break
        found += [
            (entries[other], each)
            for other in others
            if len(words[at] & words[other]) >= _NEAR * len(words[at] | words[other]) and _alike(entries[other], each)
        ]
        for word in rarest:
            shelves[word].append(at)
    if compared > _COMPARED:
        said = f"too many entries to compare all of them; {counted(len(found), 'pair')} found"
        return Seen(Grade.UNKNOWN, said, _pairs(found))
    if not found:
        return Seen(Grade.PASS, "no two entries say nearly the same")
    said = f"{counted(len(found), 'pair')} of entries {verb(len(found), 'says', 'say')} nearly the same"
    return Seen(Grade.WARN, said, _pairs(found), "make one entry of each pair")


def _alike(one: Placed, other: Placed) -> bool:
    """Not what is told as a duplicate, or is a contradiction, or rows of a table."""
    return one.entry.fingerprint != other.entry.fingerprint and _figures(one) == _figures(other)


def _contradictions(given: Given) -> Seen:
    """The same words with other numbers, in two or three places; other dates and times alone are another event."""
    groups: dict[str, list[Placed]] = defaultdict(list)
    for each in given.lasting:
        frame = _NUMBER.sub("#", _DATE.sub("@", each.entry.text.casefold()))
        if "#" in frame and len(each.entry.words) >= _WORDS:
            groups[frame].append(each)
    found = [same for same in groups.values() if 1 < len(same) <= _SERIES and len({_counts(each) for each in same}) > 1]
    if not found:
        return Seen(Grade.PASS, "no entry says another number than one like it")
    told = [" ≠ ".join(each.place for each in same) for same in found]
    said = f"{counted(len(found), 'entry', 'entries')} {verb(len(found), 'has', 'have')} another number elsewhere"
    return Seen(Grade.WARN, said, told, "see which number holds, mend the others")


def _figures(each: Placed) -> tuple[str, ...]:
    return tuple(_NUMBER.findall(each.entry.text))


def _counts(each: Placed) -> tuple[str, ...]:
    """Figures that are no dates or times of the day."""
    return tuple(_NUMBER.findall(_DATE.sub("@", each.entry.text)))


def _pairs(found: Sequence[tuple[Placed, Placed]]) -> list[str]:
    return [f"{one.place} ≈ {other.place}" for one, other in found]


CHECKS = (
    Check("duplicates", "entries that stand twice in what is kept for good", _duplicates, reads=True),
    Check("near_duplicates", "entries that say nearly the same", _near, reads=True),
    Check("contradictions", "entries with the same words and other numbers", _contradictions, reads=True),
)
