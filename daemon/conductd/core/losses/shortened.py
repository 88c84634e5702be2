"""Entries that were cut down to a part of what they said: a second language left out, an aside struck.

Owns the recognition alone. Much may be gone with it, but nearly each note still has a line of its own, word for word:
somebody went through them, so it is asked about and never written over. Called by `core.judging.classify`.
"""

from __future__ import annotations

from conductd.core.judging.finding import Evidence
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry

_LEAST_WORDS = 2
_LEAST_SHARE = 0.25  # of an entry: less is a stump
_MOST = 2_000  # entries
_TEXT = (Kind.ITEM, Kind.PARAGRAPH, Kind.ROW)
_NEARLY_ALL = 0.8


def each_is_shortened(e: Evidence) -> bool:
    """Nearly all notes that went, and nearly all lines that came, are pairs: the new one is a part of the old one."""
    lines = {span.line for span in e.change.lost}
    lines.update(place.old.line for place in e.change.reworded if place.similarity < 1.0)
    gone = [entry for entry in e.baseline.table.entries if entry.line in lines and _is_note(entry)]
    came = [
        entry
        for entry in e.last.table.entries
        if entry.fingerprint not in e.baseline.table.places and _is_note(entry) and len(entry.words) >= _LEAST_WORDS
    ]
    if not gone or not came or max(len(gone), len(came)) > _MOST:
        return False
    waiting = {number: (_key(entry), entry.weight) for number, entry in enumerate(gone)}
    paired = 0
    for entry in came:
        part = _key(entry)
        for number, (whole, weight) in waiting.items():
            if part in whole and entry.weight >= _LEAST_SHARE * weight:
                del waiting[number]
                paired += 1
                break
    return paired >= _NEARLY_ALL * len(gone) and paired >= _NEARLY_ALL * len(came)


def _is_note(entry: Entry) -> bool:
    return entry.kind in _TEXT and bool(entry.words)


def _key(entry: Entry) -> str:
    return f" {' '.join(entry.words)} "
