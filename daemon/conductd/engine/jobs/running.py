"""Runs one job for one workspace: never two at a time there, never for longer than it may, never without a record.

Each run has a thread of its own (`job-NAME`). What came of it is durable before anybody is told. What a job raises
is a failed run: a record and, unless a person is looking on, a notice. Started by the scheduler, or by hand.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Iterator, Sequence

import structlog

from conductd.core.night.facts import Occasion
from conductd.engine.fold.job_runs import STARTED
from conductd.engine.health.overview import Parts
from conductd.engine.jobs.gathering import Gathering
from conductd.engine.jobs.job import DID_NOT_END, MOST_DATA, Ended, Job, Outcome, Result
from conductd.errors import Busy, ConductdError, StoreUnavailable
from conductd.journal.journal import Draft
from conductd.model import EventClass, Frozen, JobRunRecord, NoticeRecord, Record, Severity
from conductd.views import shown

log = structlog.get_logger("jobs")

GRACE_NS = 60_000_000_000  # one that does not end when it is told to is given up after so long
STOP_S = 2.0


class Finished(Frozen, frozen=True):
    """``seq``: of the record; None of a dry run."""

    occasion: Occasion
    outcome: Outcome
    started_ns: int
    ended_ns: int
    seq: int | None = None


class Work:
    """One run under way. ``asleep``: as the record has it. ``done``, ``of``, ``doing``: how far it is."""

    def __init__(self, job: Job, occasion: Occasion, asleep: Sequence[str], limit_ns: int, parts: Parts) -> None:
        self.job, self.occasion, self.asleep = job, occasion, tuple(asleep)
        self.started_ns, self.due_ns = parts.clock.wall_ns(), parts.clock.mono_ns() + limit_ns
        self.limit_ns = limit_ns
        self.done, self.of, self.doing = 0, 0, ""
        self.finished: Finished | ConductdError | None = None
        self.ended = threading.Event()  # it is settled what came of it
        self.is_given_up = False
        self._clock = parts.clock
        self._told = threading.Lock()
        self._is_settled = False
        self.is_stopped = False

    def progress(self, done: int, of: int, doing: str) -> None:
        """What the job calls. Raises Ended when there is no use in going on."""
        self.done, self.of, self.doing = done, of, doing
        if self.is_stopped or self.is_over:
            raise Ended

    @property
    def is_over(self) -> bool:
        return self._clock.mono_ns() >= self.due_ns

    @property
    def share(self) -> float:
        return min(1.0, self.done / self.of) if self.of > 0 else 0.0

    def settles(self) -> bool:
        """True for the first who asks: what came of it is told once."""
        with self._told:
            first, self._is_settled = not self._is_settled, True
        return first


class Running:
    """`changed` is called on the run's thread when one has ended."""

    def __init__(self, parts: Parts, gathering: Gathering) -> None:
        self._, self._gathering = parts, gathering
        self.changed: Callable[[], None] = lambda: None
        self._lock = threading.Lock()
        self._works: dict[str, Work] = {}  # by workspace
        self._threads: dict[str, threading.Thread] = {}
        self._is_stopping = False

    def of(self, workspace: str) -> Work | None:
        """What runs there."""
        return self._works.get(workspace)

    def works(self) -> list[Work]:
        with self._lock:
            return list(self._works.values())

    def start(self, job: Job, occasion: Occasion, asleep: Sequence[str], limit_minutes: int) -> Work:
        """Raises Busy while another run is under way there."""
        with self._lock:
            known = self._works.get(occasion.workspace)
            if known is not None:
                where = shown(occasion.root)
                raise Busy(
                    f"the job {known.job.name} is running in {where}: one at a time",
                    "conductd jobs shows when it has ended",
                )
            if self._is_stopping:
                raise Busy("the daemon is stopping", "conductd status")
            work = Work(job, occasion, asleep, limit_minutes * 60_000_000_000, self._)
            thread = threading.Thread(target=self._run, args=(work,), name=f"job-{job.name}", daemon=True)
            self._works[occasion.workspace], self._threads[occasion.workspace] = work, thread
        thread.start()
        return work

    def give_up(self, work: Work, words: str) -> None:
        """Put a run on record as failed that is not even tried. Raises StoreUnavailable."""
        outcome = Outcome(Result.FAILED, words)
        self._.recorder.write([Draft(each) for each in _records(work, outcome, self._.clock.wall_ns())])

    def steps(self, work: Work) -> Iterator[float | Finished]:
        """Progress (0 to 1) while it runs, what came of it last. Raises what could not be recorded. On the caller's
        thread; when nobody listens any more the run goes on."""
        yield work.share
        while not work.ended.wait(0.5):
            yield work.share
        if isinstance(work.finished, ConductdError):
            raise work.finished
        if work.finished is None:
            raise Busy("the daemon is stopping: the run was ended", "it runs again by itself, or: conductd jobs run")
        yield work.finished

    def tend(self) -> None:
        """Gives up on runs that do not end although they should have. Often; on the scheduler's thread."""
        now = self._.clock.mono_ns()
        for work in self.works():
            if now >= work.due_ns + GRACE_NS and work.settles():
                work.is_given_up = True
                log.error("a job does not end", job=work.job.name, workspace=work.occasion.workspace)
                self._settle(work, _timed_out(work))

    def stop(self) -> None:
        """Runs under way are ended, without a record: they are due again at the next start."""
        with self._lock:
            self._is_stopping = True
            works, threads = list(self._works.values()), list(self._threads.values())
        for work in works:
            work.is_stopped = True
        for thread in threads:
            thread.join(STOP_S)

    # ------------------------------------------------------------------ on the run's thread

    def _run(self, work: Work) -> None:
        try:
            outcome = self._outcome(work)
            if work.settles():
                if outcome is None:
                    work.ended.set()
                else:
                    self._settle(work, outcome)
        finally:
            with self._lock:
                del self._works[work.occasion.workspace], self._threads[work.occasion.workspace]
            work.ended.set()
            self.changed()

    def _outcome(self, work: Work) -> Outcome | None:
        """None: the daemon stops."""
        try:
            self._begin(work)
            night = self._gathering.night(work.occasion)
            work.progress(0, 0, "")
            return _bounded(work.job.run(night, work.progress))
        except Ended:
            return None if work.is_stopped else _timed_out(work)
        except ConductdError as error:
            return Outcome(Result.FAILED, error.message)
        except Exception as error:
            log.exception("a job failed", job=work.job.name, workspace=work.occasion.workspace)
            return Outcome(Result.FAILED, f"{type(error).__name__}, see the log")

    def _begin(self, work: Work) -> None:
        """On record, so that one which ends the daemon is not tried for ever."""
        occasion = work.occasion
        if occasion.is_manual:
            return
        day, cause = occasion.day.isoformat(), "late" if occasion.is_late else "timed"
        record = JobRunRecord(work.job.name, STARTED, work.started_ns, 0, "", occasion.workspace, day, (), cause)
        self._.recorder.write([Draft(record)])

    def _settle(self, work: Work, outcome: Outcome) -> None:
        """On record, then told."""
        occasion, ended_ns = work.occasion, self._.clock.wall_ns()
        finished = Finished(occasion, outcome, work.started_ns, ended_ns)
        try:
            if not occasion.is_dry:
                stored = self._.recorder.write([Draft(each) for each in _records(work, outcome, ended_ns)])
                finished = Finished(occasion, outcome, work.started_ns, ended_ns, stored[0].seq)
        except StoreUnavailable as error:
            log.warning("a run of a job cannot be recorded", job=work.job.name, error=error.message)
            work.finished = error
        except Exception:
            log.exception("a run of a job cannot be recorded", job=work.job.name)
            work.finished = StoreUnavailable("the run cannot be recorded, see the log", "conductd status")
        else:
            log.info("a job ran", job=work.job.name, workspace=occasion.workspace, result=str(outcome.result))
            work.finished = finished
        work.ended.set()


