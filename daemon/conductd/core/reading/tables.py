"""Table rows do not travel alone: without a head and its delimiter they are a paragraph. Pure;
called by `core.merging.three_way` and `core.merging.put_back`."""

from __future__ import annotations

from collections.abc import Collection

from conductd.core.merging.chunks import BLANK, Chunk, Page, Piece, at_end, dedented, pieces
from conductd.core.reading.blocks import Kind


def with_tables(of: Page, wanted: Collection[int], have: Collection[str] = ()) -> set[int]:
    """The wanted chunks, and for table rows the head and delimiter they need, unless the head is
    among the texts that the other page has."""
    carried = set(wanted)
    all_heads = heads(of)
    for index in wanted:
        head = all_heads[index]
        if head is not None and of.chunks[head].text not in have:
            carried |= {head, head + 1}
    return carried


def heads(of: Page) -> tuple[int | None, ...]:
    """For each chunk that is a table's row or its delimiter: the index of the table's first row."""
    found: list[int | None] = []
    head: int | None = None
    for index, chunk in enumerate(of.chunks):
        if is_head(of, index):
            head = index
        elif not (_is_row(chunk) or (head == index - 1 and _is_delimiter(chunk))):
            head = None
        found.append(head)
    return tuple(found)


def is_head(of: Page, index: int) -> bool:
    """A row with a delimiter line under it."""
    return _is_row(of.chunks[index]) and index + 1 < len(of.chunks) and _is_delimiter(of.chunks[index + 1])


def appended(mine: Page, other: Page, wanted: Collection[int]) -> list[Piece]:
    """The page whole, then each wanted chunk of the other set off from its neighbours, tables whole."""
    parts = [*pieces(mine, own=True), *at_end(mine)]
    all_heads = heads(other)
    place = 0
    for index in sorted(with_tables(other, wanted)):
        head = all_heads[index]
        if head == index:
            parts.append(Piece(BLANK, False, place + 1))  # or its rows would join a table before it
        place += 1 if head is not None and head < index else 2  # neighbours by number are not set off
        parts.append(Piece(dedented(other.chunks[index]), False, place))
    return parts


def _is_row(chunk: Chunk) -> bool:
    return chunk.entry is not None and chunk.entry.kind is Kind.ROW


def _is_delimiter(chunk: Chunk) -> bool:
    return chunk.entry is None and "-" in chunk.key and not chunk.key.strip(" \t\n|:->")
