"""What the newest segment really holds after a crash: the last good batch, and what to cut.

The rule. A batch is written only after the sync of the one before it returned, and a mark is written behind
it once its own sync returned. So whatever is followed by the first frame of another batch, or by a mark, was
acknowledged: bad bytes in it are *damage*. Bad bytes with neither behind them belong to a batch nobody was told
about: a *torn tail*. A batch counts only when it is whole. Pure but for reading; called by recovery and the
read-only open.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from conductd.journal import entry as ent
from conductd.journal import format as fmt
from conductd.journal.entry import Entry, Waypoint
from conductd.journal.format import Bad, Frame
from conductd.journal.scan import content_ok, last_nonzero
from conductd.journal.segment import Segment, Table, note_frame


class Tail(NamedTuple):
    """``end``: where the next batch goes. ``torn``: bytes to be zeroed, ``torn_records`` of them readable.

    ``chain`` is None when damage hides a record since the last waypoint.
    """

    table: Table
    last_seq: int
    end: int
    marked: bool
    last_batch: tuple[int, int] | None
    torn: tuple[int, int] | None
    torn_records: int
    bad: tuple[Bad, ...]
    chain: bytes | None
    since_waypoint: tuple[int, int]  # records, bytes
    fresh: dict[int, bytes]  # definitions since the last waypoint


class _Reading:
    """Everything acknowledged so far, while the walk goes on."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.table = Table(segment.first_seq)
        self.bad: list[Bad] = []
        self.end = fmt.DATA_START
        self.last_batch: tuple[int, int] | None = None
        self.chain: bytes | None = segment.header.chain
        self.chained_to = segment.first_seq - 1
        self.since: list[Entry] = []
        self.waypoint_end = fmt.DATA_START
        self.fresh: dict[int, bytes] = {}

    def keep(self, group: list[Frame | Bad]) -> None:
        if not group:
            return
        for item in group:
            if isinstance(item, Bad):
                self.bad.append(item)
                continue
            found = note_frame(self.table, item, self.segment.header)
            if found is not None:
                self.since.append(found)
            elif item.type == fmt.DEFINITIONS:
                self.fresh.update(_definitions(item))
            elif item.type == fmt.WAYPOINT:
                self._waypoint(item)
        self.end = group[-1].end
        self.last_batch = (group[0].offset, group[-1].end)

    def _waypoint(self, frame: Frame) -> None:
        try:
            value = Waypoint.of(frame)
        except ent.DECODE_ERRORS:
            return
        self.chain, self.chained_to = value.chain, self.segment.first_seq + value.last
        self.since.clear()
        self.fresh.clear()
        self.waypoint_end = frame.end


def _definitions(frame: Frame) -> dict[int, bytes]:
    try:
        return ent.definitions_of(frame)
    except ent.DECODE_ERRORS:
        return {}


def read_tail(segment: Segment) -> Tail:
    """Walk the whole segment once."""
    reading = _Reading(segment)
    group: list[Frame | Bad] = []
    marked_seq: int | None = None
    marked_at = -1
    for item in segment.frames():
        if isinstance(item, Frame) and item.type == fmt.ACK:
            reading.keep(group)
            group, marked_seq, marked_at = [], fmt.mark_seq(item), item.offset
            reading.end = item.offset
            continue
        starts = isinstance(item, Frame) and item.flags & fmt.FIRST
        closed = bool(group) and isinstance(group[-1], Frame) and group[-1].flags & fmt.LAST
        if starts or (closed and _whole(group)):
            reading.keep(group)
            group = []
        group.append(item)
    return _conclude(segment, reading, group, marked_seq, marked_at)


def _whole(group: list[Frame | Bad]) -> bool:
    """First to last frame without a gap; contents not looked at."""
    first, last = group[0], group[-1]
    if any(isinstance(item, Bad) for item in group):
        return False
    assert isinstance(first, Frame)
    assert isinstance(last, Frame)
    return bool(first.flags & fmt.FIRST and last.flags & fmt.LAST)


def _conclude(
    segment: Segment, reading: _Reading, group: list[Frame | Bad], marked_seq: int | None, marked_at: int
) -> Tail:
    torn_records = 0
    if group:
        good = _whole(group) and all(
            content_ok(segment.read_at, item, segment.header.seed) for item in group if isinstance(item, Frame)
        )
        if good:
            reading.keep(group)
        else:
            torn_records = sum(isinstance(item, Frame) and item.type == fmt.RECORD for item in group)
    marked = marked_at == reading.end
    clean_from = reading.end + (fmt.MARK_SIZE if marked else 0)
    dirty_end = last_nonzero(segment.read_at, clean_from, segment.limit)
    torn = (clean_from, dirty_end) if dirty_end > clean_from else None
    table = reading.table
    last_seq = segment.first_seq + len(table.offsets) - 1
    if marked_seq is not None and marked_seq > last_seq:
        table.offsets.extend([0] * (marked_seq - last_seq))  # acknowledged, but lost to damage
        last_seq = marked_seq
    chain = _chain(segment, reading, last_seq)
    since = (len(reading.since), reading.end - reading.waypoint_end)
    return Tail(
        table,
        last_seq,
        reading.end,
        marked,
        reading.last_batch,
        torn,
        torn_records,
        tuple(reading.bad),
        chain,
        since,
        dict(reading.fresh),
    )


def _chain(segment: Segment, reading: _Reading, last_seq: int) -> bytes | None:
    chain, expected = reading.chain, reading.chained_to + 1
    assert chain is not None
    for entry in reading.since:
        if entry.seq != expected:
            return None
        try:
            committed = ent.commitment(entry, reading.table.definitions, segment.header.salt)
        except ent.DECODE_ERRORS:
            return None
        chain = fmt.link(chain, entry.seq, entry.kind, entry.wall, entry.mono, committed)
        expected += 1
    return chain if expected == last_seq + 1 else None


def restart_chain(uuid: bytes, seq: int) -> bytes:
    """Where the chain goes on after damage hid its value; verification names the gap."""
    return hashlib.sha256(b"conductd journal break" + uuid + seq.to_bytes(8, "little")).digest()
