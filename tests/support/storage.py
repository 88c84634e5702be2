"""A disk in memory that logs every operation, fails on request, and enumerates what a crash may leave.

`MemoryStorage` is the `Storage` port over a `Disk`. `crash_states` walks a disk's log and yields, for every point in
it, images that POSIX allows after a power loss: un-synced writes there, missing, or in part (512-byte sectors),
un-synced directory operations done or undone. A failed sync follows Linux: the pages are clean afterwards, so that a
later good sync of the same file makes nothing durable that was written before the failed one.
"""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

SECTOR = 512
Image = dict[str, bytes]


@dataclass(frozen=True)
class Op:
    """``kind``: create, write, sync, failed_sync, truncate, rename, remove, dirsync."""

    kind: str
    inode: int = 0
    name: str = ""
    target: str = ""
    offset: int = 0
    data: bytes = b""


@dataclass
class Fault:
    """Fail ``times`` calls of one method with an errno, after letting ``after`` of them pass."""

    method: str
    errno: int
    after: int = 0
    times: int = 1


@dataclass
class Disk:
    """What all storages over it share: files, the log, faults, and room."""

    files: dict[str, int] = field(default_factory=dict)
    inodes: dict[int, bytearray] = field(default_factory=dict)
    log: list[Op] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    capacity: int | None = None  # bytes; None: endless
    read_only: bool = False

    @classmethod
    def of(cls, image: Image) -> Disk:
        disk = cls()
        for number, (name, data) in enumerate(sorted(image.items()), 1):
            disk.files[name] = number
            disk.inodes[number] = bytearray(data)
        return disk

    def image(self) -> Image:
        return {name: bytes(self.inodes[inode]) for name, inode in self.files.items()}

    @property
    def used(self) -> int:
        return sum(len(self.inodes[inode]) for inode in self.files.values())


class MemoryStorage:
    """The port. Several may look at one disk, as several processes would."""

    def __init__(self, disk: Disk | None = None) -> None:
        self.disk = disk if disk is not None else Disk()
        self._open: dict[int, int] = {}
        self._next = 100

    def _check(self, method: str, *, writes: bool = True) -> None:
        for fault in self.disk.faults:
            if fault.method != method:
                continue
            if fault.after > 0:
                fault.after -= 1
                continue
            if fault.times > 0:
                fault.times -= 1
                raise OSError(fault.errno, os.strerror(fault.errno))
        if writes and self.disk.read_only:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    def _room(self, more: int) -> None:
        if more > 0 and self.disk.capacity is not None and self.disk.used + more > self.disk.capacity:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def names(self) -> Sequence[str]:
        return sorted(self.disk.files)

    def open(self, name: str, *, create: bool, write: bool) -> int:
        self._check("open", writes=write)
        inode = self.disk.files.get(name)
        if inode is None:
            if not create:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
            inode = max(self.disk.inodes, default=0) + 1
            self.disk.files[name] = inode
            self.disk.inodes[inode] = bytearray()
            self.disk.log.append(Op("create", inode, name))
        self._next += 1
        self._open[self._next] = inode
        return self._next

    def allocate(self, fd: int, size: int) -> None:
        self._check("allocate")
        data = self.disk.inodes[self._open[fd]]
        if size > len(data):
            self.write_at(fd, bytes(size - len(data)), len(data))

    def write_at(self, fd: int, data: bytes, offset: int) -> None:
        self._check("write_at")
        inode = self._open[fd]
        held = self.disk.inodes[inode]
        self._room(offset + len(data) - len(held))
        if offset > len(held):
            held.extend(bytes(offset - len(held)))
        held[offset : offset + len(data)] = data
        self.disk.log.append(Op("write", inode, offset=offset, data=bytes(data)))

    def read_at(self, fd: int, size: int, offset: int) -> bytes:
        self._check("read_at", writes=False)
        return bytes(self.disk.inodes[self._open[fd]][offset : offset + size])

    def size(self, fd: int) -> int:
        return len(self.disk.inodes[self._open[fd]])

    def data_sync(self, fd: int) -> None:
        try:
            self._check("data_sync")
        except OSError:
            self.disk.log.append(Op("failed_sync", self._open[fd]))
            raise
        self.disk.log.append(Op("sync", self._open[fd]))

    def truncate(self, fd: int, size: int) -> None:
        self._check("truncate")
        inode = self._open[fd]
        held = self.disk.inodes[inode]
        self._room(size - len(held))
        if size < len(held):
            del held[size:]
        else:
            held.extend(bytes(size - len(held)))
        self.disk.log.append(Op("truncate", inode, offset=size))

    def publish(self, temporary: str, name: str) -> None:
        self._check("publish")
        self.disk.files[name] = self.disk.files.pop(temporary)
        self.disk.log.append(Op("rename", name=temporary, target=name))
        self.sync_directory()

    def remove(self, name: str) -> None:
        self._check("remove")
        if self.disk.files.pop(name, None) is not None:
            self.disk.log.append(Op("remove", name=name))

    def sync_directory(self) -> None:
        self._check("sync_directory")
        self.disk.log.append(Op("dirsync"))

    def holds(self, name: str, fd: int) -> bool:
        return not name or self.disk.files.get(name) == self._open[fd]

    def close(self, fd: int) -> None:
        self._open.pop(fd, None)


