"""What a person asks for: accept, bringing back and undo, after later edits, in parts, and taken back."""

from __future__ import annotations

from pathlib import Path

from engine.conftest import notes
from support.daemon import Daemon


def _incident_states(daemon: Daemon) -> list[str]:
    return [one["state"] for one in daemon.api.get("/v1/incidents")]


def _days(workspace: Path) -> list[Path]:
    days = [workspace / "memory" / f"2026-03-0{number}.md" for number in range(1, 5)]
    for number, day in enumerate(days):
        day.write_text(notes(100 * number + 101, 100 * number + 120))
    return days


def _without_ones(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if "note 1" not in line) + "\n"


def test_accepting_keeps_what_was_written_after_the_repair(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text("gone for good\n")
    daemon.settle()
    memory.write_text(memory.read_text() + "- a later line that has to stay\n")
    daemon.settle()
    daemon.cli("accept", str(memory))
    assert "a later line" in memory.read_text()
    assert "note 40" not in memory.read_text()


def test_undoing_an_acceptance_protects_the_entries_again(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    good = memory.read_text()
    memory.write_text("gone\n")
    daemon.settle()
    daemon.cli("accept", str(memory))
    assert _incident_states(daemon) == ["accepted"]
    daemon.cli("undo")
    assert memory.read_text() == good
    assert _incident_states(daemon) == ["resolved"]
    memory.write_text("gone\n")
    daemon.settle()
    assert memory.read_text() == good


def test_an_acceptance_that_was_undone_can_be_done_again(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text("gone\n")
    daemon.settle()
    daemon.cli("accept", str(memory))
    daemon.cli("undo")
    daemon.cli("undo")
    assert memory.read_text() == "gone\n"
    assert _incident_states(daemon) == ["accepted"]


def test_undoing_what_was_brought_back_offers_it_again(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text(_without_ones(memory.read_text()))
    daemon.settle()
    (incident,) = daemon.api.get("/v1/incidents")
    daemon.cli("restore", "--incident", str(incident["id"]))
    daemon.cli("undo")
    assert "note 1:" not in memory.read_text()
    assert _incident_states(daemon) == ["open"]
    daemon.cli("undo")
    assert "note 1:" in memory.read_text()
    assert _incident_states(daemon) == ["resolved"]


def test_an_incident_says_that_its_repair_was_undone(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text("gone\n")
    daemon.settle()
    daemon.cli("undo")
    (incident,) = daemon.api.get("/v1/incidents")
    assert incident["done"].startswith("undone")


def test_an_undo_that_could_not_reverse_every_file_goes_on_where_it_stopped(daemon: Daemon, workspace: Path) -> None:
    days = _days(workspace)
    daemon.settle()
    for day in days:
        day.unlink()
    daemon.settle()
    with days[1].open("r+"):
        assert daemon.cli("undo").exit_code != 0
        assert [day.exists() for day in days] == [False, True, False, False]
    daemon.cli("undo")
    assert not any(day.exists() for day in days)
    daemon.cli("undo")
    assert all(day.exists() for day in days)


def test_files_accepted_together_are_undone_together(daemon: Daemon, workspace: Path) -> None:
    days = _days(workspace)
    daemon.settle()
    for day in days:
        day.unlink()
    daemon.settle()
    (incident,) = daemon.api.get("/v1/incidents")
    daemon.cli("accept", str(incident["id"]))
    assert not any(day.exists() for day in days)
    daemon.cli("undo")
    assert all(day.exists() for day in days)


def test_accepting_what_was_not_repaired_names_no_undo(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text(_without_ones(memory.read_text()))
    daemon.settle()
    assert "undo" not in daemon.cli("accept", str(memory)).output
