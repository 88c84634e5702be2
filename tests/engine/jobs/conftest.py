"""A daemon in this process, and a day of its workspace."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, date
from pathlib import Path

import pytest

from conductd.app import App, Ports, Request
from conductd.core.night.bounds import day_of
from conductd.core.night.facts import Occasion
from conductd.engine.service import Daemon


class NoFace:
    path, alive = b"", True

    def start(self) -> None: ...

    def stop(self) -> None: ...


@pytest.fixture
def service(tmp_path: Path, workspace: Path) -> Iterator[Daemon]:
    with ExitStack() as stack:
        request = Request((os.fsencode(workspace),), state_dir=str(tmp_path / "state"), demo=False)
        app = App(request, lambda _service, _path: NoFace(), Ports(environ={"HOME": str(tmp_path)}, jobs=()), stack)
        app.start()
        assert isinstance(app.service, Daemon)
        app.service.sync()
        yield app.service


@pytest.fixture
def occasion(service: Daemon, workspace: Path) -> Callable[..., Occasion]:
    """A run for today in UTC, or for what is given otherwise."""

    def make(job: str = "qc", day: date | None = None, **others: object) -> Occasion:
        now = time.time_ns()
        given = {"zone": "UTC", "now_ns": now, "day": day or day_of(now, UTC)} | others
        return Occasion(job=job, workspace=service.workspaces()[0].id, root=os.fsencode(workspace), **given)  # type: ignore[arg-type]

    return make
