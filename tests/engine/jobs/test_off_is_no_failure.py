"""Jobs that are off: no failure, and no false green: the recap names them and the days of which not all is known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from conductd.app import App, Ports, Request
from conductd.engine.service import Daemon
from conductd.views import JobRunView
from entry.clock import FakeClock

from .houses import NoFace

OFF = '[jobs]\ncheckpoint = ""\ncontinuity = ""\nqc = ""\nreport = ""\nrecap = ""\ntimezone = "UTC"\n'


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(int(datetime(2026, 3, 5, 12, tzinfo=UTC).timestamp()) * 10**9, 10**15)


@pytest.fixture
def service(tmp_path: Path, workspace: Path, clock: FakeClock) -> Iterator[Daemon]:
    (tmp_path / "config.toml").write_text(OFF + f'[[workspaces]]\nroot = "{workspace}"\n', encoding="utf-8")
    with ExitStack() as stack:
        request = Request((), state_dir=str(tmp_path / "state"), demo=False, config=str(tmp_path / "config.toml"))
        ports = Ports(clock=clock, environ={"HOME": str(tmp_path / "home")})
        app = App(request, lambda _service, _path: NoFace(), ports, stack)
        app.start()
        assert isinstance(app.service, Daemon)
        app.service.sync()
        yield app.service


def run(service: Daemon, name: str) -> str:
    *_, view = service.jobs.run(name, None, "", dry_run=False)
    assert isinstance(view, JobRunView)
    return next(Path(each) for each in view.written if each.endswith(".md")).read_text(encoding="utf-8")


def test_a_day_whose_jobs_are_off_is_neither_clean_nor_a_failure(service: Daemon, clock: FakeClock) -> None:
    report = run(service, "report")
    assert "needs you" not in report, report
    assert ": clean" not in report
    assert "whether the history is whole: the checkpoint is off" in report
    clock.advance(86_400 * 10**9)
    recap = run(service, "recap")
    assert "nothing wrong seen, but not all known, so not clean: 2026-03-05" in recap
    for job in ("checkpoint", "continuity", "qc", "report"):
        assert f"off, as configured, which is no failure: {job}" in recap
    assert [each.reason for each in service.status().degraded] == []
