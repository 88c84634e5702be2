"""What is not quoted: secrets, and what looks like an order to whoever reads the card. Pure; `Conceal` is handed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from conductd.core.bootcard.quoting import content
from conductd.core.bootcard.source import Line, Source
from conductd.core.reading.blocks import Kind
from conductd.core.suspect import suspicions
from conductd.model import Role

Conceal = Callable[[str], Sequence[tuple[int, int]]]
"""Where in a text secrets stand, as (start, end) in characters, in order, none inside another."""

MASK = "[secret]"
_CHUNK = 4_000  # characters looked through at once; a secret may span lines
_AROUND = 1_000  # of the chunk before, looked through again


class Veiled:
    """The lines of sources without their secrets; each source is looked through once, when it is asked for."""

    def __init__(self, conceal: Conceal) -> None:
        self._conceal = conceal
        self._known: dict[bytes, dict[int, str]] = {}

    def line(self, source: Source, number: int) -> tuple[str, bool]:
        """The line, and whether something was taken out of it."""
        if source.path not in self._known:
            self._known[source.path] = dict(_masked(source.raw_lines, self._conceal))
        found = self._known[source.path].get(number)
        return (source.raw_lines[number - 1], False) if found is None else (found, True)


def _masked(lines: list[str], conceal: Conceal) -> Iterator[tuple[int, str]]:
    """Numbers of lines that hold a secret, each with the line as it may be shown."""
    spans: dict[int, list[tuple[int, int]]] = {}
    first = 0
    while first < len(lines):
        last, size = first, 0
        while last < len(lines) and (size < _CHUNK or last == first):
            size += len(lines[last]) + 1
            last += 1
        starts, place = [], 0
        for line in lines[first:last]:
            starts.append(place)
            place += len(line) + 1
        for start, end in conceal("\n".join(lines[first:last])):
            for at, begin in enumerate(starts):
                one, other = max(start - begin, 0), min(end - begin, len(lines[first + at]))
                if one < other:
                    spans.setdefault(first + at, []).append((one, other))
        if last >= len(lines):
            break
        first = max(first + 1, _back(lines, last))
    for number, found in spans.items():
        yield number + 1, _without(lines[number], found)


def _back(lines: list[str], last: int) -> int:
    """A few lines before the end of a chunk, where the next begins: a secret across the border is seen whole."""
    size = 0
    while last > 0 and size < _AROUND:
        last -= 1
        size += len(lines[last]) + 1
    return last


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
