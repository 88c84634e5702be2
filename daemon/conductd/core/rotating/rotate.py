"""`rotate`: which sections of a file move to another one so that agents load what is left, and both texts afterwards.

Pure. Whole sections move, byte for byte, in the order of the file; a pointer stands where each was. The order in which
they are taken is that of `core.load.fixes`: those with a date first, the oldest before the younger, then those without,
the largest first. What is pinned, what stands before the first heading, and a first heading without a date never move.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from conductd.core.load.counting import measure
from conductd.core.load.loaded import Unit
from conductd.core.load.outline import Outline, Section, newest_date
from conductd.core.reading.blocks import Kind, scan
from conductd.core.reading.entries import entry_table
from conductd.core.reading.text import Encoding, decode
from conductd.core.rotating.pointer import is_own_pointer, is_pointer, marker_of, pointer
from conductd.model import Frozen

UNTIL_PERCENT = 80  # how full a file is afterwards, at most: room for the notes of some days
LEAST_PERCENT = 50  # how full it stays, once it fits

_BOM = "\ufeff"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_LONE_CR = re.compile(r"\r(?!\n)")


class Allowed(Frozen, frozen=True):
    """What one agent loads of the file: at most ``limit``, where it counts ``size`` now. ``unit`` None: lines."""

    agent: str
    unit: Unit | None
    limit: int
    size: int


class Topic(Frozen, frozen=True):
    """Where it goes. ``link``: the path from the directory of the file; ``data``: what stands there; None: nothing."""

    link: str
    data: bytes | None = None


class Moved(Frozen, frozen=True):
    """Lines ``first`` to ``last`` (1-based) of the file as it was. ``size`` is in characters; ``date``: ISO, or ""."""

    heading: str
    first: int
    last: int
    size: int
    date: str


class Why(StrEnum):
    """Why nothing moves."""

    NONE = ""
    FITS = "it fits"
    NO_TEXT = "it is no UTF-8 text"
    LINE_ENDS = "its lines end in single carriage returns"
    NO_SECTIONS = "it has no sections that could move: no two headings of one level"
    PINNED = "what could move is pinned"
    NO_GAIN = "no section is larger than the line that would stand in its place"
    TOTAL = "the files that are loaded with it take the room"
    UNSURE = "the entries could not all be found again afterwards"


class Rotation(Frozen, frozen=True):
    """``why``: nothing moves, and ``source`` is as it was. ``after``: what each of the agents counts then, at most;
    ``wanted``: what it should be; ``most``: what is still enough."""

    why: Why
    source: bytes
    topic: bytes = b""
    moved: tuple[Moved, ...] = ()
    after: tuple[int, ...] = ()
    wanted: tuple[int, ...] = ()
    most: tuple[int, ...] = ()

    @property
    def is_enough(self) -> bool:
        return all(one <= most for one, most in zip(self.after, self.most, strict=True))


class _Candidate(NamedTuple):
    section: Section
    end: int  # of its text, without the blank lines and pointers that follow it
    day: date | None


class Aim(Frozen, frozen=True):
    """How full a file may be, in percent of its limit. ``only_over``: what is under its limit is not touched, and
    once it is, nothing goes that would leave it less than half full. Else whatever is fuller is made so."""

    percent: int = UNTIL_PERCENT
    only_over: bool = True

    def wanted(self, allowed: Sequence[Allowed]) -> tuple[int, ...]:
        return tuple(each.limit * self.percent // 100 for each in allowed)

    def most(self, allowed: Sequence[Allowed]) -> tuple[int, ...]:
        return tuple(each.limit for each in allowed) if self.only_over else self.wanted(allowed)

    def least(self, allowed: Sequence[Allowed]) -> tuple[int, ...]:
        return tuple(each.limit * LEAST_PERCENT // 100 if self.only_over else 0 for each in allowed)


def rotate(
    name: str,
    data: bytes,
    allowed: Sequence[Allowed],
    topic: Topic,
    pinned: tuple[int, ...] = (),
    aim: Aim = Aim(),  # noqa: B008 - a frozen value
) -> Rotation:
    """``name``: of the file, for the first line of a new topic. ``pinned``: lines with entries that are."""
    fitting = fits(data, allowed, aim)
    if fitting is not None:
        return fitting

    def nothing(why: Why) -> Rotation:
        now = tuple(each.size for each in allowed)
        return Rotation(why, data, after=now, wanted=aim.wanted(allowed), most=aim.most(allowed))

    if decode(data).encoding not in (Encoding.UTF_8, Encoding.UTF_8_BOM):
        return nothing(Why.NO_TEXT)
    whole = data.decode("utf-8", "surrogateescape")
    text = whole.removeprefix(_BOM)
    if _LONE_CR.search(text):
        return nothing(Why.LINE_ENDS)
    outline = Outline(text, pinned)
    if not outline.levels():
        return nothing(Why.NO_SECTIONS)
    marker = marker_of(text)
    chosen, why = _chosen(outline, allowed, aim, topic.link, marker)
    if not chosen:
        return nothing(why)
    source = _rest(text, chosen, topic.link, marker)
    moved_text = _topic(name, outline, chosen, topic)
    bom = _BOM if whole != text else ""
    done = Rotation(
        Why.NONE,
        (bom + source).encode("utf-8", "surrogateescape"),
        moved_text,
        tuple(_moved(outline, each) for each in chosen),
        tuple(size_in(source, each.unit) for each in allowed),
        aim.wanted(allowed),
        aim.most(allowed),
    )
    return done if _is_conserved(data, done, topic) else nothing(Why.UNSURE)


def fits(data: bytes, allowed: Sequence[Allowed], aim: Aim) -> Rotation | None:
    """That nothing has to move; None where something does."""
    now, most = tuple(each.size for each in allowed), aim.most(allowed)
    if not _fits(now, most):
        return None
    return Rotation(Why.FITS, data, after=now, wanted=aim.wanted(allowed), most=most)


def size_in(text: str, unit: Unit | None) -> int:
    """In what an agent counts, nothing left out; unit None: lines."""
    return text.count("\n") + (not text.endswith("\n") and text != "") if unit is None else measure(text, unit)


# --------------------------------------------------------------------------- which sections


def _chosen(
    outline: Outline, allowed: Sequence[Allowed], aim: Aim, link: str, marker: str
) -> tuple[list[_Candidate], Why]:
    """In the order of the file. From the highest level on that is fine enough; a finer one where that is not enough."""
    best: list[_Candidate] = []
    least: int | None = None
    why = Why.PINNED
    movable = outline.movable()
    for level in [each for each in outline.levels() if movable and each >= movable[0].level]:
        candidates = list(_candidates(outline, level, link))
        chosen, left = _enough(outline, candidates, allowed, aim, link, marker)
        if candidates and not chosen:
            why = Why.NO_GAIN
        if chosen and (least is None or left < least):
            best, least = chosen, left
        if chosen and left <= 0:
            break
    return sorted(best, key=lambda each: each.section.start), why


def _candidates(outline: Outline, level: int, link: str) -> Iterator[_Candidate]:
    first = next((each.start for each in outline.sections if each.level), 0)
    for section in outline.at(level):
        if outline.is_pinned(section.start, section.end):
            continue
        if section.start == first and newest_date(section.heading, "") is None:
            continue  # the title of the file
        end = _end_of(outline.text, section)
        if any(is_own_pointer(line, link) for line in _LINE.findall(outline.text[section.start : end])):
            continue  # a part of it went already: the line that says where stays where it is
        yield _Candidate(section, end, newest_date(section.heading, outline.text[section.start : end]))


def _end_of(text: str, section: Section) -> int:
    """Blank lines and pointers after a section are the file's."""
    end = section.end
    while end > section.start:
        line = text.rfind("\n", section.start, end - 1) + 1 or section.start
        if text[line:end].strip() and not is_pointer(text[line:end]):
            break
        end = line
    return end


