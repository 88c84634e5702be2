"""The portable backend on this system's observers: the same hints, by another way."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.observers.polling import PollingObserver

from conductd.watch.hints import HintKind
from conductd.watch.observer import ObserverBackend

from .conftest import Box, MakeBox

K = HintKind

# watchdog's own emitter says this when a directory is made while it walks the one above.
pytestmark = pytest.mark.filterwarnings("ignore:Callback with id:RuntimeWarning")


def fast_polling() -> BaseObserver:
    return PollingObserver(timeout=0.02)


@pytest.fixture(params=[fast_polling, Observer], ids=["polling", "native"])
def box(request: pytest.FixtureRequest, make_box: MakeBox, workspace: Path) -> Box:
    (workspace / "memory").mkdir()
    return make_box(make_backend=lambda: ObserverBackend(request.param))


def test_a_new_file_and_a_change_are_hinted(box: Box) -> None:
    (box.root / "MEMORY.md").write_text("x")
    box.hints.wait(K.CREATED, b"MEMORY.md")
    box.hints.clear()
    (box.root / "MEMORY.md").write_text("longer")
    box.hints.until(lambda: bool({K.MODIFIED, K.CLOSED} & set(box.hints.kinds(b"MEMORY.md"))))


def test_new_directories_are_hinted_with_what_is_in_them(box: Box) -> None:
    (box.root / "memory" / "2026" / "03").mkdir(parents=True)
    (box.root / "memory" / "2026" / "03" / "x.md").write_text("x")
    box.hints.until(lambda: any(hint.kind is K.DIRECTORY for hint in box.hints.all()))


def test_a_removed_tree_that_comes_back_is_watched_again(box: Box) -> None:
    shutil.rmtree(box.root / "memory")
    box.hints.wait(K.DIRECTORY, b"memory")
    (box.root / "memory").mkdir()
    path, text = box.root / "memory" / "x.md", ["x"]

    def is_hinted_when_written_again() -> bool:
        path.write_text("".join(text))
        text.append("x")
        return bool(box.hints.kinds(b"memory/x.md"))

    box.hints.until(is_hinted_when_written_again)


def test_a_root_that_goes_and_comes_is_gone_and_back(box: Box) -> None:
    shutil.rmtree(box.root)
    box.hints.wait(K.ROOT_GONE)
    box.root.mkdir()
    box.hints.wait(K.ROOT_BACK)


def test_what_is_not_in_the_watch_set_is_not_hinted(box: Box) -> None:
    (box.root / "memory" / ".git").mkdir()
    (box.root / "memory" / ".git" / "x.md").write_text("x")
    (box.root / "end.md").write_text("x")
    box.hints.wait(K.CREATED, b"end.md")
    assert not [hint for hint in box.hints.all() if b".git" in os.fsencode(hint.path or b"")]
