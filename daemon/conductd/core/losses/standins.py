"""What counts as a new entry, and what only stands in for one.

Owns the new-entry rule: three words (or four characters of a script without spaces) outside
brackets and ids, no heading, and not a phrase that says that nothing is said. Called by
`core.comparing.change`, `core.judging.judge` and `core.merging.merge`.
"""

from __future__ import annotations

from conductd.core.losses.elision import elides, elides_by_marks
from conductd.core.losses.standin_words import (
    BESIDE,
    DENYING,
    EMPTY_CHARACTERS,
    EMPTY_WORDS,
    NEW,
    NEW_PAIRS,
    NOTHING,
    ORDERS,
    SAYING,
)
from conductd.core.policy import Thresholds
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, EntryTable, once
from conductd.core.reading.text import is_character, words, words_outside_brackets

_MOST = 24  # words, or characters
_LONGEST_NEW = 8  # characters
_SHORT = 3  # words; a longer entry is found in a longer one by `core.comparing.similarity`


@once
def is_stand_in(entry: Entry) -> bool:
    """The entry says nothing of its own ("(new entry)", "unchanged", "NO_REPLY", "x", "…")."""
    if _says_nothing(entry.words) or _denies(entry.words):
        return True
    return entry.kind is not Kind.FRONT_MATTER and elides(entry.text, entry.words)


@once
def was_stand_in(entry: Entry) -> bool:
    """The same of an entry of the text before: where a bare sentence was somebody's note, its loss counts."""
    if entry.kind is not Kind.FRONT_MATTER and elides_by_marks(entry.text):
        return True
    return (entry.weight <= _SHORT or _stands_in_brackets(entry.text)) and _says_nothing(entry.words)


def _stands_in_brackets(text: str) -> bool:
    return words_outside_brackets(text) == (0, 0) or text.startswith("<!--")


def is_stand_in_text(text: str) -> bool:
    """The same of a part of an entry, such as the value of a field; nothing at all is no stand-in."""
    tokens = words(text)
    return bool(tokens) and _says_nothing(tokens)


def _says_nothing(tokens: tuple[str, ...]) -> bool:
    if all(part in EMPTY_WORDS for token in tokens for part in token.split("_") if part):
        return True
    return tokens in EMPTY_CHARACTERS or tokens in NEW_PAIRS or (len(tokens) <= _LONGEST_NEW and "".join(tokens) in NEW)


def _denies(tokens: tuple[str, ...]) -> bool:
    """ "Nothing new to save", in whatever words. In a text that was there it may be an order ("save no new ones")."""
    if not tokens or len(tokens) > _MOST:
        return False
    if not is_character(tokens[0]):
        return not DENYING.isdisjoint(tokens) and all(token in BESIDE or token in DENYING for token in tokens)
    text = "".join(tokens)
    if text.startswith(ORDERS):
        return False
    found, at = False, 0
    while at < len(text):
        phrase = SAYING.match(text, at)
        if phrase is None:
            return False
        found, at = found or phrase[0] in NOTHING, phrase.end()
    return found


@once
def open_label(entry: Entry) -> tuple[str, ...]:
    """The words that wait for more: those before the first colon, when nothing or only a stand-in comes
    after it ("City: TBD", "Pronouns: (optional)"), or the one or two words of a short entry; else none."""
    if entry.kind in (Kind.HEADING, Kind.CODE, Kind.HTML):
        return ()
    label, colon, value = entry.text.replace("：", ":").partition(":")
    if colon and (_says_nothing(words(value)) or words_outside_brackets(value) == (0, 0)):
        return words(label)
    return entry.words if entry.weight < _SHORT else ()


def counts_as_new(entry: Entry, limits: Thresholds) -> bool:
    """The entry is worth merging into another version."""
    if entry.kind in (Kind.HEADING, Kind.FRONT_MATTER):
        return False
    latin, characters = _outside_brackets(entry)
    if (
        latin * limits.new_entry_cjk + characters * limits.new_entry_tokens
        < limits.new_entry_tokens * limits.new_entry_cjk
    ):
        return False
    return not is_stand_in(entry)


@once
def _outside_brackets(entry: Entry) -> tuple[int, int]:
    if entry.text.isascii() and not any(opening in entry.text for opening in "[({"):
        return entry.weight, 0
    return words_outside_brackets(entry.text)


def says_something(table: EntryTable) -> bool:
    """Some entry other than a heading is no stand-in."""
    return any(e.kind is not Kind.HEADING and e.words and not is_stand_in(e) for e in table.entries)
