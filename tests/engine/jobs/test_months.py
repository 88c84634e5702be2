"""A month of a whole daemon: awake, asleep, started anew, in whatever order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from .houses import HOUR, ZONE, House, Plain, opened

JOBS = {"checkpoint": "03:30", "qc": "23:15", "report": "23:20"}


@pytest.fixture
def house(tmp_path: Path, workspace: Path) -> Iterator[House]:
    (workspace / "MEMORY.md").write_text("- one thing worth keeping\n")
    yield from opened(tmp_path, [workspace])


def days_due(house: House, awake: list[tuple[int, int]], job: str) -> set[str]:
    """Days whose time came while it was awake, or that had ten minutes awake after it and before the next."""
    found = set()
    for number in range(-1, 90):
        on = date(2026, 3, 5) + timedelta(days=number)
        start, end = (house.at(f"{each}T{JOBS[job]}") for each in (on, on + timedelta(days=1)))
        minutes = sum(max(0, min(until, end) - max(since, start)) for since, until in awake) / HOUR * 60
        if minutes >= 10 and start > house.at("2026-03-05T12:00"):
            found.add((on - timedelta(days=1) if job == "checkpoint" else on).isoformat())
    return found


def days_run(house: House, job: str) -> set[str]:
    with house.service._.state.lock:
        stretches = house.service._.state.job_runs.track(job, house.view(job).workspace).ran
        return {date.fromordinal(day).isoformat() for first, last in stretches for day in range(first, last + 1)}


@pytest.mark.parametrize("seed", range(4))
def test_a_month_of_a_machine(house: House, seed: int) -> None:
    chance, awake = random.Random(seed), []
    house.start(*map(Plain, JOBS))
    for _ in range(28):
        since = house.clock.wall_ns()
        until = since + chance.choice((HOUR // 6, HOUR, 9 * HOUR, 30 * HOUR))
        house.until(datetime.fromtimestamp(until / 1e9, ZoneInfo(ZONE)).replace(tzinfo=None).isoformat())
        awake.append((since, house.clock.wall_ns()))
        how = chance.choice(("sleep", "restart", "off"))
        if how != "sleep":
            house.stop()
        if how != "restart":
            asleep = house.clock.wall_ns() + chance.choice((HOUR // 4, 8 * HOUR, 20 * HOUR, 70 * HOUR))
            house.sleep_until(datetime.fromtimestamp(asleep / 1e9, ZoneInfo(ZONE)).replace(tzinfo=None).isoformat())
        if how != "sleep":
            house.start(*map(Plain, JOBS))
    for job in JOBS:
        lately = [each for each, _ in house.days(job)]
        assert len(set(lately)) == len(lately), "no day has two runs"
        due = days_due(house, awake, job)
        assert len(due) > 10
        assert due <= days_run(house, job)
    assert not house.reasons()
    assert not house.notices()
