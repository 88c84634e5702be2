"""A year of nights in seconds: every rule of when a job runs, held against an oracle that counts minutes.

The oracle knows nothing of triggers or offsets: it reads the local clock at every minute of the year, and a job is due
at the first minute of a local date at which that clock has reached the time.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from conductd.core.night.days import Stretch, with_days
from conductd.core.night.due import Due, Instants, Ledger, Timing, due, next_due
from conductd.engine.jobs.triggers import instants_of

SECOND = 1_000_000_000
MINUTE, HOUR, DAY = 60, 3_600, 86_400  # all times of the simulation are seconds
ZONES = ("America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Cairo")
RESET = time(4)
TIMINGS = (
    Timing(time(3, 30), reset=RESET),  # the checkpoint: of the day before
    Timing(time(2, 15)),  # in the gap where clocks go forward
    Timing(time(1, 45)),  # comes twice where they go back
    Timing(time(0, 15)),  # in Cairo's gap, which begins at midnight
    Timing(time(23, 15)),
    Timing(time(22, 15), weekday=6),
)
START = int(datetime(2026, 1, 20, tzinfo=UTC).timestamp())
YEAR = 366 * DAY


@cache
def minutes(zone: str, start: int, seconds: int) -> list[tuple[int, date, int]]:
    """(instant, local date, minute of the local day) of every minute, in the order of time."""
    tz, found = ZoneInfo(zone), []
    for at in range(start - start % MINUTE, start + seconds, MINUTE):
        local = datetime.fromtimestamp(at, tz)
        found.append((at, local.date(), local.hour * 60 + local.minute))
    return found


@cache
def oracle(zone: str, timing: Timing, start: int = START - 40 * DAY, seconds: int = YEAR + 60 * DAY) -> dict[date, int]:
    """Label -> when it is due."""
    at, found = timing.at.hour * 60 + timing.at.minute, {}
    first = minutes(zone, start, seconds)[0][1]
    for instant, on, minute in minutes(zone, start, seconds):
        if minute >= at and on not in found and on != first and timing.weekday in (None, on.weekday()):
            found[on] = instant
    before = timedelta(days=1 if timing.at < timing.reset else 0)
    return {on - before: instant for on, instant in found.items()}


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("timing", TIMINGS, ids=lambda each: f"{each.at}")
def test_each_date_has_the_instant_that_its_clock_reaches_the_time(zone: str, timing: Timing) -> None:
    instants = instants_of(timing, ZoneInfo(zone))
    for label, at in oracle(zone, timing).items():
        assert instants(timing.date_of(label)) == at * SECOND, label


def test_a_date_that_the_calendar_leaves_out_is_never_due() -> None:
    start = int(datetime(2011, 12, 20, tzinfo=UTC).timestamp())
    for timing in TIMINGS:
        known = oracle("Pacific/Apia", timing, start, 20 * DAY)
        instants = instants_of(timing, ZoneInfo("Pacific/Apia"))
        for day in range(23, 36):
            on = date(2011, 12, 1) + timedelta(days=day - 1)
            at = known.get(timing.label(on))
            assert instants(on) == (None if at is None else at * SECOND), (timing, on)
        assert instants(date(2011, 12, 30)) is None


# --------------------------------------------------------------------------- a machine


class Ran(NamedTuple):
    wall: int  # when it was run
    what: Due
    awake: int  # number of the stretch awake


class Awake(NamedTuple):
    """From and until when the machine was awake with the same clock and zone, by its own clock."""

    since: int
    until: int
    zone: str


class Machine:
    """Runs one job as the scheduler does: it looks when it wakes, whenever something is due, and now and then."""

    def __init__(self, timing: Timing, chance: random.Random) -> None:
        self.timing, self._chance = timing, chance
        self.known_ns = START * SECOND
        self._ledger_ran: list[Stretch] = []
        self._ledger_asleep: list[Stretch] = []
        self.ran: list[Ran] = []
        self.awake: list[Awake] = []
        self._instants: dict[str, Instants] = {}

    def be_awake(self, since: int, until: int, zone: str) -> None:
        self.awake.append(Awake(since, until, zone))
        tz, now = ZoneInfo(zone), since
        instants = self._instants.setdefault(zone, instants_of(self.timing, tz))
        while now < until:
            ledger = Ledger(self._ledger_ran, self._ledger_asleep, self.known_ns)
            what = due(self.timing, ledger, now * SECOND, since * SECOND, tz, instants)
            if what is not None:
                self._run(now, what)
                now += self._chance.choice((0, 1, 240))  # it takes its time
                continue
            coming = next_due(self.timing, ledger, now * SECOND, tz, instants)
            at = coming[1] // SECOND if coming is not None else until  # None: the clock went back to days that are done
            assert at > now
            now = min(at, now + self._chance.choice((DAY, HOUR, 7 * HOUR)))

    def _run(self, now: int, what: Due) -> None:
        self.ran.append(Ran(now, what, len(self.awake) - 1))
        number = what.day.toordinal()
        self._ledger_ran = with_days(self._ledger_ran, number, number)
        for stretch in what.asleep:
            self._ledger_asleep = with_days(self._ledger_asleep, *stretch)

    # ------------------------------------------------------------------ what came of it

    def days_run(self) -> list[date]:
        return [each.what.day for each in self.ran]

    def days_asleep(self) -> list[date]:
        spans = [span for each in self.ran for span in each.what.asleep]
        step = 1 if self.timing.weekday is None else 7
        return [date.fromordinal(day) for first, last in spans for day in range(first, last + 1, step)]


def a_year(chance: random.Random, timing: Timing, zone: str, happens: Callable[[random.Random], str]) -> Machine:
    """A year by the true clock. "sleep": suspended or not running; "restart"; "jump": the clock is set;
    "travel": another zone."""
    machine = Machine(timing, chance)
    true, offset = START, 0
    while true < START + YEAR:
        stays = int(chance.expovariate(1 / (30 * HOUR))) + chance.choice((0, 5 * MINUTE, 15 * HOUR))
        machine.be_awake(true + offset, true + offset + stays, zone)
        true += stays
        what = happens(chance)
        if what == "sleep":
            true += chance.choice((MINUTE, 20 * MINUTE, 9 * HOUR, 30 * HOUR, 4 * DAY, 20 * DAY))
        elif what == "restart":
            true += chance.choice((0, 3, 40))
        elif what == "jump":
            offset = chance.choice((0, 0, 90, -90, HOUR, -HOUR, -DAY, 3 * DAY, -40 * DAY, 365 * DAY))
        elif what == "travel":
            zone = chance.choice(ZONES)
    return machine


def count_of_awake(machine: Machine, start: int, end: int) -> int:
    return sum(max(0, min(each.until, end) - max(each.since, start)) for each in machine.awake)


SEEDS = st.integers(0, 2**32)
PHASES = (Phase.explicit, Phase.generate)  # a smaller seed is no simpler year
CASES = [(zone, timing) for zone in ZONES for timing in TIMINGS]
NAMED = [f"{zone.rpartition('/')[2]}-{timing.at:%H:%M}" for zone, timing in CASES]


@pytest.mark.parametrize(("zone", "timing"), CASES, ids=NAMED)
@given(seed=SEEDS)
@settings(max_examples=12, deadline=None, phases=PHASES)
def test_a_year_with_suspends_and_restarts(zone: str, timing: Timing, seed: int) -> None:
    machine = a_year(random.Random(seed), timing, zone, lambda chance: chance.choice(("sleep", "restart")))
    days = oracle(zone, timing)
    ran, asleep = machine.days_run(), machine.days_asleep()
    assert len(set(ran)) == len(ran), "at most once for a day"
    assert len(set(asleep)) == len(asleep), "covered once"
    assert not set(ran) & set(asleep)
    assert ran == sorted(ran)
    labels = [day for day, at in sorted(days.items()) if START <= at < machine.awake[-1].until]
    for day, following in zip(labels, [*labels[1:], None], strict=True):
        start = days[day]
        end = days[following] if following is not None else machine.awake[-1].until
        if count_of_awake(machine, start, end) >= 10 * MINUTE:
            assert day in ran, f"{day} was awake"
            run = machine.ran[ran.index(day)]
            # The first moment awake after the time; a run of the same job may just have been under way.
            first = min(max(each.since, start) for each in machine.awake if each.until > start)
            assert start <= run.wall <= first + 5 * MINUTE
            assert run.what.is_late or first == start, "what comes late says so"
        elif following is not None and following <= max(ran, default=date.min):
            assert (day in ran) != (day in asleep), f"{day}: run, or named by the run that covers it"
    for each in machine.ran:
        assert len(each.what.asleep) <= 4, "a stretch is one item"
        assert all(last < each.what.day.toordinal() for _, last in each.what.asleep)


@pytest.mark.parametrize(("zone", "timing"), CASES, ids=NAMED)
@given(seed=SEEDS)
@settings(max_examples=8, deadline=None, phases=PHASES)
def test_a_year_with_clocks_that_jump_and_travels(zone: str, timing: Timing, seed: int) -> None:
    what = ("sleep", "restart", "jump", "travel")
    machine = a_year(random.Random(seed), timing, zone, lambda chance: chance.choice(what))
    ran = machine.days_run()
    assert len(set(ran)) == len(ran), "at most once for a day"
    known = set(ran)
    for awake in machine.awake:
        for day, at in _within(awake, timing):
            assert awake.until - at < 10 * MINUTE or day in known, f"{day} came while it was awake"
    for each in machine.ran:
        assert len(each.what.asleep) <= 4
        assert each.what.at_ns <= each.wall * SECOND


def _within(awake: Awake, timing: Timing) -> Iterator[tuple[date, int]]:
    """Labels whose time came in the stretch, as far as the oracle's year reaches."""
    days = sorted(oracle(awake.zone, timing).items(), key=lambda each: each[1])
    instants = [at for _, at in days]
    for day, at in days[bisect_right(instants, awake.since - 1) : bisect_right(instants, awake.until)]:
        if at >= START:
            yield day, at