def _enough(
    outline: Outline,
    candidates: list[_Candidate],
    allowed: Sequence[Allowed],
    aim: Aim,
    link: str,
    marker: str,
) -> tuple[list[_Candidate], int]:
    """The first of them that are enough, and by how much the fullest is over still."""
    text = outline.text
    sizes = [size_in(text, each.unit) for each in allowed]
    chosen: list[_Candidate] = []
    ordered = sorted(
        candidates,
        key=lambda each: (each.day is None, each.day or date.max, each.section.start - each.end if not each.day else 0),
    )
    for each in ordered:
        over = [size > limit for size, limit in zip(sizes, aim.wanted(allowed), strict=True)]
        if not any(over):
            break
        body = text[each.section.start : each.end]
        line = pointer(each.section, link, marker) + "\n"
        gains = [size_in(body, a.unit) - size_in(line, a.unit) for a in allowed]
        left = [size - gain for size, gain in zip(sizes, gains, strict=True)]
        emptied = any(o and size < least for o, size, least in zip(over, left, aim.least(allowed), strict=True))
        if emptied and _fits(sizes, aim.most(allowed)):
            break
        if all(gain > 0 for gain, is_over in zip(gains, over, strict=True) if is_over):
            chosen.append(each)
            sizes = left
    return chosen, max((size - most for size, most in zip(sizes, aim.most(allowed), strict=True)), default=0)


