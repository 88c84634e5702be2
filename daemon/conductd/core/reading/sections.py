"""Where in a file an entry belongs: under the heading it came with. Pure; called by `core.merging.put_back`."""

from __future__ import annotations

from typing import NamedTuple

from conductd.core.merging.chunks import Page
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry

Path = tuple[str, ...]


class Home(NamedTuple):
    """``place``: the number of chunks before it. ``missing``: the headings to write first, as paths."""

    place: int
    missing: tuple[Path, ...] = ()


def heading_path(entry: Entry) -> Path:
    """The path of a heading, itself included."""
    return (*entry.headings, entry.text)


class Sections:
    """The sections of one page. Never changes after it was made."""

    def __init__(self, of: Page) -> None:
        self._of = of
        self._own_end: dict[Path, int] = {}  # after the last entry directly under the heading
        self._whole_end: dict[Path, int] = {}  # after the last entry below it at any depth
        self._table_end: dict[str, int] = {}  # head row -> after the table's last row
        self.last: Path = ()  # the section that the page ends in
        head: str | None = None
        for index, chunk in enumerate(of.chunks):
            entry = chunk.entry
            if entry is None:
                head = None if chunk.is_blank else head
                continue
            path = heading_path(entry) if entry.kind is Kind.HEADING else entry.headings
            self.last = path
            self._own_end[path] = index + 1
            for depth in range(1, len(path) + 1):
                self._whole_end[path[:depth]] = index + 1
            head = (head or entry.text) if entry.kind is Kind.ROW else None
            if head is not None:
                self._table_end[head] = index + 1

    def home(self, entry: Entry, table_head: str | None) -> Home:
        """Where an entry of another page goes. ``table_head``: the text of the head row of its table."""
        if table_head is not None and table_head in self._table_end and table_head != entry.text:
            return Home(self._table_end[table_head])
        path = entry.headings
        if not path:
            return Home(len(self._of.chunks))
        if path in self._own_end:
            return Home(self._own_end[path])
        namesakes = [known for known in self._own_end if known and known[-1] == path[-1]]
        if len(namesakes) == 1:
            return Home(self._own_end[namesakes[0]])
        for depth in range(len(path) - 1, 0, -1):
            if path[:depth] in self._whole_end:
                return Home(self._whole_end[path[:depth]], _below(path, depth))
        return Home(len(self._of.chunks), _below(path, 0))


def _below(path: Path, depth: int) -> tuple[Path, ...]:
    return tuple(path[:length] for length in range(depth + 1, len(path) + 1))