# --------------------------------------------------------------------------- one by one

NEW_YORK = ZoneInfo("America/New_York")
DAILY = Timing(time(23, 15))


def at(text: str, zone: ZoneInfo = NEW_YORK) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()) * SECOND


def days(*texts: str) -> list[Stretch]:
    found: list[Stretch] = []
    for text in texts:
        first, _, last = text.partition("..")
        found = with_days(found, date.fromisoformat(first).toordinal(), date.fromisoformat(last or first).toordinal())
    return found


def asked(timing: Timing, ledger: Ledger, now: str, awake: str, zone: ZoneInfo = NEW_YORK) -> Due | None:
    return due(timing, ledger, at(now, zone), at(awake, zone), zone, instants_of(timing, zone))


def test_the_checkpoint_belongs_to_the_day_that_ends_at_the_reset() -> None:
    since = Ledger(since_ns=at("2026-05-01T00:00"))
    early, later = Timing(time(3, 30), reset=RESET), Timing(time(4), reset=RESET)
    for timing, now, day in ((early, "2026-05-08T03:30", 7), (later, "2026-05-08T04:00", 8)):
        found = asked(timing, Ledger(days("2026-05-02..2026-05-06"), since_ns=since.since_ns), now, "2026-05-01T00:00")
        assert found is not None
        assert found.day == date(2026, 5, day)


