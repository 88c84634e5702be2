"""Near-duplicates of entries that stay: what was noted twice may lose its second wording.

Owns when two entries are twins: the same numbers, as many negations, bound alike, and one says all that the
other says. Pure; called by `core.losses.consolidation`.
"""

from __future__ import annotations

from itertools import pairwise

from conductd.core.comparing.entry_facts import Facts, facts_of
from conductd.core.comparing.function_words import NEGATIVE_CHARACTERS
from conductd.core.comparing.meaning import binding, limits
from conductd.core.comparing.wording import NOT, core_words
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, EntryTable, once

LONGEST = 400  # words
_TEXT = (Kind.ITEM, Kind.PARAGRAPH, Kind.ROW)
_TELLING = 6  # words by which a twin is looked for
_TWINS = 4  # entries that are taken apart for one
_TWIN_SIZE = 2.0
_TWIN_EXTRA = 1 / 3  # as of an entry that was reworded: less is no loss worth telling
_MORE_PAIRS = 0.75  # where the longer one gives a number besides
_TWIN_PAIRS = 0.6  # of scripts without spaces: the same characters in another order are another text


class Twins:
    """The entries that stood there before and still do: no new home of a fact, but one that was noted twice may
    have lost its second wording. Taken apart only where the words say that it may be so."""

    def __init__(self, table: EntryTable, before: EntryTable) -> None:
        self._entries = [
            entry
            for entry in table.entries
            if entry.fingerprint in before.places and entry.kind in _TEXT and 0 < len(entry.words) <= LONGEST
        ]
        self._by_word: dict[str, list[int]] = {}
        for number, entry in enumerate(self._entries):
            for word in set(entry.words):
                self._by_word.setdefault(word, []).append(number)

    def twin(self, entry: Entry, facts: Facts) -> Entry | None:
        """One that says all of it and little more, or all but a word or two of it and nothing else."""
        shared: dict[int, int] = {}
        telling = self._telling(entry)
        for word in telling:
            for number in self._by_word[word]:
                shared[number] = shared.get(number, 0) + 1
        least = max(2, 0.6 * len(telling))
        best = sorted((n for n, count in shared.items() if count >= least), key=lambda n: (-shared[n], n))
        return next((self._entries[n] for n in best[:_TWINS] if _is_twin(entry, facts, self._entries[n])), None)

    def _telling(self, entry: Entry) -> list[str]:
        """The words of the entry that the fewest others have."""
        return sorted((word for word in set(entry.words) if word in self._by_word), key=self._common)[:_TELLING]

    def _common(self, word: str) -> tuple[int, str]:
        return len(self._by_word[word]), word

    def cost(self, entry: Entry) -> int:
        return 16 + sum(len(self._by_word[word]) for word in self._telling(entry))


def _is_twin(entry: Entry, facts: Facts, other: Entry) -> bool:
    theirs = facts_of(other)
    mine, its = set(facts.words), set(theirs.words)
    if not (facts.values == theirs.values or (mine <= its and facts.values <= theirs.values)):
        return False
    if not (mine <= its or its <= mine) or _turns(entry) != _turns(other):
        return False
    if not facts.names <= {*its, *theirs.values} or (facts.ids and theirs.ids and not facts.ids & theirs.ids):
        return False
    shorter, longer = (facts, theirs) if mine <= its else (theirs, facts)
    pairs = _TWIN_PAIRS if facts.values == theirs.values else _MORE_PAIRS
    if facts.characters and _pairs(shorter.words, longer.words) < pairs:
        return False
    if mine <= its:
        return len(its) <= _TWIN_SIZE * len(mine)
    return len(mine - its) <= _TWIN_EXTRA * len(mine)


def _pairs(words: tuple[str, ...], others: tuple[str, ...]) -> float:
    """The share of neighbours that are neighbours there as well."""
    wanted, have = set(pairwise(words)), set(pairwise(others))
    return len(wanted & have) / len(wanted) if wanted else 1.0


@once
def _turns(entry: Entry) -> tuple[int, frozenset[str], frozenset[str]]:
    """How often it says no, how it binds, and what limits it."""
    words = core_words(entry.words)
    negations = words.count(NOT) + sum(word in NEGATIVE_CHARACTERS for word in words)
    return negations, binding(entry.words), limits(entry.words)
