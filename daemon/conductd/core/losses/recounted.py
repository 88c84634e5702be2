"""Short lines of which only the numbers changed: "5 jobs are open" that became "4 jobs are open".

Of a line of three words one number is too much for words to tell that it is the same. Pure; called by
`core.judging.judge` and `core.losses.bookkeeping`.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from conductd.core.comparing.wording import core_words
from conductd.core.judging.finding import Evidence
from conductd.core.losses.fields import field_of
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, once
from conductd.core.reading.text import ids

_LONGEST = 12  # words; of a longer line words tell
_NUMERALS = dict(zip("零〇一二三四五六七八九十两", map(str, (0, 0, *range(1, 11), 2)), strict=True))
_ONE = frozenset(
    "one ein eine eins einer un une uno una um uma een één один одна واحد واحدة".split()  # noqa: SIM905 - a list of words
)
_NAME = re.compile(r"[^\W\d_][-_#.]?\d|#\d")  # "INC-17": a number that names
_NUMBER = re.compile(r"\0?#?(\d+)")


class Numbered(NamedTuple):
    """``rest``: what a line says without its numbers; ``values``: these, in their order."""

    rest: tuple[str, ...]
    values: tuple[str, ...]


@once
def numbered(entry: Entry) -> Numbered:
    rest: list[str] = []
    values: list[str] = []
    for word in core_words(tuple("1" if word in _ONE else word for word in entry.words)):
        number = _NUMERALS.get(word) or ((found := _NUMBER.match(word)) and word[found.start(1) :])
        (values if number else rest).append(number or word)
    return Numbered(tuple(rest), tuple(values))


def recounted(e: Evidence) -> frozenset[int]:
    """First lines of lost entries that came with other numbers, each the only one that says this much, before and
    after. Of fields with a label `core.losses.fields` says it."""
    gone, came = {span.line for span in e.change.lost}, {span.line for span in e.change.added}
    short = [entry for entry in e.baseline.table.entries if entry.line in gone and _may_be(entry)] if came else []
    news = [entry for entry in e.last.table.entries if entry.line in came and _may_be(entry)] if short else []
    if not news:
        return frozenset()
    by_said = {_said(entry): entry for entry in news}
    many = Counter(map(_said, news)) | Counter(map(_said, short))
    kept = (entry for entry in e.last.table.entries if entry.line not in came and entry.weight <= _LONGEST)
    also = set(map(_said, kept)) if by_said.keys() & many.keys() else set()
    return frozenset(
        entry.line
        for entry in short
        if (said := _said(entry)) in by_said
        and many[said] == 1
        and said not in also
        and not _apart(entry, by_said[said])
    )


def _may_be(entry: Entry) -> bool:
    if not 1 < entry.weight <= _LONGEST or entry.kind in (Kind.HEADING, Kind.CODE) or _NAME.search(entry.text):
        return False
    found = numbered(entry)
    return bool(found.rest) and bool(found.values) and field_of(entry) is None


def _said(entry: Entry) -> tuple[Kind, tuple[str, ...]]:
    return entry.kind, numbered(entry).rest


def _apart(one: Entry, two: Entry) -> bool:
    """Lines with ids of their own are two."""
    mine, other = ids(one.text), ids(two.text)
    return bool(mine or other) and mine != other
