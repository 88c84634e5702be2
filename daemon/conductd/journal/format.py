"""The journal's bytes: segment header, frames, marks, trailer, chain (format 1.0).

Owns every constant and checksum of docs/formats/journal.md. Pure: bytes in, values out; no
files, no clock. Called by the writer, the scanner, recovery, erasure and verification.

A frame is ``word | header checksum | header | content | content checksum``. The word holds type
(8 bits), flags (8), header length (22) and content length (26). Checksums are XXH3-64 seeded with
the segment's random seed plus the frame's offset, so that a copy of a frame anywhere else, also
inside a recorded file, is not taken for a frame.
"""

from __future__ import annotations

import hashlib
import struct
from typing import NamedTuple

import msgspec
import xxhash

MAJOR, MINOR = 1, 0
MAGIC = b"CONDUCTJ"
TRAILER_MAGIC = b"CJTRAIL1"
KNOWN_INCOMPATIBLE = 0
NEEDS = "0.1.0"  # the oldest release that reads what this one writes
COMPAT_REWRITTEN = 1  # erasure or gc rewrote this segment: nonces are explicit, the salt is gone

HEADER_SIZE = 512  # two copies, each in its own sector
DATA_START = 2 * HEADER_SIZE
PREFIX_SIZE = 16
SUM_SIZE = 8
MARK_SIZE = 24
TRAILER_SIZE = 24

RECORD, DEFINITIONS, WAYPOINT, INDEX, ACK = 0xC1, 0xC2, 0xC3, 0xC4, 0xC5
FIRST_TYPE, LAST_TYPE = 0xC1, 0xCF  # unknown types in this range are skipped

FIRST, LAST, HAS_BODY, NONCE, REDACTED = 1, 2, 4, 8, 16
KNOWN_FLAGS = 31

MAX_HEADER = (1 << 22) - 1
MAX_CONTENT = (1 << 26) - 1

KINDS = {
    "workspace": 1,
    "version": 2,
    "change": 3,
    "repair_plan": 4,
    "repair_done": 5,
    "incident": 6,
    "decision": 7,
    "evidence": 8,
    "notice": 9,
    "event": 10,
    "checkpoint": 11,
    "erasure": 12,
    "job_run": 13,
    "request": 14,
    "forget": 15,
}
# What a full disk must still take: a loss can be judged, told and put back when its versions are recorded.
CONTROL_KINDS = frozenset(
    KINDS[name]
    for name in ("change", "repair_plan", "repair_done", "incident", "decision", "notice", "event", "forget")
)

_MASK = (1 << 64) - 1
_PREFIX = struct.Struct("<QQ")
_TRAILER = struct.Struct("<8sQQ")
_HEADER = struct.Struct("<8sHHIIQQqqQQI16s16s32s32s32s24s24s")
_LINK = struct.Struct("<QBqq")
_LENGTHS = struct.Struct("<II?")


class SegmentHeader(NamedTuple):
    """What a segment says about itself. ``chain`` is the chain value before ``first_seq``."""

    number: int
    first_seq: int
    wall0: int
    mono0: int
    seed: int
    size: int  # bytes allocated when it was made
    reserve: int  # of these, kept for control records
    uuid: bytes
    boot: bytes
    key: bytes
    salt: bytes
    chain: bytes
    writer: str
    needs: str  # the oldest release that can read every frame
    major: int = MAJOR
    minor: int = MINOR
    compatible: int = 0
    incompatible: int = 0


class Head(msgspec.Struct, array_like=True, frozen=True):
    """Header of a record frame: one msgpack array; the last four are there for records with a body.

    ``seq`` counts from the segment's first, ``mono`` is the distance from what the segment's
    clock pair predicts. ``base``: distance to the record whose body is the dictionary,
    0 none, -1 stored as it is. ``index``: place in the file's line of bodies.
    """

    seq: int
    kind: int
    wall: int
    mono: int
    definition: int
    row: msgspec.Raw
    size: int = 0
    base: int = 0
    index: int = 0
    stream: int = 0


class Frame(NamedTuple):
    """A frame whose header checksum holds. ``content`` is its offset; the checksum follows it."""

    offset: int
    type: int
    flags: int
    header: bytes
    content: int
    content_size: int
    end: int


class Bad(NamedTuple):
    """Bytes that are no valid frame, up to the next one that is."""

    offset: int
    end: int


def checksum(data: bytes | memoryview, seed: int, offset: int) -> int:
    return xxhash.xxh3_64_intdigest(data, (seed + offset) & _MASK)


def pack_header(header: SegmentHeader) -> bytes:
    """Both copies, `DATA_START` bytes."""
    body = _HEADER.pack(
        MAGIC,
        header.major,
        header.minor,
        header.compatible,
        header.incompatible,
        header.number,
        header.first_seq,
        header.wall0,
        header.mono0,
        header.seed,
        header.size,
        header.reserve,
        header.uuid,
        header.boot,
        header.key,
        header.salt,
        header.chain,
        header.writer.encode()[:24],
        header.needs.encode()[:24],
    )
    one = (body + xxhash.xxh3_64_intdigest(body).to_bytes(8, "little")).ljust(HEADER_SIZE, b"\0")
    return one * 2


