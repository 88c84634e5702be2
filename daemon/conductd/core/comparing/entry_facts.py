"""What an entry says, taken apart: numbers and dates, names and identifiers, the other words, whether it says no.

Pure; called by `core.losses.consolidation` and `core.comparing.twins`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from conductd.core.comparing.function_words import FUNCTION_WORDS
from conductd.core.comparing.light_verbs import SAME
from conductd.core.comparing.wording import NOT, core_words, fact
from conductd.core.reading.entries import Entry, once
from conductd.core.reading.text import ids, is_character

_ROOT = 4  # letters
_FILL = frozenset(
    """also too likewise furthermore moreover additionally again note notes reminder remember please important nb
    ebenfalls zudem ausserdem ferner auch wiederum nochmals hinweis wichtig merke erinnerung bitte aussi également
    rappel important también además recordatorio importante anche inoltre também além också ook eveneens также тоже
    важно напоминание أيضا كذلك تذكير مهم ملاحظة 也 亦 还 還 又""".split()  # noqa: SIM905 - dozens of literals are no easier to read
)
_NAME = re.compile(r"(?<=[^\W\d_]\s)[^\W\d_a-zß-öø-ÿ][\w'-]*[^\W\d_][\w'-]*|\b[A-Z]{2,}\b|\b[a-z]+[A-Z]\w*")
_SPAN = re.compile(r"`([^`]+)`|\b(\w+(?:[/._@-]\w+)+)\b")
_PARTS = re.compile(r"\d+")


class Facts(NamedTuple):
    """What an entry says, taken apart. ``values``: numbers and names with digits, dates as their parts."""

    words: tuple[str, ...]
    values: frozenset[str]
    names: frozenset[str]
    negated: bool
    characters: bool
    ids: frozenset[str]


@once
def facts_of(entry: Entry) -> Facts:
    told = tuple(SAME.get(word, word) for word in entry.words if word not in _FILL)
    words = core_words(told or entry.words)
    found = fact(words)
    values = frozenset(part for value in found.values for part in _value_parts(value))
    plain = tuple(_root(word) for word in words if word != NOT and word not in found.values)
    characters = sum(map(is_character, plain)) * 2 > len(plain)
    return Facts(plain, values, _names(entry), found.negated, characters, ids(entry.text))


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
