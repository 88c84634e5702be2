"""Merging two texts that grew from one: whole entries, and never a conflict mark.

The alignment is merge3's over patiencediff; the units are entries, so that a paragraph that both
sides changed is two paragraphs afterwards and no mixture. Pure; called through `core.merging.merge`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

from merge3 import Merge3
from patiencediff import PatienceSequenceMatcher

from conductd.core.merging.chunks import Chunk, Page, Piece, name, page, pieces, render
from conductd.core.merging.large_merge import both, is_large
from conductd.core.reading.tables import appended


class Merged(NamedTuple):
    """``clean``: no entry was changed by both sides. ``unplaced``: entries whose words are in the
    result but run together with a neighbour (a code block that never ends can swallow them)."""

    data: bytes
    clean: bool = True
    unplaced: int = 0


def three_way(base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """Both sides' changes since ``base``, in the style (BOM, line ends, final newline) of ``ours``.

    An entry both sides changed is there in both wordings, theirs last. An entry that one side
    deleted is gone unless the other side changed it. An entry both sides added is there once.
    """
    if ours == theirs or base == theirs:
        return Merged(ours)
    if is_large(base, ours, theirs):
        return Merged(both(base, ours, theirs), clean=ours == base)
    old, mine, other = page(base), page(ours), page(theirs)
    required = _required(old, mine, other)
    clean, parts = _merge(old, mine, other)
    data = render(_without_surplus(parts, mine, other), mine)
    missing = required - page(data).texts
    if missing:
        # Neighbours ran together: ours whole, then what it lacks of theirs.
        lacking = required - mine.texts
        data = render(appended(mine, other, [i for i, chunk in enumerate(other.chunks) if chunk.text in lacking]), mine)
    return Merged(data, clean, len(required - page(data).texts) if missing else 0)


def _required(old: Page, mine: Page, other: Page) -> frozenset[str]:
    """Everything on both sides, and everything that one side has and the base had not."""
    return (mine.texts & other.texts) | ((mine.texts ^ other.texts) - old.texts)


def _merge(old: Page, mine: Page, other: Page) -> tuple[bool, list[Piece]]:
    base, a, b = ([chunk.key for chunk in each.chunks] for each in (old, mine, other))
    own, brought = pieces(mine, own=True), pieces(other, own=False)
    parts: list[Piece] = []
    clean = True
    z = x = y = 0  # merged so far: of the base, of ours, of theirs
    # patiencediff's matcher is difflib's in shape; merge3's protocol wants one more default.
    aligned = Merge3(base, a, b, sequence_matcher=cast(Any, PatienceSequenceMatcher))
    for z_match, z_end, x_match, x_end, y_match, y_end in aligned.find_sync_regions():
        if a[x:x_match] == b[y:y_match] or b[y:y_match] == base[z:z_match]:
            parts += own[x:x_match]
        elif a[x:x_match] == base[z:z_match]:
            parts += brought[y:y_match]
        else:
            both = _both(old.chunks[z:z_match], own[x:x_match], brought[y:y_match])
            clean = clean and not both.collided
            parts += both.parts
        parts += own[x_match:x_end]
        z, x, y = z_end, x_end, y_end
    return clean, parts


class _Both(NamedTuple):
    parts: list[Piece]
    collided: bool


class _Edits(NamedTuple):
    """One side's changes of a stretch of the base, by base index. ``kept`` has the side's own piece
    of an entry it left alone; ``added`` what it put before that index; ``replaced`` the starts and
    ends of what it put something else for."""

    kept: dict[int, Piece]
    added: dict[int, list[Piece]]
    replaced: list[tuple[int, int]]


def _both(base: Sequence[Chunk], mine: Sequence[Piece], other: Sequence[Piece]) -> _Both:
    """A stretch that both sides changed, entry by entry: each change stays where its entry stood."""
    ours, theirs = _edits(base, mine), _edits(base, other)
    _newest_last(ours, theirs)
    parts: list[Piece] = []
    for index in range(len(base) + 1):
        parts += _side_by_side(ours.added.get(index, []), theirs.added.get(index, []))
        own, brought = ours.kept.get(index), theirs.kept.get(index)
        if own is not None and brought is not None:
            # Left alone by both, but for its layout perhaps: then whoever changed that has it.
            parts.append(brought if own.chunk.key == base[index].key else own)
    return _Both(parts, _overlap(base, ours.replaced, theirs.replaced))


def _edits(base: Sequence[Chunk], side: Sequence[Piece]) -> _Edits:
    one = [name(chunk) for chunk in base]
    two = [name(part.chunk) for part in side]
    edits = _Edits({}, {}, [])
    at = to = 0
    for start, other, length in PatienceSequenceMatcher(None, one, two).get_matching_blocks():
        _book(edits, at, start, side[to:other])
        for step in range(length):
            edits.kept[start + step] = side[other + step]
        at, to = start + length, other + length
    return edits


def _book(edits: _Edits, start: int, end: int, put: Sequence[Piece]) -> None:
    if not put:
        return
    if end - start == len(put):
        for step, part in enumerate(put):
            edits.added.setdefault(start + step, []).append(part)
            edits.replaced.append((start + step, start + step + 1))
        return
    edits.added.setdefault(start, []).extend(put)
    if end > start:
        edits.replaced.append((start, end))


def _newest_last(ours: _Edits, theirs: _Edits) -> None:
    """Their new words for a stretch follow ours for a later part of the same stretch."""
    begins = sorted(begin for begin, _ in ours.replaced)
    for start, end in theirs.replaced:
        after = bisect_left(begins, end)
        if after and begins[after - 1] > start:
            theirs.added.setdefault(begins[after - 1], [])[:0] = theirs.added.pop(start)


def _overlap(base: Sequence[Chunk], one: Sequence[tuple[int, int]], two: Sequence[tuple[int, int]]) -> bool:
    mine = {index for start, end in one for index in range(start, end)}
    return any(index in mine and base[index].entry is not None for start, end in two for index in range(start, end))


def _side_by_side(left: Sequence[Piece], right: Sequence[Piece]) -> Iterator[Piece]:
    """What both have once, and around it ours and then theirs."""
    one = [name(part.chunk) for part in left]
    two = [name(part.chunk) for part in right]
    at = to = 0
    for start, other, length in PatienceSequenceMatcher(None, one, two).get_matching_blocks():
        yield from left[at:start]
        yield from right[to:other]
        yield from left[start : start + length]
        at, to = start + length, other + length


def _without_surplus(parts: list[Piece], mine: Page, other: Page) -> list[Piece]:
    """An entry that both sides added, at different places, stays where ours has it."""
    allowed = _counts(mine) | _counts(other)
    surplus = Counter(part.chunk.text for part in parts if _is_entry(part.chunk)) - allowed
    if not surplus:
        return parts
    kept: list[Piece] = []
    for part in reversed(parts):
        if not part.own and surplus[part.chunk.text] > 0 and _is_entry(part.chunk):
            surplus[part.chunk.text] -= 1
        else:
            kept.append(part)
    return kept[::-1]


def _counts(of: Page) -> Counter[str | None]:
    return Counter(chunk.text for chunk in of.chunks if _is_entry(chunk))


def _is_entry(chunk: Chunk) -> bool:
    return chunk.entry is not None and not chunk.is_heading
