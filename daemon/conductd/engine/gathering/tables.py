"""Entry tables of texts seen lately, by digest: cutting a text into entries is most of a judgement's cost.

Nothing is let go in the middle of a judgement: it holds all of its tables anyway, and comes back to them.
"""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256

from conductd.core.comparing.postings import Shelf
from conductd.core.reading.entries import EntryTable, entry_table

TEXT_BYTES = 4 * 1024 * 1024  # of text whose tables are kept; a table weighs several times its text


class Tables:
    """A `core.reading.entries.TableSource` that remembers. Judge thread only."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self._kept: OrderedDict[bytes, tuple[int, EntryTable]] = OrderedDict()
        self._size = 0
        self._shelf = Shelf()
        self._used: list[EntryTable] = []

    def __call__(self, data: bytes, key: bytes, digest: bytes | None = None, /) -> EntryTable:
        if key != self.key:
            return entry_table(data, key)
        if digest is None:
            digest = sha256(data).digest()  # a thousandth of what cutting the text again takes
        known = self._kept.get(digest)
        if known is not None:
            self._kept.move_to_end(digest)
            self._used.append(known[1])
            return known[1]
        table = entry_table(data, key, digest)
        self._used.append(table)
        table.shelf = self._shelf
        self._kept[digest] = (len(data), table)
        self._size += len(data)
        return table

    def drop(self) -> None:
        """Something was forgotten: keep nothing."""
        self._kept.clear()
        self._used.clear()
        self._size = 0

    def trim(self) -> None:
        """A judgement is over: keep what was used last."""
        for table in self._used:
            table.sides.rest()
        self._used.clear()
        while self._size > TEXT_BYTES and len(self._kept) > 1:
            self._size -= self._kept.popitem(last=False)[1][0]
