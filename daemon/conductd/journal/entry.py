"""Record frames to values: the split of a frame's header and the decoding of its row.

Pure. Between `format` (bytes) and the segment reader, recovery, erasure and verification.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from conductd.journal import content, rows
from conductd.journal import format as fmt
from conductd.journal.format import Frame, Head, SegmentHeader
from conductd.model import Record, Stored

VERSION = fmt.KINDS["version"]
CHECKPOINT = fmt.KINDS["checkpoint"]
_decode_head = msgspec.msgpack.Decoder(Head).decode
_decode_any = msgspec.msgpack.Decoder().decode
_decode_definitions = msgspec.msgpack.Decoder(dict[int, bytes]).decode
_BIN = frozenset((0xC4, 0xC5, 0xC6))


class Entry(NamedTuple):
    """A record frame taken apart. ``digest`` is that of the body, None when there is none."""

    seq: int
    wall: int
    mono: int
    nonce: bytes | None
    committed: bytes | None
    digest: bytes | None
    head: Head
    frame: Frame

    @property
    def kind(self) -> int:
        return self.head.kind

    @property
    def redacted(self) -> bool:
        return bool(self.frame.flags & fmt.REDACTED)

    @property
    def base_seq(self) -> int | None:
        """Sequence of the record whose body is the dictionary."""
        return self.seq - self.head.base if self.digest is not None and self.head.base > 0 else None


def take_apart(frame: Frame, header: SegmentHeader) -> Entry:
    """Raises msgspec.DecodeError for a header that no writer makes."""
    raw, flags, at = frame.header, frame.flags, 0
    nonce = committed = digest = None
    if flags & fmt.NONCE:
        nonce, at = raw[:16], 16
    if flags & fmt.REDACTED:
        committed, at = raw[at : at + 32], at + 32
    if flags & fmt.HAS_BODY:
        digest, at = raw[at : at + 32], at + 32
    head = _decode_head(raw[at:] if at else raw)
    wall = head.wall
    mono = head.mono + wall - header.wall0 + header.mono0
    return Entry(header.first_seq + head.seq, wall, mono, nonce, committed, digest, head, frame)


def definitions_of(frame: Frame) -> dict[int, bytes]:
    """What a definitions or waypoint frame defines."""
    if frame.type == fmt.DEFINITIONS:
        return _decode_definitions(frame.header)
    return Waypoint.of(frame).definitions


class Waypoint(msgspec.Struct, array_like=True, frozen=True):
    """The chain value after ``last`` (counted from the segment's first), and what was defined since the one before."""

    last: int
    chain: bytes
    definitions: dict[int, bytes]

    @classmethod
    def of(cls, frame: Frame) -> Waypoint:
        return _decode_waypoint(frame.header)


_decode_waypoint = msgspec.msgpack.Decoder(Waypoint).decode


class Definitions:
    """A segment's table of definitions, parsed when first used. Safe to share between threads."""

    def __init__(self, raw: dict[int, bytes] | None = None) -> None:
        self.raw: dict[int, bytes] = dict(raw or {})
        self._parsed: dict[int, rows.Definition] = {}

    def version(self, number: int) -> rows.Definition:
        parsed = self._parsed.get(number)
        if parsed is None:
            parsed = self._parsed[number] = rows.decode_definition(self.raw[number])
        return parsed


def plain_row(entry: Entry, definitions: Definitions) -> bytes:
    """The row as it was before compression against the kind's definition.

    Raises KeyError when the definition is lost, ValueError when the row does not decompress.
    """
    row = bytes(memoryview(entry.head.row))
    if entry.kind == VERSION or row[0] not in _BIN:
        return row
    packed: bytes = _decode_any(row)
    size = int.from_bytes(packed[:4], "little")
    return content.decompress(packed[4:], size, definitions.raw[entry.head.definition])


def committed_definition(entry: Entry, definitions: Definitions) -> bytes:
    """The definition bytes that the record's commitment covers."""
    return definitions.raw[entry.head.definition] if entry.kind == VERSION else b""


def commitment(entry: Entry, definitions: Definitions, salt: bytes) -> bytes:
    """What the chain has for this record. Raises as `plain_row`."""
    if entry.committed is not None:
        return entry.committed
    nonce = entry.nonce if entry.nonce is not None else fmt.nonce_of(salt, entry.seq)
    return fmt.commitment(nonce, committed_definition(entry, definitions), plain_row(entry, definitions), entry.digest)


def record_of(entry: Entry, definitions: Definitions) -> Record | None:
    """None: a kind this release does not know. Raises as `plain_row`, or msgspec.MsgspecError."""
    if entry.kind != VERSION:
        return rows.decode_plain(entry.kind, plain_row(entry, definitions))
    body = None if entry.digest is None else (entry.head.size, entry.digest)
    definition = definitions.version(entry.head.definition)
    return rows.decode_version(definition, entry.head.row, entry.wall, entry.seq, body)


def stored_of(entry: Entry, definitions: Definitions) -> Stored | None:
    record = record_of(entry, definitions)
    return None if record is None else Stored(entry.seq, entry.wall, entry.mono, record)


DECODE_ERRORS = (KeyError, ValueError, IndexError, TypeError, msgspec.MsgspecError)
