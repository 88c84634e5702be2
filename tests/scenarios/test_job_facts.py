"""What the checks of the jobs' scenarios take for a fault."""

from __future__ import annotations

from datetime import datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from scenarios.job_facts import JobFacts
from support.daemon import Daemon

SETUP = {"jobs": [{"name": "nightly", "at": "02:30", "tz": "America/New_York"}]}


def run(day: str, *asleep: str, cause: str = "timed") -> dict[str, Any]:
    return {"job": "qc", "workspace": "w", "day": day, "cause": cause, "asleep": asleep}


def facts(
    *runs: dict[str, Any], awake: tuple[str, str] = ("2026-03-06T12:00-05:00", "2026-03-09T12:00-04:00")
) -> JobFacts:
    since, until = (int(datetime.fromisoformat(each).timestamp()) * 10**9 for each in awake)
    made = SimpleNamespace(job_runs=lambda: list(runs), awake=[(since, until)], runs_before=1)
    return JobFacts(cast("Daemon", made), SETUP)


ALL = (run("2026-03-07"), run("2026-03-08"), run("2026-03-09"))


def test_every_day_once_is_no_fault() -> None:
    assert facts(*ALL).ran_twice() == []
    assert facts(*ALL).skipped() == []


def test_a_day_with_two_runs_is_one_unless_a_person_asked_for_the_other() -> None:
    assert facts(*ALL, run("2026-03-08")).ran_twice() == ["nightly for 2026-03-08"]
    assert facts(*ALL, run("2026-03-08", cause="manual")).ran_twice() == []


def test_a_day_awake_without_a_run_is_one_although_a_later_run_covers_it() -> None:
    found = facts(run("2026-03-07"), run("2026-03-09", "2026-03-08", cause="late")).skipped()
    assert found == ["nightly: 2026-03-08 was awake"]


def test_a_day_that_nobody_tells_of_is_one() -> None:
    awake = ("2026-03-06T12:00-05:00", "2026-03-06T13:00-05:00")
    assert facts(run("2026-03-06"), run("2026-03-09"), awake=awake).skipped() == [
        "nightly: nobody tells of 2026-03-07",
        "nightly: nobody tells of 2026-03-08",
    ]


def test_a_report_is_held_to_days_counts_and_names() -> None:
    made = facts(run("2026-03-07"), run("2026-03-09", "2026-03-08", cause="late"))
    made.report({"job": "nightly", "runs_on": "2026-03-07", "caught_up": 1, "asleep": ["2026-03-08"]})
    wrongs: list[dict[str, Any]] = [{"runs_on": "2026-03-08"}, {"runs_on": "2026-03-07", "count": 2}, {"caught_up": 0}]
    for wrong in (*wrongs, {"asleep": []}):
        with pytest.raises(AssertionError):
            made.report({"job": "nightly", **wrong})
