"""Starts the jobs of the night when they are due: for every workspace, in its own time zone, one run after the other.

On a thread of its own (`scheduler`), which looks at least once a minute: after a suspend or a jump of the clock as
soon as it is noticed (`tend`). Which runs are due is `planning`'s and `core.night.due`'s; the ledger is the journal's
(`State.job_runs`). Nothing that is due runs before the first scan is done.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from datetime import date

import structlog

from conductd.core.night.days import in_words
from conductd.core.night.due import Due
from conductd.engine.fold.job_runs import OFF, ON
from conductd.engine.health.overview import Parts
from conductd.engine.health.pulse import Pulse
from conductd.engine.jobs.job import DID_NOT_END
from conductd.engine.jobs.planning import Planned, Planning
from conductd.engine.jobs.running import Running, Work, again
from conductd.errors import Busy, ConductdError
from conductd.journal.journal import Draft
from conductd.model import JobRunRecord
from conductd.views import shown

log = structlog.get_logger("jobs")

LOOK_NS = 60_000_000_000
OVERDUE_NS = 2 * 86_400_000_000_000
SETTLED_NS = 900_000_000_000  # awake for so long, whatever is still due cannot run
TRIES = 3  # of a run that ends the daemon
STOP_S = 2.0
_STOP, _LOOK = "stop", "look"


class Scheduler:
    """See the module. Another configuration is seen at the next look."""

    def __init__(self, parts: Parts, planning: Planning, running: Running) -> None:
        self._, self._planning, self._running = parts, planning, running
        self.pulse = Pulse("scheduler")
        self._queue: queue.Queue[str] = queue.Queue()
        self._thread = threading.Thread(target=self._run, name="scheduler", daemon=True)
        self._told: set[str] = set()
        running.changed = self.look

    def start(self) -> None:
        self._thread.start()
        self.pulse.thread = self._thread

    def stop(self) -> None:
        """Runs under way are ended; they are due again at the next start."""
        self.pulse.thread = None
        self._queue.put(_STOP)
        self._running.stop()
        self._thread.join(STOP_S)

    def look(self) -> None:
        """Have it looked now: a run has ended, the configuration is another one. Any thread."""
        self._queue.put(_LOOK)

    def tend(self) -> None:
        """Every few seconds, on the main thread: a suspend is noticed, and a clock that was set."""
        if self._planning.has_jumped:
            self.look()

    # ------------------------------------------------------------------ on its thread

    def _run(self) -> None:
        if not self._is_scanned():
            return
        clock = self._.clock
        wake = clock.mono_ns()
        while clock.get(self._queue, wake) != _STOP:
            self.pulse.beat()
            try:
                wake = self._look()
            except Exception:
                log.exception("the jobs of the night cannot be looked after")  # tried again: nobody else starts them
                wake = clock.mono_ns() + LOOK_NS
            self.pulse.rest()

    def _is_scanned(self) -> bool:
        """Waits until all that was found at the start is recorded and judged. False: the daemon stops."""
        parts = self._
        for ask in (lambda: parts.intake.do(lambda: None), parts.judge.barrier, parts.recorder.barrier):
            reply = ask()
            reply.add_done_callback(lambda _: self.look())
            while not reply.done():
                if parts.clock.get(self._queue, None) == _STOP:
                    return False
        return True

    def _look(self) -> int:
        """Start the first of what is due and can run; when to look again, monotonic."""
        self._planning.notice()
        self._running.tend()
        planned = self._planning.planned()
        if not self._.recorder.down and self._put_on_record(planned):
            planned = self._planning.planned()  # what was switched on is due from now on only
        self._tell_overdue(planned)
        if not any(not work.is_given_up and not work.occasion.is_manual for work in self._running.works()):
            ready = [(each, each.due) for each in planned if each.due is not None and not each.why]
            ready.sort(key=lambda one: (one[1].at_ns, self._planning.jobs.index(one[0].job)))
            for each, found in ready:
                if self._start(each, found):
                    break
        return self._wake(planned)

    def _start(self, each: Planned, found: Due) -> bool:
        occasion = self._planning.occasion(each, found)
        with self._.state.lock:
            track = self._.state.job_runs.track(each.job.name, each.handle.id)
            begun = track.begun if track.begun_for == found.day.isoformat() else 0
        if begun >= TRIES:
            work = Work(each.job, occasion, found.asleep_written, 0, self._)
            self._running.give_up(work, f"the daemon ended {begun} times while it ran: it is not tried again")
            self.look()
            return True
        try:
            self._running.start(each.job, occasion, found.asleep_written, each.config.limit_minutes)
        except Busy:
            return False  # a person has one running there: looked at again when it has ended
        return True

    def _put_on_record(self, planned: Sequence[Planned]) -> bool:
        """Which jobs were switched off or on: days while one is off are no days without a run. Whether any was."""
        with self._.state.lock:
            runs = self._.state.job_runs
            drafts = [
                Draft(JobRunRecord(each.job.name, OFF if each.timing is None else ON, workspace=each.handle.id))
                for each in planned
                if (each.timing is None) != runs.track(each.job.name, each.handle.id).is_off
            ]
        try:
            if drafts:
                self._.recorder.write(drafts)
        except ConductdError as error:
            log.info("that a job was switched cannot be recorded", error=error.message)
        return bool(drafts)

    def _wake(self, planned: Sequence[Planned]) -> int:
        clock = self._.clock
        now = clock.wall_ns()
        coming = min((each.next[1] for each in planned if each.next is not None), default=now + LOOK_NS)
        return clock.mono_ns() + max(0, min(coming - now, LOOK_NS))

    # ------------------------------------------------------------------ what does not run

    def _tell_overdue(self, planned: Sequence[Planned]) -> None:
        """Degraded while a job has not run for two days although the machine was awake, or failed twice in a row."""
        told = set()
        for each in planned:
            said = self._trouble(each)
            if said:
                about = f"{each.job.name}:{each.handle.id}"
                message = f"the job {each.job.name} of {shown(each.handle.root)} {said}"
                hint = f"conductd jobs; then: {again(each.job.name, each.handle.root)}"
                self._.degraded.raise_(f"jobs:{about}", message, hint)
                told.add(about)
        for about in self._told - told:
            self._.degraded.clear(f"jobs:{about}")
        self._told = told

    def _trouble(self, each: Planned) -> str:
        if each.timing is None:
            return ""
        found, clock = each.due, self._.clock
        if found is not None and clock.mono_ns() - self._planning.awake_mono_ns >= SETTLED_NS:
            missed = date.fromordinal(found.asleep[0][0]) if found.asleep else found.day
            at_ns = self._planning.instants(each.timing, each.zone)(each.timing.date_of(missed)) or found.at_ns
            if clock.wall_ns() - at_ns >= OVERDUE_NS:
                days = in_words((*found.asleep_written, found.day.isoformat()))
                return f"has not run for {days}" + (f": {each.why}" if each.why else "")
        with self._.state.lock:
            runs = self._.state.job_runs.track(each.job.name, each.handle.id).runs[-2:]
        return "failed twice in a row" if len(runs) == 2 and all(run.result in DID_NOT_END for run in runs) else ""