def unpack_header(data: bytes) -> tuple[SegmentHeader | None, bool]:
    """The header from either copy, and whether both copies are whole."""
    found: list[SegmentHeader | None] = []
    for start in (0, HEADER_SIZE):
        body = data[start : start + _HEADER.size]
        stored = data[start + _HEADER.size : start + _HEADER.size + 8]
        padding = data[start + _HEADER.size + 8 : start + HEADER_SIZE]
        if len(body) < _HEADER.size or body[:8] != MAGIC:
            found.append(None)
            continue
        if xxhash.xxh3_64_intdigest(body).to_bytes(8, "little") != stored or padding.strip(b"\0"):
            found.append(None)
            continue
        (
            _,
            major,
            minor,
            compatible,
            incompatible,
            number,
            first_seq,
            wall0,
            mono0,
            seed,
            size,
            reserve,
            uuid,
            boot,
            key,
            salt,
            chain,
            writer,
            needs,
        ) = _HEADER.unpack(body)
        found.append(
            SegmentHeader(
                number,
                first_seq,
                wall0,
                mono0,
                seed,
                size,
                reserve,
                uuid,
                boot,
                key,
                salt,
                chain,
                writer.rstrip(b"\0").decode(errors="replace"),
                needs.rstrip(b"\0").decode(errors="replace"),
                major,
                minor,
                compatible,
                incompatible,
            )
        )
    return found[0] or found[1], None not in found


def pack_frame(kind: int, flags: int, header: bytes, content: bytes, seed: int, offset: int) -> bytes:
    """One frame for exactly this offset. Raises ValueError when a part is too long for the word."""
    if len(header) > MAX_HEADER or len(content) > MAX_CONTENT:
        raise ValueError(f"record too large: header {len(header)}, content {len(content)} bytes")
    word = kind | flags << 8 | len(header) << 16 | len(content) << 38
    prefix = word.to_bytes(8, "little")
    head = checksum(prefix + header, seed, offset).to_bytes(8, "little")
    if not content:
        return prefix + head + header
    return b"".join((prefix, head, header, content, checksum(content, seed, offset).to_bytes(8, "little")))


def parse_frame(buffer: bytes, at: int, offset: int, seed: int, limit: int) -> Frame | int | None:
    """The frame at ``buffer[at]`` (file offset ``offset``), None if there is none, or the number of
    bytes from ``at`` that must be in the buffer to tell. ``limit``: where the file's data ends."""
    if offset + PREFIX_SIZE > limit:
        return None
    if len(buffer) - at < PREFIX_SIZE:
        return PREFIX_SIZE
    word: int
    stored: int
    word, stored = _PREFIX.unpack_from(buffer, at)
    kind = word & 0xFF
    if not FIRST_TYPE <= kind <= LAST_TYPE:
        return None
    if kind == ACK:
        if offset + MARK_SIZE > limit:
            return None
        if len(buffer) - at < MARK_SIZE:
            return MARK_SIZE
        stored_sum = int.from_bytes(buffer[at + 16 : at + MARK_SIZE], "little")
        if word != ACK or stored_sum != checksum(buffer[at : at + 16], seed, offset):
            return None
        return Frame(offset, ACK, 0, buffer[at + 8 : at + 16], 0, 0, offset + MARK_SIZE)
    flags = word >> 8 & 0xFF
    if flags & ~KNOWN_FLAGS:
        return None
    header_size = word >> 16 & MAX_HEADER
    content_size = word >> 38
    content = offset + PREFIX_SIZE + header_size
    end = content + (content_size + SUM_SIZE if content_size else 0)
    if end > limit:
        return None
    if len(buffer) - at < PREFIX_SIZE + header_size:
        return PREFIX_SIZE + header_size
    header = buffer[at + PREFIX_SIZE : at + PREFIX_SIZE + header_size]
    if checksum(buffer[at : at + 8] + header, seed, offset) != stored:
        return None
    return Frame(offset, kind, flags, header, content, content_size, end)


def pack_mark(last_seq: int, seed: int, offset: int) -> bytes:
    """Written, unsynced, behind a batch once its sync returned; the next batch overwrites it."""
    front = struct.pack("<QQ", ACK, last_seq)
    return front + checksum(front, seed, offset).to_bytes(8, "little")


def mark_seq(frame: Frame) -> int:
    return int.from_bytes(frame.header, "little")


def pack_trailer(index_offset: int, seed: int) -> bytes:
    front = struct.pack("<8sQ", TRAILER_MAGIC, index_offset)
    return front + checksum(front, seed, 0).to_bytes(8, "little")


def unpack_trailer(data: bytes, seed: int) -> int | None:
    """Offset of the index frame, or None when this is no trailer."""
    if len(data) != TRAILER_SIZE:
        return None
    magic, offset, stored = _TRAILER.unpack(data)
    return int(offset) if magic == TRAILER_MAGIC and stored == checksum(data[:16], seed, 0) else None


# --------------------------------------------------------------------------- chain


def first_link(uuid: bytes) -> bytes:
    return hashlib.sha256(b"conductd journal 1" + uuid).digest()


def nonce_of(salt: bytes, seq: int) -> bytes:
    """The nonce of a record that carries none itself; gone for good when the salt is."""
    return hashlib.sha256(salt + seq.to_bytes(8, "little")).digest()[:16]


def commitment(nonce: bytes, definition: bytes, row: bytes, body_digest: bytes | None) -> bytes:
    """What the chain covers instead of the payload, so that the payload can be erased."""
    lengths = _LENGTHS.pack(len(definition), len(row), body_digest is not None)
    return hashlib.sha256(b"".join((nonce, lengths, definition, row, body_digest or b""))).digest()


def link(chain: bytes, seq: int, kind: int, wall: int, mono: int, committed: bytes) -> bytes:
    return hashlib.sha256(chain + _LINK.pack(seq, kind, wall, mono) + committed).digest()


def segment_name(number: int) -> str:
    return f"{number:08d}.seg"


def segment_number(name: str) -> int | None:
    stem, dot, suffix = name.partition(".")
    return int(stem) if dot and suffix == "seg" and len(stem) == 8 and stem.isdigit() else None
