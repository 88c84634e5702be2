"""The runs of a scenario's jobs, and the nights that they should have had, by counting minutes.

A job is due at the first minute of a local date at which the local clock has reached its time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from scenarios import config
from support.daemon import Daemon

Json = Any
_MINUTE_NS = 60 * 1_000_000_000
_AWAKE_MINUTES = 10
_BY_ITSELF = ("timed", "late")


class JobFacts:
    """`setup`: the scenario's own configuration."""

    def __init__(self, daemon: Daemon, setup: Json) -> None:
        self._daemon = daemon
        self._jobs = {job["name"]: job for job in setup.get("jobs", ())}
        self._names = config.jobs_of(setup)

    def runs(self, job: str, since: int = 0) -> list[Json]:
        """Those that nobody asked for, after so many runs of all jobs."""
        name = self._names[job]
        found = self._daemon.job_runs()[since:]
        return [each for each in found if each["job"] == name and each["cause"] in _BY_ITSELF]

    def report(self, wanted: Json) -> None:
        """`runs_on` a day `count` times; `caught_up`: how many late runs since the clock last jumped."""
        runs = self.runs(wanted["job"])
        if "runs_on" in wanted:
            days = [each["day"] for each in runs]
            assert days.count(str(wanted["runs_on"])) == wanted.get("count", 1), f"it ran for {days}"
        if "caught_up" in wanted:
            lately = self.runs(wanted["job"], self._daemon.runs_before)
            late = [each for each in lately if each["cause"] == "late"]
            assert len(late) == wanted["caught_up"], f"caught up: {[(each['day'], each['asleep']) for each in late]}"
        if "asleep" in wanted:
            named = [day for each in runs for day in each["asleep"]]
            assert named == wanted["asleep"], f"named as slept through: {named}"

    # ------------------------------------------------------------------ never

    def ran_twice(self) -> list[str]:
        """Jobs and days."""
        found = []
        for job in self._jobs:
            days = Counter((each["workspace"], each["day"]) for each in self.runs(job))
            found += [f"{job} for {day}" for (_, day), count in days.items() if count > 1]
        return found

    def skipped(self) -> list[str]:
        """Days with the machine awake after the due time that had no run, and days that nobody told of."""
        found = []
        for job, wish in self._jobs.items():
            runs = self.runs(job)
            ran = {date.fromisoformat(each["day"]) for each in runs}
            told = ran | {day for each in runs for text in each["asleep"] for day in _days(text)}
            awake = self._awake(wish)
            first = min(awake, default=None)  # it was first started after that day's time, perhaps
            found += [
                f"{job}: {day} was awake"
                for day, count in awake.items()
                if count >= _AWAKE_MINUTES and day != first and day not in ran
            ]
            every = [min(ran) + timedelta(days=n) for n in range((max(ran) - min(ran)).days)] if ran else []
            found += [f"{job}: nobody tells of {day}" for day in every if day not in told]
        return found

    def _awake(self, wish: Json) -> Counter[date]:
        """Minutes awake after each day's due time and before the next one's."""
        zone = ZoneInfo(wish["tz"])
        hour, _, minute = wish["at"].partition(":")
        due = (int(hour), int(minute))
        counts: Counter[date] = Counter()
        for at_ns in self._minutes():
            local = datetime.fromtimestamp(at_ns / 1e9, zone)
            counts[local.date() if (local.hour, local.minute) >= due else local.date() - timedelta(days=1)] += 1
        return counts

    def _minutes(self) -> Iterator[int]:
        for since, until in self._daemon.awake:
            yield from range(since, until, _MINUTE_NS)


def _days(text: str) -> Iterable[date]:
    first, _, last = text.partition("..")
    start, end = date.fromisoformat(first), date.fromisoformat(last or first)
    return [start + timedelta(days=number) for number in range((end - start).days + 1)]
