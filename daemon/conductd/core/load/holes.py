"""What of a file does not reach the model, by heading and line.

Pure; called by the faces with what a loader said (`core.load.loaded`).
"""

from __future__ import annotations

from collections.abc import Iterator

from conductd.core.load.counting import measure
from conductd.core.load.loaded import LoadedFile, Unit, Why
from conductd.core.load.outline import Outline, outline_of
from conductd.model import Frozen


class LostSection(Frozen, frozen=True):
    """The part of a section that lies in a hole. ``is_whole``: nothing of the section is loaded."""

    heading: str
    first: int
    last: int
    is_whole: bool
    is_pinned: bool


class Hole(Frozen, frozen=True):
    """Lines ``first`` to ``last`` are not loaded, or not wholly. ``size``, and ``start`` to ``end`` of the text, are
    in the loader's unit. ``quoted``: how many of these lines the loader quotes elsewhere."""

    first: int
    last: int
    size: int
    sections: tuple[LostSection, ...]
    quoted: int = 0
    start: int = 0
    end: int = 0


def holes(file: LoadedFile, unit: Unit) -> tuple[Hole, ...]:
    """In the order of the file; none for a file that is loaded whole, or that has no text."""
    if not file.source.strip() or (not file.truncated and file.why is Why.LOADED):
        return ()
    lost = [(start, end) for start, end in _lost(file) if file.source[start:end].strip()]
    if not lost:
        return ()
    outline = outline_of(file.source, file.pinned)
    return tuple(_hole(outline, file, start, end, unit) for start, end in lost)


def _lost(file: LoadedFile) -> Iterator[tuple[int, int]]:
    at = 0
    for start, end in sorted(file.kept + file.never):
        if start > at:
            yield at, start
        at = max(at, end)
    if at < len(file.source):
        yield at, len(file.source)


def _hole(outline: Outline, file: LoadedFile, start: int, end: int, unit: Unit) -> Hole:
    counted = file.counted
    begin = measure(counted[:start], unit)
    stop = begin + measure(counted[start:end], unit)
    start, end = _tight(outline.text, start, end)
    first, last = outline.line_of(start), outline.line_of(end - 1)
    quoted = sum(first <= line + 1 <= last for line in file.quoted)
    return Hole(
        first, last, measure(counted[start:end], unit), tuple(_sections(outline, start, end)), quoted, begin, stop
    )


def _tight(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the white space at both ends: a cut at the end of a line takes nothing of that line."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def _sections(outline: Outline, start: int, end: int) -> Iterator[LostSection]:
    for each in outline.sections:
        low, high = max(start, each.start), min(end, each.end)
        if low >= high or not outline.text[low:high].strip():
            continue
        low, high = _tight(outline.text, low, high)
        body = outline.text[each.start : each.end].rstrip()
        yield LostSection(
            each.heading,
            outline.line_of(low),
            outline.line_of(high - 1),
            is_whole=low <= each.start and high >= each.start + len(body),
            is_pinned=outline.is_pinned(low, high),
        )
