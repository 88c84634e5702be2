"""What the faces ask about the jobs of the night, and have done (implements `faces.Jobs`). Any thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

from conductd.config.jobs import NAMES
from conductd.core.night.due import running_day
from conductd.engine.fold.job_runs import Run
from conductd.engine.health.overview import Parts
from conductd.engine.jobs.gathering import Gathering
from conductd.engine.jobs.job import Job
from conductd.engine.jobs.planning import Planned, Planning
from conductd.engine.jobs.report_asked import ReportAsked
from conductd.engine.jobs.running import Finished, Running
from conductd.engine.jobs.scheduler import Scheduler
from conductd.engine.jobs.triggers import time_of
from conductd.engine.workspaces import Handle
from conductd.errors import Ambiguous, NotFound, UsageError
from conductd.views import JobRunView, JobView, ReportView, b64, iso, shown


class JobsAsked:
    """`workspace_id`: of the id or path that somebody named, None where nobody did. Raises NotFound."""

    def __init__(
        self,
        parts: Parts,
        planning: Planning,
        running: Running,
        scheduler: Scheduler,
        workspace_id: Callable[[str | None], str | None],
        gathering: Gathering,
    ) -> None:
        self._, self._planning, self._running = parts, planning, running
        self.scheduler, self._workspace_id = scheduler, workspace_id
        self._reports = ReportAsked(parts, gathering)

    # ------------------------------------------------------------------ what there is

    def jobs(self, workspace: str | None = None) -> list[JobView]:
        """By workspace, in the order of the night."""
        wanted = self._workspace_id(workspace)
        found = [self._view(each) for each in self._planning.planned() if wanted in (None, each.handle.id)]
        if any(each.state == "due" for each in found):
            self.scheduler.look()
        return found

    def _view(self, each: Planned) -> JobView:
        name, handle = each.job.name, each.handle
        work = self._running.of(handle.id)
        is_running = work is not None and work.job.name == name
        with self._.state.lock:
            last = self._.state.job_runs.last(name, handle.id)
        at_ns = each.next[1] if each.next is not None else None
        if is_running:
            state = "running"
        elif each.timing is None:
            state = "off"
        elif each.due is None:
            state = "waiting"
        else:
            state = "stuck" if each.why else "due"
        return JobView(
            job=name,
            workspace=handle.id,
            root=shown(handle.root),
            root_b64=b64(handle.root),
            when=each.config.time_of(name),
            zone=each.zone.key,
            state=state,
            why=each.why,
            next=iso(at_ns) if at_ns is not None else "",
            next_ns=at_ns,
            next_day=each.next[0].isoformat() if each.next is not None else "",
            last=_past(last, handle) if last is not None else None,
            progress=work.share if is_running and work is not None else None,
            doing=work.doing if is_running and work is not None else "",
        )

    def report(self, workspace: str | None, day: str) -> ReportView:
        """The kept one, else made now. Raises UsageError, NotFound, Ambiguous."""
        handle = self._handle(workspace)
        occasion = self._planning.occasion_by_hand("report", handle, self._day(day, handle), is_dry=True)
        return self._reports.report(occasion, is_named=bool(day))

    # ------------------------------------------------------------------ by hand

    def run(self, name: str, workspace: str | None, day: str, *, dry_run: bool) -> Iterator[float | JobRunView]:
        """Progress (0 to 1) while it runs, what came of it last. ``day``: ISO, "" the present one. Raises UsageError,
        NotFound, Ambiguous, Busy; nothing is started when it does."""
        job, handle = self._job(name), self._handle(workspace)
        config = self._.workspaces.config.jobs_of(handle.root)
        occasion = self._planning.occasion_by_hand(name, handle, self._day(day, handle), is_dry=dry_run)
        work = self._running.start(job, occasion, (), config.limit_minutes)
        return self._steps(work_steps=self._running.steps(work))

    @staticmethod
    def _steps(work_steps: Iterator[float | Finished]) -> Iterator[float | JobRunView]:
        for step in work_steps:
            yield _present(step) if isinstance(step, Finished) else step

    def _job(self, name: str) -> Job:
        found = next((each for each in self._planning.jobs if each.name == name), None)
        if found is None:
            known = ", ".join(each.name for each in self._planning.jobs) or ", ".join(NAMES)
            raise NotFound(f"there is no job {name[:60]}", f"the jobs are: {known}")
        return found

    def _handle(self, workspace: str | None) -> Handle:
        wanted = self._workspace_id(workspace)
        handles = [each for each in self._.workspaces.handles() if wanted in (None, each.id)]
        if not handles:
            raise NotFound("there is no such workspace", "conductd status")
        if len(handles) > 1:
            raise Ambiguous("there are several workspaces", "name one with --workspace")
        return handles[0]

    def _day(self, written: str, handle: Handle) -> date | None:
        if not written:
            return None
        try:
            day = date.fromisoformat(written)
            written_as = day.isoformat()
        except ValueError:
            written_as = ""
        if written_as != written:  # other forms of ISO 8601 are another thing to most people
            raise UsageError(f"{written[:40]} is no date", "a date is written as 2026-03-08")
        config = self._.workspaces.config.jobs_of(handle.root)
        now_ns, zone = self._.clock.wall_ns(), self._planning.zone_of(config)
        if not _FIRST <= day <= running_day(now_ns, zone, time_of("00:00")):
            raise UsageError(f"{written} is not a day that has begun", "give today's date or an earlier one")
        return day


_FIRST = date(1970, 1, 2)


def _past(run: Run, handle: Handle) -> JobRunView:
    return JobRunView(
        job=run.job,
        workspace=run.workspace,
        root=shown(handle.root),
        day=run.day,
        cause=run.cause,
        asleep=list(run.asleep),
        result=run.result,
        text=run.detail,
        started=iso(run.started_ns),
        started_ns=run.started_ns,
        duration_s=max(0, run.ended_ns - run.started_ns) / 1e9,
        undo=run.plan,
        written=[],
        dry_run=False,
    )


def _present(finished: Finished) -> JobRunView:
    occasion, outcome = finished.occasion, finished.outcome
    return JobRunView(
        job=occasion.job,
        workspace=occasion.workspace,
        root=shown(occasion.root),
        day=occasion.day.isoformat(),
        cause="manual",
        asleep=[],
        result=str(outcome.result),
        text=outcome.words,
        started=iso(finished.started_ns),
        started_ns=finished.started_ns,
        duration_s=max(0, finished.ended_ns - finished.started_ns) / 1e9,
        undo=outcome.plan,
        written=list(outcome.written),
        dry_run=occasion.is_dry,
    )
