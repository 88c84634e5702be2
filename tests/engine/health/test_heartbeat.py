"""The heartbeat: heard while all is well, elsewhere while it is not, silent when nothing is recorded or it hangs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from conductd.config.load import parse
from conductd.engine.health.heartbeat import Heartbeat
from conductd.engine.recording.outage import probe
from conductd.notify.sending import Outcome
from conductd.ports import SystemClock
from engine.conftest import Parts
from support.daemon import Daemon
from support.receiver import Receiver

PATIENCE_S = 30
MINUTES_MS = 60_000
TOKEN = "t0ken-nobody-may-see"


@pytest.fixture
def hearing() -> Iterator[Receiver]:
    with Receiver() as made:
        yield made


def config(hearing: Receiver, *, fail: bool = False) -> str:
    lines = ["[heartbeat]", f'url = "http://localhost:{hearing.port}/$PING"']
    lines += [f'fail_url = "http://localhost:{hearing.port}/$PING/fail"'] if fail else []
    return "\n".join([*lines, ""])


def beating(tmp_path: Path, workspace: Path, text: str) -> Daemon:
    return Daemon(tmp_path / "d", [workspace], config=text, environment={"PING": TOKEN})


def reasons(daemon: Daemon) -> list[str]:
    return [each["reason"] for each in daemon.status()["degraded"]]


def test_it_is_heard_at_the_start_and_then_every_few_minutes(
    tmp_path: Path, workspace: Path, hearing: Receiver
) -> None:
    with beating(tmp_path, workspace, config(hearing)) as daemon:
        daemon.wait_until(lambda: (daemon.status()["heartbeat"] or {})["last_ns"], "the first one")
        assert hearing.heard == [f"/{TOKEN}"]
        daemon.advance(5 * MINUTES_MS)
        daemon.wait_until(lambda: len(hearing.heard) == 2, "the next one")
        shown = daemon.cli("status").output
        assert "heartbeat every 5 min, last taken" in shown
        said = f"{daemon.log()}{daemon.status()}{shown}{daemon.api.get_bytes('/v1/metrics').decode()}"
    assert TOKEN not in said
    assert str(hearing.port) not in said


def test_what_is_not_taken_is_said_without_the_url_and_tried_again(
    tmp_path: Path, workspace: Path, hearing: Receiver
) -> None:
    hearing.answer = 404
    with beating(tmp_path, workspace, config(hearing)) as daemon:
        daemon.wait_until(lambda: "heartbeat" in reasons(daemon), "it is said")
        (reason,) = daemon.status()["degraded"]
        assert "the server answered 404" in reason["message"]
        assert daemon.cli("status", "--check").exit_code == 24
        hearing.answer = 200
        daemon.advance(30_000)
        daemon.wait_until(lambda: "heartbeat" not in reasons(daemon), "it gets out again")
        assert TOKEN not in f"{daemon.log()}{reason}"
        assert str(hearing.port) not in f"{daemon.log()}{reason}"


def test_a_degraded_daemon_is_heard_elsewhere(tmp_path: Path, workspace: Path, hearing: Receiver) -> None:
    text = config(hearing, fail=True) + '[[channels]]\nname = "phone"\nurl = "ntfys://$NOBODY_SET_THIS"\n'
    with beating(tmp_path, workspace, text) as daemon:
        daemon.wait_until(lambda: hearing.heard, "one")
        assert hearing.heard == [f"/{TOKEN}/fail"]


def test_it_is_silent_while_nothing_can_be_recorded(tmp_path: Path, workspace: Path, hearing: Receiver) -> None:
    with beating(tmp_path, workspace, config(hearing)) as daemon:
        daemon.wait_until(lambda: daemon.status()["heartbeat"]["tried_ns"], "one")
        daemon.fault("fail_sync")
        (workspace / "MEMORY.md").write_text("- written to a disk that takes nothing\n")
        daemon.wait_until(lambda: "store" in reasons(daemon), "it is known")
        count, before = len(hearing.heard), daemon.status()["heartbeat"]["tried_ns"]
        daemon.advance(6 * MINUTES_MS)
        daemon.wait_until(lambda: daemon.status()["heartbeat"]["tried_ns"] > before, "its time has come")
        assert len(hearing.heard) == count
        daemon.clear_faults()
        daemon.wait_until(lambda: "store" not in reasons(daemon), "the disk takes it")
        daemon.advance(6 * MINUTES_MS)
        daemon.wait_until(lambda: len(hearing.heard) > count, "it is heard again")


def test_a_server_that_hangs_delays_nothing(tmp_path: Path, workspace: Path, hearing: Receiver) -> None:
    hearing.hold = threading.Event()
    with beating(tmp_path, workspace, config(hearing)) as daemon:
        daemon.wait_until(lambda: hearing.heard, "the attempt")
        before = daemon.status()["versions"]
        text = (workspace / "MEMORY.md").read_text()
        (workspace / "MEMORY.md").write_text(text + "- a note that is written meanwhile\n")
        daemon.settle()
        assert daemon.status()["versions"] == before + 1
        assert daemon.stop() == 0


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://example.org/$NOBODY_SET_THIS", "NOBODY_SET_THIS"),
        ("file:///etc/passwd", "no URL of the web"),
        ("$PING", "no URL of the web"),
        ("https://", "no URL of the web"),
    ],
)
def test_a_url_that_cannot_be_used_is_said_and_stops_nothing(
    tmp_path: Path, workspace: Path, url: str, said: str
) -> None:
    with beating(tmp_path, workspace, f'[heartbeat]\nurl = "{url}"\n') as daemon:
        (reason,) = daemon.status()["degraded"]
        assert (reason["reason"], said in reason["message"], TOKEN in reason["message"]) == ("heartbeat", True, False)


# ------------------------------------------------------------------ one that hangs


def heartbeat(parts: Parts, heard: list[str], **more: Any) -> Heartbeat:
    of_it = SimpleNamespace(clock=SystemClock(), recorder=parts.recorder, degraded=parts.degraded)

    def ping(url: str) -> Outcome:
        heard.append(url)
        return Outcome()

    made = Heartbeat(cast("Any", of_it), {}, lambda: [], pings=ping, **more)
    made.take(parse('[heartbeat]\nurl = "https://example.org/x"\n'))
    return made


def test_a_daemon_that_hangs_is_silent(parts: Parts) -> None:
    heard: list[str] = []
    beats = heartbeat(parts, heard)
    beats.tend(is_hung=True)
    beats.stop()
    assert not heard
    beats.tend(is_hung=False)
    beats.stop()
    assert heard == ["https://example.org/x"]


def test_a_recorder_that_does_not_answer_is_not_told_to_live(tmp_path: Path) -> None:
    entered, go_on = threading.Event(), threading.Event()

    def hang(_batch: object) -> None:
        entered.set()
        go_on.wait(PATIENCE_S)

    heard: list[str] = []
    with ExitStack() as stack:
        parts = Parts(tmp_path, stack, told=hang)
        stack.callback(go_on.set)
        parts.recorder.append(lambda _seq: [probe()])
        assert entered.wait(PATIENCE_S)
        beats = heartbeat(parts, heard, answer_s=0.2)
        beats.tend(is_hung=False)
        beats.stop()
    assert not heard
