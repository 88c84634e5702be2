"""What the daemon does about losses, end to end: sets, fights over restarts, refusals, late writers."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from engine.conftest import notes
from support.daemon import Daemon


def test_files_destroyed_together_are_one_incident_and_one_undo(daemon: Daemon, workspace: Path) -> None:
    days = [workspace / "memory" / f"2026-03-0{n}.md" for n in range(1, 5)]
    for number, day in enumerate(days):
        day.write_text(notes(100 * number + 101, 100 * number + 120))
    daemon.settle()
    for day in days:
        day.unlink()
    daemon.settle()
    assert all(day.exists() for day in days)
    incidents = daemon.api.get("/v1/incidents")
    assert [one["event_class"] for one in incidents] == ["mass_loss"]
    assert len(daemon.events(kind="notice")) == 1
    daemon.cli("undo")
    daemon.settle()
    assert not any(day.exists() for day in days)
    daemon.cli("undo")
    daemon.settle()
    assert all(day.exists() for day in days)


def test_a_fight_keeps_its_distance_over_a_restart(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    good = memory.read_text()
    for _ in range(2):
        memory.write_text("gone\n")
        daemon.settle()
        assert memory.read_text() == good
    memory.write_text("gone\n")
    daemon.sync()
    daemon.advance(2_500)
    daemon.sync()
    assert memory.read_text() == "gone\n"
    daemon.restart()
    daemon.sync()
    daemon.advance(2_500)
    assert [one["why"] for one in daemon.sync()["pending"]] == ["backoff"]
    daemon.settle()
    assert memory.read_text() == good
    assert len(daemon.events(kind="notice")) == 2


def test_an_endless_fight_ends_with_a_stand_down(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    for _ in range(16):
        memory.write_text("gone\n")
        daemon.settle()
    repairs = [one for one in daemon.events(kind="repair_done") if one["data"]["outcome"] == "applied"]
    assert len(repairs) <= 13
    assert memory.read_text() == "gone\n"
    assert daemon.api.get("/v1/files")[0]["stood_down"]
    notices = daemon.events(kind="notice")
    assert [one["severity"] for one in notices] == ["alarm"] * 3
    assert "stood down" in notices[-1]["text"]
    assert notices[-1]["data"]["command"].startswith("conductd restore --incident ")


def test_a_person_ends_a_stand_down(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    good = memory.read_text()
    for _ in range(16):
        memory.write_text("gone\n")
        daemon.settle()
    first = daemon.versions(memory)[-1]["seq"]
    daemon.cli("restore", f"{memory}@{first}")
    assert memory.read_text() == good
    assert not daemon.api.get("/v1/files")[0]["stood_down"]


def test_accepting_ends_a_stand_down(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    for _ in range(16):
        memory.write_text("gone\n")
        daemon.settle()
    daemon.cli("accept", str(memory))
    assert not daemon.api.get("/v1/files")[0]["stood_down"]
    daemon.restart()
    assert not daemon.api.get("/v1/files")[0]["stood_down"]


def test_what_is_only_observed_is_never_written(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path / "d", [workspace], arguments=["--observe"]) as daemon:
        memory = workspace / "MEMORY.md"
        memory.write_text("gone\n")
        daemon.settle()
        assert memory.read_text() == "gone\n"
        (incident,) = daemon.api.get("/v1/incidents")
        assert (incident["state"], incident["event_class"]) == ("open", "overwrite")
        daemon.cli("restore", "--incident", str(incident["id"]))
        assert "note 40" in memory.read_text()


def test_a_shrink_is_offered_back_and_brought_back_without_what_came_since(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    kept = [line for line in memory.read_text().splitlines() if "note 1" not in line]
    memory.write_text("\n".join([*kept, "- a new thing that was learned today"]) + "\n")
    daemon.settle()
    (incident,) = daemon.api.get("/v1/incidents")
    assert (incident["action"], incident["state"]) == ("propose", "open")
    assert "note 1:" not in memory.read_text()
    daemon.cli("restore", "--incident", str(incident["id"]))
    text = memory.read_text()
    assert "note 1:" in text
    assert "note 19:" in text
    assert "learned today" in text
    assert daemon.api.get("/v1/incidents?state=open") == []
    daemon.cli("undo")
    assert "note 1:" not in memory.read_text()


def test_an_accepted_proposal_is_not_asked_about_again(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    lines = memory.read_text().splitlines()
    memory.write_text("\n".join(line for line in lines if "note 1" not in line) + "\n")
    daemon.settle()
    daemon.cli("accept", str(memory))
    assert daemon.api.get("/v1/incidents?state=open") == []
    memory.write_text("\n".join(lines) + "\n")
    daemon.settle()
    before = len(daemon.api.get("/v1/incidents"))
    memory.write_text("\n".join(line for line in lines if "note 1" not in line) + "\n")
    daemon.settle()
    assert len(daemon.api.get("/v1/incidents")) == before + 1, "the acceptance lapsed when the entries came back"


def test_a_late_writer_is_merged(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    good = memory.read_text()
    with memory.open("r+") as writer:
        # The daemon waits for the writer to let go; it keeps a second, read-only descriptor open.
        reader = os.open(memory, os.O_RDONLY)
        writer.truncate(0)
        writer.write("gone\n")
    daemon.settle()
    assert memory.read_text() == good
    os.close(reader)


def test_a_hard_linked_file_is_repaired_in_place(daemon: Daemon, workspace: Path, tmp_path: Path) -> None:
    memory = workspace / "MEMORY.md"
    good, other = memory.read_text(), tmp_path / "other.md"
    os.link(memory, other)
    memory.write_text("gone\n")
    daemon.settle()
    assert (memory.read_text(), other.read_text()) == (good, good)
    assert memory.stat().st_ino == other.stat().st_ino


def test_a_file_over_the_limit_is_told_and_left_alone(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path / "d", [workspace], config="max_file_bytes = 10000\n") as daemon:
        memory = workspace / "MEMORY.md"
        memory.write_text("x" * 20_000)
        daemon.settle()
        assert len(daemon.events(kind="event", event_class="oversize")) == 1
        assert memory.read_text() == "x" * 20_000
        version = daemon.versions(memory)[0]
        assert (version["state"], version["size"], version["restorable"]) == ("oversize", 20_000, False)


def test_what_is_only_tried_or_there_already_names_no_undo(daemon: Daemon, workspace: Path) -> None:
    first = daemon.versions(workspace / "MEMORY.md")[0]["seq"]
    ask = {"path": str(workspace / "MEMORY.md"), "version": str(first)}
    (workspace / "MEMORY.md").write_text("another text, word by word\n")
    daemon.sync()
    assert daemon.api.post("/v1/restore", {**ask, "dry_run": True})["undo_command"] == ""
    assert daemon.api.post("/v1/restore", ask)["undo_command"] == "conductd undo"
    again = daemon.api.post("/v1/restore", ask)
    assert (again["plans"][0]["outcome"], again["undo_command"]) == ("unchanged", "")


def test_what_a_replaced_writer_wrote_is_merged(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    good = memory.read_text()
    first, second = good + "- the first writer was here\n", good + "- the second writer came at once\n"
    saves = {"swap.checked": (memory, first.encode()), "undo.before": (memory, second.encode())}
    daemon = Daemon(tmp_path / "d", [workspace])
    with daemon.ended_at_exit():
        daemon.start(write_at=saves)
        memory.write_text("gone\n")
        daemon.settle()
        text = memory.read_text()
        assert "first writer" in text
        assert "second writer" in text
        assert "note 40" in text


def test_what_a_replaced_writer_wrote_is_merged_once_git_is_done(tmp_path: Path, workspace: Path) -> None:
    (workspace / ".git").mkdir()
    (workspace / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    os.utime(workspace / ".git" / "HEAD", (0, 0))
    memory, lock = workspace / "MEMORY.md", workspace / ".git" / "index.lock"
    good = memory.read_text()
    first, second = good + "- the first writer was here\n", good + "- the second writer came at once\n"
    saves = {"swap.checked": (memory, first.encode()), "undo.before": (memory, second.encode()), "applied": (lock, b"")}
    daemon = Daemon(tmp_path / "d", [workspace])
    with daemon.ended_at_exit():
        daemon.start(write_at=saves)
        memory.write_text("gone\n")
        daemon.pass_time(20_000)
        assert lock.exists()
        assert memory.read_text() == second
        lock.unlink()
        daemon.settle()
        text = memory.read_text()
        assert "first writer" in text
        assert "second writer" in text


def test_a_removed_directory_comes_back_with_one_command(daemon: Daemon, workspace: Path) -> None:
    days = [workspace / "memory" / f"2026-04-0{n}.md" for n in range(1, 4)]
    for number, day in enumerate(days):
        day.write_text(notes(100 * number + 101, 100 * number + 110))
    daemon.settle()
    shutil.rmtree(workspace / "memory")
    daemon.settle()
    assert not (workspace / "memory").exists()
    (incident,) = daemon.api.get("/v1/incidents?state=open")
    daemon.cli("restore", "--incident", str(incident["id"]))
    assert all(day.exists() for day in days)
    daemon.cli("undo")
    assert not any(day.exists() for day in days)


def test_nothing_is_restored_while_what_stands_there_is_not_known(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    first = daemon.versions(memory)[0]["seq"]
    daemon.fault("readonly_fs")
    memory.write_text("something that cannot be recorded\n")
    daemon.sync()
    ran = daemon.cli("restore", f"{memory}@{first}")
    assert ran.exit_code == 9
    assert memory.read_text() == "something that cannot be recorded\n"


def test_a_file_that_is_never_quiet_is_judged_at_last(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text("# Memory\n- nothing of what was here before\n")
    for number in range(60):
        with memory.open("a") as stream:
            stream.write(f"- a line of the status {number}\n")
        daemon.sync()
        daemon.advance(200)
    daemon.sync()
    assert daemon.events(event_class="overwrite")
    daemon.settle()
    assert "note 40" in memory.read_text()
    assert "status 59" in memory.read_text()


@pytest.mark.parametrize("kind", ["fifo", "directory", "link"])
def test_memory_is_offered_back_when_something_else_stands_in_its_place(
    kind: str, daemon: Daemon, workspace: Path
) -> None:
    memory = workspace / "MEMORY.md"
    memory.unlink()
    if kind == "fifo":
        os.mkfifo(memory)
    elif kind == "directory":
        memory.mkdir()
    else:
        memory.symlink_to("/dev/null")
    daemon.settle()
    (incident,) = daemon.api.get("/v1/incidents?state=open")
    assert incident["action"] == "propose"
    if kind == "directory":
        memory.rmdir()
    else:
        memory.unlink()
    daemon.settle()
    daemon.cli("restore", "--incident", str(incident["id"]))
    assert memory.read_text() == notes()


def test_a_link_to_where_the_memory_is_now_is_no_loss(daemon: Daemon, workspace: Path) -> None:
    memory, agents = workspace / "MEMORY.md", workspace / "AGENTS.md"
    memory.rename(agents)
    memory.symlink_to("AGENTS.md")
    daemon.settle()
    assert daemon.api.get("/v1/incidents") == []
