"""Real workspaces, real inotify, and a way to wait for hints without sleeping."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conductd.watch.backends import default_backend
from conductd.watch.hints import Backend, Degraded, Hint, HintKind
from conductd.watch.watcher import Watcher
from conductd.watch.watchset import WatchSet, watch_set

DEADLINE_S = 30.0  # far more than needed: the machine may be busy with other tests


class Hints:
    """Collects hints from any thread; waits for one that fits."""

    def __init__(self) -> None:
        self._all: list[Hint] = []
        self._changed = threading.Condition()
        self.degraded: list[Degraded] = []

    def add(self, hint: Hint) -> None:
        with self._changed:
            self._all.append(hint)
            self._changed.notify_all()

    def add_degraded(self, what: Degraded) -> None:
        with self._changed:
            self.degraded.append(what)
            self._changed.notify_all()

    def all(self) -> list[Hint]:
        with self._changed:
            return list(self._all)

    def clear(self) -> None:
        with self._changed:
            self._all.clear()

    def kinds(self, path: bytes | None) -> list[HintKind]:
        return [hint.kind for hint in self.all() if hint.path == path]

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until `holds()`, which is asked again after each hint (and now and then)."""
        deadline = time.monotonic() + DEADLINE_S
        with self._changed:
            while not holds():
                left = deadline - time.monotonic()
                assert left > 0, f"not within {DEADLINE_S} s; hints: {self._all[-20:]} {self.degraded}"
                self._changed.wait(min(left, 0.02))

    def wait(self, kind: HintKind, path: bytes | None = None) -> None:
        self.until(lambda: any(hint.kind is kind and hint.path == path for hint in self._all))


class Box:
    """A workspace with a watcher on it."""

    def __init__(self, root: Path, hints: Hints, watcher: Watcher) -> None:
        self.root = root
        self.path = os.fsencode(root)
        self.hints = hints
        self.watcher = watcher

    def settle(self) -> None:
        """Return when every event before this call has become a hint."""
        mark = self.root / ".mark"
        self.hints.clear()
        mark.write_text("x")
        self.hints.wait(HintKind.CLOSED, b".mark")
        mark.unlink()
        self.hints.wait(HintKind.DELETED, b".mark")
        self.hints.clear()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    root.mkdir()
    return root


@pytest.fixture
def root_fd(workspace: Path) -> Iterator[int]:
    fd = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY)
    yield fd
    os.close(fd)


MakeBox = Callable[..., Box]


@pytest.fixture
def make_box(workspace: Path) -> Iterator[MakeBox]:
    """Start a watcher on the workspace; periodic looks are far apart unless a test asks for them."""
    started: list[Watcher] = []

    def make(
        plan: WatchSet | None = None,
        *,
        make_backend: Callable[[], Backend] = default_backend,
        poll_s: float = 3600,
        look_s: float = 3600,
        retry_s: float = 3600,
        poll: str = "",
    ) -> Box:
        hints = Hints()
        watcher = Watcher(
            hints.add,
            degraded=hints.add_degraded,
            make_backend=make_backend,
            poll_s=poll_s,
            look_s=look_s,
            retry_s=retry_s,
        )
        watcher.start()
        started.append(watcher)
        watcher.add_root(os.fsencode(workspace), plan or watch_set(), poll=poll)
        return Box(workspace, hints, watcher)

    yield make
    for watcher in started:
        watcher.stop()


@pytest.fixture
def box(make_box: MakeBox) -> Box:
    return make_box()
