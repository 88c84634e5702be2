"""The pins of a workspace as the journal tells them: which entries, and where they stood when they were pinned.

Fingerprints and places only, never text. Folded from the records alone; called by `engine.fold.state`.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from conductd.model import ChangeRecord, DecisionRecord, Span

FIRST_MARKS = "marks at first sight"  # the detail of a decision that puts on record what counted without one


class PinTrack(msgspec.Struct, omit_defaults=True):
    """One pinned entry: the version of the file that it stood in, and its first line there."""

    file: int
    seq: int
    line: int


Pins = dict[bytes, PinTrack]


def changed(pins: Pins, record: ChangeRecord) -> None:
    """What a verdict does to the pins."""
    done = record.verdict.pins
    if done is None:
        return
    if record.baseline_seq is not None:
        _add(pins, record.file, record.baseline_seq, done.before)
    _add(pins, record.file, record.version_seq, done.pinned)
    for mark in done.unpinned:
        pins.pop(mark, None)


def decided(pins: Pins, record: DecisionRecord) -> None:
    """What a person decided about them."""
    if record.decision == "pin" and record.file is not None and record.entries_in is not None:
        _add(pins, record.file, record.entries_in, record.entries)
    elif record.decision == "unpin":
        for span in record.entries:
            pins.pop(span.fingerprint, None)
    elif record.decision == "accept":
        for mark in record.accepted:
            pins.pop(mark, None)


def _add(pins: Pins, file: int, seq: int, spans: Iterable[Span]) -> None:
    for span in spans:
        pins.setdefault(span.fingerprint, PinTrack(file, seq, span.line))
