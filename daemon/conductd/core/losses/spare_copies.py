"""Whole copies of a file that lay beside it before it was overwritten: no home for what went from it then.

Owns the question whether another file was a spare of the whole text, or took over what was cut out. Somebody who
moves entries takes these, and leaves the rest; somebody who moves everything says where it is, or moves the file
itself. Pure; called where a case is gathered, only after a loss was seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from conductd.core.losses.pointers import named
from conductd.core.policy import Thresholds
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, EntryTable
from conductd.model import Change


class Nearby(NamedTuple):
    """Another file. ``held``: fingerprints of what it held already when the losing version was written."""

    path: bytes
    held: frozenset[bytes]


def spare_copies(
    change: Change, old: EntryTable, now: EntryTable, text: bytes, nearby: Iterable[Nearby], limits: Thresholds
) -> tuple[bytes, ...]:
    """Those that are spares. ``change``: without any other file; ``text``: the bytes that stand in the file now."""
    if change.lost_share < limits.shrink_share:
        return ()
    lost = {span.fingerprint for span in change.lost}
    said = [entry for entry in old.entries if entry.kind is not Kind.HEADING]
    went = [entry for entry in said if entry.fingerprint in lost]
    stayed = [entry for entry in said if entry.fingerprint in now.places]
    found = [
        each.path
        for each in nearby
        if _is_held(went, each.held, limits) and (not stayed or _is_held(stayed, each.held, limits))
    ]
    return tuple(path for path in found if not named((path,), text))


def _is_held(entries: list[Entry], held: frozenset[bytes], limits: Thresholds) -> bool:
    weight = sum(entry.weight for entry in entries)
    there = sum(entry.weight for entry in entries if entry.fingerprint in held)
    return weight > 0 and there >= limits.overwrite_share * weight