class _Model:
    """Durable state plus what is still only in memory."""

    def __init__(self, start: Image) -> None:
        self.durable: dict[int, bytearray] = {}
        self.pending: dict[int, list[Op]] = {}
        self.names: dict[str, int] = {}
        self.directory: list[Op] = []  # un-synced
        for name, inode in Disk.of(start).files.items():
            self.names[name] = inode
            self.durable[inode] = bytearray(start[name])

    def apply(self, op: Op) -> None:
        if op.kind in ("write", "truncate"):
            self.pending.setdefault(op.inode, []).append(op)
        elif op.kind == "sync":
            for pending in self.pending.pop(op.inode, []):
                _apply(self.durable.setdefault(op.inode, bytearray()), pending)
        elif op.kind == "failed_sync":
            # Pages are clean now: what they held is lost unless written again. The worst case is modelled.
            self.pending.pop(op.inode, None)
        elif op.kind in ("create", "rename", "remove"):
            self.directory.append(op)
            if op.kind == "create":
                self.durable.setdefault(op.inode, bytearray())
        elif op.kind == "dirsync":
            for pending in self.directory:
                _move(self.names, pending)
            self.directory.clear()

    def image(self, pending: dict[int, list[Op]], directory: list[Op]) -> Image:
        names = dict(self.names)
        for op in directory:
            _move(names, op)
        out: Image = {}
        for name, inode in names.items():
            data = bytearray(self.durable.get(inode, b""))
            for op in pending.get(inode, []):
                _apply(data, op)
            out[name] = bytes(data)
        return out


def _apply(data: bytearray, op: Op) -> None:
    if op.kind == "truncate":
        if op.offset < len(data):
            del data[op.offset :]
        else:
            data.extend(bytes(op.offset - len(data)))
        return
    if op.offset > len(data):
        data.extend(bytes(op.offset - len(data)))
    data[op.offset : op.offset + len(op.data)] = op.data


def _move(names: dict[str, int], op: Op) -> None:
    if op.kind == "create":
        names[op.name] = op.inode
    elif op.kind == "remove":
        names.pop(op.name, None)
    elif op.name in names:
        names[op.target] = names.pop(op.name)


def _sectors(op: Op) -> list[Op]:
    if op.kind != "write":
        return [op]
    pieces = []
    at = op.offset
    end = op.offset + len(op.data)
    while at < end:
        stop = min(end, at - at % SECTOR + SECTOR)
        pieces.append(Op("write", op.inode, offset=at, data=op.data[at - op.offset : stop - op.offset]))
        at = stop
    return pieces


def crash_states(
    log: Sequence[Op], start: Image | None = None, *, seed: int = 0, samples: int = 3
) -> Iterator[tuple[int, Image]]:
    """(number of operations that had been issued, an image of the disk after the crash)."""
    model = _Model(start or {})
    rng = random.Random(seed)
    for position in range(len(log) + 1):
        if position:
            model.apply(log[position - 1])
        seen: set[int] = set()
        for image in _images(model, rng, samples):
            key = hash(tuple(sorted(image.items())))
            if key not in seen:
                seen.add(key)
                yield position, image


def _images(model: _Model, rng: random.Random, samples: int) -> Iterator[Image]:
    sectors = {inode: [part for op in ops for part in _sectors(op)] for inode, ops in model.pending.items()}
    for directory in ([], model.directory) if model.directory else ([],):
        yield model.image({}, directory)
        if not any(sectors.values()):
            continue
        yield model.image(sectors, directory)
        for inode, parts in sectors.items():
            others = {key: value for key, value in sectors.items() if key != inode}
            for missing in {0, len(parts) - 1, rng.randrange(len(parts))}:
                yield model.image({**others, inode: parts[:missing] + parts[missing + 1 :]}, directory)
        for _ in range(samples):
            yield model.image(
                {inode: [part for part in parts if rng.random() < 0.5] for inode, parts in sectors.items()}, directory
            )
