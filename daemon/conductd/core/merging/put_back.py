"""Bringing two texts together that share little: an old text and what overwrote or cut it.

`merge_new_entries` (curated files), `append_after` (daily logs) and `merge_missing` (only what is
lost, back where it stood). None of them drops a byte of the text it starts from. Pure; called
through `core.merging.merge`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from patiencediff import PatienceSequenceMatcher

from conductd.core.losses.standins import counts_as_new, is_stand_in
from conductd.core.merging.chunks import BLANK, Chunk, Page, Piece, at_end, dedented, name, page, pieces, render
from conductd.core.merging.large_merge import is_large, put_after
from conductd.core.policy import Thresholds
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry
from conductd.core.reading.sections import Sections, heading_path
from conductd.core.reading.tables import appended, heads, is_head, with_tables
from conductd.model import Span

# Pieces to put in, by (place in the page, order among those put at the same place).
_Inserts = dict[tuple[int, int], list[Piece]]
STANDS = -1  # instead of a place: the other page has it


def merge_new_entries(
    old: bytes, new: bytes, added: Iterable[Span] | None = None, limits: Thresholds | None = None
) -> bytes:
    """``old`` whole, and the new entries of ``new`` under the heading they came with when ``old``
    has it, else at the end, with the headings that ``old`` lacks.

    Stand-ins, bare headings and front matter are not merged. ``added``: the entries of ``new`` that
    the judge found to be new (a reworded entry is not); None: all that ``old`` has not got.
    """
    thresholds = limits or Thresholds()
    if is_large(old, new):
        return put_after(old, new, added, lambda entry: counts_as_new(entry, thresholds))
    mine, other = page(old), page(new)
    wanted = _wanted(other, mine.texts, added, lambda entry: counts_as_new(entry, thresholds))
    if not wanted:
        return old
    sections, all_heads = Sections(mine), heads(other)
    inserts: _Inserts = {}
    orders: dict[tuple[str, ...], int] = {}
    written: set[tuple[str, ...]] = set()
    group: list[Piece] = []
    for index in sorted(with_tables(other, wanted, mine.texts)):
        entry = other.chunks[index].entry
        if entry is not None:
            head = all_heads[index]
            home = sections.home(entry, None if head is None else other.chunks[head].text)
            # Entries of a section that is there go before a new section at the same place.
            order = orders.setdefault(entry.headings, len(orders) + 1) if home.missing else 0
            group = inserts.setdefault((home.place, order), [])
            for path in home.missing:
                if path not in written:
                    written.add(path)
                    _carry(group, other, _heading_index(other, path, index))
        _carry(group, other, index)
    return _checked(inserts, mine, other, wanted)


def append_after(old: bytes, new: bytes, limits: Thresholds | None = None) -> bytes:
    """``old`` whole, then what ``new`` has and ``old`` has not, in the order and under the headings
    of ``new``: a log only grows. ``old`` alone when ``new`` has no new entry."""
    thresholds = limits or Thresholds()
    if is_large(old, new):
        return put_after(old, new, None, lambda entry: counts_as_new(entry, thresholds))
    mine, other = page(old), page(new)
    if not _wanted(other, mine.texts, None, lambda entry: counts_as_new(entry, thresholds)):
        return old
    wanted = _wanted(other, mine.texts, None, _says_something)
    ending = Sections(mine).last
    group: list[Piece] = []
    for index in sorted(with_tables(other, wanted) | _headings_over(other, wanted)):
        entry = other.chunks[index].entry
        if entry is not None and entry.kind is Kind.HEADING:
            path = heading_path(entry)
            titled = len(path) == 1 and entry.text in mine.texts
            if titled or (not group and path == ending):
                continue  # the log has that title, or ends under that heading
        _carry(group, other, index)
    return _checked({(len(mine.chunks), 0): group}, mine, other, wanted)


def merge_missing(old: bytes, now: bytes, lost: Iterable[Span] | None = None) -> bytes:
    """``now`` whole, with the lost entries of ``old`` back where they stood.

    ``lost`` are places in ``old``; None: every entry that ``now`` has not got. What was added to or
    moved within ``now`` stays. A section that went takes its heading with it when it comes back.
    """
    if is_large(old, now):
        return put_after(now, old, lost, lambda _entry: True)
    mine, other = page(now), page(old)
    places: list[int] = []
    at = place = 0
    one, two = [name(chunk) for chunk in other.chunks], [name(chunk) for chunk in mine.chunks]
    for start, to, length in PatienceSequenceMatcher(None, one, two).get_matching_blocks():
        section = next((n for n in range(at, start) if _is_section_gone(other.chunks[n], mine)), start)
        places += [place] * (section - at)
        if section < start:
            places += [_past_new(mine, other.texts, place)] * (start - section)
        places += [STANDS] * length
        at, place = start + length, to + length
    data = back_at(mine, other, lost, places)
    return now if data is None else data


def back_at(mine: Page, other: Page, lost: Iterable[Span] | None, places: Sequence[int]) -> bytes | None:
    """``mine`` whole, with the lost entries of ``other`` at their ``places``: by chunk of ``other``, the number
    of chunks of ``mine`` before it, or `STANDS`. None: there are none to bring back."""
    wanted = _wanted(other, mine.texts, lost, lambda _entry: True)
    if not wanted:
        return None
    carried = with_tables(other, wanted, mine.texts) | _front_matter_marks(mine, other, wanted)
    carried |= {index for index in _headings_over(other, wanted) if other.chunks[index].text not in mine.texts}
    inserts: _Inserts = {}
    for index in sorted(index for index in carried if places[index] != STANDS):
        _carry(inserts.setdefault((places[index], 0), []), other, index, lambda chunk: chunk)
    return _checked(inserts, mine, other, wanted)


def _is_section_gone(chunk: Chunk, mine: Page) -> bool:
    return chunk.is_heading and chunk.text not in mine.texts


def _past_new(mine: Page, old: frozenset[str], place: int) -> int:
    """The place after what was newly written there: a section that comes back does not take it under its heading."""
    past = place
    for index in range(place, len(mine.chunks)):
        chunk = mine.chunks[index]
        if chunk.entry is None:
            continue
        if chunk.is_heading or chunk.text in old:
            break
        past = index + 1
    return past


# --------------------------------------------------------------------------- what is carried over


def _wanted(
    of: Page, have: frozenset[str], spans: Iterable[Span] | None, accept: Callable[[Entry], bool]
) -> frozenset[int]:
    """Indexes of the entries to bring over, each text once."""
    lines = None if spans is None else {span.line for span in spans}
    seen = set(have)
    found: set[int] = set()
    for index, chunk in enumerate(of.chunks):
        entry = chunk.entry
        if entry is None or entry.text in seen or (lines is not None and entry.line not in lines):
            continue
        if accept(entry):
            seen.add(entry.text)
            found.add(index)
    return frozenset(found)


def _says_something(entry: Entry) -> bool:
    return entry.kind not in (Kind.HEADING, Kind.FRONT_MATTER) and not is_stand_in(entry)


def _headings_over(of: Page, wanted: Collection[int]) -> set[int]:
    found: set[int] = set()
    open_headings: list[int] = []
    for index, chunk in enumerate(of.chunks):
        if chunk.entry is None:
            continue
        del open_headings[len(chunk.entry.headings) :]
        if index in wanted:
            found.update(open_headings)
        if chunk.is_heading:
            open_headings.append(index)
    return found


def _heading_index(of: Page, path: tuple[str, ...], before: int) -> int:
    """The last heading of that path above an entry."""
    return next(
        index
        for index in range(before, -1, -1)
        if (entry := of.chunks[index].entry) and entry.kind is Kind.HEADING and heading_path(entry) == path
    )


def _front_matter_marks(mine: Page, other: Page, wanted: Collection[int]) -> set[int]:
    """The two lines around front matter that went altogether."""
    keys = [index for index, chunk in enumerate(other.chunks) if _is_front_matter(chunk)]
    if not keys or keys[0] not in wanted or any(_is_front_matter(chunk) for chunk in mine.chunks):
        return set()
    return {0, keys[-1] + 1}


def _is_front_matter(chunk: Chunk) -> bool:
    return chunk.entry is not None and chunk.entry.kind is Kind.FRONT_MATTER


def _carry(group: list[Piece], of: Page, index: int, alone: Callable[[Chunk], Chunk] = dedented) -> None:
    """Add a chunk; the layout between it and the one before comes along when nothing else was
    between them. ``alone`` is done to a chunk whose neighbour stays behind."""
    if group and group[-1].place < index:
        between = range(group[-1].place + 1, index)
        if all(of.chunks[i].entry is None for i in between):
            group += [Piece(of.chunks[i], False, i) for i in (*between, index)]
            return
    if is_head(of, index):
        group.append(Piece(BLANK, False, index - 1))  # or its rows would join a table before it
    group.append(Piece(alone(of.chunks[index]), False, index))


# --------------------------------------------------------------------------- the result


def _checked(inserts: _Inserts, mine: Page, other: Page, wanted: Collection[int]) -> bytes:
    """The result, if every entry can be read in it; else the page, then each piece set off."""
    data = render(_spliced(inserts, mine), mine)
    required = mine.texts.union(other.chunks[index].text or "" for index in wanted)
    if required <= page(data).texts:
        return data
    return render(appended(mine, other, wanted), mine)


def _spliced(inserts: _Inserts, mine: Page) -> Iterator[Piece]:
    own = pieces(mine, own=True)
    last = max((index for index, chunk in enumerate(mine.chunks) if chunk.entry is not None), default=-1)
    fence = at_end(mine)
    at = 0
    for (place, _), group in sorted(inserts.items()):
        yield from own[at:place]
        at = max(at, place)
        if place > last:
            yield from fence
            fence = []
        yield from group
    yield from own[at:]
