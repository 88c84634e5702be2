"""What of a table is form: the numbers that count its rows, and its head.

Owns the reading of rows without the number that only counts them, and what becomes of a head whose rows all stand
somewhere. Pure; called by `core.comparing.change`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from conductd.core.comparing.postings import Side, Sides
from conductd.core.comparing.wording import core_words
from conductd.core.reading.blocks import Kind
from conductd.core.reading.context import heads
from conductd.core.reading.entries import Entry, EntryTable
from conductd.core.reading.text import ids, words
from conductd.model import Relocated

_CELLS = " | "  # as in the text of a row
_SAID = 1.0  # a head is form: nothing of it is held against the entry that it went to


class Unnumbered(Sides):
    """Rows without the number in their first cell, where such numbers count the rows of a table."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__()
        self._counted = _counted(entries)

    def counted(self, entries: Sequence[Entry]) -> list[int]:
        """Which of them have such a number."""
        return [index for index, entry in enumerate(entries) if entry.line in self._counted]

    def __call__(self, entry: Entry) -> Side:
        rest = entry.text.split(_CELLS, 1)[-1] if entry.line in self._counted else entry.text
        return Side(core_words(words(rest)), ids(entry.text))


def _counted(entries: Sequence[Entry]) -> frozenset[int]:
    """Lines of the rows whose first cells are 1, 2, 3 … from the first to the last row of their table."""
    tables: dict[int, list[Entry]] = {}
    by_line = {entry.line: entry for entry in entries}
    for line, head in heads(entries).items():
        tables.setdefault(head.line, []).append(by_line[line])
    found: set[int] = set()
    for rows in tables.values():
        first = [row.text.split(_CELLS, 1)[0] for row in rows]
        if not all(cell.isascii() and cell.isdecimal() and len(cell) < 5 for cell in first):
            continue
        numbers = [int(cell) for cell in first]
        if numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
            found.update(row.line for row in rows)
    return frozenset(found)


def heads_that_went(
    missing: Sequence[Entry], old: EntryTable, new: EntryTable, found: Iterable[Relocated]
) -> dict[int, Relocated]:
    """Missing heads of tables of which no row is missing, by index: they went where their first row is, in other
    words or another structure."""
    rows: dict[int, list[Entry]] = {}
    if not any(entry.kind is Kind.ROW for entry in missing):
        return {}
    by_line = {entry.line: entry for entry in old.entries}
    for line, head in heads(old.entries).items():
        rows.setdefault(head.line, []).append(by_line[line])
    gone = {entry.line for entry in missing}
    places = {place.old.line: place for place in found}
    result: dict[int, Relocated] = {}
    for index, entry in enumerate(missing):
        below = rows.get(entry.line, ())
        if not below or any(row.line in gone for row in below):
            continue
        place = places.get(below[0].line)
        at = new.places.get(below[0].fingerprint)
        if place is not None:
            result[index] = Relocated(entry.span, place.path, place.line, _SAID)
        elif at is not None:
            result[index] = Relocated(entry.span, None, new.entries[at].line, _SAID)
    return result
