"""The active segment, its successor made ahead, and the one write and one sync per batch.

Owns every write to the journal but erasure's. Promises: `write` returns with the records durable, or raises with
nothing acknowledged; a failed write or sync is final for its segment, the records go to the next one. One thread.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets

from conductd.errors import StoreUnavailable
from conductd.journal import batch as bat
from conductd.journal import entry as ent
from conductd.journal import format as fmt
from conductd.journal import segment as seg
from conductd.journal.batch import Batch, Prepared, Vocabulary
from conductd.journal.format import SegmentHeader
from conductd.journal.recovery import Opened
from conductd.journal.segment import Segment, Table
from conductd.journal.tail import Tail
from conductd.ports import Clock, Storage

SPARE = "spare"
SMALLEST, LARGEST = 128 << 10, 64 << 20
_GROWTH = 32  # a segment is about a thirty-second of the journal
_RESERVE = 256 << 10
_CHUNK = 64 << 10
_FULL = (errno.ENOSPC, errno.EDQUOT)
SYNC_EVERY = 1 << 20  # the spare is synced as it grows, so that no single sync is long


class Writer:
    """``last_seq`` and ``chain`` are those of the newest durable record."""

    def __init__(
        self, storage: Storage, clock: Clock, *, uuid: bytes, key: bytes, boot: bytes, release: str, used: int
    ) -> None:
        self.storage = storage
        self.clock = clock
        self.uuid, self.key, self.boot, self.release = uuid, key, boot, release
        self.active: Segment | None = None
        self.number = 0
        self.last_seq = 0
        self.chain = fmt.first_link(uuid)
        self.tail = fmt.DATA_START
        self.spare_error = ""
        self.sealed_bytes = used
        self._fd = -1
        self._words = Vocabulary()
        self._since = (0, 0)
        self._spare_fd = -1
        self._spare_size = 0
        self._spare_unsynced = 0

    # ----------------------------------------------------------------- opening

    def resume(self, segment: Segment, fd: int, tail: Tail, chain: bytes) -> None:
        """Go on behind what recovery kept."""
        self.active, self._fd, self.tail = segment, fd, tail.end
        self._words = Vocabulary(tail.table.definitions.raw)
        self._words.fresh = dict(tail.fresh)
        self._since = tail.since_waypoint
        self.chain = chain

    def take_spare(self) -> None:
        """Use the spare an earlier run left, when it is still nothing but zeros."""
        if SPARE not in self.storage.names():
            return
        try:
            fd = self.storage.open(SPARE, create=False, write=True)
        except OSError:
            return
        size = self.storage.size(fd)
        for offset in range(0, size, _CHUNK):
            if self.storage.read_at(fd, min(_CHUNK, size - offset), offset).strip(b"\0"):
                self.storage.close(fd)
                with contextlib.suppress(OSError):
                    self.storage.remove(SPARE)
                return
        self._spare_fd, self._spare_size, self._spare_unsynced = fd, size, size

    # ----------------------------------------------------------------- writing

    def write(self, records: list[Prepared]) -> Batch:
        """Make the records durable. Raises StoreUnavailable, or ValueError for one that fits no frame."""
        control = all(record.kind in fmt.CONTROL_KINDS for record in records)
        problem: OSError | None = None
        for _ in range(2):
            batch = self._fitting(records, control)
            try:
                self.storage.write_at(self._fd, batch.data, batch.offset)
                self.storage.data_sync(self._fd)
            except OSError as error:
                problem = error
                self._give_up()
                continue
            except BaseException:
                self._give_up()  # interrupted: what stands there now is as unknown
                raise
            self._done(records, batch)
            return batch
        assert problem is not None
        raise unavailable(problem)

    def check_place(self) -> None:
        """Raises StoreUnavailable when what is written now would be found by nobody: it must not be acknowledged."""
        active = self.active
        if not self.storage.holds(active.name if active is not None else "", self._fd):
            raise StoreUnavailable(
                "the journal was removed or replaced while the daemon was running",
                "put it back, or restart the daemon: it begins a new one",
            )

    def _done(self, records: list[Prepared], batch: Batch) -> None:
        active = self.active
        assert active is not None
        bat.enter(self._words, batch)
        self.chain = batch.chain
        self.tail = batch.offset + len(batch.data)
        table = active.loaded()
        for record, offset in batch.frames:
            _note(table, record, offset)
        for number, raw in ((number, raw) for raw, number in batch.words.numbers.items()):
            table.definitions.raw[number] = raw
        self.last_seq = active.last_seq = records[-1].seq
        if batch.waypoint:
            self._since = (0, 0)
        else:
            self._since = (self._since[0] + len(records), self._since[1] + len(batch.data))
        # Not synced: it reaches the disk with the next sync or by itself, and its absence proves nothing.
        with contextlib.suppress(OSError):
            if self.tail + fmt.MARK_SIZE <= active.limit:
                mark = fmt.pack_mark(self.last_seq, active.header.seed, self.tail)
                self.storage.write_at(self._fd, mark, self.tail)
        self.tend_spare(len(batch.data))

    def _fitting(self, records: list[Prepared], control: bool) -> Batch:
        """The batch for the active segment, or for the next when it does not fit."""
        # Definitions that the active segment has already are written again in the next.
        again = sum(len(record.definition) + len(record.row) + 64 for record in records)
        if self.active is None:
            self._activate(again + sum(len(record.content) + 256 for record in records))
        batch = self._build(records)
        active = self.active
        assert active is not None
        end = batch.offset + len(batch.data)
        if end <= active.limit - active.header.reserve:
            return batch
        try:
            self._activate(len(batch.data) + again)
        except StoreUnavailable:
            if control and end <= active.limit:
                return batch
            raise
        return self._build(records)

    def _build(self, records: list[Prepared]) -> Batch:
        assert self.active is not None
        due = self._since[0] + len(records) >= bat.WAYPOINT_RECORDS or self._since[1] >= bat.WAYPOINT_BYTES
        return bat.build(records, self.active.header, self._words, self.tail, self.chain, waypoint=due)

    # ----------------------------------------------------------------- segments

    def roll(self) -> None:
        """Seal the active segment and go on in the next. Raises StoreUnavailable."""
        self._activate(0)

    def _activate(self, need: int) -> None:
        try:
            self._make_active(need)
        except OSError as error:
            if error.errno not in _FULL:
                self._drop_spare()
            self.spare_error = error.strerror or str(error)
            raise unavailable(error) from error

    def _make_active(self, need: int) -> None:
        size, reserve = self._size(need)
        self._ready_spare(size, need)
        size = self._spare_size
        reserve = min(reserve, size // 4)
        number = self.number + 1
        header = SegmentHeader(
            number=number,
            first_seq=self.last_seq + 1,
            wall0=self.clock.wall_ns(),
            mono0=self.clock.mono_ns(),
            seed=int.from_bytes(secrets.token_bytes(8), "little"),
            size=size,
            reserve=reserve,
            uuid=self.uuid,
            boot=self.boot,
            key=self.key,
            salt=secrets.token_bytes(32),
            chain=self.chain,
            writer=self.release,
            needs=fmt.NEEDS,
        )
        self.storage.write_at(self._spare_fd, fmt.pack_header(header), 0)
        self.storage.data_sync(self._spare_fd)
        self.number = number  # never used twice, whatever the rename came to
        self.storage.publish(SPARE, fmt.segment_name(number))
        segment = Segment(self.storage, number, header, self.last_seq, size)
        segment.table = Table(header.first_seq)
        old, old_fd, old_end = self.active, self._fd, self.tail
        self.active, self._fd, self.tail = segment, self._spare_fd, fmt.DATA_START
        self._spare_fd, self._spare_size, self._spare_unsynced = -1, 0, 0
        if old is not None:
            self._seal(old, old_fd, old_end, header.chain)
        self._words, self._since = Vocabulary(), (0, 0)

    def _seal(self, old: Segment, fd: int, end: int, chain: bytes) -> None:
        """Index, trailer, and the unused rest given back. All of it can be done without."""
        with contextlib.suppress(OSError):
            data = seg.pack_index(old.loaded(), chain, old.header.seed, end)
            self.storage.write_at(fd, data, end)
            self.storage.data_sync(fd)
            self.storage.truncate(fd, end + len(data))
            old.limit = end + len(data)
        self.sealed_bytes += old.limit
        with contextlib.suppress(OSError):
            self.storage.close(fd)

    def _give_up(self) -> None:
        """A write or sync failed: what the segment holds beyond the last acknowledged record is unknown."""
        if self.active is not None:
            self.sealed_bytes += self.active.limit
        with contextlib.suppress(OSError):
            self.storage.close(self._fd)
        self.active, self._fd = None, -1

    def _size(self, need: int) -> tuple[int, int]:
        """(bytes to allocate, of these for control records)."""
        size = SMALLEST
        while size < LARGEST and size * _GROWTH < self.sealed_bytes:
            size *= 2
        reserve = min(_RESERVE, size // 4)
        while size < need + reserve + fmt.DATA_START + fmt.MARK_SIZE:
            size *= 2
        return size, reserve

    # ----------------------------------------------------------------- the spare

    def tend_spare(self, written: int) -> None:
        """Grow the next segment while the second half of this one fills; a full disk shows here first."""
        target, _ = self._size(0)
        half_used = self.active is None or self.tail * 2 >= self.active.limit - self.active.header.reserve
        if self._spare_size >= target or not half_used:
            self.spare_error = ""  # none is needed yet
            return
        try:
            self._grow_spare(min(target, self._spare_size + max(_CHUNK, 4 * written)), target)
            self.spare_error = ""
        except OSError as error:
            self.spare_error = error.strerror or str(error)

    def _grow_spare(self, size: int, target: int) -> None:
        if self._spare_fd < 0:
            self._spare_fd = self.storage.open(SPARE, create=True, write=True)
            self._spare_size = self.storage.size(self._spare_fd)
            if self._spare_size:  # left by a failure: of unknown content
                self.storage.truncate(self._spare_fd, 0)
                self._spare_size = 0
        if size > self._spare_size:
            self.storage.allocate(self._spare_fd, size)
            self._spare_unsynced += size - self._spare_size
            self._spare_size = size
        if self._spare_unsynced >= SYNC_EVERY or (size >= target and self._spare_unsynced):
            self.storage.data_sync(self._spare_fd)
            self._spare_unsynced = 0

    def _ready_spare(self, size: int, need: int) -> None:
        """A whole spare, or on a full disk what there is of one when the records fit into it."""
        try:
            self._grow_spare(size, size)
        except OSError as error:
            if error.errno not in _FULL or self._spare_fd < 0:
                raise
            self._spare_size = self.storage.size(self._spare_fd)
            if self._spare_size * 3 // 4 < need + fmt.DATA_START + fmt.MARK_SIZE or self._spare_size < _CHUNK:
                raise
            self.spare_error = error.strerror or str(error)
        else:
            self.spare_error = ""

    def _drop_spare(self) -> None:
        """After a failed sync its pages cannot be trusted: a new one is made from nothing."""
        if self._spare_fd >= 0:
            with contextlib.suppress(OSError):
                self.storage.close(self._spare_fd)
        self._spare_fd, self._spare_size, self._spare_unsynced = -1, 0, 0
        with contextlib.suppress(OSError):
            self.storage.remove(SPARE)

    @property
    def spare_bytes(self) -> int:
        return self._spare_size

    def close(self) -> None:
        """Sync the mark, so that damage to the last batch will be told from a torn one."""
        if self._fd >= 0:
            with contextlib.suppress(OSError):
                self.storage.data_sync(self._fd)
            with contextlib.suppress(OSError):
                self.storage.close(self._fd)
        if self._spare_fd >= 0:
            with contextlib.suppress(OSError):
                self.storage.close(self._spare_fd)
        self._fd = self._spare_fd = -1
        self.active = None


def unavailable(error: OSError) -> StoreUnavailable:
    """The kernel's refusal as the product's error."""
    reason = error.strerror or str(error)
    hints = {
        errno.ENOSPC: "free some space; recording goes on by itself once there is room",
        errno.EDQUOT: "free some space; recording goes on by itself once there is room",
        errno.EROFS: "the file system is mounted read-only; recording goes on by itself once it is writable",
        errno.EIO: "the disk reports errors: check it, and copy the state directory away",
    }
    hint = hints.get(error.errno or 0, "check the state directory and its disk")
    return StoreUnavailable(f"the journal cannot be written: {reason}", hint)


def _note(table: Table, record: Prepared, offset: int) -> None:
    table.offsets.append(offset)
    if record.body_digest is not None:
        table.streams[record.stream] = record.seq
    if record.kind == ent.CHECKPOINT:
        table.checkpoints.append(record.seq)


def continue_from(storage: Storage, clock: Clock, opened: Opened, uuid: bytes, key: bytes, release: str) -> Writer:
    """The writer for what recovery found. Raises OSError, StoreUnavailable."""
    used = sum(segment.limit for segment in opened.segments[:-1])
    writer = Writer(storage, clock, uuid=uuid, key=key, boot=boot_id(), release=release, used=used)
    writer.number, writer.last_seq = opened.highest_number, opened.last_seq
    writer.take_spare()
    if opened.fd >= 0 and opened.tail is not None and opened.chain is not None:
        writer.resume(opened.segments[-1], opened.fd, opened.tail, opened.chain)
        return writer
    if opened.chain is not None:
        writer.chain = opened.chain
    writer.roll()
    return writer


def boot_id() -> bytes:
    """16 bytes that change with every boot, zeros where the system does not tell."""
    try:
        fd = os.open("/proc/sys/kernel/random/boot_id", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return bytes(16)
    try:
        return bytes.fromhex(os.read(fd, 64).decode("ascii").strip().replace("-", ""))[:16].ljust(16, b"\0")
    except ValueError:
        return bytes(16)
    finally:
        os.close(fd)
