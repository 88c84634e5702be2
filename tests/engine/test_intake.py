"""The intake outlives what it cannot read, and goes on answering."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from conductd.config import load
from conductd.engine.degraded import Degraded
from conductd.engine.intake import Intake
from conductd.engine.recorder import Recorder
from conductd.engine.state import State
from conductd.engine.workspaces import Workspaces
from conductd.index.writer import IndexWriter
from conductd.journal.journal import Journal
from conductd.journal.storage import DirectoryStorage
from conductd.model import Mode
from conductd.ports import SystemClock

PATIENCE_S = 30


class _Parts:
    """An intake with all that it hands over to, and no watcher."""

    def __init__(self, directory: Path, stack: ExitStack) -> None:
        clock = SystemClock()
        journal, _ = Journal.open(DirectoryStorage(directory / "journal", exclusive=True), clock=clock, writer="test")
        stack.callback(journal.close)
        index = IndexWriter(str(directory / "index.sqlite3"), journal.uuid, journal.last_seq)
        stack.callback(index.close)
        self.state, self.degraded = State(), Degraded(clock.wall_ns)
        self.touched: list[int] = []
        recorder = Recorder(journal, index, self.state, clock, self.degraded, lambda _: None, self.touched.append)
        recorder.start()
        stack.callback(recorder.stop)
        self.recorder = recorder
        self.workspaces = Workspaces(self.state, recorder, load(None, {"HOME": str(directory)}), {}, observe=False)
        self.intake = Intake(
            self.state,
            recorder,
            self.workspaces,
            self.degraded,
            max_file_bytes=1 << 20,
            rescan_s=3_600,
            tell_degraded=lambda *_: None,
        )


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[_Parts]:
    with ExitStack() as stack:
        yield _Parts(tmp_path, stack)


def test_a_workspace_that_fails_stops_neither_the_others_nor_the_thread(parts: _Parts, tmp_path: Path) -> None:
    handles = []
    for name in ("bad", "good"):
        (tmp_path / name).mkdir()
        handles.append(parts.workspaces.register(os.fsencode(tmp_path / name), Mode.PROTECT, "generic"))
        parts.intake.add(handles[-1])
    parts.intake.start()
    assert handles[0].fd is not None
    os.close(handles[0].fd)
    handles[0].fd = 999_999  # whatever is done with it raises
    (tmp_path / "good" / "MEMORY.md").write_text("- a note that was written\n")
    with pytest.raises(OSError, match="Bad file descriptor"):
        parts.intake.sync().result(PATIENCE_S)
    parts.intake.sync().result(PATIENCE_S).result(PATIENCE_S)
    assert parts.state.track(handles[1].id, b"MEMORY.md") is not None
    parts.intake.stop()


def test_a_rescan_that_reads_the_same_again_is_no_write(parts: _Parts, tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "MEMORY.md").write_text("- a note that was written\n")
    handle = parts.workspaces.register(os.fsencode(tmp_path / "ws"), Mode.PROTECT, "generic")
    parts.intake.add(handle)
    parts.intake.start()
    before = parts.intake.reads
    parts.intake.sync().result(PATIENCE_S).result(PATIENCE_S)
    assert parts.intake.reads > before, "so young a file is read again"
    assert parts.touched == []
    (tmp_path / "ws" / "MEMORY.md").write_text("- a note that was written\n")
    parts.intake.sync().result(PATIENCE_S).result(PATIENCE_S)
    assert parts.touched != []
    parts.intake.stop()


def test_nothing_to_write_is_written_at_once(parts: _Parts) -> None:
    assert parts.recorder.append(lambda _: []).result(PATIENCE_S) == ()
