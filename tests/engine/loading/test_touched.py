"""A file whose link count or mode changed may be read otherwise: its workspace is looked at, not at the next rescan."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from conductd.core.policy import Waits
from conductd.engine.loading.watch import LoadWatch
from conductd.engine.recording.telling import Teller
from conductd.model import Mode
from conductd.ports import SystemClock
from engine.conftest import Parts

PATIENCE_S = 30


class Looks:
    """Stands where the watch over what agents load stands."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def touched(self, number: int) -> None:
        self.asked.append(number)


def link(file: Path) -> None:
    os.link(file, file.parent.parent / "x.bak")


def mode(file: Path) -> None:
    file.chmod(0o640)


@pytest.fixture
def guarded(parts: Parts, tmp_path: Path) -> Iterator[Path]:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "MEMORY.md").write_text("- a note that was written\n")
    handle = parts.workspaces.register(os.fsencode(root), Mode.PROTECT, "generic")
    parts.intake.add(handle)
    parts.recorder.barrier().result(PATIENCE_S)
    with ExitStack() as stack:
        parts.intake.start()
        stack.callback(parts.intake.stop)
        yield root / "MEMORY.md"


@pytest.mark.parametrize("change", [link, mode])
def test_a_status_change_is_told_to_who_looks(parts: Parts, guarded: Path, change: Callable[[Path], None]) -> None:
    parts.touched.clear()
    change(guarded)
    parts.intake.sync().result(PATIENCE_S).result(PATIENCE_S)
    assert parts.touched
    teller = Teller(None, None)  # type: ignore[arg-type]  # nothing is published here
    looks = Looks()
    teller.loads = looks  # type: ignore[assignment]  # as above
    teller.touched(parts.touched[0])
    assert looks.asked == parts.touched[:1]


def test_the_same_status_again_asks_for_nothing(parts: Parts, guarded: Path) -> None:
    looker: Any = None  # nobody looks here
    watch = LoadWatch(
        parts.state, parts.recorder, parts.workspaces, looker, looker, parts.degraded, SystemClock(), Waits(), 60.0
    )
    (number,) = parts.state.files
    watch.touched(number)
    watch.touched(number)
    assert watch._queue.qsize() == 1
    mode(guarded)
    parts.intake.sync().result(PATIENCE_S).result(PATIENCE_S)
    watch.touched(number)
    assert watch._queue.qsize() == 2
