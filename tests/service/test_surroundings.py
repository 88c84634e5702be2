"""What a daemon may find missing around it, and how it ends: real processes."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from conductd.engine.health import logs
from conductd.service.signals import AGAIN_S
from support.daemon import Daemon, NotStarted

TEXT = "# Memory\n\n" + "".join(f"- note {number}: something worth keeping\n" for number in range(40))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    made = tmp_path / "ws"
    made.mkdir()
    (made / "MEMORY.md").write_text(TEXT)
    return made


def test_it_needs_no_home_no_runtime_directory_and_no_session_bus(tmp_path: Path, workspace: Path) -> None:
    daemon = Daemon(tmp_path, [workspace])
    for name in ("HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "TMPDIR"):
        daemon.environment.pop(name, None)
    with daemon:
        (workspace / "MEMORY.md").write_text("# gone\n")
        daemon.settle()
        assert (workspace / "MEMORY.md").read_text() == TEXT
        assert daemon.status()["health"] == "ok"
        daemon.assert_no_traceback()


def test_a_runtime_directory_that_is_wiped_comes_back_with_the_socket(tmp_path: Path, workspace: Path) -> None:
    daemon = Daemon(tmp_path, [workspace])
    runtime = tmp_path / "run" / "conductd"
    daemon.socket_path = runtime / "s"
    daemon.environment["CONDUCTD_SOCKET"] = str(daemon.socket_path)
    daemon.api = type(daemon.api)(daemon.socket_path)
    with daemon:
        shutil.rmtree(runtime.parent)
        runtime.parent.mkdir()
        daemon.wait_until(daemon.socket_path.exists, "the socket is made again")
        (workspace / "MEMORY.md").write_text("# gone\n")
        daemon.settle()
        assert (workspace / "MEMORY.md").read_text() == TEXT


def test_under_launchd_what_no_restart_cures_ends_well(tmp_path: Path, workspace: Path) -> None:
    """It would be started again every ten seconds otherwise."""
    with Daemon(tmp_path, [workspace]) as first:
        second = Daemon(tmp_path / "second", [workspace], environment={"XPC_SERVICE_NAME": "dev.conductd.daemon"})
        second.environment["CONDUCTD_STATE_DIR"] = str(first.state_dir)
        with pytest.raises(NotStarted) as ended:
            second.start()
        assert ended.value.exit_code == 0
        assert "already running" in ended.value.output
        second.environment.pop("XPC_SERVICE_NAME")
        with pytest.raises(NotStarted) as ended:
            second.start()
        assert ended.value.exit_code == 7


def test_it_ends_in_good_order_while_it_starts(tmp_path: Path, workspace: Path) -> None:
    daemon = Daemon(tmp_path, [workspace])
    with daemon.ended_at_exit():
        daemon.launch()
        daemon.wait_until((daemon.state_dir / "lock").exists, "it has begun")
        assert daemon.stop() == 0
        daemon.start()
        assert daemon.status()["files"] == 1
        daemon.assert_no_traceback()


def test_a_stop_takes_no_longer_than_it_may(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path, [workspace]) as daemon:
        for number in range(20):
            (workspace / "memory").mkdir(exist_ok=True)
            (workspace / "memory" / f"{number}.md").write_text(TEXT * 50)
        begun = time.monotonic()
        assert daemon.stop() == 0
        assert time.monotonic() - begun < 6


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - another process
        from conductd.service.signals import Signals

        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whatever the tests were started under
        with Signals() as signals:
            os.write(writer, b"up")
            while True:  # a stop that never ends
                signals.wait(0.1)
                time.sleep(0.01)
                os.write(writer, b"e" if signals.is_ended else b".")
    os.read(reader, 2)
    os.kill(child, signal.SIGTERM)
    while os.read(reader, 1) != b"e":
        pass
    deadline = time.monotonic() + 30
    while os.waitpid(child, os.WNOHANG) == (0, 0) and time.monotonic() < deadline:
        time.sleep(AGAIN_S)
        os.kill(child, signal.SIGTERM)
    assert time.monotonic() < deadline, "the second one ends it"


def test_a_closed_terminal_ends_it_and_a_hangup_in_an_open_one_does_not() -> None:
    reader, writer = os.pipe()
    child, terminal = os.forkpty()
    if child == 0:  # pragma: no cover - another process
        from conductd.service.signals import Signals

        with Signals() as signals:
            os.write(writer, b"up")
            while not signals.is_ended:
                signals.wait(0.1)
                if signals.take_reload():
                    os.write(writer, b"r")
            os.write(writer, b"e")
            os._exit(0)
    os.read(reader, 2)
    os.kill(child, signal.SIGHUP)
    assert os.read(reader, 1) == b"r"
    os.close(terminal)
    assert os.read(reader, 1) == b"e"
    assert os.waitpid(child, 0)[1] == 0


def test_lines_of_the_journal_have_their_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    there = os.fstat(2)
    assert logs.to_journal({"JOURNAL_STREAM": f"{there.st_dev}:{there.st_ino}"})
    assert not logs.to_journal({"JOURNAL_STREAM": f"{there.st_dev}:{there.st_ino + 1}"})
    assert not logs.to_journal({})
    assert logs._with_priority(None, "error", "one\ntwo") == "<3>one\n<3>two"
    assert logs._with_priority(None, "info", "{}") == "<6>{}"
