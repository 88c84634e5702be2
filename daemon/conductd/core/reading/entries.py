"""The entries of a memory file: the units whose loss is judged.

Owns the step from blocks to entries: normalised text, keyed fingerprint, weight, section. Pure;
an `EntryTable` is a value that the engine may cache by digest. Called by `core.comparing.change`,
`core.judging.judge`, `core.judging.wait` and `core.merging.merge`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, wraps
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol, TypeVar, cast
from weakref import WeakKeyDictionary

from conductd.core.comparing.postings import Postings, Shelf, Sides
from conductd.core.reading import text as text_
from conductd.core.reading.blocks import Block, Kind, scan
from conductd.core.reading.line_shapes import cells
from conductd.core.reading.text import Encoding, LineEnd
from conductd.model import Span

T = TypeVar("T")
Figures = tuple[float, ...]  # of the policy, that an answer depends on


class _Entry(NamedTuple):
    """One entry by place (1-based lines), section and content.

    ``headings`` is the path of the headings above it, by normalised text. ``text`` is normalised;
    ``words`` are its tokens without ids and marks, and ``weight`` is their number.
    """

    kind: Kind
    line: int
    last_line: int
    headings: tuple[str, ...]
    text: str
    words: tuple[str, ...]
    fingerprint: bytes


class Entry(_Entry):
    """`_Entry`, with room for what was found `once` about it."""

    @property
    def weight(self) -> int:
        return len(self.words)

    @property
    def span(self) -> Span:
        return Span(self.line, self.last_line, len(self.words), self.fingerprint)


def once(work: Callable[[Entry], T]) -> Callable[[Entry], T]:
    """What ``work`` finds about an entry is kept with it: each rule looks at every entry again, and an entry that
    stays is looked at in every judgement. For functions that depend on the entry alone and find something small."""
    name = f"{work.__module__}.{work.__qualname__}"

    @wraps(work)
    def known(entry: Entry) -> T:
        kept: dict[str, Any] = entry.__dict__
        if name not in kept:
            kept[name] = work(entry)
        return cast(T, kept[name])

    return known


class EntryTable:
    """All entries of one content state, with the look-ups that comparing needs. Never changes."""

    def __init__(self, entries: tuple[Entry, ...], encoding: Encoding, line_end: LineEnd, lines: int) -> None:
        self.entries = entries
        self.encoding = encoding
        self.line_end = line_end
        self.lines = lines
        self.reworded_from: WeakKeyDictionary[EntryTable, dict[Figures, bool]] = WeakKeyDictionary()  # which tables
        self.shelf: Shelf | None = None  # where the engine keeps what searches have in common
        self._without: tuple[frozenset[bytes], Postings] | None = None

    @cached_property
    def weight(self) -> int:
        return sum(len(e.words) for e in self.entries)

    @cached_property
    def places(self) -> Mapping[bytes, int]:
        """Fingerprint → index of the first entry that has it."""
        places: dict[bytes, int] = {}
        for index, entry in enumerate(self.entries):
            places.setdefault(entry.fingerprint, index)
        return places

    @cached_property
    def postings(self) -> Postings:
        return Postings(self.entries, self.sides)

    @cached_property
    def sides(self) -> Sides:
        return Sides()

    def postings_without(self, marks: frozenset[bytes]) -> Postings:
        """Of the entries that have none of these fingerprints; the last answer is kept."""
        if not marks:
            return self.postings
        if self._without is None or self._without[0] != marks:
            rest = [entry for entry in self.entries if entry.fingerprint not in marks]
            self._without = marks, Postings(rest, self.sides)
        return self._without[1]


class TableSource(Protocol):
    """Where the judge gets tables from: `entry_table`, or the engine's cache in front of it.
    ``digest`` is the SHA-256 of ``data`` when it is known."""

    def __call__(self, data: bytes, key: bytes, digest: bytes | None = None, /) -> EntryTable: ...


def entries(data: bytes, key: bytes) -> tuple[Entry, ...]:
    """The entries of a file's bytes. ``key``: at most 64 bytes, the journal's fingerprint key."""
    return entry_table(data, key).entries


def entry_table(data: bytes, key: bytes, _digest: bytes | None = None, /) -> EntryTable:
    """Scan a file. Linear in its size; about 3 ms for 20 KB."""
    decoded = text_.decode(data)
    if decoded.encoding is Encoding.BINARY:
        return EntryTable((), decoded.encoding, decoded.line_end, 0)
    lines = decoded.text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    found: list[Entry] = []
    path: list[tuple[int, str]] = []
    headings: tuple[str, ...] = ()
    for block in scan(lines):
        normal = _normal_text(block)
        if not normal or text_.is_forgotten(normal):
            continue
        if block.kind is Kind.HEADING:
            path = [(level, name) for level, name in path if level < block.level]
            above = tuple(name for _, name in path)
            path.append((block.level, normal))
            headings = (*above, normal)
        else:
            above = headings
        found.append(
            Entry(
                block.kind,
                block.first + 1,
                block.last + 1,
                above,
                normal,
                text_.words(normal),
                fingerprint(normal, key),
            )
        )
    return EntryTable(tuple(found), decoded.encoding, decoded.line_end, len(lines))


def fingerprint(normal: str, key: bytes) -> bytes:
    """Eight keyed bytes that stand for an entry where its text must not."""
    return blake2b(normal.encode("utf-8", "surrogatepass"), digest_size=8, key=key[:64]).digest()


def _normal_text(block: Block) -> str:
    if block.kind is Kind.ROW:
        return text_.normalise(" | ".join(cells(block.text)))
    if block.kind is Kind.HTML and text_.is_only_mark(block.text):
        return ""
    return text_.normalise(block.text)
