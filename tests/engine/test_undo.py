"""Undo: of one incident, of what was written last, and of what has no effect any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from conductd.engine.people.undoing import without
from engine.conftest import notes
from support.api import ApiError
from support.daemon import Daemon


def _destroy(daemon: Daemon, path: Path) -> str:
    """Overwrite a file, let it be put back; the command that its notice names."""
    path.write_text("gone\n")
    daemon.settle()
    command = daemon.events(kind="notice")[-1]["data"]["command"]
    assert isinstance(command, str)
    return command


def _run(daemon: Daemon, command: str) -> None:
    assert daemon.cli(*command.split()[1:]).exit_code == 0


def _false_positives(daemon: Daemon) -> object:
    return daemon.status()["false_positives"]


def test_the_command_of_a_notice_undoes_what_the_notice_is_about(daemon: Daemon, workspace: Path) -> None:
    memory, user = workspace / "MEMORY.md", workspace / "USER.md"
    user.write_text(notes(101, 140))
    daemon.settle()
    good, other = memory.read_text(), user.read_text()
    command = _destroy(daemon, memory)
    _destroy(daemon, user)
    _run(daemon, command)
    assert (memory.read_text(), user.read_text()) == ("gone\n", other)
    _run(daemon, command)
    assert (memory.read_text(), user.read_text()) == (good, other)
    for view in daemon.api.get("/v1/incidents"):
        assert view["command"] == f"conductd undo {view['id']}"


def test_what_has_no_effect_any_more_is_passed_over(daemon: Daemon, workspace: Path) -> None:
    memory, user = workspace / "MEMORY.md", workspace / "USER.md"
    user.write_text(notes(101, 140))
    daemon.settle()
    _destroy(daemon, memory)
    user.unlink()
    daemon.settle()
    assert user.exists()
    (incident,) = daemon.api.get("/v1/incidents?state=resolved")[:1]
    user.unlink()
    daemon.settle()
    assert not user.exists(), "deleted again: it is meant"
    with pytest.raises(ApiError, match="nothing to undo") as nothing:
        daemon.api.post("/v1/undo", {"incident": incident["id"]})
    assert nothing.value.code == "not_found"
    answer = daemon.api.post("/v1/undo")
    assert [plan["path"] for plan in answer["plans"]] == ["MEMORY.md"]
    assert memory.read_text() == "gone\n"


def test_an_incident_that_wrote_nothing_or_is_not_there_is_not_undone(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text("".join(line for line in memory.read_text().splitlines(True) if "note 1" not in line))
    daemon.settle()
    (incident,) = daemon.api.get("/v1/incidents")
    for number in (incident["id"], 999_999):
        with pytest.raises(ApiError) as refused:
            daemon.api.post("/v1/undo", {"incident": number})
        assert refused.value.code == "not_found"


def test_an_undo_counts_one_false_alarm_for_an_incident(daemon: Daemon, workspace: Path) -> None:
    days = [workspace / "memory" / f"2026-03-0{number}.md" for number in range(1, 4)]
    for number, day in enumerate(days):
        day.write_text(notes(100 * number + 101, 100 * number + 120))
    daemon.settle()
    for day in days:
        day.unlink()
    daemon.settle()
    daemon.cli("undo")
    assert not any(day.exists() for day in days)
    assert _false_positives(daemon) == 1
    daemon.cli("undo")
    assert all(day.exists() for day in days)
    assert _false_positives(daemon) == 0, "an undo of the undo says that the repair was right"
    assert daemon.status()["false_alarms"] == []
    daemon.cli("undo")
    assert _false_positives(daemon) == 1
    assert [alarm["count"] for alarm in daemon.status()["false_alarms"]] == [1]


def test_a_file_of_a_set_that_was_put_back_late_is_undone_with_the_set(daemon: Daemon, workspace: Path) -> None:
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
    daemon.settle()
    good = [day.read_text() for day in days]
    assert all(text != "x\n" for text in good)
    (notice,) = daemon.events(kind="notice")
    _run(daemon, notice["data"]["command"])
    assert [day.read_text() for day in days] == ["x\n"] * 4
    _run(daemon, notice["data"]["command"])
    assert [day.read_text() for day in days] == good


def test_undoing_a_set_ends_what_of_it_is_still_to_be_put_back(daemon: Daemon, workspace: Path) -> None:
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
        daemon.cli("undo")
    daemon.settle()
    assert [day.read_text() for day in days] == ["x\n"] * 4
    assert daemon.api.get("/v1/incidents?state=open") == []


@pytest.mark.parametrize(
    ("now", "written", "before", "left"),
    [
        (b"- one two three\n", b"- one two three\n", None, None),
        (b"- one two three\n- four five six\n", b"- one two three\n", None, b"- four five six\n"),
        (b"- one two three\n", b"- one two three\n", b"", b""),
        (b"- a b c\n- d e f\n", b"- a b c\n", b"- x y z\n", b"- x y z\n- d e f\n"),
    ],
)
def test_a_step_is_taken_back_and_what_came_since_stays(
    now: bytes, written: bytes, before: bytes | None, left: bytes | None
) -> None:
    assert without(now, written, before) == left