def test_days_slept_through_are_one_stretch_and_the_run_is_that_of_the_last() -> None:
    ledger = Ledger(days("2026-05-01..2026-05-03"))
    morning = asked(DAILY, ledger, "2026-05-09T08:00", "2026-05-09T07:59")
    evening = asked(DAILY, ledger, "2026-05-09T23:20", "2026-05-09T23:19")
    assert morning is not None
    assert (morning.day, morning.asleep_written, morning.is_late) == (
        date(2026, 5, 8),
        ("2026-05-04..2026-05-07",),
        True,
    )
    assert evening is not None
    assert (evening.day, evening.asleep_written) == (date(2026, 5, 9), ("2026-05-04..2026-05-08",))


def test_what_could_not_run_at_its_time_is_late_although_the_machine_was_awake() -> None:
    ledger = Ledger(days("2026-05-06"))
    for now, is_late in (("2026-05-07T23:15", False), ("2026-05-07T23:29", False), ("2026-05-07T23:31", True)):
        found = asked(DAILY, ledger, now, "2026-05-07T12:00")
        assert found is not None
        assert found.is_late is is_late


def test_a_day_that_the_calendar_leaves_out_is_neither_run_nor_missed() -> None:
    apia = ZoneInfo("Pacific/Apia")
    found = asked(DAILY, Ledger(days("2011-12-20..2011-12-28")), "2012-01-01T08:00", "2012-01-01T08:00", apia)
    assert found is not None
    assert (found.day, found.asleep_written) == (date(2011, 12, 31), ("2011-12-29",))
    machine = Machine(DAILY, random.Random(1))
    machine.known_ns = 0
    machine.be_awake(*(at(each, apia) // SECOND for each in ("2011-12-27T12:00", "2012-01-02T12:00")), "Pacific/Apia")
    assert machine.days_run() == [date(2011, 12, number) for number in (26, 27, 28, 29, 31)] + [date(2012, 1, 1)]
    assert machine.days_asleep() == []


def test_a_jump_of_years_is_one_stretch() -> None:
    ledger = Ledger(days("2026-05-01..2026-05-03"))
    for timing in (DAILY, Timing(time(22, 15), weekday=6)):
        found = asked(timing, ledger, "2036-05-09T08:00", "2036-05-09T08:00")
        assert found is not None
        assert len(found.asleep) == 1


def test_the_day_before_a_workspace_was_known_is_not_missed() -> None:
    ledger = Ledger(since_ns=at("2026-05-04T23:30"))
    assert asked(DAILY, ledger, "2026-05-05T08:00", "2026-05-05T07:00") is None
    found = asked(DAILY, ledger, "2026-05-07T08:00", "2026-05-07T07:00")
    assert found is not None
    assert (found.day, found.asleep_written) == (date(2026, 5, 6), ("2026-05-05",))


@pytest.mark.parametrize(("since", "asleep"), [("2026-05-03T21:00", ("2026-05-03",)), ("2026-05-03T23:00", ())])
def test_of_a_weekly_one_only_weeks_since_it_is_known_are_missed(since: str, asleep: tuple[str, ...]) -> None:
    found = asked(Timing(time(22, 15), weekday=6), Ledger(since_ns=at(since)), "2026-05-11T08:00", "2026-05-11T07:00")
    assert found is not None
    assert (found.day, found.asleep_written) == (date(2026, 5, 10), asleep)


def test_a_clock_that_was_years_ahead_at_first_sight_keeps_nothing_from_running() -> None:
    found = asked(DAILY, Ledger(since_ns=at("2036-01-01T00:00")), "2026-05-07T23:15", "2026-05-07T10:00")
    assert found is not None
    assert (found.day, found.asleep, found.is_late) == (date(2026, 5, 7), (), False)


def test_what_was_covered_by_a_clock_that_was_ahead_has_its_run_when_it_comes() -> None:
    ledger = Ledger(days("2026-05-03", "2026-05-20"), days("2026-05-04..2026-05-19"))
    late = asked(DAILY, ledger, "2026-05-10T08:00", "2026-05-10T07:59")
    assert late is not None
    assert (late.day, late.asleep, late.is_late) == (date(2026, 5, 9), (), True)
    over = Ledger(days("2026-05-03", "2026-05-20"), days("2026-05-04..2026-05-09"))
    assert asked(DAILY, over, "2026-05-10T08:00", "2026-05-10T07:59") is None, "it was covered by a day before today"
    found = asked(DAILY, ledger, "2026-05-10T23:15", "2026-05-10T07:59")
    assert found is not None
    assert (found.day, found.asleep, found.is_late) == (date(2026, 5, 10), (), False)
    assert asked(DAILY, ledger, "2026-05-20T23:15", "2026-05-10T07:59") is None


def test_a_day_that_ran_is_not_run_again_in_a_zone_where_it_comes_later() -> None:
    ledger = Ledger(days("2026-05-07"))
    assert asked(DAILY, ledger, "2026-05-07T23:15", "2026-05-07T12:00", ZoneInfo("Pacific/Honolulu")) is None


@example(0)
@example(-(2**40))
@example(2**57 - 1)
@given(st.integers(-(2**55), 2**57 - 1))
@settings(max_examples=200, deadline=None)
def test_no_clock_breaks_it(now_ns: int) -> None:
    for timing in TIMINGS:
        instants = instants_of(timing, NEW_YORK)
        for since in (0, START * SECOND):
            ledger = Ledger(days("2026-05-03"), since_ns=since)
            found = due(timing, ledger, now_ns, now_ns, NEW_YORK, instants)
            assert found is None or found.at_ns <= now_ns
            coming = next_due(timing, ledger, now_ns, NEW_YORK, instants)
            assert coming is None or coming[1] > now_ns
