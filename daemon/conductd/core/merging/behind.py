"""Which old entries stood where a stand-in is, and went with it although something like them stands elsewhere.

"Backup on 3 March took 9 minutes" is no later state of "Backup on 4 March took 9 minutes", however much alike they
are. Behind a stand-in only what is clearly there may stay away. Pure; called by `core.merging.fill_in`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from patiencediff import PatienceSequenceMatcher

from conductd.core.comparing.entry_facts import facts_of
from conductd.core.merging.chunks import Page, name
from conductd.core.reading.entries import Entry
from conductd.model import Change, Relocated

_CLEARLY = 0.9  # alike, and with the same facts


def behind_stand_ins(change: Change, mine: Page, other: Page, stands: Sequence[int]) -> frozenset[int]:
    """First lines of old entries that are called reworded and come back all the same. ``stands``: before which chunks
    of the new page the stand-ins were."""
    here = {place.old.line: place for place in change.reworded if place.path is None}
    if not here or not stands:
        return frozenset()
    at = {chunk.entry.line: number for number, chunk in enumerate(mine.chunks) if chunk.entry is not None}
    old = {chunk.entry.line: chunk.entry for chunk in other.chunks if chunk.entry is not None}
    doubtful = {
        line: place
        for line, place in here.items()
        if line in old and place.line in at and not _is_clear(place, old[line], mine.chunks[at[place.line]].entry)
    }
    if not doubtful:
        return frozenset()
    certain = {line: place.line for line, place in here.items() if line not in doubtful}
    found: set[int] = set()
    for first, last, low, high in gaps(mine, other, certain):
        index = bisect_left(stands, low)
        if index == len(stands) or stands[index] > high:
            continue
        entries = [chunk.entry for chunk in other.chunks[first:last] if chunk.entry is not None]
        forms = Counter(map(_form, entries))
        before, after = (_entries(mine, *part) for part in ((low, stands[index]), (stands[index], high)))
        for number, entry in enumerate(entries):
            place = doubtful.get(entry.line)
            if place is None:
                continue
            target = at[place.line]
            fits = number < before if target < stands[index] else number >= len(entries) - after
            if not (low <= target < high and fits and forms[_form(entry)] == 1):
                found.add(entry.line)
    return frozenset(found)


def _is_clear(place: Relocated, old: Entry, new: Entry | None) -> bool:
    """It says the same, or is a part of what the old entry said: that fell into several."""
    if new is None or place.similarity == 1.0:
        return True
    mine, other = facts_of(old), facts_of(new)
    have = {*other.words, *other.values}
    if mine.values <= have and mine.names <= have and mine.negated == other.negated:
        return place.similarity >= _CLEARLY
    return len(new.words) < len(old.words) and set(other.words) <= set(mine.words) and other.values <= mine.values


def _form(entry: Entry) -> tuple[str, ...]:
    """What it says without its numbers: entries of one form are a list, and each of them its own fact."""
    return facts_of(entry).words


def _entries(of: Page, first: int, end: int) -> int:
    return sum(chunk.entry is not None for chunk in of.chunks[first:end])


def gaps(mine: Page, other: Page, renamed: dict[int, int]) -> Iterator[tuple[int, int, int, int]]:
    """The stretches of the old page between entries that both have: (first, end) of its chunks, and the
    numbers of chunks of the new page between which they belong."""
    after = {chunk.entry.line: name(chunk) for chunk in mine.chunks if chunk.entry is not None}
    one = [i for i, chunk in enumerate(other.chunks) if chunk.entry is not None]
    two = [i for i, chunk in enumerate(mine.chunks) if chunk.entry is not None]
    before = []
    for index in one:
        entry = other.chunks[index].entry
        assert entry is not None
        before.append(after.get(renamed.get(entry.line, 0)) or name(other.chunks[index]))
    at, low = 0, 0
    for start, to, length in PatienceSequenceMatcher(
        None, before, [name(mine.chunks[i]) for i in two]
    ).get_matching_blocks():
        for step in range(length):
            yield at, one[start + step], low, two[to + step]
            at, low = one[start + step] + 1, two[to + step] + 1
    yield at, len(other.chunks), low, len(mine.chunks)
