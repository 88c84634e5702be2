"""A file that was put back and is deleted again: recorded, told once with the way back, and explained as what it is."""

from __future__ import annotations

import shlex
from pathlib import Path

from engine.conftest import notes
from support.daemon import Daemon


def test_a_second_deletion_is_told_and_explained(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.unlink()
    daemon.settle()
    assert memory.read_text() == notes()
    seq = daemon.status()["last_seq"]
    memory.unlink()
    daemon.settle()
    assert not memory.exists()
    (notice,) = [e for e in daemon.events() if e["kind"] == "notice" and e["seq"] > seq]
    assert "deleted again" in notice["text"]
    explained = daemon.cli("explain", str(memory)).output
    assert "deleted-again" in explained
    command = shlex.split(notice["data"]["command"])
    assert daemon.cli(*command[1:]).exit_code == 0
    assert memory.read_text() == notes()
