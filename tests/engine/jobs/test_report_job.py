"""The report and the recap on a daemon in this process: what they gather, where they write, what they tell."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from conductd.core.night.facts import Night, Occasion
from conductd.core.qc.results import Finding, Grade, QcResult
from conductd.core.report.result import RecapResult, ReportResult
from conductd.core.report.verdict import Shape, verdict
from conductd.engine.jobs.continuity import ContinuityJob
from conductd.engine.jobs.job import Job, Outcome, Progress, Result
from conductd.engine.jobs.placing import Placing
from conductd.engine.jobs.recap import RecapJob
from conductd.engine.jobs.report import ReportJob
from conductd.engine.jobs.reporting import Reporting
from conductd.engine.jobs.running import Finished, Running
from conductd.engine.service import Daemon
from conductd.model import Severity
from support.until import until

Make = Callable[..., Occasion]
Run = Callable[..., Outcome]
PASSED = QcResult(findings=(Finding("history", Grade.PASS, "whole"),))


class Gives:
    """A job that found this."""

    def __init__(self, name: str, data: bytes, result: Result = Result.OK) -> None:
        self.name, self._outcome = name, Outcome(result, "as the test says", data)

    def run(self, night: Night, progress: Progress) -> Outcome:
        return self._outcome


@pytest.fixture
def run(service: Daemon, occasion: Make) -> Run:
    """A run as of the night, on record. A job, or what makes one of (reporting, placing, is_quiet)."""
    running = Running(service._, service.gathering)

    def go(job: Job | type[ReportJob | RecapJob], is_quiet: bool = False, **others: object) -> Outcome:
        service.sync()

        def placing_of(night: Night) -> Placing:
            return service.placing(night.occasion.workspace, "never", is_dry=night.occasion.is_dry)

        made = job(Reporting(service._), placing_of, lambda _night: is_quiet) if isinstance(job, type) else job
        work = running.start(made, occasion(made.name, **others), (), 10)
        finished = list(running.steps(work))[-1]
        assert isinstance(finished, Finished)
        return finished.outcome

    return go


@pytest.fixture
def today() -> datetime:
    return datetime.now(UTC)


def clean(service: Daemon, run: Run, today: datetime) -> None:
    """What makes a day clean: all jobs ran and found nothing."""
    from conductd.core.checkpoint.result import CheckpointResult

    encode = msgspec.msgpack.encode
    run(Gives("checkpoint", encode(CheckpointResult(is_whole=True))), day=today.date() - timedelta(days=1))
    run(ContinuityJob(lambda night: service.placing(night.occasion.workspace, "never", is_dry=False)))
    run(Gives("qc", encode(PASSED)))


def reports(service: Daemon) -> Path:
    return Path(service.gathering.state_dir) / "reports" / service.workspaces()[0].id


def notices(service: Daemon) -> list[tuple[str, str]]:
    return [(each.severity or "", each.text) for each in service.log(0, 1_000) if each.event_class == "report"]


def test_a_clean_day(service: Daemon, workspace: Path, run: Run, occasion: Make, today: datetime) -> None:
    clean(service, run, today)
    (workspace / "MEMORY.md").write_text((workspace / "MEMORY.md").read_text() + "- one more entry\n")
    service.sync()
    until(lambda: not service.gathering.day(occasion()).unjudged, "it is judged")
    outcome = run(ReportJob)
    result = msgspec.msgpack.decode(outcome.data, type=ReportResult)
    stem = reports(service) / "report" / today.date().isoformat()
    assert (outcome.result, result.shape) == (Result.OK, Shape.CLEAN), outcome.words
    assert outcome.written == (f"{stem}.md", f"{stem}.html")
    assert result.where == f"{stem}.html"
    assert "- [" not in Path(f"{stem}.md").read_text()
    assert Path(f"{stem}.md").stat().st_mode & 0o077 == 0
    assert [severity for severity, _ in notices(service)] == ["info"]
    assert dict(result.figures)["checks passed"] == "1"
    assert "one more entry" not in Path(f"{stem}.html").read_text()


def test_a_clean_day_may_be_quiet(service: Daemon, run: Run, today: datetime) -> None:
    clean(service, run, today)
    assert run(ReportJob, is_quiet=True).result is Result.OK
    assert notices(service) == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "they did not run"),
        ((Gives("qc", b"", Result.FAILED),), "they failed"),
        ((Gives("qc", b"\xc1 no msgpack"),), "what they found is not known"),
        ((Gives("qc", msgspec.msgpack.encode(QcResult(format=2, findings=PASSED.findings))),), "is not known"),
    ],
)
def test_without_checks_it_is_not_clean_and_says_why(
    service: Daemon, run: Run, today: datetime, given: tuple[Gives, ...], said: str
) -> None:
    clean_but_checks = [*given]
    for each in clean_but_checks:
        run(each)
    outcome = run(ReportJob, is_quiet=True)
    assert outcome.result is not Result.OK
    assert said in (reports(service) / "report" / f"{today.date()}.md").read_text()
    assert len(notices(service)) == 1


def test_a_person_who_runs_it_is_told_by_nobody_else(service: Daemon, run: Run) -> None:
    run(ReportJob, is_manual=True)
    assert notices(service) == []
    dry = run(ReportJob, is_manual=True, is_dry=True, day=datetime(2026, 3, 8, tzinfo=UTC).date())
    assert [Path(each).name for each in dry.written] == ["2026-03-08.md", "2026-03-08.html"]
    assert not Path(dry.written[0]).exists()


def test_what_came_after_the_last_report_and_before_the_day_is_in_the_next(
    service: Daemon, workspace: Path, run: Run, occasion: Make, today: datetime
) -> None:
    """A report is made before its day is over."""
    tomorrow = today.date() + timedelta(days=1)
    run(ReportJob, day=today.date())
    (workspace / "MEMORY.md").write_text("x\n")
    until(lambda: service.incidents("resolved"), "the loss is put back")
    facts = Reporting(service._).facts(service.gathering.night(occasion("report", day=tomorrow)))
    assert [each.state for each in facts.incidents or ()] == ["resolved"]
    assert facts.unreported is not None
    assert (facts.unreported.versions, facts.unreported.lost) == (2, 0), "it was put back"
    assert (facts.lost, facts.versions_per_hour) == (0, (0,) * 24)
    assert verdict(facts).shape is not Shape.CLEAN
    run(ReportJob, day=today.date() - timedelta(days=9), is_manual=True)  # made later than all that, of another day
    facts = Reporting(service._).facts(service.gathering.night(occasion("report", day=tomorrow)))
    assert [each.state for each in facts.incidents or ()] == ["resolved"]
    run(ReportJob, day=today.date())  # by now it is told
    facts = Reporting(service._).facts(service.gathering.night(occasion("report", day=tomorrow)))
    assert facts.incidents == ()
    assert facts.unreported is None or facts.unreported.versions == 0


def test_what_was_put_back_is_not_lost_and_what_moved_is_neither(
    service: Daemon, workspace: Path, occasion: Make
) -> None:
    def came() -> tuple[int | None, int | None]:
        service.sync()
        facts = Reporting(service._).facts(service.gathering.night(occasion("report")))
        return facts.gained, facts.lost

    memory = workspace / "MEMORY.md"
    text = memory.read_text()
    memory.write_text("x\n")
    until(lambda: service.incidents("resolved"), "the loss is put back")
    until(lambda: memory.read_text() == text, "it is put back")
    assert came() == (0, 0)
    lines = text.splitlines(keepends=True)
    (workspace / "memory" / "moved.md").write_text(lines[-1], encoding="utf-8")
    memory.write_text("".join(lines[:-1]))
    assert came() == (0, 0)
    (workspace / "memory" / "more.md").write_text("- an entry that is new\n", encoding="utf-8")
    assert came() == (1, 0)


def test_an_incident_of_the_day_is_in_it(service: Daemon, workspace: Path, occasion: Make) -> None:
    (workspace / "MEMORY.md").write_text("x\n")
    until(lambda: service.incidents("resolved"), "the loss is put back")
    night = service.gathering.night(occasion("report"))
    facts = Reporting(service._).facts(night)
    assert facts.incidents, "the loss is an incident"
    found = verdict(facts)
    assert (found.shape, found.severity) == (Shape.HANDLED, Severity.NOTICE)
    assert any("overwrite of MEMORY.md, resolved" in each for each in found.handled)
    assert facts.lost == 0, "it was put back"


def test_sizes_are_of_the_files_that_are_loaded(service: Daemon, workspace: Path, occasion: Make) -> None:
    night = service.gathering.night(occasion("report"))
    found = {each.path: each for each in Reporting(service._).sizes(night) or ()}
    for path, each in found.items():
        assert each.points[-1] == (night.occasion.day.isoformat(), (workspace / path.decode()).stat().st_size)
        assert len(each.points) <= 30
    (workspace / "MEMORY.md").write_text((workspace / "MEMORY.md").read_text() + "- one more entry\n")
    service.sync()
    again = Reporting(service._).sizes(service.gathering.night(occasion("report"))) or ()
    assert (workspace / "MEMORY.md").stat().st_size in [each.points[-1][1] for each in again]


def test_a_week(service: Daemon, run: Run, today: datetime) -> None:
    outcome = run(RecapJob)
    result = msgspec.msgpack.decode(outcome.data, type=RecapResult)
    year, week, _ = today.date().isocalendar()
    assert outcome.result is Result.UNKNOWN
    assert (result.week, result.clean, result.known) == (f"{year}-W{week:02}", 0, 0)
    assert (reports(service) / "recap" / f"{year}-W{week:02}.html").exists()
    for days in range(1, 8):
        data = msgspec.msgpack.encode(ReportResult(Shape.CLEAN if days > 2 else Shape.HANDLED))
        run(Gives("report", data), day=today.date() - timedelta(days=days))
    after = run(RecapJob)
    assert (after.result, after.words) == (Result.OK, "5/7 days clean, 7 known")
    assert "days clean: 5/7" in (reports(service) / "recap" / f"{year}-W{week:02}.md").read_text()
    assert [severity for severity, _ in notices(service)] == ["notice", "notice"]
