"""Draws the corpus: so many changes of every family, over its languages in turn.

A change is named by its family, its language and a number; that name is its seed, so that adding a
family changes no other's changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from zlib import crc32

import corpus.families  # noqa: F401 - registers the families
from corpus.changes import FAMILIES, Change, Family
from corpus.languages import LANGUAGES

DESTRUCTIVE = 10  # changes of a family
LEGITIMATE = 8


def corpus_of_changes() -> Iterator[Change]:
    """All changes, family by family."""
    for family in FAMILIES.values():
        first = crc32(family.name.encode())
        number = DESTRUCTIVE if family.destructive else LEGITIMATE
        for count in range(number):
            language = family.languages[(first + count) % len(family.languages)]
            yield drawn(family, language, count // len(family.languages))


def drawn(family: Family, language: str, number: int) -> Change:
    made = family.make(LANGUAGES[language], Random(f"{family.name}/{language}/{number}"))
    steps, wanted = made[0], made[1]
    every = made[2] if len(made) == 3 else True
    return Change(family.name, language, number, steps, wanted, every)
