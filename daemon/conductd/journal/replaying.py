"""Walks the records of one segment, oldest first, past whatever is damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from conductd.journal import entry as ent
from conductd.journal import format as fmt
from conductd.journal.entry import Definitions, Entry
from conductd.journal.format import Bad
from conductd.journal.segment import Segment
from conductd.model import Stored

Lost = Callable[[Segment, int, int, int], None]
"""Told of records that cannot be read: segment, offset, the first sequence and the one after the last."""


def replayed(segment: Segment, after: int, upto: int, lost: Lost) -> Iterator[Stored]:
    """Records with sequences above ``after``, up to ``upto``, also while an erasure swaps the file. Damaged ones are
    left out and told; kinds of newer releases are left out."""
    header, definitions = segment.header, Definitions()
    start, expected = fmt.DATA_START, segment.first_seq
    upto = min(upto, segment.last_seq)
    if after >= segment.first_seq:
        table = segment.loaded()
        definitions = table.definitions
        expected = after + 1
        start = next((table.offset(seq) for seq in range(expected, upto + 1) if table.offset(seq)), segment.limit)
    for item in segment.frames(start):
        if expected > upto:
            return
        if isinstance(item, Bad):
            if segment.header is not header:
                break  # erasure swapped the file under the walk
            continue
        if item.type != fmt.RECORD:
            if item.type in (fmt.DEFINITIONS, fmt.WAYPOINT):
                for number, raw in ent.definitions_of(item).items():
                    definitions.raw.setdefault(number, raw)
            continue
        entry = ent.take_apart(item, header)
        if not expected <= entry.seq <= upto:
            continue
        if entry.seq > expected:
            lost(segment, item.offset, expected, entry.seq)
        expected = entry.seq + 1
        try:
            stored = ent.stored_of(entry, definitions)
        except ent.DECODE_ERRORS:
            stored = _again(segment, entry, lost)
            definitions = segment.loaded().definitions
        if stored is not None:
            yield stored
    if expected <= upto and segment.header is not header:
        yield from replayed(segment, expected - 1, upto, lost)
    elif expected <= upto:
        lost(segment, segment.limit, expected, upto + 1)


def _again(segment: Segment, entry: Entry, lost: Lost) -> Stored | None:
    """With every copy of the definitions at hand."""
    try:
        return ent.stored_of(entry, segment.loaded().definitions)
    except ent.DECODE_ERRORS:
        lost(segment, entry.frame.offset, entry.seq, entry.seq + 1)
        return None
