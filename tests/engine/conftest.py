"""Real daemon processes for the engine's tests, and the texts they guard."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from conductd.config import load
from conductd.engine.fold.state import State
from conductd.engine.health.degraded import Degraded
from conductd.engine.recording.intake import Intake
from conductd.engine.recording.recorder import Recorder
from conductd.engine.workspaces import Workspaces
from conductd.index.writer import IndexWriter
from conductd.journal.journal import Journal
from conductd.journal.storage import DirectoryStorage
from conductd.model import Stored
from conductd.ports import SystemClock
from entry.faults import Faults
from entry.storage import FaultStorage
from support.daemon import Daemon


def notes(first: int = 1, last: int = 40) -> str:
    """A file of entries that have no words in common, eight a section."""
    lines = ["# Memory"]
    for number in range(first, last + 1):
        if (number - 1) % 8 == 0:
            lines += ["", f"## Section {number // 8}"]
        lines.append(f"- note {number}: " + " ".join(_word(number * 7 + place) for place in range(7)))
    return "\n".join(lines) + "\n"


def _word(number: int) -> str:
    """A pronounceable word of its own for each number below 250,000."""
    syllables = [consonant + vowel for consonant in "bdfghjklmnprstvwz" for vowel in "aeiou"]
    size = len(syllables)
    return syllables[number % size] + syllables[number // size % size] + syllables[number * 31 % size]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text(notes())
    return root


@pytest.fixture
def daemon(tmp_path: Path, workspace: Path) -> Iterator[Daemon]:
    with Daemon(tmp_path / "d", [workspace]) as running:
        yield running


class Parts:
    """An intake with all that it hands over to, and no watcher."""

    def __init__(
        self, directory: Path, stack: ExitStack, told: Callable[[Sequence[Stored]], None] = lambda _: None
    ) -> None:
        clock = SystemClock()
        self.faults = Faults(clock.mono_ns)
        storage = FaultStorage(DirectoryStorage(directory / "journal", exclusive=True), self.faults)
        journal, _ = Journal.open(storage, clock=clock, writer="test")
        self.journal = journal
        stack.callback(journal.close)
        index = IndexWriter(str(directory / "index.sqlite3"), journal.uuid, journal.last_seq)
        stack.callback(index.close)
        self.state, self.degraded = State(), Degraded(clock.wall_ns)
        self.touched: list[int] = []
        recorder = Recorder(journal, index, self.state, clock, self.degraded, told, self.touched.append)
        recorder.start()
        stack.callback(recorder.stop)
        self.recorder = recorder
        self.workspaces = Workspaces(self.state, recorder, load(None, {"HOME": str(directory)}), {}, observe=False)
        self.intake = Intake(
            self.state,
            recorder,
            self.workspaces,
            self.degraded,
            max_file_bytes=1 << 20,
            rescan_s=3_600,
            tell_degraded=lambda *_: None,
        )


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Parts]:
    with ExitStack() as stack:
        yield Parts(tmp_path, stack)
