"""The intake outlives what it cannot read, and goes on answering."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conductd.model import Mode
from engine.conftest import Parts

PATIENCE_S = 30


def test_a_workspace_that_fails_stops_neither_the_others_nor_the_thread(parts: Parts, tmp_path: Path) -> None:
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


def test_a_rescan_that_reads_the_same_again_is_no_write(parts: Parts, tmp_path: Path) -> None:
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


def test_nothing_to_write_is_written_at_once(parts: Parts) -> None:
    assert parts.recorder.append(lambda _: []).result(PATIENCE_S) == ()
