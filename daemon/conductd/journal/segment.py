"""Reading one segment: where each record is, what a frame at a place says, the content bytes.

Owns the lazy table of offsets (from the index frame of a sealed segment, else from a scan) and
the open descriptor. Thread-safe: any thread may read while one thread appends or erasure swaps the file.
"""

from __future__ import annotations

import contextlib
import threading
from array import array
from collections.abc import Iterator

import msgspec
import zstandard

from conductd.errors import StoreDamaged
from conductd.journal import entry as ent
from conductd.journal import format as fmt
from conductd.journal.entry import Definitions, Entry
from conductd.journal.format import Bad, Frame, SegmentHeader
from conductd.journal.scan import walk
from conductd.ports import Storage

_ONE_READ = 1 << 16


class Table:
    """What is where. ``offsets[i]`` is the frame of ``first_seq + i``, 0 when it is lost."""

    def __init__(self, first_seq: int, offsets: array[int] | None = None) -> None:
        self.first_seq = first_seq
        self.offsets: array[int] = array("I") if offsets is None else offsets
        self.definitions = Definitions()
        self.streams: dict[int, int] = {}  # file id -> sequence of its newest body
        self.checkpoints: list[int] = []

    def note(self, entry: Entry) -> None:
        """Enter a record; sequences rise."""
        gap = entry.seq - self.first_seq - len(self.offsets)
        if gap >= 0:
            self.offsets.extend([0] * gap)
            self.offsets.append(entry.frame.offset)
        elif self.offsets[entry.seq - self.first_seq] == 0:
            self.offsets[entry.seq - self.first_seq] = entry.frame.offset
        if entry.digest is not None:
            self.streams[entry.head.stream] = entry.seq
        if entry.kind == ent.CHECKPOINT:
            self.checkpoints.append(entry.seq)

    def offset(self, seq: int) -> int:
        at = seq - self.first_seq
        return self.offsets[at] if 0 <= at < len(self.offsets) else 0


class Index(msgspec.Struct, array_like=True, frozen=True):
    """Content of the index frame that seals a segment (zstd)."""

    offsets: bytes  # differences, u32 little endian
    definitions: dict[int, bytes]
    streams: dict[int, int]
    checkpoints: list[int]


_decode_index = msgspec.msgpack.Decoder(Index).decode


def pack_index(table: Table, chain: bytes, seed: int, offset: int) -> bytes:
    """Index frame and trailer for the end of a segment; everything in it can be found by a scan, too."""
    differences = array("i", bytes(4 * len(table.offsets)))
    before = 0
    for at, value in enumerate(table.offsets):
        differences[at] = value - before
        before = value
    index = Index(differences.tobytes(), table.definitions.raw, table.streams, table.checkpoints)
    packed = zstandard.ZstdCompressor(level=9).compress(msgspec.msgpack.encode(index))
    header = msgspec.msgpack.encode((len(table.offsets), chain))
    frame = fmt.pack_frame(fmt.INDEX, fmt.FIRST | fmt.LAST, header, packed, seed, offset)
    return frame + fmt.pack_trailer(offset, seed)


def unpack_index(first_seq: int, packed: bytes) -> Table:
    """Raises zstandard.ZstdError or msgspec.MsgspecError."""
    index = _decode_index(zstandard.ZstdDecompressor().decompress(packed))
    offsets, value = array("I"), 0
    for difference in array("i", index.offsets):
        value += difference
        offsets.append(value)
    table = Table(first_seq, offsets)
    table.definitions = Definitions(index.definitions)
    table.streams = index.streams
    table.checkpoints = index.checkpoints
    return table


