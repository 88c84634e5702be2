"""Entries that are moved out of a file: into one that stays, or into a copy kept for a while."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.daemon import Daemon


@pytest.mark.parametrize("aside", ["MEMORY.md.bak", "MEMORY.old.md", "tmp/MEMORY.txt"])
def test_a_file_put_aside_and_written_anew_is_overwritten(daemon: Daemon, workspace: Path, aside: str) -> None:
    memory = workspace / "MEMORY.md"
    (workspace / "tmp").mkdir()
    memory.rename(workspace / aside)
    memory.write_text("# Memory\n\n- a few words of a new file\n")
    daemon.settle()
    assert "note 40" in memory.read_text()
    assert "a few words of a new file" in memory.read_text()


def test_entries_moved_into_another_text_are_no_loss(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    (workspace / "archive.md").write_text(memory.read_text())
    memory.write_text("# Memory\n")
    daemon.settle()
    assert memory.read_text() == "# Memory\n"
    assert daemon.events(event_class="move", kind="change")
