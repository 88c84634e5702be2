"""Journals for tests: a clock that stands still until told, drafts, and what a journal holds."""

from __future__ import annotations

import hashlib
import itertools
import queue
import random
from collections.abc import Iterator
from typing import TypeVar

from conductd.errors import ContentUnavailable, StoreDamaged
from conductd.journal.journal import Draft, Journal
from conductd.journal.recovery import Recovery
from conductd.model import Cause, FileStat, FileState, VersionRecord
from conductd.ports import Storage

T = TypeVar("T")
WORKSPACE = "0123456789abcdef" * 2


class StepClock:
    """Every reading is a step later than the one before. Never waits."""

    def __init__(self, wall_ns: int = 1_790_000_000_000_000_000, step_ns: int = 1_000_003) -> None:
        self.wall, self.mono, self.step = wall_ns, 5_000_000_000, step_ns

    def wall_ns(self) -> int:
        self.wall += self.step
        return self.wall

    def mono_ns(self) -> int:
        self.mono += self.step
        return self.mono

    def get(self, source: queue.Queue[T], deadline_mono_ns: int | None) -> T | None:
        try:
            return source.get_nowait()
        except queue.Empty:
            return None


def open_journal(storage: Storage, *, read_only: bool = False) -> tuple[Journal, Recovery]:
    return Journal.open(storage, clock=StepClock(), writer="0.1.0", read_only=read_only)


def version(body: bytes | None, *, file: int = 1, path: bytes = b"MEMORY.md", parents: tuple[int, ...] = ()) -> Draft:
    """A version as the recorder would make it; body None: the file is absent."""
    if body is None:
        return Draft(VersionRecord(WORKSPACE, file, path, FileState.ABSENT, Cause.CHANGE, parents=parents))
    stat = FileStat(
        66305, 1234, 0o100644, 1000, 1000, 1, len(body), 1_790_000_000_000_000_000, 1_790_000_000_000_000_000
    )
    digest = hashlib.sha256(body).digest()
    record = VersionRecord(
        WORKSPACE, file, path, FileState.FILE, Cause.CHANGE, digest, len(body), stat, parents=parents
    )
    return Draft(record, body)


def growing(count: int, *, seed: int = 1, line: int = 40) -> list[bytes]:
    """Versions of a file that gets a line each time."""
    rng = random.Random(seed)
    text, out = b"# Notes\n", []
    for number in range(count):
        text += b"- %d " % number + bytes(rng.choices(b"abcdefghij klmnop", k=line)) + b"\n"
        out.append(text)
    return out


def rolling(*, line: int = 40, cap: int = 5000) -> Iterator[bytes]:
    """Versions of a capped file, without end."""
    rng = random.Random(3)
    text = b""
    for number in itertools.count():
        text = (text + b"- %d " % number + bytes(rng.choices(b"abcdefghij klmnop", k=line)) + b"\n")[-cap:]
        yield text


def noise(size: int, *, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


def contents(journal: Journal) -> dict[int, bytes | None]:
    """Every record's body by sequence; None where there is none or it is lost."""
    held: dict[int, bytes | None] = {}
    for stored in journal.replay():
        try:
            held[stored.seq] = journal.body(stored.seq)
        except (ContentUnavailable, StoreDamaged):
            held[stored.seq] = None
    return held
