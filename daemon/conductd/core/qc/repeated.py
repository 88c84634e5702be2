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
_COMPARED = 200_000  # pairs, of one night
_SERIES = 3  # more entries that differ in their numbers alone are a table, no contradiction
_NUMBER = re.compile(r"\d[\d.,:/-]*\d|\d")


def _duplicates(given: Given) -> Seen:
    places: dict[bytes, list[Placed]] = defaultdict(list)
    for each in given.lasting:
        if len(each.entry.words) >= _WORDS:
            places[each.entry.fingerprint].append(each)
    found = [same for same in places.values() if len(same) > 1]
    if not found:
        return Seen(Grade.PASS, "no entry stands twice")
    told = [" = ".join(each.place for each in same[:3]) for same in found]
    said = f"{counted(len(found), 'entry', 'entries')} {verb(len(found), 'stands', 'stand')} more than once"
    return Seen(Grade.WARN, said, told, "keep one of each, remove the others")


def _near(given: Given) -> Seen:
    entries = [each for each in given.lasting if len(set(each.entry.words)) >= _NEAR_WORDS]
    often = Counter(word for each in entries for word in set(each.entry.words))
    shelves: dict[str, list[int]] = defaultdict(list)
    pairs: dict[tuple[int, int], None] = {}
    for at, each in enumerate(entries):
        rarest = sorted(set(each.entry.words), key=lambda word: (often[word], word))[:_RAREST]
        for word in rarest:
            for other in shelves[word]:
                if len(pairs) < _COMPARED:
                    pairs[other, at] = None
            shelves[word].append(at)
    found = [(entries[a], entries[b]) for a, b in pairs if _alike(entries[a], entries[b])]
    if len(pairs) >= _COMPARED:
        said = f"too many entries to compare all of them; {counted(len(found), 'pair')} found"
        return Seen(Grade.UNKNOWN, said, _pairs(found))
    if not found:
        return Seen(Grade.PASS, "no two entries say nearly the same")
    said = f"{counted(len(found), 'pair')} of entries {verb(len(found), 'says', 'say')} nearly the same"
    return Seen(Grade.WARN, said, _pairs(found), "make one entry of each pair")


def _alike(one: Placed, other: Placed) -> bool:
    if one.entry.fingerprint == other.entry.fingerprint or _figures(one) != _figures(other):
        return False  # told as a duplicate; or a contradiction, or rows of a table
    a, b = set(one.entry.words), set(other.entry.words)
    return len(a & b) / len(a | b) >= _NEAR


def _contradictions(given: Given) -> Seen:
    """The same words with other numbers, in two or three places."""
    groups: dict[str, list[Placed]] = defaultdict(list)
    for each in given.lasting:
        frame = _NUMBER.sub("#", each.entry.text.casefold())
        if "#" in frame and len(each.entry.words) >= _WORDS:
            groups[frame].append(each)
    found = [
        same for same in groups.values() if 1 < len(same) <= _SERIES and len({_figures(each) for each in same}) > 1
    ]
    if not found:
        return Seen(Grade.PASS, "no entry says another number than one like it")
    told = [" ≠ ".join(each.place for each in same) for same in found]
    said = f"{counted(len(found), 'entry', 'entries')} {verb(len(found), 'has', 'have')} another number elsewhere"
    return Seen(Grade.WARN, said, told, "see which number holds, mend the others")


def _figures(each: Placed) -> tuple[str, ...]:
    return tuple(_NUMBER.findall(each.entry.text))


def _pairs(found: Sequence[tuple[Placed, Placed]]) -> list[str]:
    return [f"{one.place} ≈ {other.place}" for one, other in found]


CHECKS = (
    Check("duplicates", "entries that stand twice in what is kept for good", _duplicates, reads=True),
    Check("near_duplicates", "entries that say nearly the same", _near, reads=True),
    Check("contradictions", "entries with the same words and other numbers", _contradictions, reads=True),
)