def _records(work: Work, outcome: Outcome, ended_ns: int) -> Iterator[Record]:
    occasion = work.occasion
    yield JobRunRecord(
        job=work.job.name,
        result=str(outcome.result),
        started_ns=work.started_ns,
        ended_ns=ended_ns,
        detail=outcome.words,
        workspace=occasion.workspace,
        day=occasion.day.isoformat(),
        asleep=work.asleep,
        cause="manual" if occasion.is_manual else "late" if occasion.is_late else "timed",
        data=outcome.data,
        plan=outcome.plan,
    )
    if not occasion.is_manual:
        yield from outcome.notices
    if outcome.result in DID_NOT_END and not occasion.is_manual:
        what = "took too long" if outcome.result is Result.TIMED_OUT else "failed"
        yield NoticeRecord(
            EventClass.JOB_FAILED,
            Severity.NOTICE,
            f"the job {work.job.name} for {occasion.day.isoformat()} {what} in {shown(occasion.root)}: {outcome.words}",
            workspace=occasion.workspace,
            command=again(work.job.name, occasion.root, occasion.day.isoformat()),
        )


def again(job: str, root: bytes, day: str = "") -> str:
    """The command that runs a job by hand."""
    return f"conductd jobs run {job} --workspace {shlex.quote(shown(root))}" + (f" --date {day}" if day else "")


def _timed_out(work: Work) -> Outcome:
    return Outcome(Result.TIMED_OUT, f"it was ended after {work.limit_ns // 60_000_000_000} minutes")


def _bounded(outcome: Outcome) -> Outcome:
    if len(outcome.data) <= MOST_DATA:
        return outcome
    log.error("a job gives more data than is kept", size=len(outcome.data))
    return Outcome(outcome.result, outcome.words, b"", outcome.written, outcome.plan, outcome.notices)
