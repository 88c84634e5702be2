"""Entries whose spelling was mended: other words to a comparison of words, the same line to a reader.

Owns the recognition: the line kept its place between its neighbours, most of its letters and all of its numbers.
Whether letters were damaged instead is asked before, by rules of their own. Called by `core.judging.judge`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from conductd.core.judging.finding import Evidence
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry

_ALIKE = 0.8  # of the letters, in their order
_LONGEST = 400  # characters
_MOST = 1_000  # entries
_NEAR = 3  # new lines that are tried for an old one, in order
_SHORTEST = 12  # characters: of a shorter line too few are left
_NUMBER = re.compile(r"\d+")
_TEXT = (Kind.ITEM, Kind.PARAGRAPH, Kind.ROW)


def respelled(e: Evidence) -> frozenset[int]:
    """First lines of lost entries that stand there in another spelling. What is pinned is held to its words."""
    lost = {span.line for span in e.change.lost} - e.pinned.lines
    added = {span.line for span in e.change.added}
    if not lost or not added or max(len(lost), len(added)) > _MOST:
        return frozenset()
    found: set[int] = set()
    anchors = {place.old.line: place.line for place in e.change.reworded if place.path is None}
    places = {entry.fingerprint: entry.line for entry in e.last.table.entries}
    fresh = [entry for entry in e.last.table.entries if entry.line in added and entry.kind in _TEXT]
    gap: list[Entry] = []
    start = 0
    for entry in (*e.baseline.table.entries, None):
        if entry is not None and entry.line in lost:
            gap.append(entry)
            continue
        to = None if entry is None else anchors.get(entry.line) or places.get(entry.fingerprint)
        if entry is not None and (to is None or to < start):
            continue  # it went elsewhere, or was moved
        end = to or e.last.table.lines + 1
        found |= _paired(gap, [new for new in fresh if start < new.line < end])
        gap, start = [], end
    return frozenset(found)


def _paired(old: Sequence[Entry], new: Sequence[Entry]) -> set[int]:
    """First lines of those of ``old`` that stand in ``new``, in the same order."""
    found: set[int] = set()
    at = 0
    for entry in old:
        for step, other in enumerate(new[at : at + _NEAR]):
            if _is_alike(entry, other):
                found.add(entry.line)
                at += step + 1
                break
    return found


def _is_alike(old: Entry, new: Entry) -> bool:
    one, two = old.text.casefold(), new.text.casefold()
    if old.kind is not new.kind or old.headings != new.headings or min(len(one), len(two)) < _SHORTEST:
        return False
    if max(len(one), len(two)) > _LONGEST or _NUMBER.findall(one) != _NUMBER.findall(two):
        return False
    letters = SequenceMatcher(None, one, two, autojunk=False)
    return letters.quick_ratio() >= _ALIKE and letters.ratio() >= _ALIKE
