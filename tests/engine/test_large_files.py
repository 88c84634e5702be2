"""Files over 256 KB are judged by a process of their own: the judge goes on with the others meanwhile."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from support.daemon import Daemon

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the daemon's process through /proc")


def _lines(word: str, count: int) -> str:
    return "# Big\n\n" + "".join(
        f"- {word} {n} {n * 7919} has {word}{n * 31} and {n * 17}{word}\n" for n in range(count)
    )


def _workers(daemon: Daemon) -> list[int]:
    assert daemon.process is not None
    tasks = Path(f"/proc/{daemon.process.pid}/task")
    children = " ".join((task / "children").read_text() for task in tasks.iterdir()).split()
    return [int(pid) for pid in children if b"answering.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def _why(daemon: Daemon) -> list[str]:
    return [one["why"] for one in daemon.sync()["pending"] if one["what"] == "judgement"]


@pytest.fixture
def big(daemon: Daemon, workspace: Path) -> Path:
    file = workspace / "memory" / "big.md"
    file.write_text(_lines("entry", 20_000))
    daemon.settle()
    return file


def _frozen_worker(daemon: Daemon, big: Path) -> int:
    """The worker, stopped in the middle of judging an overwritten file."""
    big.write_text(_lines("entry", 19_999))
    daemon.sync()
    daemon.advance(300)
    pid = daemon.wait_until(lambda: next(iter(_workers(daemon)), None), "the worker runs")
    daemon.settle()
    os.kill(pid, signal.SIGSTOP)
    big.write_text(_lines("other", 15_000))
    daemon.sync()
    daemon.advance(300)
    assert _why(daemon) == ["judging"]
    return pid


def test_a_large_file_that_is_overwritten_comes_back(daemon: Daemon, big: Path) -> None:
    big.write_text(_lines("other", 200))
    daemon.settle()
    text = big.read_text()
    assert text.startswith(_lines("entry", 20_000))
    assert "- other 199 " in text
    (incident,) = daemon.api.get("/v1/incidents")
    assert (incident["event_class"], incident["state"]) == ("overwrite", "resolved")


def test_entries_of_a_large_file_that_stand_elsewhere_are_moved(daemon: Daemon, big: Path, workspace: Path) -> None:
    (workspace / "memory" / "archive.md").write_text(big.read_text())
    big.write_text("# Big\n")
    daemon.settle()
    assert big.read_text() == "# Big\n"
    assert daemon.events(event_class="move", kind="change")


def test_other_files_are_repaired_while_a_large_one_is_judged(daemon: Daemon, big: Path, workspace: Path) -> None:
    pid = _frozen_worker(daemon, big)
    memory = workspace / "MEMORY.md"
    memory.write_text("# Memory\n\n- a few words are all that is left here\n")
    daemon.sync()
    daemon.advance(2_500)
    daemon.wait_until(lambda: "note 40" in memory.read_text(), "the small file is back")
    assert _why(daemon) == ["judging"]
    os.kill(pid, signal.SIGCONT)
    daemon.settle()
    assert big.read_text().startswith(_lines("entry", 19_999))


def test_a_verdict_on_a_version_that_is_gone_is_not_used(daemon: Daemon, big: Path) -> None:
    pid = _frozen_worker(daemon, big)
    big.write_text(_lines("entry", 20_001))
    daemon.sync()
    os.kill(pid, signal.SIGCONT)
    daemon.settle()
    assert big.read_text() == _lines("entry", 20_001)
    assert daemon.api.get("/v1/incidents") == []


def test_when_the_worker_dies_the_old_text_is_offered(daemon: Daemon, big: Path) -> None:
    pid = _frozen_worker(daemon, big)
    os.kill(pid, signal.SIGKILL)
    daemon.settle()
    assert big.read_text() == _lines("other", 15_000)
    (incident,) = daemon.api.get("/v1/incidents")
    assert (incident["state"], incident["action"]) == ("open", "propose")
    daemon.cli("restore", "--incident", str(incident["id"]))
    assert {"- entry 19998 ", "- other 14999 "} <= {line[:14] for line in big.read_text().splitlines()}
    assert "large_file" in [one["reason"] for one in daemon.status()["degraded"]]
    with big.open("a") as file:
        file.write("- one more entry that the worker can judge\n")
    daemon.settle()
    assert daemon.status()["health"] == "ok"


def test_the_daemon_stops_while_a_large_file_is_judged(daemon: Daemon, big: Path) -> None:
    pid = _frozen_worker(daemon, big)
    begin = time.monotonic()
    daemon.stop()
    assert time.monotonic() - begin < 5
    assert not Path(f"/proc/{pid}").exists()
    daemon.start()
    daemon.settle()
    assert big.read_text().startswith(_lines("entry", 19_999))


def test_a_loss_of_more_entries_than_a_record_can_name_is_repaired(daemon: Daemon, big: Path) -> None:
    very_big = "# Big\n\n" + "".join(f"- {n * 7919} x{n}\n" for n in range(60_000))
    big.write_text(big.read_text() + very_big)
    daemon.settle()
    big.write_text("# Big\n\n- a few words of a new text\n")
    daemon.settle()
    assert big.read_text().endswith(f"- {59_999 * 7919} x59999\n- a few words of a new text\n")
    assert daemon.status()["health"] == "ok"
