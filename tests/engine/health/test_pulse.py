"""A thread that has ended or hangs is told, and a slow disk is told as a slow disk."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from conductd.engine.health.pulse import HOPELESS_NS, SLOW_NS, STUCK_NS, Pulse, is_hung, troubles
from conductd.engine.recording.outage import probe
from conductd.watch.watcher import Watcher
from engine.conftest import Parts
from support.daemon import Daemon

PATIENCE_S = 30


def _reasons(*pulses: Pulse, later_ns: int = 0) -> list[str]:
    return [trouble.reason for trouble in troubles(list(pulses), time.monotonic_ns() + later_ns)]


def test_who_rests_is_not_stuck() -> None:
    pulse = Pulse("judge")
    pulse.beat()
    pulse.rest()
    assert _reasons(pulse, later_ns=10 * STUCK_NS) == []


def test_who_does_not_get_on_for_a_minute_is_stuck() -> None:
    pulse = Pulse("judge")
    pulse.beat()
    assert _reasons(pulse, later_ns=STUCK_NS // 2) == []
    assert _reasons(pulse, later_ns=2 * STUCK_NS) == ["stuck:judge"]


def test_who_waits_for_a_slow_disk_is_not_stuck_nor_is_who_waits_for_him() -> None:
    recorder, judge = Pulse("recorder"), Pulse("judge")
    judge.beat()
    recorder.beat()
    with recorder.writing():
        assert _reasons(recorder, judge, later_ns=SLOW_NS // 2) == []
        assert _reasons(recorder, judge, later_ns=2 * STUCK_NS) == ["disk_slow"]
    recorder.rest()
    assert _reasons(recorder, judge, later_ns=2 * STUCK_NS) == ["stuck:judge"]


def test_who_has_ended_is_told_also_while_the_disk_is_slow() -> None:
    recorder, judge = Pulse("recorder"), Pulse("judge")
    judge.thread = threading.Thread(target=lambda: None)
    judge.thread.start()
    judge.thread.join()
    assert _reasons(recorder, judge) == ["stuck:judge"]
    with recorder.writing():
        assert _reasons(recorder, judge, later_ns=2 * SLOW_NS) == ["disk_slow", "stuck:judge"]


def test_only_a_hang_that_a_restart_may_cure_is_one() -> None:
    recorder, judge = Pulse("recorder"), Pulse("judge")
    now = time.monotonic_ns()
    judge.beat()
    assert not is_hung([recorder, judge], now + STUCK_NS // 2)
    assert is_hung([recorder, judge], now + 2 * STUCK_NS)
    with recorder.writing():
        assert not is_hung([recorder, judge], now + 2 * STUCK_NS), "the judge waits for the recorder, it for the disk"
        assert is_hung([recorder, judge], now + 2 * HOPELESS_NS)


def test_a_recorder_that_hangs_is_found_out(tmp_path: Path) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def hang(_batch: object) -> None:
        entered.set()
        go_on.wait(PATIENCE_S)

    with ExitStack() as stack:
        parts = Parts(tmp_path, stack, told=hang)
        stack.callback(go_on.set)
        reply = parts.recorder.append(lambda _seq: [probe()])
        assert entered.wait(PATIENCE_S)
        assert _reasons(parts.recorder.pulse, later_ns=2 * STUCK_NS) == ["stuck:recorder"]
        go_on.set()
        reply.result(PATIENCE_S)
        parts.recorder.barrier().result(PATIENCE_S)
    assert _reasons(parts.recorder.pulse) == ["stuck:recorder"], "it has ended"


def test_a_watcher_whose_thread_has_ended_is_not_alive() -> None:
    watcher = Watcher(lambda _hint: None)
    assert not watcher.alive()
    watcher.start()
    assert watcher.alive()
    watcher.stop()
    assert not watcher.alive()


@pytest.mark.slow
def test_a_slow_disk_is_shown_while_it_is_slow(tmp_path: Path, workspace: Path) -> None:
    daemon = Daemon(tmp_path / "d", [workspace])
    with daemon.ended_at_exit():
        daemon.start()
        daemon.fault("slow_fsync", value=9_000)
        (workspace / "MEMORY.md").write_text("- written to a slow disk\n")
        daemon.wait_until(lambda: "disk_slow" in _shown(daemon), "the slow disk is shown")
        daemon.clear_faults()
        daemon.wait_until(lambda: "disk_slow" not in _shown(daemon), "it is over")


def _shown(daemon: Daemon) -> list[str]:
    return [each["reason"] for each in daemon.status()["degraded"]]
