"""What is removed while the daemon runs is noticed, said, and made anew where that is possible."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.conftest import notes
from support.api import ApiError
from support.daemon import Daemon


def _degraded(daemon: Daemon) -> list[str]:
    return [each["reason"] for each in daemon.status()["degraded"]]


def _announce(daemon: Daemon, workspace: Path) -> None:
    daemon.api.post("/v1/evidence", {"path": str(workspace / "MEMORY.md"), "actor": "agent:one"})


def test_nothing_is_acknowledged_into_a_journal_that_was_moved_away(daemon: Daemon, workspace: Path) -> None:
    journal = daemon.state_dir / "journal"
    journal.rename(daemon.state_dir / "aside")
    with pytest.raises(ApiError) as refused:
        _announce(daemon, workspace)
    assert refused.value.code == "store_unavailable"
    daemon.wait_until(lambda: {"store", "store_damage"} <= set(_degraded(daemon)), "it is said")
    (daemon.state_dir / "aside").rename(journal)
    daemon.wait_until(lambda: "store" not in _degraded(daemon), "it goes on")
    _announce(daemon, workspace)


def test_an_idle_daemon_notices_that_its_journal_is_gone(daemon: Daemon) -> None:
    (daemon.state_dir / "journal").rename(daemon.state_dir / "aside")
    daemon.wait_until(lambda: "store_damage" in _degraded(daemon), "it is said")


def test_a_start_says_how_many_records_are_gone(daemon: Daemon, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text(notes(1, 41))
    daemon.settle()
    daemon.stop()
    (daemon.state_dir / "journal").rename(daemon.state_dir / "aside")
    daemon.start()
    (event,) = daemon.events(event_class="store_damage", kind="event")
    assert "records that the index knew of are gone" in str(event)
    assert "store_damage" in _degraded(daemon)


def test_damage_that_is_met_while_running_is_an_event_once(daemon: Daemon, workspace: Path) -> None:
    (segment,) = (daemon.state_dir / "journal").glob("*.seg")
    flip(segment, segment.read_bytes().index(b"MEMORY.md") + 60)
    for _ in range(2):
        daemon.cli("verify")
        daemon.wait_until(lambda: "store_damage" in _degraded(daemon), "it is said")
    daemon.sync()
    assert len(daemon.events(event_class="store_damage", kind="event")) == 1


def test_damage_that_is_mended_passes_with_a_check_and_not_before(daemon: Daemon, workspace: Path) -> None:
    (segment,) = (daemon.state_dir / "journal").glob("*.seg")
    offset = segment.read_bytes().index(b"MEMORY.md") + 60

    def events() -> int:
        daemon.sync()
        return len(daemon.events(event_class="store_damage", kind="event"))

    for known in (1, 2):  # what comes after it is told anew
        flip(segment, offset)
        assert daemon.cli("verify").exit_code == 10
        assert "store_damage" in _degraded(daemon)
        assert events() == known
        flip(segment, offset)
        daemon.sync()
        assert "store_damage" in _degraded(daemon), "nobody has looked"
        assert daemon.cli("verify").exit_code == 0
        assert "store_damage" not in _degraded(daemon)


def test_a_journal_that_stands_elsewhere_is_not_whole(daemon: Daemon) -> None:
    journal = daemon.state_dir / "journal"
    journal.rename(daemon.state_dir / "aside")
    daemon.wait_until(lambda: "store_damage" in _degraded(daemon), "it is said")
    daemon.cli("verify")
    assert "store_damage" in _degraded(daemon)
    (daemon.state_dir / "aside").rename(journal)
    daemon.wait_until(lambda: "store" not in _degraded(daemon), "it goes on")
    assert "store_damage" in _degraded(daemon), "nobody has looked"
    assert daemon.cli("verify").exit_code == 0
    assert "store_damage" not in _degraded(daemon)


def test_what_a_start_met_stays_whatever_a_check_says(daemon: Daemon, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text(notes(1, 41))
    daemon.settle()
    daemon.stop()
    (daemon.state_dir / "journal").rename(daemon.state_dir / "aside")
    daemon.start()
    assert daemon.cli("verify").exit_code == 0
    assert "store_damage" in _degraded(daemon)


def flip(path: Path, offset: int) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        (byte,) = file.read(1)
        file.seek(offset)
        file.write(bytes([byte ^ 1]))


@pytest.mark.parametrize("names", ["index.sqlite3*", "index.sqlite3-wal"])
def test_an_index_that_is_removed_is_made_anew(daemon: Daemon, workspace: Path, names: str) -> None:
    (workspace / "MEMORY.md").write_text(notes(1, 41))
    daemon.settle()
    before = [event["seq"] for event in daemon.events()]
    for path in daemon.state_dir.glob(names):
        os.unlink(path)

    def same() -> bool:
        try:
            return [event["seq"] for event in daemon.events()][: len(before)] == before
        except ApiError:
            return False

    daemon.wait_until(lambda: (daemon.state_dir / "index.sqlite3-wal").exists() and same(), "it is there again")
    (workspace / "MEMORY.md").write_text(notes(1, 42))
    daemon.settle()
    assert same()
    assert len(daemon.events()) > len(before)
    daemon.assert_no_traceback()


def test_rebuilding_a_removed_index_makes_one(daemon: Daemon) -> None:
    for path in daemon.state_dir.glob("index.sqlite3*"):
        os.unlink(path)
    assert daemon.cli("index", "rebuild").exit_code == 0
    assert daemon.cli("log").exit_code == 0


def test_a_socket_that_is_removed_is_made_again(daemon: Daemon) -> None:
    os.unlink(daemon.socket_path)
    ran = daemon.cli("status")
    assert ran.exit_code != 0
    assert f"runs as process {daemon.pids[-1]}" in ran.output
    daemon.wait_until(daemon.socket_path.exists, "the socket is there again")
    daemon.wait_until(lambda: daemon.cli("status").exit_code == 0, "it answers")
    assert daemon.socket_path.stat().st_mode & 0o777 == 0o600
    assert daemon.stop() == 0
    assert not daemon.socket_path.exists()


def test_a_start_without_room_for_the_index_records_and_makes_it_later(daemon: Daemon, workspace: Path) -> None:
    index = daemon.state_dir / "index.sqlite3"
    daemon.stop()
    for path in daemon.state_dir.glob("index.sqlite3*"):
        os.unlink(path)
    index.mkdir()  # what a full disk does, for root too: it cannot be opened
    daemon.start()
    assert {"index", "index_behind"} <= set(_degraded(daemon))
    (workspace / "MEMORY.md").write_text("gone\n")
    daemon.settle()
    assert (workspace / "MEMORY.md").read_text() == notes(), "it protects all the same"
    index.rmdir()
    daemon.wait_until(lambda: not {"index", "index_behind"} & set(_degraded(daemon)), "the index is made")
    daemon.settle()
    assert daemon.events(kind="version")
    assert [one["state"] for one in daemon.api.get("/v1/incidents")] == ["resolved"]
    daemon.assert_no_traceback()
