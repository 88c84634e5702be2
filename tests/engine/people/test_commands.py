"""What a person asks for: accept, bringing back and undo, after later edits, in parts, and taken back."""

from __future__ import annotations

import hashlib
import shutil
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


def _fight(daemon: Daemon, memory: Path) -> None:
    """Three rounds: the third repair waits for quiet."""
    for _ in range(2):
        memory.write_text("gone\n")
        daemon.settle()
    memory.write_text("gone\n")
    daemon.sync()
    daemon.pass_time(3_000)
    assert _repairs_to_come(daemon) == ["backoff"]


def _repairs_to_come(daemon: Daemon) -> list[str]:
    return [one["why"] for one in daemon.sync()["pending"] if one["what"] == "repair"]


def test_restoring_what_stands_there_ends_the_repair_that_waits(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    _fight(daemon, memory)
    newest = daemon.versions(memory)[0]["seq"]
    daemon.cli("restore", "--yes", f"{memory}@{newest}")
    assert _repairs_to_come(daemon) == []
    assert daemon.api.get("/v1/files")[0]["baseline_seq"] == newest
    assert _incident_states(daemon) == ["resolved"]
    daemon.pass_time(3_600_000)
    daemon.restart()
    daemon.settle()
    assert memory.read_text() == "gone\n"


def test_restoring_what_stands_there_is_heard_in_a_quiet_wait(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text("gone\n")
    daemon.sync()
    newest = daemon.versions(memory)[0]["seq"]
    daemon.cli("restore", "--yes", f"{memory}@{newest}")
    daemon.settle()
    assert memory.read_text() == "gone\n"
    assert _incident_states(daemon) == []


def test_accepting_what_stands_there_ends_the_repair_that_waits(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    _fight(daemon, memory)
    daemon.cli("accept", str(memory))
    assert _repairs_to_come(daemon) == []
    assert daemon.api.get("/v1/files")[0]["baseline_seq"] == daemon.versions(memory)[0]["seq"]
    daemon.pass_time(3_600_000)
    assert memory.read_text() == "gone\n"
    assert _incident_states(daemon) == ["accepted"]


def test_accepting_a_deletion_leaves_what_was_written_since(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.unlink()
    daemon.settle()
    with memory.open("a") as file:
        file.write("- a precious line that came after the repair\n")
    daemon.settle()
    daemon.cli("accept", str(memory))
    assert "a precious line" in memory.read_text()
    assert "note 40" not in memory.read_text()


def test_an_acceptance_that_could_not_write_every_file_goes_on_where_it_stopped(
    daemon: Daemon, workspace: Path
) -> None:
    days = _days(workspace)
    daemon.settle()
    for day in days:
        day.unlink()
    daemon.settle()
    (incident,) = daemon.api.get("/v1/incidents")
    with days[1].open("r+"):
        assert daemon.cli("accept", "--yes", str(incident["id"])).exit_code != 0
        assert [day.exists() for day in days] == [False, True, False, False]
        assert _incident_states(daemon) == ["resolved"]
    daemon.cli("accept", str(incident["id"]))
    assert not any(day.exists() for day in days)
    assert _incident_states(daemon) == ["accepted"]
    assert daemon.status()["false_positives"] == 1
    daemon.cli("undo", str(incident["id"]))
    assert all(day.exists() for day in days)


def test_one_file_of_an_incident_is_accepted_for_itself(daemon: Daemon, workspace: Path) -> None:
    days = _days(workspace)
    daemon.settle()
    for day in days:
        day.unlink()
    daemon.settle()
    asked = daemon.cli("accept", str(days[0]))
    assert days[0].name in asked.output
    assert days[1].name not in asked.output
    assert [day.exists() for day in days] == [False, True, True, True]
    assert _incident_states(daemon) == ["resolved"]
    for day in days[1:]:
        daemon.cli("accept", str(day))
    assert _incident_states(daemon) == ["accepted"]


def test_bringing_back_goes_on_where_it_stopped(daemon: Daemon, workspace: Path) -> None:
    days = _days(workspace)
    daemon.settle()
    shutil.rmtree(workspace / "memory")
    daemon.settle()
    (incident,) = daemon.api.get("/v1/incidents?state=open")
    (workspace / "memory").mkdir()
    days[1].write_text("- something else that stands there by now\n")
    daemon.settle()
    with days[1].open("r+"):
        assert daemon.cli("restore", "--yes", "--incident", str(incident["id"])).exit_code != 0
        assert all(day.exists() for day in days)
        assert _incident_states(daemon) == ["open"]
    daemon.cli("restore", "--incident", str(incident["id"]))
    assert _incident_states(daemon) == ["resolved"]
    assert "something else" in days[1].read_text()
    assert "note 202" in days[1].read_text()
    daemon.cli("undo", str(incident["id"]))
    assert [day.exists() for day in days] == [False, True, False, False]
    assert "note 202" not in days[1].read_text()


def test_a_stand_down_is_seen_and_told_until_a_person_ends_it(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    good = memory.read_text()
    for number in range(16):
        memory.write_text(f"gone {number}\n")
        daemon.settle()
    (reason,) = daemon.status()["degraded"]
    assert reason["reason"] == "stood_down"
    assert str(memory) in reason["message"]
    (incident,) = daemon.api.get("/v1/incidents?state=open")
    command = f"conductd restore --incident {incident['id']}"
    assert command in reason["hint"]
    assert daemon.events(kind="notice")[-1]["data"]["command"] == command
    daemon.restart()
    assert [one["reason"] for one in daemon.status()["degraded"]] == ["stood_down"]
    daemon.cli(*command.split()[1:])
    assert good.splitlines()[-1] in memory.read_text()
    assert daemon.status()["health"] == "ok"
    assert _incident_states(daemon) == ["resolved"]
    daemon.restart()
    assert daemon.status()["health"] == "ok"
    memory.write_text("gone again\n")
    daemon.settle()
    assert "note 40" in memory.read_text(), "it is guarded again"


def test_accepting_after_a_stand_down_leaves_what_stands_there(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    for number in range(16):
        memory.write_text(f"gone {number}\n")
        daemon.settle()
    daemon.cli("accept", str(memory))
    daemon.settle()
    assert memory.read_text() == "gone 15\n"
    assert daemon.status()["health"] == "ok"


def test_accepting_what_stands_again_covers_nothing(daemon: Daemon, workspace: Path) -> None:
    daemon.cli("observe", str(workspace))
    memory = workspace / "MEMORY.md"
    memory.write_text("gone\n")
    daemon.settle()
    (incident,) = daemon.api.get("/v1/incidents?state=open")
    daemon.cli("restore", "--incident", str(incident["id"]))
    daemon.settle()
    said = daemon.cli("accept", str(incident["id"])).output
    assert said.count("what was lost stands in the file again") == 2, "beforehand and afterwards"
    daemon.cli("protect", str(workspace))
    memory.write_text("gone\n")
    daemon.settle()
    assert "note 40" in memory.read_text()


def test_what_accepting_does_is_what_it_said_it_would(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text("gone\n")
    daemon.settle()
    (incident,) = daemon.api.get("/v1/incidents")
    (planned,) = daemon.api.post("/v1/accept", {"incident": incident["id"], "dry_run": True})["plans"]
    assert "note 40" in memory.read_text()
    daemon.cli("accept", str(incident["id"]))
    assert hashlib.sha256(memory.read_bytes()).hexdigest() == planned["to_digest"]
