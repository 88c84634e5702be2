"""Repairs that wait, or were interrupted: what may come up before they are made, and how they end."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from engine.conftest import notes
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


def test_what_an_interrupted_repair_left_in_a_root_that_was_away_goes_when_it_is_back(
    tmp_path: Path, workspace: Path
) -> None:
    memory, away = workspace / "MEMORY.md", tmp_path / "away"
    daemon = Daemon(tmp_path / "d", [workspace])
    with daemon.ended_at_exit():
        daemon.start(kill_at="temp.synced")
        memory.write_text("gone\n")
        daemon.sync()
        daemon.advance(2_500)
        daemon.wait_for_exit()
        assert len(list(workspace.iterdir())) == 3, "a temporary file is there"
        workspace.rename(away)
        daemon.start()
        daemon.settle()
        away.rename(workspace)
        daemon.settle()
        daemon.wait_until(lambda: len(list(workspace.iterdir())) == 2, "the temporary file is gone")
        daemon.settle()
        assert memory.read_text() == "gone\n", "nothing is written on the strength of an old plan"
        assert daemon.api.get("/v1/incidents", state="open"), "what is lost is offered"
        daemon.restart()
        daemon.settle()
        assert memory.read_text() == "gone\n"
        daemon.assert_no_traceback()


def test_a_verdict_that_a_full_store_did_not_take_is_given_again(daemon: Daemon, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text(notes(1, 41))
    daemon.sync()
    daemon.fault("readonly_fs")
    daemon.advance(300)  # judged now: to be recorded with the next batch
    daemon.wait_until(lambda: "store" in [one["why"] for one in daemon.sync()["pending"]], "it waits for the store")
    daemon.clear_faults()
    daemon.settle()
    assert [one["event_class"] for one in daemon.events(kind="change")] == ["append"]
