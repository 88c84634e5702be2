"""Records to the bytes of one batch for one place in one segment.

Owns the definitions a segment has been given, the choice between plain and compressed rows, and when a
waypoint is due. Pure: the writer and erasure do the I/O.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from conductd.journal import content
from conductd.journal import entry as ent
from conductd.journal import format as fmt
from conductd.journal.format import SegmentHeader

WAYPOINT_RECORDS = 256
WAYPOINT_BYTES = 1 << 16
_TEMPLATE_MIN = 32  # a shorter row is never worth a definition
_encode = msgspec.msgpack.Encoder().encode


class Prepared(NamedTuple):
    """A record ready to be framed anywhere: nothing in it depends on the segment.

    ``base``: sequence of the dictionary's record, or None (``how`` tells full from raw).
    """

    seq: int
    kind: int
    wall: int
    mono: int
    definition: bytes  # of a version; b"" for all other kinds
    row: bytes
    body_digest: bytes | None = None
    size: int = 0
    how: int = content.FULL
    base: int | None = None
    content: bytes = b""
    place: int = 0
    stream: int = 0
    nonce: bytes | None = None  # explicit; None: derived from the segment's salt
    committed: bytes | None = None  # set: the payload is not the original one


class Vocabulary:
    """Definitions of one segment: bytes to number, and those not yet repeated by a waypoint."""

    def __init__(self, raw: dict[int, bytes] | None = None) -> None:
        self.numbers: dict[bytes, int] = {}
        self.templates: dict[int, tuple[int, bytes]] = {}  # kind -> (number, bytes)
        self.fresh: dict[int, bytes] = {}  # since the last waypoint
        self.next = 1
        for number, value in (raw or {}).items():
            self.numbers.setdefault(value, number)
            self.next = max(self.next, number + 1)

    def copy(self) -> Vocabulary:
        other = Vocabulary()
        other.numbers, other.templates = dict(self.numbers), dict(self.templates)
        other.fresh, other.next = dict(self.fresh), self.next
        return other


class Change(NamedTuple):
    """New words a batch adds to a vocabulary; entered only once the batch is durable."""

    numbers: dict[bytes, int]
    templates: dict[int, tuple[int, bytes]]
    next: int


class Batch(NamedTuple):
    """``data`` belongs at ``offset`` of this segment and nowhere else."""

    offset: int
    data: bytes
    frames: list[tuple[Prepared, int]]  # with each record's file offset
    words: Change
    chain: bytes
    waypoint: bool


def build(
    records: list[Prepared],
    header: SegmentHeader,
    vocabulary: Vocabulary,
    offset: int,
    chain: bytes,
    *,
    waypoint: bool,
) -> Batch:
    """Frame the records, in order, as one batch. ``chain`` is the value before the first."""
    added: dict[bytes, int] = {}
    templates: dict[int, tuple[int, bytes]] = {}
    following = vocabulary.next
    parts: list[tuple[int, int, bytes, bytes, Prepared | None]] = []
    for record in records:
        number, row = 0, record.row
        if record.kind == ent.VERSION:
            found = vocabulary.numbers.get(record.definition) or added.get(record.definition)
            if found is None:
                found, following = following, following + 1
                added[record.definition] = found
            number = found
        elif len(row) >= _TEMPLATE_MIN:
            template = templates.get(record.kind) or vocabulary.templates.get(record.kind)
            if template is None:
                template = templates[record.kind] = (following, row)
                added[row] = following
                following += 1
            packed = content.compress(row, template[1])
            if len(packed) + 8 < len(row):
                number, row = template[0], _encode(len(row).to_bytes(4, "little") + packed)
        parts.append(_record_part(record, header, number, row))
        committed = record.committed
        if committed is None:
            nonce = record.nonce if record.nonce is not None else fmt.nonce_of(header.salt, record.seq)
            committed = fmt.commitment(nonce, record.definition, record.row, record.body_digest)
        chain = fmt.link(chain, record.seq, record.kind, record.wall, record.mono, committed)
    if added:
        # Twice, apart: every later record of the segment needs them. Waypoint and index hold further copies.
        words = (fmt.DEFINITIONS, 0, _encode({number: raw for raw, number in added.items()}), b"", None)
        parts = [words, *parts, words]
    if waypoint and records:
        again = vocabulary.fresh | {number: raw for raw, number in added.items()}
        value = ent.Waypoint(records[-1].seq - header.first_seq, chain, again)
        parts.append((fmt.WAYPOINT, 0, _encode(value), b"", None))
    chunks: list[bytes] = []
    places: list[tuple[Prepared, int]] = []
    at = offset
    for position, (kind, flags, head, body, source) in enumerate(parts):
        if position == 0:
            flags |= fmt.FIRST
        if position == len(parts) - 1:
            flags |= fmt.LAST
        frame = fmt.pack_frame(kind, flags, head, body, header.seed, at)
        if source is not None:
            places.append((source, at))
        chunks.append(frame)
        at += len(frame)
    return Batch(offset, b"".join(chunks), places, Change(added, templates, following), chain, waypoint)


def enter(vocabulary: Vocabulary, batch: Batch) -> None:
    """The batch is durable: its words may be used."""
    vocabulary.numbers.update(batch.words.numbers)
    vocabulary.templates.update(batch.words.templates)
    vocabulary.next = batch.words.next
    if batch.waypoint:
        vocabulary.fresh.clear()
    else:
        vocabulary.fresh.update({number: raw for raw, number in batch.words.numbers.items()})


def _record_part(
    record: Prepared, header: SegmentHeader, number: int, row: bytes
) -> tuple[int, int, bytes, bytes, Prepared | None]:
    flags, front = 0, b""
    if record.nonce is not None:
        flags, front = flags | fmt.NONCE, front + record.nonce
    if record.committed is not None:
        flags, front = flags | fmt.REDACTED, front + record.committed
    mono = record.mono - (record.wall - header.wall0 + header.mono0)
    fields: tuple[object, ...] = (
        record.seq - header.first_seq,
        record.kind,
        record.wall,
        mono,
        number,
        msgspec.Raw(row),
    )
    if record.body_digest is not None:
        flags, front = flags | fmt.HAS_BODY, front + record.body_digest
        base = record.seq - record.base if record.base is not None else record.how
        fields = (*fields, record.size, base, record.place, record.stream)
    return fmt.RECORD, flags, front + _encode(fields), record.content, record
