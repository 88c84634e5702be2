"""What was written together has a number, by which it is undone whatever was written since."""

from __future__ import annotations

from pathlib import Path

from engine.conftest import notes
from support.daemon import Daemon


def test_an_act_is_undone_by_its_number_and_again_brings_it_back(daemon: Daemon, workspace: Path) -> None:
    memory, other = workspace / "MEMORY.md", workspace / "memory" / "2026-03-01.md"
    daemon.settle()
    first = daemon.versions(memory)[-1]["seq"]
    old = memory.read_text()
    memory.write_text(old + "- a later note about the harbour\n")
    other.write_text(notes(101, 108))
    daemon.settle()
    before = daemon.versions(other)[0]["seq"]
    other.write_text(notes(101, 108) + "- one more\n")
    daemon.settle()
    daemon.cli("restore", f"{memory}@{first}")
    daemon.cli("restore", f"{other}@{before}")
    daemon.settle()
    assert memory.read_text() == old
    told = [each["text"] for each in daemon.events(kind="repair_done") if "MEMORY.md" in each["text"]]
    act = told[0].rpartition("(conductd undo ")[2].rstrip(")")
    assert act.isdecimal()
    daemon.cli("undo", act)
    daemon.settle()
    assert "harbour" in memory.read_text()
    assert "one more" not in other.read_text(), "the later restore stands"
    daemon.cli("undo", act)
    daemon.settle()
    assert memory.read_text() == old
