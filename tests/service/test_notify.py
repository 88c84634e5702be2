"""The daemon tells its service manager when it is ready and when it stops: a real process, a real datagram socket."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conductd.service import notify
from support.daemon import Daemon


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """The service manager's end. Its address is short: a socket's may have 107 bytes."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
        end.bind(str(tmp_path / "notify"))
        end.settimeout(60)
        yield end


def heard(manager: socket.socket) -> dict[str, str]:
    return dict(line.split("=", 1) for line in manager.recv(4096).decode().splitlines())


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    made = tmp_path / "ws"
    made.mkdir()
    (made / "MEMORY.md").write_text("# Memory\n\n- Ask before buying anything.\n")
    return made


def test_the_manager_hears_ready_and_stopping(tmp_path: Path, workspace: Path, manager: socket.socket) -> None:
    environment = {"NOTIFY_SOCKET": manager.getsockname()}
    with Daemon(tmp_path, [workspace], environment=environment) as daemon:
        told = heard(manager)
        assert told == {"READY": "1", "STATUS": "1 workspace, 1 file"}
        assert daemon.stop() == 0
        assert heard(manager) == {"STOPPING": "1", "STATUS": "stopping"}


def test_it_is_ready_only_once_the_api_answers(tmp_path: Path, workspace: Path, manager: socket.socket) -> None:
    daemon = Daemon(tmp_path, [workspace], environment={"NOTIFY_SOCKET": manager.getsockname()})
    with daemon.ended_at_exit():
        daemon.launch()
        assert heard(manager)["READY"] == "1"
        assert daemon.status()["files"] == 1


def test_a_watchdog_hears_that_the_daemon_gets_on(tmp_path: Path, workspace: Path, manager: socket.socket) -> None:
    environment = {"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "60000000"}
    with Daemon(tmp_path, [workspace], environment=environment):
        assert heard(manager)["READY"] == "1"
        assert {"WATCHDOG": "1"} in (heard(manager), heard(manager)), "the status may come first"


def test_a_start_may_take_as_long_as_it_gets_on(manager: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", manager.getsockname())
    got_on = threading.Event()

    def work() -> None:
        while not got_on.is_set():
            sum(range(10_000))

    worker = threading.Thread(target=work)
    with notify.Starting(every_s=0.2):
        worker.start()
        told = heard(manager)
        got_on.set()
        worker.join()
    assert told["EXTEND_TIMEOUT_USEC"] == "60000000"
    assert told["STATUS"].startswith("starting")


def test_a_start_waits_for_a_state_directory_that_cannot_be_written(
    tmp_path: Path, workspace: Path, manager: socket.socket
) -> None:
    daemon = Daemon(tmp_path, [workspace], environment={"NOTIFY_SOCKET": manager.getsockname()})
    daemon.state_dir.write_text("a file in its place, as a disk that is read-only would be\n")
    with daemon.ended_at_exit():
        daemon.launch()
        told = heard(manager)
        assert told["EXTEND_TIMEOUT_USEC"] == "60000000"
        assert told["STATUS"].startswith("waiting, nothing is recorded: the state directory cannot be made")
        daemon.state_dir.unlink()
        while "READY" not in told:
            told = heard(manager)
        assert daemon.status()["files"] == 1
        daemon.assert_no_traceback()


def test_a_start_that_waits_ends_when_it_is_told_to(tmp_path: Path, workspace: Path, manager: socket.socket) -> None:
    daemon = Daemon(tmp_path, [workspace], environment={"NOTIFY_SOCKET": manager.getsockname()})
    daemon.state_dir.write_text("")
    with daemon.ended_at_exit():
        daemon.launch()
        assert heard(manager)["STATUS"].startswith("waiting")
        assert daemon.stop() == 0


def test_a_manager_that_has_gone_stops_nothing(tmp_path: Path, workspace: Path) -> None:
    environment = {"NOTIFY_SOCKET": str(tmp_path / "nobody")}
    with Daemon(tmp_path, [workspace], environment=environment) as daemon:
        assert daemon.status()["health"] == "ok"
        assert daemon.stop() == 0


def test_nothing_is_told_without_a_manager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify.ready("well")
    notify.stopping()


def test_a_status_of_any_text_arrives_as_one_line(manager: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", manager.getsockname())
    notify.ready("2 files\nin 日記")
    assert heard(manager) == {"READY": "1", "STATUS": "2 files in ??"}
