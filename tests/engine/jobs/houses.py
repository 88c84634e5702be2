"""A daemon in this process on a clock that stands still, with jobs of the test's own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from conductd.app import App, Ports, Request
from conductd.core.night.facts import Night
from conductd.engine.fold.job_runs import Run
from conductd.engine.jobs.job import Outcome, Progress, Result
from conductd.engine.service import Daemon
from conductd.journal.storage import DirectoryStorage
from conductd.views import EventView, JobView
from entry.clock import FakeClock
from support.until import until

SECOND = 1_000_000_000
HOUR = 3_600 * SECOND
ZONE = "America/New_York"
START = "2026-03-05T12:00"


class NoFace:
    path, alive = b"", True

    def start(self) -> None: ...

    def stop(self) -> None: ...


class Plain:
    """Remembers what it was given; does what the test says."""

    def __init__(self, name: str, does: Callable[[Night, Progress], object] | None = None) -> None:
        self.name, self.does = name, does
        self.nights: list[Night] = []

    def run(self, night: Night, progress: Progress) -> Outcome:
        self.nights.append(night)
        said = self.does(night, progress) if self.does is not None else None
        return said if isinstance(said, Outcome) else Outcome(Result.OK, f"{len(night.files)} files", b"\x80")

    @property
    def days(self) -> list[str]:
        return [each.occasion.day.isoformat() for each in self.nights]


class Holds:
    """What `Plain` may do: it stays in the run until it is let go."""

    def __init__(self, *, listens: bool = True) -> None:
        self._listens = listens
        self.is_there, self.may_go = threading.Event(), threading.Event()

    def __call__(self, _night: Night, progress: Progress) -> None:
        self.is_there.set()
        while not self.may_go.wait(0.01):
            if self._listens:
                progress(1, 4, "holding")


class House:
    """`start` and `stop` as often as a test likes."""

    def __init__(self, place: Path, roots: list[Path], config: str = "", at: str = START) -> None:
        self.place, self.roots = place, roots
        self.environ = {"HOME": str(place), "TZ": ZONE, "CONDUCTD_CONFIG": str(place / "config.toml")}
        self.configure(config)
        self.clock = FakeClock(self.at(at), 10**15)
        self._stack: ExitStack | None = None

    def configure(self, text: str) -> None:
        """Before a start."""
        (self.place / "config.toml").write_text(text)

    def start(self, *jobs: Plain) -> None:
        self.start_without_waiting(*jobs)
        until(lambda: all(map(self._is_on_record, self.views())), "it is on record which jobs are off")
        self.settled()

    def start_without_waiting(self, *jobs: Plain) -> None:
        self._stack = ExitStack()

        def storage(path: str) -> DirectoryStorage:
            assert self._stack is not None
            return self._stack.enter_context(DirectoryStorage(path, exclusive=True))

        ports = Ports(clock=self.clock, environ=self.environ, jobs=jobs, storage=storage)
        roots = tuple(os.fsencode(root) for root in self.roots)
        request = Request(
            roots, state_dir=str(self.place / "state"), config=str(self.place / "config.toml"), demo=False
        )
        self.app = App(request, lambda _service, _path: NoFace(), ports, self._stack)
        self.app.start()
        assert isinstance(self.app.service, Daemon)
        self.service = self.app.service

    def stop(self) -> None:
        if self._stack is not None:
            self._stack.close()
            self._stack = None

    # ------------------------------------------------------------------ time

    def at(self, text: str, zone: str = ZONE) -> int:
        return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()) * SECOND

    def until(self, text: str, zone: str = ZONE) -> None:
        """Time passes, awake, until then; what is due is done."""
        while (left := self.at(text, zone) - self.clock.wall_ns()) > 0:
            coming = [
                each.next_ns - self.clock.wall_ns() for each in self.service.jobs.jobs() if each.next_ns is not None
            ]
            self.clock.advance(min(left, *coming, HOUR))
            self.settled()

    def sleep_until(self, text: str) -> None:
        """The machine is suspended, or somebody sets the clock."""
        self.clock.set_wall(self.at(text))
        if self._stack is not None:
            self.app.tend()
            self.settled()

    def settled(self) -> None:
        """What is due and can run has run."""
        busy = ("due", "running")
        until(lambda: not any(each.state in busy for each in self.views()), "the jobs are done")

    def _is_on_record(self, view: JobView) -> bool:
        """Whether the scheduler has seen that a job was switched off, or on: time that passes before is as if the
        daemon had not run."""
        with self.service._.state.lock:
            return self.service._.state.job_runs.track(view.job, view.workspace).is_off == (view.state == "off")

    # ------------------------------------------------------------------ what came of it

    def views(self) -> list[JobView]:
        return self.service.jobs.jobs()

    def view(self, job: str, root: int = 0) -> JobView:
        return next(each for each in self.views() if each.job == job and each.root == str(self.roots[root]))

    def runs(self, job: str, root: int = 0) -> list[Run]:
        workspace = self.view(job, root).workspace
        with self.service._.state.lock:
            return list(self.service._.state.job_runs.track(job, workspace).runs)

    def days(self, job: str, root: int = 0) -> list[tuple[str, str]]:
        return [(each.day, each.cause) for each in self.runs(job, root)]

    def notices(self) -> list[EventView]:
        return [each for each in self.service.log(0, 1_000) if each.event_class == "job_failed"]

    def reasons(self) -> list[str]:
        return [each.reason for each in self.service.status().degraded]


def day(text: str) -> date:
    return date.fromisoformat(text)


def opened(place: Path, roots: list[Path], config: str = "", at: str = START) -> Iterator[House]:
    house = House(place, roots, config, at)
    try:
        yield house
    finally:
        house.stop()
