"""What stands around an entry and is part of what it says: the heading over it, the head of its table.

Owns the reading of a note together with its label, for texts that are written in another structure: "city: Bergen"
becomes "Bergen" under a heading "City" or in a column of that name. Pure; called by `core.comparing.change`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from conductd.core.comparing.postings import Side, Sides
from conductd.core.comparing.wording import core_words
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry
from conductd.core.reading.text import ids, words

_CELLS = " | "  # as in the text of a row


class Labels:
    """Who says none of them is no note with its label in it."""

    def __init__(self, each: Collection[frozenset[str]]) -> None:
        self._each = each
        self._any = frozenset(word for label in each for word in label)

    def are_in(self, found: Collection[str]) -> bool:
        """More than half of the words of one of them."""
        if self._any.isdisjoint(found):
            return False
        return any(2 * len(label.intersection(found)) > len(label) for label in self._each)


class InContext(Sides):
    """Entries of one text, each read with its label before it."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__()
        self._heads = heads(entries)

    def labels(self, entries: Collection[Entry]) -> Labels:
        """All their labels."""
        heads = {head.text for entry in entries if (head := self._heads.get(entry.line)) is not None}
        headings = {entry.headings[-1] for entry in entries if entry.headings}
        texts = (*headings, *(cell for head in heads for cell in head.split(_CELLS)))
        return Labels({frozenset(core_words(words(text))) for text in texts} - {frozenset()})

    def __call__(self, entry: Entry) -> Side:
        return self._side(entry)  # the same text may stand under several labels

    def _side(self, entry: Entry) -> Side:
        head = self._heads.get(entry.line)
        if head is not None:
            tokens = _labelled(head.text.split(_CELLS), entry.text.split(_CELLS))
        elif entry.headings and entry.kind is not Kind.HEADING:
            tokens = words(entry.headings[-1]) + entry.words
        else:
            tokens = entry.words
        return Side(core_words(tokens), ids(entry.text))


def _labelled(labels: list[str], cells: list[str]) -> tuple[str, ...]:
    tokens: tuple[str, ...] = ()
    for at, cell in enumerate(cells):
        tokens += (words(labels[at]) if at < len(labels) else ()) + words(cell)
    return tokens


def heads(entries: Sequence[Entry]) -> dict[int, Entry]:
    """For the rows of a table by their lines: its first row. The delimiter is the line after that."""
    heads: dict[int, Entry] = {}
    head: Entry | None = None
    last = -1
    for entry in entries:
        if entry.kind is not Kind.ROW:
            head = None
            continue
        if head is not None and entry.line == last + (2 if last == head.line else 1):
            heads[entry.line] = head
        else:
            head = entry
        last = entry.line
    return heads
