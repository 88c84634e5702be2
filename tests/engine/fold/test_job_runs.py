"""What the journal says of the jobs of the night, folded."""

from __future__ import annotations

from datetime import date

from conductd.core.night.days import holds
from conductd.engine.fold.job_runs import RUNS_KEPT
from conductd.engine.fold.state import State
from conductd.model import JobRunRecord, Mode, Record, Stored, WorkspaceRecord

WS = "a" * 32


def ran(day: str, cause: str = "timed", result: str = "ok", asleep: tuple[str, ...] = ()) -> JobRunRecord:
    return JobRunRecord("qc", result, 1, 2, "3 files", WS, day, asleep, cause, b"\x80")


def fold(*records: Record) -> State:
    return State().fold(Stored(number, number, number, record) for number, record in enumerate(records, 1))


def test_the_last_run_and_that_of_a_day_are_known() -> None:
    runs = fold(ran("2026-03-08"), ran("2026-03-09"), ran("2026-03-08", "manual", result="warn")).job_runs
    last = runs.last("qc", WS)
    assert last is not None
    assert (last.seq, last.day, last.result) == (3, "2026-03-08", "warn")
    assert runs.of_day("qc", WS, "2026-03-09") is not None
    assert runs.of_day("qc", WS, "2026-03-08") == last
    assert runs.of_day("qc", WS, "2026-03-07") is None
    assert runs.last("report", WS) is None
    assert runs.last("qc", "b" * 32) is None


def test_a_run_by_hand_is_not_the_nights() -> None:
    track = fold(ran("2026-03-08", "manual")).job_runs.track("qc", WS)
    assert not track.ran
    assert len(track.runs) == 1


def test_days_that_a_late_run_covers_are_asleep_and_not_run() -> None:
    track = fold(ran("2026-03-12", "late", asleep=("2026-03-08", "2026-03-10..2026-03-11"))).job_runs.track("qc", WS)
    asleep = [day for day in range(7, 13) if holds(track.asleep, date(2026, 3, day).toordinal())]
    assert asleep == [8, 10, 11]
    assert track.ran == [(date(2026, 3, 12).toordinal(),) * 2]


def test_it_is_due_since_the_workspace_is_known_or_since_it_was_switched_on() -> None:
    known = WorkspaceRecord(WS, b"/ws", Mode.PROTECT)
    assert fold(known, known).job_runs.since_ns("qc", WS) == 1
    runs = fold(known, JobRunRecord("qc", "off", workspace=WS), JobRunRecord("qc", "on", workspace=WS)).job_runs
    assert runs.since_ns("qc", WS) == 3
    assert not runs.track("qc", WS).is_off
    assert runs.since_ns("report", WS) == 1


def test_what_is_no_run_of_a_workspace_changes_nothing() -> None:
    for record in (JobRunRecord("gc", "done"), ran("no day"), ran("")):
        assert fold(record).job_runs.last(record.job, WS) is None


def test_it_is_bounded_and_comes_back_from_a_checkpoint() -> None:
    days = [date.fromordinal(date(2026, 1, 1).toordinal() + number).isoformat() for number in range(400)]
    state = fold(*map(ran, days))
    track = state.job_runs.track("qc", WS)
    assert len(track.runs) == RUNS_KEPT
    assert len(track.ran) == 1
    assert State.load(state.dump()).dump() == state.dump()
    assert State.load(state.dump()).job_runs.last("qc", WS) == state.job_runs.last("qc", WS)


def test_runs_that_were_begun_and_have_no_end_are_counted_for_one_day() -> None:
    def begun(*records: JobRunRecord) -> int:
        return fold(*records).job_runs.track("qc", WS).begun

    start, next_day = ran("2026-03-08", result="started"), ran("2026-03-09", result="started")
    assert begun(start, start) == 2
    assert begun(start, start, next_day) == 1
    assert begun(start, ran("2026-03-08")) == 0
    assert begun(start, ran("2026-03-08", "manual")) == 1
    assert not fold(start).job_runs.track("qc", WS).runs
