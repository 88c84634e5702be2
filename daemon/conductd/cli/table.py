"""Aligned columns that know how much room a terminal has.

Pure but for colour and the terminal's width (which ask the terminal). Never prints.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from conductd.cli.output import columns, paint


def width(text: str) -> int:
    """Columns on a terminal: wide characters take two, marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def table(
    rows: Sequence[Sequence[str]],
    head: Sequence[str],
    colours: Sequence[str | None] = (),
    spare: Sequence[str] = (),
) -> list[str]:
    """Aligned columns, two spaces apart; the last is not padded. `colours` paints whole rows.

    On a terminal too narrow for all of it the columns named in `spare` are left out, the first first.
    """
    every, room = [list(head), *map(list, rows)], columns()
    for name in spare:
        if room is None or max(map(width, _aligned(every))) <= room:
            break
        at = every[0].index(name)
        every = [[*row[:at], *row[at + 1 :]] for row in every]
    lines = _aligned(every)
    painted = [paint(line, colour) if colour else line for line, colour in zip(lines[1:], colours, strict=False)]
    return [paint(lines[0], "dim"), *painted, *lines[1 + len(painted) :]]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]

    def line(row: Sequence[str]) -> str:
        padded = [cell + " " * (space - width(cell)) for cell, space in zip(row[:-1], widths, strict=False)]
        return "  ".join([*padded, row[-1]]).rstrip()

    return [line(row) for row in rows]
