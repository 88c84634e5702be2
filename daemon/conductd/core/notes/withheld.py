"""What is not quoted: secrets, and what looks like an order to whoever reads the card. Pure; `Conceal` is handed in."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence

from conductd.core.notes.quoting import content
from conductd.core.notes.source import Line, Source
from conductd.core.reading.blocks import Kind
from conductd.core.suspect import suspicions
from conductd.model import Role

Conceal = Callable[[str], Sequence[tuple[int, int]]]
"""Where in a text, however long, secrets stand, as (start, end) in characters."""

MASK = "[secret]"
_CHUNK = 2_000  # characters looked through at once,
_AROUND = 1_500  # with so many before and after them: a secret may span lines


class Veiled:
    """The lines of sources without their secrets. A place of a source is looked through once, when it is asked for."""

    def __init__(self, conceal: Conceal) -> None:
        self._conceal = conceal
        self._chunks: dict[bytes, list[int]] = {}
        self._known: dict[tuple[bytes, int], dict[int, str]] = {}

    def line(self, source: Source, number: int) -> tuple[str, bool]:
        """The line, and whether something was taken out of it."""
        if source.path not in self._chunks:
            self._chunks[source.path] = _firsts(source.raw_lines)
        firsts = self._chunks[source.path]
        chunk = bisect.bisect_right(firsts, number - 1) - 1
        key = source.path, chunk
        if key not in self._known:
            last = firsts[chunk + 1] if chunk + 1 < len(firsts) else len(source.raw_lines)
            self._known[key] = _masked(source.raw_lines, firsts[chunk], last, self._conceal)
        found = self._known[key].get(number - 1)
        return (source.raw_lines[number - 1], False) if found is None else (found, True)


def _firsts(lines: list[str]) -> list[int]:
    """The first lines of the chunks."""
    firsts, size = [0], 0
    for number, line in enumerate(lines):
        if size >= _CHUNK:
            firsts.append(number)
            size = 0
        size += len(line) + 1
    return firsts


def _masked(lines: list[str], first: int, last: int, conceal: Conceal) -> dict[int, str]:
    """Of the lines from ``first`` to before ``last`` those that hold a secret, as they may be shown."""
    begin = _away(lines, first, -1)
    end = _away(lines, last - 1, 1) + 1
    part = lines[begin:end]
    spans: dict[int, list[tuple[int, int]]] = {}
    found = conceal("\n".join(part))
    place = 0
    for number, line in enumerate(part, begin):
        inside = [
            (max(a - place, 0), min(b - place, len(line))) for a, b in found if a < place + len(line) and b > place
        ]
        if inside and first <= number < last:
            spans[number] = inside
        place += len(line) + 1
    return {number: _without(lines[number], of_line) for number, of_line in spans.items()}


def _away(lines: list[str], number: int, step: int) -> int:
    """The line some characters away, before (-1) or after (1)."""
    size = 0
    while 0 <= number + step < len(lines) and size < _AROUND:
        number += step
        size += len(lines[number]) + 1
    return number


def _without(line: str, spans: list[tuple[int, int]]) -> str:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    for start, end in reversed(merged):
        line = line[:start] + MASK + line[end:]
    return line


def is_order(line: Line) -> bool:
    """It looks like an instruction from outside, or has text that nobody sees."""
    text = content(line.text)
    quoted = line.text.lstrip().startswith(">")
    return bool(suspicions(text, Kind.PARAGRAPH, Role.TOPIC, by_person=False, quoted=quoted))
