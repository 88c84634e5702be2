"""How much was written to the journal since a time: what its segments hold, read as little as possible.

Called by `Journal.written_since`.
"""

from __future__ import annotations

from collections.abc import Sequence

from conductd.errors import StoreDamaged
from conductd.journal.segment import Segment
from conductd.model import Frozen


class Written(Frozen, frozen=True):
    """``since_ns``: the time asked for, or when the oldest segment was begun, if that is later."""

    bytes: int
    since_ns: int


def written(segments: Sequence[Segment], end: int | None, since_ns: int, last_seq: int) -> Written | None:
    """``end``: up to where the newest is filled (None: whole). None: it cannot be told.

    Clocks only describe: a record is taken to be as old as those around it.
    """
    total = 0
    for segment in reversed(segments):
        filled = end if segment is segments[-1] and end is not None else segment.limit
        if segment.header.wall0 <= since_ns:
            start = _place(segment, since_ns, last_seq)
            return None if start is None else Written(total + max(0, filled - (start or filled)), since_ns)
        total += filled
    return Written(total, segments[0].header.wall0) if segments else None


def _place(segment: Segment, since_ns: int, last_seq: int) -> int | None:
    """Where its first record from that time on begins, 0: it has none; None: it cannot be told."""
    low, high = segment.first_seq, min(segment.last_seq, last_seq) + 1
    top, offset = high, 0
    try:
        while low < high:
            middle = (low + high) // 2
            probe = middle
            while probe < high and (entry := segment.entry(probe)) is None:
                probe += 1  # it is lost
            if probe == high:
                high = middle
            elif entry is not None and entry.wall < since_ns:
                low = probe + 1
            else:
                high = middle
        while low < top and not offset:
            offset = segment.loaded().offset(low)
            low += 1
    except (OSError, StoreDamaged):
        return None
    return offset
