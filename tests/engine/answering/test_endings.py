"""When incidents are over, and that they stay open as long as something is owed."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from conductd.engine.answering.endings import paid
from conductd.engine.fold.tracks import OpenIncident
from conductd.model import Action, EventClass, IncidentRecord, Severity
from engine.conftest import notes
from support.api import ApiError
from support.daemon import Daemon


def test_an_incident_is_resolved_only_when_nothing_is_owed_any_more() -> None:
    record = IncidentRecord(
        "w", None, "open", EventClass.MASS_LOSS, Severity.ALARM, Action.REVERT, (1, 2), debt=((1, 10), (2, 20))
    )
    first = paid(OpenIncident(5, 0, record), 1)
    assert (first.incident, first.state, first.debt) == (5, "open", ((2, 20),))
    assert paid(OpenIncident(5, 0, first), 2).state == "resolved"


def test_a_merge_in_git_is_one_incident_and_over_with_it(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    good = memory.read_text()
    subprocess.run(["git", "init", "-q", workspace], check=True)
    (workspace / ".git" / "MERGE_HEAD").write_text("0" * 40)
    for side in ("one side of it", "one side of it, written again"):
        memory.write_text(good + f"<<<<<<< a\n- {side}\n=======\n- the other side\n>>>>>>> b\n")
        daemon.settle()
    assert [one["action"] for one in daemon.api.get("/v1/incidents?state=open")] == ["hold"]
    (workspace / ".git" / "MERGE_HEAD").unlink()
    memory.write_text(good + "- the other side\n")
    daemon.pass_time(200_000)
    daemon.settle()
    assert daemon.api.get("/v1/incidents?state=open") == []


def test_a_set_with_a_file_that_is_held_open_is_over_when_that_one_is_back(daemon: Daemon, workspace: Path) -> None:
    days = [workspace / "memory" / f"2026-03-0{number}.md" for number in range(1, 5)]
    for number, day in enumerate(days):
        day.write_text(notes(100 * number + 101, 100 * number + 120))
    daemon.settle()
    with days[0].open("r+") as writer:
        writer.truncate(0)
        writer.write("x\n")
        writer.flush()
        for day in days[1:]:
            day.write_text("x\n")
        daemon.sync()
        daemon.pass_time(3_000)
        assert [one["state"] for one in daemon.api.get("/v1/incidents")] == ["open"]
    daemon.settle()
    assert [one["state"] for one in daemon.api.get("/v1/incidents")] == ["resolved"]
    assert len(daemon.events(kind="notice")) == 1


def test_a_file_that_stays_over_the_limit_is_told_once(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path / "d", [workspace], config="max_file_bytes = 10000\n") as daemon:
        for size in range(20_000, 20_005):
            (workspace / "MEMORY.md").write_text("x" * size)
            daemon.settle()
        assert len(daemon.events(kind="notice", event_class="oversize")) == 1


def test_what_came_back_by_itself_is_not_open_any_more(daemon: Daemon, workspace: Path) -> None:
    for number in range(1, 5):
        (workspace / "memory" / f"2026-03-0{number}.md").write_text(notes(100 * number + 1, 100 * number + 20))
    daemon.settle()
    away = workspace.with_name("away")
    workspace.rename(away)
    daemon.sync()
    daemon.pass_time(3_000)
    away.rename(workspace)
    daemon.settle()
    assert daemon.api.get("/v1/incidents?state=open") == []


@pytest.mark.parametrize("point", ["planned", "temp.synced", "swap.exchanged", "applied"])
def test_a_set_that_a_crash_interrupted_is_told_once(tmp_path: Path, workspace: Path, point: str) -> None:
    days = [workspace / "memory" / f"2026-03-0{number}.md" for number in range(1, 5)]
    for number, day in enumerate(days):
        day.write_text(notes(100 * number + 101, 100 * number + 120))
    good = [day.read_text() for day in days]
    daemon = Daemon(tmp_path / "d", [workspace])
    with daemon.ended_at_exit():
        daemon.start(kill_at=point)
        for day in days:
            day.write_text("x\n")
        with suppress(OSError, ApiError, AssertionError):
            daemon.settle()
        daemon.wait_until(lambda: daemon.process is not None and daemon.process.poll() is not None, "it is killed")
        daemon.kill()
        daemon.start()
        daemon.settle()
        assert [day.read_text() for day in days] == good
        assert [one["state"] for one in daemon.api.get("/v1/incidents")] == ["resolved"]
        (notice,) = daemon.events(kind="notice")
        assert "4 files" in notice["text"]
        daemon.restart()
        daemon.settle()
        assert len(daemon.events(kind="notice")) == 1
        daemon.cli(*notice["data"]["command"].split()[1:])
        assert [day.read_text() for day in days] == ["x\n"] * 4


def test_a_set_on_a_full_disk_is_put_back_at_once_and_told_when_there_is_space(daemon: Daemon, workspace: Path) -> None:
    days = [workspace / "memory" / f"2026-03-0{number}.md" for number in range(1, 5)]
    for number, day in enumerate(days):
        day.write_text(notes(100 * number + 101, 100 * number + 120))
    daemon.settle()
    good = [day.read_text() for day in days]
    for day in days:
        day.unlink()
    daemon.sync()
    daemon.fault("enospc_after_bytes", value=0)
    daemon.fill_store()
    daemon.pass_time(10_000)
    assert [day.read_text() for day in days] == good
    daemon.clear_faults()
    daemon.settle()
    assert [one["state"] for one in daemon.api.get("/v1/incidents")] == ["resolved"]
    (notice,) = daemon.events(kind="notice", event_class="mass_loss")
    daemon.cli(*notice["data"]["command"].split()[1:])
    assert not any(day.exists() for day in days)
