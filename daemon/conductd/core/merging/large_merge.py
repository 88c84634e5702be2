"""Merging texts too large to be aligned: one of them whole, and after it what it lacks of the other.

Owns the size from which on entries no longer go to where they belong. The promise of `core.merging.merge` stays
that no entry of either is lost; which heading it came under is. Linear in time and memory. Pure; called
through `core.merging.merge`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import pairwise

from conductd.core.merging.chunks import Chunk, Page, Piece, at_end, dedented, end_of_line, render, text_of
from conductd.core.reading.entries import Entry, EntryTable, entry_table
from conductd.model import Span

LARGE = 2 * 1024 * 1024  # bytes of the texts together: aligning these takes some seconds and 200 MB
_NO_KEY = b""


def is_large(*texts: bytes) -> bool:
    return sum(map(len, texts)) > LARGE


def put_after(mine: bytes, other: bytes, spans: Iterable[Span] | None, accept: Callable[[Entry], bool]) -> bytes:
    """``mine`` whole, then the accepted entries of ``other`` that it has not got, each text once.
    ``spans``: only those of these places in ``other``."""
    table, theirs = entry_table(mine, _NO_KEY), entry_table(other, _NO_KEY)
    lines = None if spans is None else {span.line for span in spans}
    return _joined(mine, table, other, [e for e in theirs.entries if lines is None or e.line in lines], accept)


def both(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """``ours`` whole, then what ``theirs`` added to ``base``. What only one side took out stays."""
    if ours == base:
        return theirs
    known = {entry.fingerprint for entry in entry_table(base, _NO_KEY).entries}
    added = [entry for entry in entry_table(theirs, _NO_KEY).entries if entry.fingerprint not in known]
    return _joined(ours, entry_table(ours, _NO_KEY), theirs, added, lambda _entry: True)


def _joined(
    mine: bytes, table: EntryTable, other: bytes, entries: Collection[Entry], accept: Callable[[Entry], bool]
) -> bytes:
    seen = {entry.fingerprint for entry in table.entries}
    wanted: list[Entry] = []
    for entry in entries:
        if entry.fingerprint not in seen and accept(entry):
            seen.add(entry.fingerprint)
            wanted.append(entry)
    if not wanted:
        return mine
    page = _coarse(mine, table)
    lines = text_of(other).lines
    parts = [Piece(chunk, True, place) for place, chunk in enumerate(page.chunks)]
    parts += at_end(page)
    place = 0
    before = 0
    for entry in wanted:
        place += 1 if entry.line == before + 1 else 2  # neighbours by number are not set off
        before = entry.last_line
        raw = "".join(lines[entry.line - 1 : entry.last_line])
        key = raw.replace("\r\n", "\n").replace("\r", "\n")
        key = key if key.endswith("\n") else key + "\n"
        parts.append(Piece(dedented(Chunk(key, key, entry)), False, place))
    return render(parts, page)


def _coarse(data: bytes, table: EntryTable) -> Page:
    """A page of three chunks at most: all before the last entry, that entry, the layout after it."""
    text = text_of(data)
    lines = text.lines
    last = table.entries[-1] if table.entries and text.encoding is table.encoding else None
    cuts = (0, last.line - 1, last.last_line, len(lines)) if last else (0, len(lines))
    chunks = []
    for start, end in pairwise(cuts):
        if start < end:
            raw = "".join(lines[start:end])
            is_last = last is not None and start == last.line - 1
            chunks.append(Chunk(raw, raw if raw.endswith("\n") else raw + "\n", last if is_last else None))
    return Page(text.encoding, text.bom, tuple(chunks), end_of_line(lines), not lines or lines[-1][-1] in "\r\n")
