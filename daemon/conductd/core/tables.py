"""Table rows do not travel alone: without a head and its delimiter they are a paragraph. Pure;
called by `core.three_way` and `core.put_back`."""

from __future__ import annotations

from collections.abc import Collection

from conductd.core.blocks import Kind
from conductd.core.chunks import BLANK, Chunk, Page, Piece, at_end, dedented, pieces


def with_tables(of: Page, wanted: Collection[int], have: Collection[str] = ()) -> set[int]:
    """The wanted chunks, and for table rows the head and delimiter they need, unless the head is
    among the texts that the other page has."""
    carried = set(wanted)
    for index in wanted:
        head = table_head(of, index)
        if head is not None and of.chunks[head].text not in have:
            carried |= {head, head + 1}
    return carried


def table_head(of: Page, index: int) -> int | None:
    """The index of the first row of the table that this row is in; a delimiter line follows it."""
    while index >= 0 and _is_row(of.chunks[index]):
        if index + 1 < len(of.chunks) and _is_delimiter(of.chunks[index + 1]):
            return index
        index -= 2 if index >= 1 and _is_delimiter(of.chunks[index - 1]) else 1
    return None


def appended(mine: Page, other: Page, wanted: Collection[int]) -> list[Piece]:
    """The page whole, then each wanted chunk of the other set off from its neighbours, tables whole."""
    parts = [*pieces(mine, own=True), *at_end(mine)]
    place = 0
    for index in sorted(with_tables(other, wanted)):
        head = table_head(other, index)
        in_table = _is_delimiter(other.chunks[index]) or (head is not None and head < index)
        if head == index:
            parts.append(Piece(BLANK, False, place + 1))  # or its rows would join a table before it
        place += 1 if in_table else 2  # neighbours by number are not set off
        parts.append(Piece(dedented(other.chunks[index]), False, place))
    return parts


def _is_row(chunk: Chunk) -> bool:
    return chunk.entry is not None and chunk.entry.kind is Kind.ROW


def _is_delimiter(chunk: Chunk) -> bool:
    return chunk.entry is None and "-" in chunk.key and not chunk.key.strip(" \t\n|:->")