class Segment:
    """One numbered file. ``last_seq`` is the newest acknowledged record in it."""

    def __init__(self, storage: Storage, number: int, header: SegmentHeader, last_seq: int, limit: int) -> None:
        self.storage = storage
        self.number = number
        self.header = header
        self.last_seq = last_seq
        self.limit = limit  # frames lie before this offset
        self.lock = threading.RLock()
        self.table: Table | None = None
        self._fd = -1

    @property
    def name(self) -> str:
        return fmt.segment_name(self.number)

    @property
    def first_seq(self) -> int:
        return self.header.first_seq

    def read_at(self, size: int, offset: int) -> bytes:
        with self.lock:
            if self._fd < 0:
                try:
                    self._fd = self.storage.open(self.name, create=False, write=False)
                except FileNotFoundError as error:
                    raise StoreDamaged(f"the journal's segment {self.name} is missing", "conductd verify") from error
            return self.storage.read_at(self._fd, size, offset)

    def close(self) -> None:
        with self.lock:
            if self._fd >= 0:
                with contextlib.suppress(OSError):
                    self.storage.close(self._fd)
                self._fd = -1

    def replace(self, header: SegmentHeader, limit: int) -> None:
        """Erasure published a new file under this name."""
        with self.lock:
            self.close()
            self.header, self.limit, self.table = header, limit, None

    def loaded(self) -> Table:
        """The table, read when first needed: a few milliseconds from an index, a scan without one."""
        with self.lock:
            if self.table is None:
                self.table = self._from_index() or self._from_scan()
            return self.table

    def frames(self, start: int = fmt.DATA_START) -> Iterator[Frame | Bad]:
        return walk(self.read_at, start, self.limit, self.header.seed)

    def _from_index(self) -> Table | None:
        frame = self.index_frame()
        if frame is None:
            return None
        packed = self.read_at(frame.content_size + fmt.SUM_SIZE, frame.content)
        body, stored = packed[:-8], packed[-8:]
        if fmt.checksum(body, self.header.seed, frame.offset).to_bytes(8, "little") != stored:
            return None
        try:
            table = unpack_index(self.first_seq, body)
        except (zstandard.ZstdError, *ent.DECODE_ERRORS):
            return None
        return table if self.first_seq + len(table.offsets) - 1 <= self.last_seq else None

    def index_frame(self) -> Frame | None:
        """The index frame a whole trailer points to."""
        if self.limit < fmt.DATA_START + fmt.TRAILER_SIZE:
            return None
        trailer = self.read_at(fmt.TRAILER_SIZE, self.limit - fmt.TRAILER_SIZE)
        offset = fmt.unpack_trailer(trailer, self.header.seed)
        if offset is None or not fmt.DATA_START <= offset < self.limit:
            return None
        data = self.read_at(self.limit - offset, offset)
        frame = fmt.parse_frame(data, 0, offset, self.header.seed, self.limit)
        return frame if isinstance(frame, Frame) and frame.type == fmt.INDEX else None

    def _from_scan(self) -> Table:
        table = Table(self.first_seq)
        for item in self.frames():
            if isinstance(item, Bad):
                continue
            note_frame(table, item, self.header, self.last_seq)
        return table

    def entry(self, seq: int) -> Entry | None:
        """The record's frame taken apart, None when it is lost."""
        found = self.content(seq)
        return found[0] if found is not None else None

    def content(self, seq: int) -> tuple[Entry, bytes | None] | None:
        """Entry and content as stored (None: damaged); None when the frame is lost. One read as a rule."""
        with self.lock:
            table = self.table or self.loaded()
            offset = table.offset(seq)
            if not offset:
                return None
            following = table.offset(seq + 1)
            size = following - offset if 0 < following - offset < _ONE_READ else 1024
            data = self.read_at(size, offset)
            frame = fmt.parse_frame(data, 0, offset, self.header.seed, self.limit)
            if isinstance(frame, int):
                data = self.read_at(frame, offset)
                frame = fmt.parse_frame(data, 0, offset, self.header.seed, self.limit)
            if not isinstance(frame, Frame) or frame.type != fmt.RECORD:
                return None
            body: bytes | None = data[frame.content - offset : frame.end - offset]
            assert body is not None
            if len(body) < frame.end - frame.content:
                body = self.read_at(frame.end - frame.content, frame.content)
        body = checked(body, frame, self.header.seed)
        try:
            found = ent.take_apart(frame, self.header)
        except ent.DECODE_ERRORS:
            return None
        return (found, body) if found.seq == seq else None


def checked(data: bytes, frame: Frame, seed: int) -> bytes | None:
    """The content without its checksum, None when that does not hold."""
    if not frame.content_size:
        return b""
    body = data[: frame.content_size]
    good = fmt.checksum(body, seed, frame.offset).to_bytes(8, "little") == data[frame.content_size :]
    return body if good else None


def content_of(segment: Segment, frame: Frame) -> bytes | None:
    """The frame's content, None when its checksum does not hold."""
    size = frame.content_size + fmt.SUM_SIZE if frame.content_size else 0
    return checked(segment.read_at(size, frame.content) if size else b"", frame, segment.header.seed)


def note_frame(table: Table, frame: Frame, header: SegmentHeader, last_seq: int | None = None) -> Entry | None:
    """Enter whatever a frame says into the table; the entry when it is a record up to ``last_seq``."""
    try:
        if frame.type == fmt.RECORD:
            found = ent.take_apart(frame, header)
            if last_seq is not None and found.seq > last_seq:
                return None
            table.note(found)
            return found
        if frame.type in (fmt.DEFINITIONS, fmt.WAYPOINT):
            for number, raw in ent.definitions_of(frame).items():
                table.definitions.raw.setdefault(number, raw)
    except ent.DECODE_ERRORS:
        return None
    return None
