"""A text saved in a code page that has not all of its letters: "Dvořák" became "Dvorák", "Łukasz" "Lukasz".

Owns which lines stand there with other letters, and the text with the right ones. Nobody who writes so means it, but
little is lost: it is offered. Pure; called by `core.losses.encoding_damage`.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from itertools import islice
from typing import NamedTuple

from conductd.core.losses.mojibake import from_legacy

_READINGS = 64  # encodings that are tried
_EXPLAINED = 0.85  # of the lines: else it is another text
_LONGEST = 4 * 1024 * 1024  # characters
_FIT = str.maketrans(
    {
        **dict(zip("łŁđĐøØħĦŧŦıŋŊ", "lLdDoOhHtTinN", strict=True)),
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("‘’‚‹›", "'"),
        **dict.fromkeys("–—−‑", "-"),
        "…": "...",
    }
)


class Refitted(NamedTuple):
    """``lines``: of the old text (from 0), those that stand there with other letters; ``text``: the new one with
    theirs; ``explained``: the share of the old lines that are there like this, or as they were."""

    lines: tuple[int, ...]
    text: str
    explained: float


def refitted(old: str, now: bytes) -> Refitted | None:
    """None: no letter became another, as far as is known."""
    if len(old) > _LONGEST or len(now) > _LONGEST or old.isascii():
        return None
    before = old.split("\n")
    known = set(old.split())
    readings = list(islice(from_legacy(now), _READINGS))
    if not readings:
        return None
    # The one in which most words stand as they were; the first of equals: strict encodings come first.
    read = max(readings, key=lambda text: len(known.intersection(text.split())))
    best = _paired(before, read.replace("\r\n", "\n").split("\n"))
    return best if best.lines and best.explained >= _EXPLAINED else None


def _paired(before: list[str], after: list[str]) -> Refitted:
    there = set(after)
    had = set(before)
    missing: dict[str, list[int]] = {}
    for number, line in enumerate(before):
        if line not in there:
            missing.setdefault(_fitted(line), []).append(number)
    lines, result = [], []
    for line in after:
        places = missing.get(_fitted(line)) if line not in had else None
        if places and _foreign(before[places[0]]) > _foreign(line):
            lines.append(places[0])
            result.append(before[places.pop(0)])
        else:
            result.append(line)
    kept = (Counter(filter(None, before)) & Counter(filter(None, after))).total()
    explained = (kept + len(lines)) / max(1, sum(map(bool, before)))
    return Refitted(tuple(lines), "\n".join(result), explained)


def _fitted(line: str) -> str:
    """As the nearest letters without marks would have it."""
    parts = unicodedata.normalize("NFKD", line.translate(_FIT).strip())
    return "".join(c for c in parts if not unicodedata.combining(c))


def _foreign(line: str) -> int:
    return sum(c.isalpha() and not c.isascii() for c in unicodedata.normalize("NFC", line))
