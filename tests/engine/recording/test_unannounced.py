"""Only other bytes that no event announced say that a mount sends none."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from conductd.engine.recording.known import recorded
from conductd.engine.recording.unannounced import UNANNOUNCED_NS, unannounced
from conductd.model import FileState, Mode
from conductd.watch.reader import file_stat, observe
from conductd.watch.rescan import Found
from engine.conftest import Parts

PATIENCE_S = 30


@pytest.mark.parametrize("how", ["link", "mode", "times", "bytes"])
@pytest.mark.parametrize("age_ns", [0, 2 * UNANNOUNCED_NS])
def test_what_is_not_written_is_no_lost_event(parts: Parts, tmp_path: Path, how: str, age_ns: int) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    memory = root / "MEMORY.md"
    memory.write_text("- a note that was written\n")
    handle = parts.workspaces.register(os.fsencode(root), Mode.PROTECT, "generic")
    parts.intake.add(handle)
    parts.recorder.barrier().result(PATIENCE_S)
    if how == "link":
        os.link(memory, tmp_path / "x.bak")
    elif how == "mode":
        memory.chmod(stat.S_IRUSR | stat.S_IWUSR)
    elif how == "times":
        os.utime(memory, (1, 1))
    else:
        memory.write_text("- another\n")
    seen = os.lstat(memory)
    found = [Found(b"MEMORY.md", file_stat(seen))]
    before = recorded(parts.state, handle.id, found)
    assert handle.fd is not None
    read = {b"MEMORY.md": observe(handle.fd, b"MEMORY.md")}
    assert read[b"MEMORY.md"].state is FileState.FILE
    late = unannounced(found, before, read, max(seen.st_ctime_ns, seen.st_mtime_ns) + age_ns)
    assert late == ([b"MEMORY.md"] if how == "bytes" and age_ns else [])
