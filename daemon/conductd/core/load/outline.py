"""A file as sections by its headings, with what counts for what may leave it: size, date, pins.

Pure. Line numbers are 1-based and inclusive, places are characters. Called by `core.load.holes` and `core.load.fixes`.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from conductd.core.comparing.calendar_words import MONTHS
from conductd.core.reading.blocks import Kind, scan
from conductd.model import Frozen

_PIN = re.compile(r"<!--[ \t]*(/?)[ \t]*(pin|unpin)[ \t]*-->")
_NUMBERS = (
    (re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)"), (1, 2, 3)),
    (re.compile(r"(?<!\d)(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})"), (1, 2, 3)),
    (re.compile(r"(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)"), (3, 2, 1)),
)
_WORD = r"([^\W\d_]{3,12})\.?,?"
_WORDS = (
    (
        re.compile(rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|er|\.)?\s+(?:de\s+)?{_WORD}\s+(?:de\s+)?(\d{{4}})(?!\d)"),
        (3, 2, 1),
    ),
    (re.compile(rf"{_WORD}\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})(?!\d)"), (3, 1, 2)),
)
_MONTH_ALONE = re.compile(r"(?<!\d)(\d{4})-(\d{2})(?![-\d])")


class Section(Frozen, frozen=True):
    """From a heading to the next. ``heading`` "" and ``level`` 0: what stands before the first."""

    heading: str
    level: int
    first: int
    last: int
    start: int
    end: int


class Outline:
    """The lines and sections of one text. Never changes after it was made."""

    def __init__(self, text: str, pinned: tuple[int, ...] = ()) -> None:
        """``pinned``: lines that are, beside those that the text marks."""
        self.text = text
        lines = text.split("\n")
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self.count = len(lines) if lines[-1] or len(lines) == 1 else len(lines) - 1
        # A heading within a list item or a quotation is part of that: no section begins there.
        heads = [
            block
            for block in scan([line.rstrip("\r") for line in lines])
            if block.kind is Kind.HEADING and not lines[block.first].startswith((" ", "\t", ">", "- ", "+ ", "* "))
        ]
        self.sections = tuple(self._sections([(b.first, b.level, b.text) for b in heads]))
        lines_of = [(self._starts[n - 1], self._starts[n]) for n in pinned if 0 < n < len(self._starts)]
        self._pinned = (*self._regions([self._starts[b.first] for b in heads]), *lines_of)

    def line_of(self, place: int) -> int:
        """The line that the character is in."""
        return min(bisect.bisect_right(self._starts, place), self.count)

    def start_of(self, line: int) -> int:
        return self._starts[line - 1]

    def is_pinned(self, start: int, end: int) -> bool:
        """Whether any of it stands between pin marks, or has one."""
        return any(first < end and start < last for first, last in self._pinned)

    def movable(self) -> list[Section]:
        """The sections that may leave as a whole, each with all that is below it: those of the highest level at which
        none is more than a third of the file, else of the lowest. What stands above or before them is the file's."""
        found: list[Section] = []
        for level in self.levels():
            found = self.at(level)
            if 3 * max(each.end - each.start for each in found) <= len(self.text):
                break
        return found

    def levels(self) -> list[int]:
        """Those with more than one section, the highest first."""
        levels = [each.level for each in self.sections if each.level]
        return sorted({each for each in levels if levels.count(each) > 1})

    def at(self, level: int) -> list[Section]:
        """The sections of one level, each with all that is below it."""
        found: list[Section] = []
        for each in self.sections:
            if each.level and each.level <= level:
                found.append(each)
            elif found:
                head = found[-1]
                found[-1] = Section(head.heading, head.level, head.first, each.last, head.start, each.end)
        return [each for each in found if each.level == level]

    def _sections(self, heads: list[tuple[int, int, str]]) -> Iterator[Section]:
        if not heads or heads[0][0] > 0:
            yield self._section("", 0, 0, heads[0][0] if heads else self.count)
        for number, (line, level, heading) in enumerate(heads):
            end = heads[number + 1][0] if number + 1 < len(heads) else self.count
            yield self._section(" ".join(heading.split()), level, line, end)

    def _section(self, heading: str, level: int, line: int, end: int) -> Section:
        return Section(
            heading, level, line + 1, max(end, line + 1), self._starts[line], min(self._starts[end], len(self.text))
        )

    def _regions(self, heads: list[int]) -> Iterator[tuple[int, int]]:
        marks = [(found.start(), found.end(), not found[1] and found[2] == "pin") for found in _PIN.finditer(self.text)]
        for number, (start, end, opens) in enumerate(marks):
            if not opens:
                continue
            if number + 1 < len(marks) and not marks[number + 1][2]:
                yield start, marks[number + 1][1]
            else:
                yield start, next((head for head in heads if head > end), len(self.text))


@lru_cache(maxsize=32)
def outline_of(text: str, pinned: tuple[int, ...] = ()) -> Outline:
    """Holes and fixes of one load ask for the same files again: a scan of a file takes milliseconds."""
    return Outline(text, pinned)


def newest_date(heading: str, text: str) -> date | None:
    """The newest date that the heading names, else that the text does."""
    return max(_dates(heading), default=None) or max(_dates(text), default=None)


def _dates(text: str) -> Iterator[date]:
    for pattern, (year, month, day) in _NUMBERS:
        for found in pattern.finditer(text):
            yield from _date(int(found[year]), int(found[month]), int(found[day]))
    for pattern, (year, month, day) in _WORDS:
        for found in pattern.finditer(text):
            number = MONTHS.get(found[month].lower())
            if number:
                yield from _date(int(found[year]), number, int(found[day]))
    for found in _MONTH_ALONE.finditer(text):
        yield from _date(int(found[1]), int(found[2]), 1)


def _date(year: int, month: int, day: int) -> Iterator[date]:
    try:
        if 1970 <= year <= 2200:
            yield date(year, month, day)
    except ValueError:
        return