def _fits(sizes: Sequence[int], most: Sequence[int]) -> bool:
    return all(size <= limit for size, limit in zip(sizes, most, strict=True))


def _moved(outline: Outline, each: _Candidate) -> Moved:
    section = each.section
    last = outline.line_of(max(section.start, each.end - 1))
    size = each.end - section.start
    return Moved(section.heading, section.first, last, size, each.day.isoformat() if each.day else "")


# --------------------------------------------------------------------------- both texts


def _rest(text: str, chosen: list[_Candidate], link: str, marker: str) -> str:
    parts: list[str] = []
    at = 0
    for each in chosen:
        body = text[each.section.start : each.end]
        after = text[each.end :]
        line_end = _line_end(body)
        parts += [text[at : each.section.start], pointer(each.section, link, marker), line_end]
        if after and line_end and not _begins_anew(after):
            parts.append(line_end)
        at = each.end
    return "".join([*parts, text[at:]])


def _begins_anew(after: str) -> bool:
    """Whether its first line cannot be taken for more of a list item before it."""
    line = after.partition("\n")[0]
    return not line.strip() or line.startswith("#") or is_pointer(line)


def _topic(name: str, outline: Outline, chosen: list[_Candidate], topic: Topic) -> bytes:
    """What stands there, then each section below the headings that it stood below, but for the title."""
    body_of = outline.text
    text = (topic.data or b"").decode("utf-8", "surrogateescape")
    line_end = "\r\n" if "\r\n" in (text or body_of) else "\n"
    if not text.removeprefix(_BOM).strip():
        text += f"# Moved from {''.join(each if each.isprintable() else ' ' for each in name)}{line_end}"
    elif not text.endswith("\n"):
        text += line_end
    pieces: list[str] = [text]
    above: tuple[str, ...] = ()
    for each in chosen:
        parents = tuple(_parents(outline, each.section))
        for piece in (*(parents if parents != above else ()), body_of[each.section.start : each.end]):
            if not pieces[-1].endswith(("\n\n", "\n\r\n")):
                pieces.append(line_end)
            pieces.append(piece)
        above = parents
    return "".join(pieces).encode("utf-8", "surrogateescape")


def _parents(outline: Outline, section: Section) -> Iterator[str]:
    """The lines of the headings above a section, the highest first, without the title of the file."""
    found: list[Section] = []
    for each in outline.sections:
        if each.start >= section.start:
            break
        if each.level:
            found = [known for known in found if known.level < each.level] + [each]
    for each in found:
        if 1 < each.level < section.level:
            yield _heading_lines(outline.text[each.start : each.end])


def _heading_lines(text: str) -> str:
    lines = _LINE.findall(text)
    heads = (block.last + 1 for block in scan([line.rstrip("\r\n") for line in lines]) if block.kind is Kind.HEADING)
    return "".join(lines[: next(heads, 1)])


def _line_end(body: str) -> str:
    """Of its last line; "" at the end of a file without one."""
    if body.endswith("\r\n"):
        return "\r\n"
    return "\n" if body.endswith("\n") else ""


def _is_conserved(data: bytes, done: Rotation, topic: Topic) -> bool:
    """Whether every entry stands in one of both, beside what stood in the topic before."""
    before = Counter(each.fingerprint for each in entry_table(data, b"").entries)
    before += Counter(each.fingerprint for each in entry_table(topic.data or b"", b"").entries)
    after = Counter(each.fingerprint for each in entry_table(done.source, b"").entries)
    after += Counter(each.fingerprint for each in entry_table(done.topic, b"").entries)
    return before <= after


def takes_sections(data: bytes) -> bool:
    """Whether a heading at the end of this text would be one: it is text, and nothing in it is left open."""
    if decode(data).encoding not in (Encoding.UTF_8, Encoding.UTF_8_BOM):
        return False
    lines = data.decode("utf-8", "surrogateescape").removeprefix(_BOM).split("\n")
    blocks = scan([*(line.rstrip("\r") for line in lines), "", "# end"])
    return bool(blocks) and blocks[-1].kind is Kind.HEADING and blocks[-1].text == "end"
