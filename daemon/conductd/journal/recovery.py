"""From a directory of files to a journal that can be read and written again.

Owns the order of an open: headers, the newest segment's tail, what is cut, what is made durable once more. Says all it
did in a `Recovery`. Doing it twice changes nothing more. One thread, before anybody else uses the journal.
"""

from __future__ import annotations

import contextlib
from typing import NamedTuple

from conductd.errors import StoreTooNew
from conductd.journal import format as fmt
from conductd.journal import tail as tails
from conductd.journal.format import SegmentHeader
from conductd.journal.scan import first_nonzero, last_nonzero
from conductd.journal.segment import Segment
from conductd.journal.tail import Tail
from conductd.model import Frozen
from conductd.ports import Storage

_SMALLEST_RECORD = 32


class Damage(Frozen, frozen=True):
    """Bytes that do not hold what was written there, and what that costs.

    ``lost_versions``: sequences whose record or content cannot be had any more.
    """

    segment: str
    offset: int
    what: str
    seq: int | None = None
    path: bytes = b""
    lost_versions: tuple[int, ...] = ()


class Cut(Frozen, frozen=True):
    """A batch that was never acknowledged: its bytes and the records in it that could be read."""

    segment: str
    offset: int
    bytes: int
    records: int


class Recovery(Frozen, frozen=True):
    """What an open found and did."""

    cut: tuple[Cut, ...] = ()
    damage: tuple[Damage, ...] = ()
    removed: tuple[str, ...] = ()  # files an interrupted write left behind
    sealed: tuple[str, ...] = ()  # segments closed early because of damage or a failed sync

    @property
    def clean(self) -> bool:
        return not (self.cut or self.damage)


class Opened(NamedTuple):
    """``fd`` is the newest segment opened for writing, -1 when read-only or damaged (go on in a new one)."""

    segments: list[Segment]
    tail: Tail | None
    fd: int
    highest_number: int
    last_seq: int
    chain: bytes | None
    recovery: Recovery


def open_segments(storage: Storage, *, read_only: bool) -> Opened:
    """Raises OSError, or StoreTooNew."""
    found: list[tuple[int, SegmentHeader, int]] = []
    damage: list[Damage] = []
    removed: list[str] = []
    highest = 0
    lost_after = 0
    for name in storage.names():
        number = fmt.segment_number(name)
        if number is None:
            if name.endswith(".new") and not read_only:
                storage.remove(name)
                removed.append(name)
            continue
        highest = max(highest, number)
        header, size, problem = _header(storage, name)
        if problem is not None:
            damage.append(problem)
        if header is None:
            lost_after = size // _SMALLEST_RECORD if problem is not None else 0
            continue
        _check_known(header, name, read_only=read_only)
        found.append((number, header, size))
        lost_after = 0
    found.sort()
    segments = [
        Segment(
            storage,
            number,
            header,
            found[at + 1][1].first_seq - 1 if at + 1 < len(found) else header.first_seq - 1,
            size,
        )
        for at, (number, header, size) in enumerate(found)
    ]
    if not segments:
        recovery = Recovery(damage=tuple(damage), removed=tuple(removed))
        return Opened([], None, -1, highest, lost_after, None, recovery)
    newest = segments[-1]
    tail = tails.read_tail(newest)
    newest.table, newest.last_seq = tail.table, tail.last_seq
    damage.extend(
        Damage(newest.name, bad.offset, f"{bad.end - bad.offset} bytes are no valid record") for bad in tail.bad
    )
    cut: tuple[Cut, ...] = ()
    if tail.torn is not None and (tail.torn_records or tail.torn[1] - tail.torn[0] > fmt.MARK_SIZE):
        cut = (Cut(newest.name, tail.torn[0], tail.torn[1] - tail.torn[0], tail.torn_records),)
    # Records of a newest segment whose header is gone may have been acknowledged: their numbers are not used again.
    last_seq = tail.last_seq + lost_after
    usable = tail.chain is not None and not lost_after
    fd = -1
    if not read_only:
        fd = _settle(storage, newest, tail)
        if not usable:
            storage.close(fd)
            fd = -1
    sealed = () if usable or read_only else (newest.name,)
    chain = tail.chain if usable else tails.restart_chain(newest.header.uuid, last_seq)
    recovery = Recovery(cut, tuple(damage), tuple(removed), sealed)
    return Opened(segments, tail, fd, highest, last_seq, chain, recovery)


def _header(storage: Storage, name: str) -> tuple[SegmentHeader | None, int, Damage | None]:
    fd = storage.open(name, create=False, write=False)
    try:
        size = storage.size(fd)
        header, whole = fmt.unpack_header(storage.read_at(fd, fmt.DATA_START, 0))
        if header is not None:
            problem = None if whole else Damage(name, 0, "one of the two copies of the segment header is damaged")
            return header, size, problem

        def read(count: int, offset: int) -> bytes:
            return storage.read_at(fd, count, offset)

        if first_nonzero(read, fmt.DATA_START, size) is None:
            return None, size, None  # never used: nothing was in it
        used = last_nonzero(read, fmt.DATA_START, size)
        return None, used, Damage(name, 0, "both copies of the segment header are damaged: its records cannot be read")
    finally:
        storage.close(fd)


def _check_known(header: SegmentHeader, name: str, *, read_only: bool) -> None:
    unknown = header.incompatible & ~fmt.KNOWN_INCOMPATIBLE
    if header.major <= fmt.MAJOR and (not unknown or read_only):
        return
    needs = header.needs or "a newer one"
    what = f"format {header.major}.{header.minor}" if header.major > fmt.MAJOR else f"feature {unknown:#x}"
    raise StoreTooNew(
        f"the journal uses {what}, which needs conductd {needs} or later: {name}",
        f"install conductd {needs} or later"
        + ("" if header.major > fmt.MAJOR else "; this release can still read it (show, log, verify)"),
    )


def _settle(storage: Storage, segment: Segment, tail: Tail) -> int:
    """Zero what is torn, and make sure that what is kept is on the disk.

    The last batch may have been written by a process whose sync failed: the pages are clean in memory and missing
    on the disk. Writing the same bytes again makes the next sync mean something.
    """
    fd = storage.open(segment.name, create=False, write=True)
    try:
        if tail.torn is not None:
            start, end = tail.torn
            storage.write_at(fd, bytes(end - start), start)
        if not tail.marked:
            start, end = tail.last_batch or (0, fmt.DATA_START)
            storage.write_at(fd, storage.read_at(fd, end - start, start), start)
        if tail.torn is not None or not tail.marked:
            storage.data_sync(fd)
    except BaseException:
        with contextlib.suppress(OSError):
            storage.close(fd)
        raise
    return fd
