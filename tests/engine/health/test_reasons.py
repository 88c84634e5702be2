"""Reasons to be degraded that no other test raises: by the daemon's own threads, in this process."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from conductd.app import App, Ports, Request
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.health.overview import Parts
from conductd.engine.health.pulse import STUCK_NS, unattended
from conductd.engine.recording import intake
from conductd.engine.recording.drafting import Observed
from conductd.model import FileState
from conductd.watch.hints import Backend, Hint, HintKind
from conductd.watch.reader import Observation
from engine.conftest import notes
from support.daemon import Daemon

PATIENCE_S = 30


class Nobody:
    """A face that nobody talks to."""

    path, alive = b"/nobody", True

    def start(self) -> None: ...

    def stop(self) -> None: ...


class Running:
    def __init__(self, tmp_path: Path, workspace: Path, stack: ExitStack, **ports: Any) -> None:
        environ = {"HOME": str(tmp_path), "PATH": os.environ.get("PATH", os.defpath)}
        request = Request((os.fsencode(workspace),), state_dir=str(tmp_path / "state"), demo=False)
        self.app = App(request, lambda _service, _path: Nobody(), Ports(environ=environ, jobs=(), **ports), stack)
        self.app.start()
        assert self.app.service is not None
        self.service = self.app.service
        self.parts: Parts = self.service._

    def reasons(self) -> list[str]:
        return [each.reason for each in self.service.status().degraded]

    def files(self) -> list[FileTrack]:
        with self.parts.state.lock:
            return list(self.parts.state.files.values())

    def wait(self, kind: str) -> None:
        self.wait_for(lambda: any(each.partition(":")[0] == kind for each in self.reasons()), f"it is {kind}")

    def wait_until_well(self) -> None:
        self.wait_for(lambda: self.reasons() == [], "it is well")

    def wait_for(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, f"never came: {what}; {self.reasons()}"
            threading.Event().wait(0.02)


@pytest.fixture
def running(tmp_path: Path, workspace: Path) -> Iterator[Running]:
    with ExitStack() as stack:
        made = Running(tmp_path, workspace, stack)
        assert made.reasons() == []
        yield made


def fails(*_: object, **__: object) -> Any:
    raise RuntimeError("nobody thought of this")


def test_changes_that_cannot_be_read_are_intake(running: Running, workspace: Path) -> None:
    running.parts.intake.saw = fails
    running.parts.intake.sink(Hint(os.fsencode(workspace), b"MEMORY.md", HintKind.CLOSED, time.monotonic_ns()))
    running.wait("intake")


def test_a_change_that_cannot_be_judged_is_judge(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running.parts.judge, "_work", fails)
    running.parts.judge.barrier()
    running.wait("judge")
    monkeypatch.undo()
    running.wait_until_well()


def test_a_file_that_cannot_be_judged_is_judge_until_it_is(
    running: Running, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, other = workspace / "MEMORY.md", workspace / "memory" / "other.md"
    real = running.parts.judge._step

    def step(number: int, *rest: Any) -> Any:
        return fails() if running.parts.state.files[number].path == b"MEMORY.md" else real(number, *rest)

    monkeypatch.setattr(running.parts.judge, "_step", step)
    memory.write_text(notes(1, 41))
    running.wait("judge")
    other.write_text("# Other\n")
    running.wait_for(lambda: any(f.path == b"memory/other.md" and not f.since for f in running.files()), "it is judged")
    assert running.reasons() == ["judge"], "another file that is judged says nothing of this one"
    monkeypatch.undo()
    memory.write_text(notes(1, 42))
    running.wait_until_well()


def test_a_workspace_that_cannot_be_looked_at_is_loads(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running.parts.loads.looker, "look", fails)
    (handle,) = running.parts.workspaces.handles()
    deadline = time.monotonic() + PATIENCE_S
    while not any(each.startswith("loads:") for each in running.reasons()):
        assert time.monotonic() < deadline
        running.parts.loads._put(handle.id, 0)
        running.parts.loads.barrier().result(PATIENCE_S)


def test_additions_that_cannot_be_looked_through_are_secrets(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running.parts.secrets, "_tell", fails)
    running.parts.secrets.barrier().result(PATIENCE_S)
    assert "secrets" in running.reasons()
    monkeypatch.undo()
    running.parts.secrets.barrier().result(PATIENCE_S)
    assert running.reasons() == []


def test_one_file_that_cannot_be_looked_through_is_secrets_until_it_is(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file,) = [each.id for each in running.files() if each.path == b"MEMORY.md"]
    monkeypatch.setattr(running.parts.secrets._contents, "of", fails)
    running.parts.secrets._looked.clear()
    running.parts.secrets.recorded([file])
    running.parts.secrets.barrier().result(PATIENCE_S)
    assert running.reasons() == ["secrets"]
    monkeypatch.undo()
    running.parts.secrets.barrier().result(PATIENCE_S)
    assert running.reasons() == ["secrets"], "it has not been looked through yet"
    running.parts.secrets.recorded([file])
    running.parts.secrets.barrier().result(PATIENCE_S)
    assert running.reasons() == []


@pytest.mark.parametrize("failing", [fails, lambda *_: _raise(OSError(errno.EIO, "Input/output error"))])
def test_what_cannot_be_erased_is_forget(
    running: Running, failing: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    forgetting = running.app._tending._forgetting  # type: ignore[union-attr]
    monkeypatch.setattr(forgetting._eraser, "erase", failing)
    monkeypatch.setattr(forgetting, "_is_due", lambda _known: True)
    assert forgetting._working.acquire(timeout=PATIENCE_S)
    forgetting._erase_later([None])
    assert "forget" in running.reasons()


def _raise(error: Exception) -> None:
    raise error


def test_a_directory_that_cannot_be_listed_is_unseen(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    real = intake.scan
    monkeypatch.setattr(intake, "scan", lambda *a, **named: replace(real(*a, **named), complete=False))
    running.service.sync()
    running.wait("unseen")
    monkeypatch.undo()
    running.service.sync()
    assert running.reasons() == []


def test_a_file_that_cannot_be_read_is_unreadable(running: Running) -> None:
    (handle,) = running.parts.workspaces.handles()
    seen = Observation(FileState.UNREADABLE, reason="EACCES")
    running.parts.recorder.observe(Observed(handle.id, b"MEMORY.md", seen))
    running.parts.recorder.barrier().result(PATIENCE_S)
    assert "unreadable" in running.reasons()


def test_events_that_are_lost_are_overflow_until_all_is_read_again(running: Running) -> None:
    told: list[str] = []
    running.parts.intake._tell_degraded = lambda reason, *_: told.append(reason)
    running.parts.intake._overflowed.set()
    running.service.sync()
    assert told == ["overflow"]
    assert running.reasons() == []


def test_a_system_without_events_is_no_backend(tmp_path: Path, workspace: Path) -> None:
    def none() -> Backend:
        raise OSError(errno.ENOSYS, "Function not implemented")

    with ExitStack() as stack:
        Running(tmp_path, workspace, stack, watch_backend=none).wait("no_backend")


def test_old_versions_that_cannot_be_erased_are_gc(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    collector = running.service.retainers._collector
    monkeypatch.setattr(collector, "plan", fails)
    assert collector._at_work.acquire(timeout=PATIENCE_S)
    collector._by_itself()
    assert running.reasons() == ["gc"]


def test_notices_that_cannot_be_kept_are_notice_spool(tmp_path: Path, workspace: Path) -> None:
    config = '[[channels]]\nname = "hook"\nurl = "webhook+http://127.0.0.1:1/"\n'
    daemon = Daemon(tmp_path / "d", [workspace], config=config)
    (daemon.state_dir / "notices.sqlite3").mkdir(parents=True)
    daemon.state_dir.chmod(0o700)
    with daemon:
        assert "notice_spool" in [each["reason"] for each in daemon.status()["degraded"]]


def test_a_main_thread_that_looks_after_nobody_is_stuck(running: Running) -> None:
    now = time.monotonic_ns()
    assert unattended(0, now) is None
    assert unattended(now - STUCK_NS // 2, now) is None
    running.app.tend()
    assert running.reasons() == []
    running.parts.tended_ns = now - 2 * STUCK_NS
    assert running.reasons() == ["stuck:main"]
    running.app.tend()
    assert running.reasons() == []
