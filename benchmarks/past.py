"""A long history: a state directory as a daemon would have left it after a million versions.

Made through the journal, the state and the index themselves, not by a million writes: those would take hours. What a
file holds at last is on disk, so that a start finds nothing changed. One verdict for every four versions, as a file
that is written several times before it is quiet has; a checkpoint as often as the recorder makes one. Where the
machine is too slow for the whole of it, building ends after three minutes: `Past.count` says how far it came.
"""

from __future__ import annotations

import hashlib
import random
import time
import uuid
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks import texts
from benchmarks.session import Session
from conductd.engine.fold.state import State
from conductd.engine.recording.recorder import CHECKPOINT_EVERY
from conductd.index.writer import IndexWriter
from conductd.journal.journal import Draft, Journal
from conductd.journal.storage import DirectoryStorage
from conductd.model import (
    Action,
    Cause,
    ChangeRecord,
    CheckpointRecord,
    EventClass,
    FileStat,
    FileState,
    Mode,
    Record,
    Severity,
    Stored,
    Verdict,
    VersionRecord,
    WorkspaceRecord,
)
from conductd.ports import SystemClock
from conductd.watch.reader import file_stat

FILES = 500
BODY = 600
_BATCH = 2_000
_PATIENCE_S = 180.0
_VERDICT_EVERY = 4
_KEY = "past"
_WORDS = [texts.item(random.Random(at), 8)[2:].encode() for at in range(997)]
_VERDICT = Verdict(EventClass.EDIT, Severity.INFO, Action.RECORD, "edit")


@dataclass(frozen=True)
class Past:
    """``versions[file]``: the sequences of that file's versions, rising; ``paths`` in the same order."""

    directory: Path
    workspace: Path
    paths: list[Path]
    versions: list[array[int]]
    records: int
    built_s: float

    @property
    def count(self) -> int:
        return sum(map(len, self.versions))


def past(session: Session) -> Past:
    """The same for every benchmark of a run; on the state directory ``directory``/state."""
    known = session.kept.get(_KEY)
    if not isinstance(known, Past):
        directory = session.root / _KEY
        known = session.kept[_KEY] = Builder(directory, session.choose(1_000_000, 5_000)).build()
    return known


class Builder:
    def __init__(self, directory: Path, count: int, files: int = FILES) -> None:
        self._directory, self._count = directory, count
        self._workspace = directory / "ws"
        (self._workspace / "memory").mkdir(parents=True)
        self._files = min(files, count // 10)
        self._paths = [self._workspace / "memory" / f"note-{at:04}.md" for at in range(self._files)]
        self._versions: list[array[int]] = [array("Q") for _ in range(self._files)]
        self._state = State()

    def build(self) -> Past:
        begun = time.monotonic()
        state_dir = self._directory / "state"
        with DirectoryStorage(self._make(state_dir) / "journal", exclusive=True) as storage:
            journal, _ = Journal.open(storage, clock=SystemClock(), writer="benchmarks")
            index = IndexWriter(state_dir / "index.sqlite3", journal.uuid, 0)
            try:
                self._fill(journal, index)
            finally:
                index.close()
                journal.close()
        took = time.monotonic() - begun
        return Past(self._directory, self._workspace, self._paths, self._versions, self._state.last_seq, took)

    @staticmethod
    def _make(state_dir: Path) -> Path:
        state_dir.mkdir(mode=0o700, parents=True)
        return state_dir

    def _fill(self, journal: Journal, index: IndexWriter) -> None:
        drafts = self._drafts()
        checkpointed = 0
        while batch := list(islice(drafts, _BATCH)):
            self._enter(journal.append(batch), index)
            if self._state.last_seq - checkpointed >= CHECKPOINT_EVERY:
                record = CheckpointRecord(self._state.last_seq)
                self._enter(journal.append([Draft(record, self._state.dump())]), index)
                checkpointed = self._state.last_seq

    def _enter(self, stored: tuple[Stored, ...], index: IndexWriter) -> None:
        for one in stored:
            self._state.apply(one)
            if isinstance(one.record, VersionRecord):
                self._versions[one.record.file - 1].append(one.seq)
        index.apply(stored)

    def _drafts(self) -> Iterator[Draft]:
        seen = self._workspace.stat()
        workspace = uuid.uuid4().hex
        root = bytes(self._workspace)
        yield Draft(WorkspaceRecord(workspace, root, Mode.PROTECT, "generic", seen.st_dev, seen.st_ino))
        rng = random.Random(5)
        bodies = [texts.memory(rng, BODY).splitlines(keepends=True) for _ in self._paths]
        each = self._count // self._files
        give_up = time.monotonic() + _PATIENCE_S
        for number in range(each):
            # What a file's verdict names must have been stored: it comes with the batch after.
            if number and number % _VERDICT_EVERY == 0:
                for file in range(self._files):
                    yield Draft(self._verdict(workspace, file))
            last = number == each - 1 or time.monotonic() > give_up
            for file, lines in enumerate(bodies):
                lines[2 + number % (len(lines) - 2)] = b"- %b, decided in round %d\n" % (_WORDS[number % 997], number)
                yield self._version(workspace, file, b"".join(lines), first=number == 0, last=last)
            if last:
                break
        for file in range(self._files):
            yield Draft(self._verdict(workspace, file))

    def _version(self, workspace: str, file: int, body: bytes, *, first: bool, last: bool) -> Draft:
        path = self._paths[file]
        now_ns = time.time_ns()
        stat = FileStat(0, file + 1, 0o100644, 0, 0, 1, len(body), now_ns, now_ns)
        if last:
            path.write_bytes(body)
            stat = file_stat(path.stat())
        record = VersionRecord(
            workspace=workspace,
            file=file + 1,
            path=b"memory/" + path.name.encode(),
            state=FileState.FILE,
            cause=Cause.FIRST_SIGHT if first else Cause.CHANGE,
            digest=hashlib.sha256(body).digest(),
            size=len(body),
            stat=stat,
        )
        return Draft(record, body)

    def _verdict(self, workspace: str, file: int) -> Record:
        track = self._state.files[file + 1]
        assert track.head is not None
        assert track.baseline is not None
        return ChangeRecord(workspace, file + 1, track.path, track.head.seq, _VERDICT, track.baseline.seq)
