"""Repairs that wait, or were interrupted: what may come up before they are made, and how they end."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.daemon import Daemon


def _fight(daemon: Daemon, memory: Path) -> None:
    """Destroy the file until its repair waits for quiet."""
    for _ in range(2):
        memory.write_text("gone\n")
        daemon.settle()
    memory.write_text("gone\n")
    daemon.sync()
    daemon.advance(2_500)
    assert [one["why"] for one in daemon.sync()["pending"]] == ["backoff"]


def test_what_a_person_accepts_is_not_repaired_later(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    _fight(daemon, memory)
    daemon.cli("accept", str(memory))
    daemon.settle()
    assert memory.read_text() == "gone\n"
    assert daemon.api.get("/v1/incidents?state=open") == []


def test_a_waiting_repair_is_only_proposed_once_the_workspace_is_observed(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    _fight(daemon, memory)
    daemon.cli("observe", str(workspace))
    daemon.settle()
    assert memory.read_text() == "gone\n"
    (incident,) = daemon.api.get("/v1/incidents?state=open")
    assert incident["action"] == "propose"


def test_a_waiting_repair_is_not_made_under_the_feet_of_git(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    _fight(daemon, memory)
    subprocess.run(["git", "init", "-q", workspace], check=True)
    (workspace / ".git" / "index.lock").touch()
    daemon.pass_time(120_000)
    assert memory.read_text() == "gone\n"
    (workspace / ".git" / "index.lock").unlink()
    daemon.settle()
    assert "note 40" in memory.read_text()


def test_a_file_that_is_held_open_does_not_fill_the_journal(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with memory.open("r+") as writer:
        writer.truncate(0)
        writer.write("gone\n")
        writer.flush()
        daemon.pass_time(600_000)
        assert len(daemon.events(kind="repair_done")) < 25
        assert memory.read_text() == "gone\n"
    daemon.settle()
    assert "note 40" in memory.read_text()


@pytest.mark.parametrize("point", ["planned", "applied"])
def test_an_interrupted_repair_is_told_and_its_incident_closed(tmp_path: Path, workspace: Path, point: str) -> None:
    memory = workspace / "MEMORY.md"
    good = memory.read_text()
    daemon = Daemon(tmp_path / "d", [workspace])
    with daemon.ended_at_exit():
        daemon.start(kill_at=point)
        memory.write_text("gone\n")
        daemon.sync()
        daemon.advance(2_500)
        daemon.wait_for_exit()
        daemon.start()
        daemon.settle()
        assert memory.read_text() == good
        assert [one["state"] for one in daemon.api.get("/v1/incidents")] == ["resolved"]
        (notice,) = daemon.events(kind="notice")
        assert "MEMORY.md was overwritten" in notice["data"]["title"]
        daemon.restart()
        daemon.settle()
        assert len(daemon.events(kind="notice")) == 1
