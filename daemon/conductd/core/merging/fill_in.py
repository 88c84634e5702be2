"""Putting back what a stand-in stood for, where the stand-in is.

Owns the search for the lines of a new text that stand for old ones (`holes`) and the text without them
(`fill_in`): every entry that is nowhere any more comes back, between the neighbours that were kept, and what
the new text says stays. Pure; called by `core.losses.placeholder` and `core.merging.outcome`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from patiencediff import PatienceSequenceMatcher

from conductd.core.comparing.change import compare
from conductd.core.losses.elision import elides, has_words, is_elision
from conductd.core.merging.behind import behind_stand_ins, gaps
from conductd.core.merging.chunks import Page, encode, end_of_line, page, text_of
from conductd.core.merging.large_merge import is_large
from conductd.core.merging.put_back import STANDS, back_at, merge_missing
from conductd.core.policy import Thresholds
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, EntryTable, TableSource, entry_table
from conductd.core.reading.text import decode, normalise

_LINES_COMPARED = 20_000  # of one entry: a longer one is put back whole, beside what it became
_LONGEST_ALIKE = 400  # characters
_ALIKE = 0.7
_TAIL = re.compile(
    r"\s*(?:(?:\.{3,}|…+)\s*)?(?:[\[(（【{<][^\[\]()（）【】{}<>]*[\])）】}>]|(?:\.{3,}|…+)|\s[—–-]\s+[^—–-]+)\s*$"
)
_MAY_END_SO = re.compile(r"(?:[\])）】}>…]|\.{3})\s*$|\s[—–-]\s")
_MARKER = re.compile(r"^[\s>]*(?:#{1,6}\s+|[-+*]\s+|\d{1,9}[.)]\s+)?")
_BLOCK = re.compile(r"\s*(?:[-+*]\s|\d{1,9}[.)]\s|#{1,6}\s|[>|]|```|~~~)")


class Hole(NamedTuple):
    """Lines of the new text (0-based, both included) that stand for others. ``entry``: the entry they are
    a part of, None when they are all of it. ``instead``: what the line says itself ("## Deploy (unchanged)")."""

    first: int
    last: int
    entry: Entry | None
    instead: str = ""


class Filled(NamedTuple):
    """The whole text. ``stood_for``: entries that came back in the place of a stand-in; ``beside``: others."""

    data: bytes
    stood_for: int
    beside: int


def holes(old: bytes, old_table: EntryTable, now: bytes, now_table: EntryTable) -> tuple[Hole, ...]:
    """The stand-ins that the new text has and the old one had not, in order."""
    young = [entry for entry in now_table.entries if entry.fingerprint not in old_table.places]
    young = [entry for entry in young if entry.kind is not Kind.FRONT_MATTER]
    if not young:
        return ()
    lines = decode(now).text.split("\n")
    known: set[str] | None = None
    found: list[Hole] = []
    for entry in young:
        first, last = entry.line - 1, min(entry.last_line, len(lines)) - 1
        if elides(entry.text, entry.words):
            found.append(Hole(first, last, None))
            continue
        if first == last and (own := _own_part(lines[first], entry.kind, old_table)):
            found.append(Hole(first, last, None, own))
            continue
        for number in range(first, last + 1) if last > first else ():
            if _stands_in(lines[number], entry.kind):
                known = known if known is not None else {normalise(line) for line in decode(old).text.split("\n")}
                if normalise(lines[number]) not in known:
                    found.append(Hole(number, number, entry))
    return tuple(found)


def _own_part(line: str, kind: Kind, before: EntryTable) -> str:
    """The line without the stand-in at its end, when it is an old entry then; "" otherwise."""
    if kind not in (Kind.HEADING, Kind.ITEM, Kind.PARAGRAPH) or not _MAY_END_SO.search(line):
        return ""
    tail = _TAIL.search(line)
    if (
        tail is None
        or not tail.start()
        or not is_elision(tail[0])
        or (kind is not Kind.HEADING and not has_words(tail[0]))
    ):
        return ""
    own = line[: tail.start()].rstrip(" \t,:;—–-")
    text = normalise(_MARKER.sub("", own))
    return own if any(entry.text == text and entry.kind is kind for entry in before.entries) else ""


def _stands_in(line: str, kind: Kind) -> bool:
    """Dots alone are a statement of some languages, and a line of a drawing."""
    return has_words(line) if kind in (Kind.CODE, Kind.HTML) else is_elision(line)


def fill_in(
    old: bytes,
    now: bytes,
    found: Sequence[Hole],
    away: Collection[bytes] = (),
    key: bytes = b"",
    limits: Thresholds | None = None,
    table_of: TableSource = entry_table,
) -> Filled:
    """``now`` without its stand-ins and with what is lost of ``old``. ``away``: fingerprints (by ``key``) of
    entries that stand in another file now."""
    text = text_of(now)
    holed, seen = _lines_filled(text.lines, old, found, key)
    eol = end_of_line(text.lines)
    instead = {hole.first: hole.instead for hole in found if hole.instead}
    parted = [part for number, line in enumerate(holed) for part in _parted(line, instead.get(number), eol)]
    lines, anchors = _without(parted, eol)
    whole = text.bom + encode("".join(lines), text.encoding)
    before, after = table_of(old, key), table_of(whole, key)
    change = compare(before, after, (), limits)
    lost = [span for span in change.lost if span.fingerprint not in away]
    if is_large(old, whole):
        return Filled(merge_missing(old, whole, lost), seen + len(lost), 0)
    mine, other = page(whole, after), page(old, before)
    stands = sorted({_chunk_at(mine, line) for line in anchors})
    hidden = behind_stand_ins(change, mine, other, stands)
    renamed = {place.old.line: place.line for place in change.reworded if place.old.line not in hidden}
    lost += [place.old for place in change.reworded if place.old.line in hidden]
    lost.sort(key=lambda span: span.line)
    places, stood_for = _places(mine, other, stands, renamed, {span.line for span in lost})
    data = back_at(mine, other, lost, places)
    return Filled(whole if data is None else data, seen + stood_for, len(lost) - stood_for)


def _parted(line: str | None, instead: str | None, eol: str) -> tuple[str | None, ...]:
    return (line,) if instead is None else (instead + eol, line)


# --------------------------------------------------------------------------- inside one entry


def _lines_filled(lines: list[str], old: bytes, found: Sequence[Hole], key: bytes) -> tuple[list[str | None], int]:
    """The lines with a None for each stand-in that is still to be filled, and how many old entries had
    their missing lines put back between those that were kept ("def f():", "# ... rest ...", "return x")."""
    result: list[str | None] = list(lines)
    inside: dict[int, list[Hole]] = {}
    for hole in found:
        result[hole.first : hole.last + 1] = [None] + [""] * (hole.last - hole.first)
        if hole.entry is not None:
            inside.setdefault(hole.entry.line, []).append(hole)
    if not inside:
        return result, 0
    before = text_of(old).lines
    standing = entry_table("".join(lines).encode("utf-8", "surrogatepass"), key).places
    candidates = [
        entry
        for entry in entry_table(old, key).entries
        if entry.last_line > entry.line and entry.fingerprint not in standing
    ]
    filled = 0
    for group in inside.values():
        entry = group[0].entry
        assert entry is not None
        rows = [line.strip() for line in lines[entry.line - 1 : entry.last_line]]
        partner = _partner(rows, candidates, before)
        if partner is None:
            continue
        candidates.remove(partner)
        filled += _fill_entry(result, rows, entry, group, before[partner.line - 1 : partner.last_line])
    return result, filled


def _partner(rows: Sequence[str], candidates: Sequence[Entry], before: Sequence[str]) -> Entry | None:
    """The old entry that shares most lines with this one."""
    mine = {row for row in rows if row.strip("`~ ")}
    best, most = None, 0
    for entry in candidates:
        if entry.last_line - entry.line > _LINES_COMPARED:
            continue
        shared = len(mine & {line.strip() for line in before[entry.line - 1 : entry.last_line]})
        if shared > most:
            best, most = entry, shared
    return best


def _fill_entry(
    result: list[str | None], rows: Sequence[str], entry: Entry, group: Sequence[Hole], old_lines: Sequence[str]
) -> int:
    old_rows = [line.strip() for line in old_lines]
    same = PatienceSequenceMatcher(None, old_rows, list(rows)).get_matching_blocks()
    blocks = [(start, to, length) for start, to, length in same]
    filled = 0
    for hole in group:
        at = hole.first - (entry.line - 1)
        start = max((i + n for i, j, n in blocks if n and j + n <= at), default=0)
        end = min((i for i, j, n in blocks if n and j > at), default=len(old_rows))
        for row in rows[max((j + n for i, j, n in blocks if n and j + n <= at), default=0) : at]:
            start += start < end and _is_alike(old_rows[start], row)  # it became that line
        if start < end:
            eol = end_of_line([line for line in result if line])
            result[hole.first] = "".join(line.rstrip("\r\n") + eol for line in old_lines[start:end])
            filled = 1
        blocks = [(i, j, n) for i, j, n in blocks if j > at]  # the next stand-in has what is after it
        blocks.insert(0, (start, at, max(0, end - start)))
    return filled


def _is_alike(one: str, two: str) -> bool:
    return len(one) + len(two) <= _LONGEST_ALIKE and SequenceMatcher(None, one, two).ratio() >= _ALIKE


# --------------------------------------------------------------------------- between entries


def _without(lines: Sequence[str | None], eol: str) -> tuple[list[str], list[int]]:
    """The lines without the stand-ins, and where each of those was: the number of lines before it."""
    kept: list[str] = []
    anchors: list[int] = []
    skip_blank = False
    for number, line in enumerate(lines):
        if line is not None:
            if not line or (skip_blank and not line.strip()):
                skip_blank = skip_blank and not line
                continue
            skip_blank = False
            kept.append(line)
            continue
        following = next((text for text in lines[number + 1 :] if text), None)
        if following is None:
            while kept and not kept[-1].strip():
                kept.pop()
        anchors.append(len(kept))
        is_open = bool(kept) and bool(kept[-1].strip())
        if following is not None and following.strip() and is_open and not _BLOCK.match(following):
            kept.append(eol)  # or the lines around it would be one paragraph
        skip_blank = not is_open
    return kept, anchors


def _places(
    mine: Page, other: Page, stands: Sequence[int], renamed: dict[int, int], lost: Collection[int]
) -> tuple[list[int], int]:
    """For each chunk of the old page where it goes, and how many lost entries go to a stand-in."""
    places: list[int] = []
    in_place = 0
    stretches = list(gaps(mine, other, renamed))
    for at, (first, last, low, high) in enumerate(stretches):
        if at:
            places.append(STANDS)
        index = bisect_left(stands, low)
        place = stands[index] if index < len(stands) and stands[index] <= high else None
        if place is None:
            places += [low] * (last - first)
            continue
        entries = [chunk.entry for chunk in other.chunks[first:last]]
        in_place += sum(1 for entry in entries if entry is not None and entry.line in lost)
        direct = low if last > first and entries[0] is not None and _only_layout(mine, low, place) else place
        places += [direct] * (last - first)
    return places, in_place


def _only_layout(of: Page, first: int, end: int) -> bool:
    return all(chunk.entry is None for chunk in of.chunks[first:end])


def _chunk_at(of: Page, line: int) -> int:
    """The number of chunks before that line."""
    at = 0
    for index, chunk in enumerate(of.chunks):
        if at >= line:
            return index
        at += chunk.key.count("\n")
    return len(of.chunks)
