"""What a thinned history keeps, and ages that no jump of a clock can make: a table, and properties."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.retention import (
    BELIEVED_NS,
    DAY_NS,
    HOUR_NS,
    WEEK_NS,
    Kept,
    Moment,
    Schedule,
    beside,
    first,
    going,
    room,
)

START_NS = 20_000 * DAY_NS
AHEAD_NS = START_NS + 365 * DAY_NS
Times = list[tuple[int, int]]


def moments(times: Sequence[tuple[int, int]]) -> list[Moment]:
    found = [first(*times[0])]
    for wall, mono in times[1:]:
        found.append(found[-1].then(wall, mono))
    return found


def kept_of(walls: Sequence[int], now: int) -> list[Kept]:
    """Versions of an honest clock."""
    return [Kept(number + 1, wall, now - wall) for number, wall in enumerate(walls)]


# --------------------------------------------------------------------------- ages


@pytest.mark.parametrize(
    ("name", "times", "age_ns"),
    [
        ("an honest clock", [(START_NS, 5), (START_NS + 100 * DAY_NS, 5 + 100 * DAY_NS)], 100 * DAY_NS),
        ("a jump ahead", [(START_NS, 5), (START_NS + 365 * DAY_NS, 10)], 5),
        ("ahead, then real time", [(START_NS, 0), (AHEAD_NS, 0), (AHEAD_NS + 2 * DAY_NS, 2 * DAY_NS)], 2 * DAY_NS),
        ("a jump back", [(START_NS, 5), (START_NS - 30 * DAY_NS, 5 + DAY_NS)], 0),
        ("asleep over night", [(START_NS, 5), (START_NS + 8 * HOUR_NS, 6)], 8 * HOUR_NS),
        ("off for a week, and up for an hour", [(START_NS, 9 * DAY_NS), (START_NS + 7 * DAY_NS, HOUR_NS)], HOUR_NS),
        ("booted again after an hour", [(START_NS, 9 * DAY_NS), (START_NS + HOUR_NS, 10)], HOUR_NS),
        ("to and fro adds once", [(START_NS + n % 2 * 23 * HOUR_NS, n) for n in range(20)], 23 * HOUR_NS),
    ],
)  # fmt: skip
def test_the_age_of_the_first_record(name: str, times: Times, age_ns: int) -> None:
    all_ = moments(times)
    assert abs(all_[0].age_ns(all_[-1]) - age_ns) <= 20, name


steps = st.lists(
    st.tuples(
        st.integers(-400, 400).map(lambda days: days * DAY_NS // 3),  # how the wall clock jumps, beside what passes
        st.integers(0, 40).map(lambda days: days * DAY_NS // 4),  # how much time really passes
        st.booleans(),  # a boot
    ),
    min_size=1,
    max_size=25,
)


def played(steps: Sequence[tuple[int, int, bool]]) -> tuple[Times, list[int]]:
    """Wall and monotonic times of records, and the real time of each."""
    wall, mono, real = START_NS, DAY_NS, 0
    times, reals = [(wall, mono)], [0]
    for jump, passes, boots in steps:
        wall, real = max(1, wall + passes + jump), real + passes
        mono = passes // 2 if boots else mono + passes
        times.append((wall, mono))
        reals.append(real)
    return times, reals


@given(steps)
def test_a_version_is_never_older_than_real_time_and_a_day_a_step(steps: list[tuple[int, int, bool]]) -> None:
    times, reals = played(steps)
    all_ = moments(times)
    for number, then in enumerate(all_):
        later = len(all_) - 1 - number
        age = then.age_ns(all_[-1])
        assert 0 <= age <= reals[-1] - reals[number] + later * BELIEVED_NS
        assert age <= max(0, all_[-1].wall_ns - then.wall_ns)


@given(steps)
def test_the_later_a_record_the_younger(steps: list[tuple[int, int, bool]]) -> None:
    all_ = moments(played(steps)[0])
    ages = [each.age_ns(all_[-1]) for each in all_]
    assert ages == sorted(ages, reverse=True)


@given(steps, st.integers(2, 5000), st.integers(0, 24))
def test_a_jump_ahead_of_more_than_a_day_makes_nothing_older(
    steps: list[tuple[int, int, bool]], days: int, at: int
) -> None:
    """Wherever it comes, with the same real time: nothing is older than without it."""
    times, _ = played([(0, passes, boots) for _, passes, boots in steps])
    at = min(at, len(times) - 1)
    jumped = [*times[:at], *((wall + days * DAY_NS, mono) for wall, mono in times[at:])]
    honest, ahead = moments(times), moments(jumped)
    if at == 0:
        return
    assert all(b.age_ns(ahead[-1]) <= a.age_ns(honest[-1]) for a, b in zip(honest, ahead, strict=True))


# --------------------------------------------------------------------------- thinning

DEFAULT = Schedule(keep_last=2)
walls = st.lists(st.integers(0, 1000 * 24), min_size=1, max_size=80).map(
    lambda hours: [START_NS + hour * HOUR_NS // 2 for hour in sorted(hours)]
)
schedules = st.builds(
    Schedule,
    keep_days=st.integers(1, 60),
    hourly_days=st.integers(0, 120),
    daily_days=st.integers(0, 300),
    keep_last=st.integers(1, 8),
)
NOW = START_NS + 1000 * DAY_NS


def test_younger_than_ninety_days_all_then_one_an_hour_a_day_a_week() -> None:
    def left(days: int, every_ns: int, count: int) -> int:
        versions = kept_of([NOW - days * DAY_NS + n * every_ns for n in range(count)] + [NOW - 1, NOW], NOW)
        return len(versions) - 2 - len(going(versions, (), DEFAULT))

    assert left(80, HOUR_NS // 4, 40) == 40
    assert left(120, HOUR_NS // 4, 40) == 10
    assert left(300, HOUR_NS, 72) == 3
    assert left(903, DAY_NS, 70) <= WEEK_NS // DAY_NS + 4


@given(walls, schedules, st.sets(st.integers(1, 80)))
def test_the_last_ones_and_what_is_needed_never_go(some: list[int], schedule: Schedule, needed: set[int]) -> None:
    versions = kept_of(some, NOW)
    gone = set(going(versions, needed, schedule))
    assert not gone & needed
    assert not gone & {each.seq for each in versions[-schedule.keep_last :]}
    assert all(each.age_ns >= schedule.keep_days * DAY_NS for each in versions if each.seq in gone)


@given(walls, schedules, st.sets(st.integers(1, 80)))
def test_a_second_time_nothing_goes(some: list[int], schedule: Schedule, needed: set[int]) -> None:
    versions = kept_of(some, NOW)
    gone = set(going(versions, needed, schedule))
    assert going([each for each in versions if each.seq not in gone], needed, schedule) == []


@given(st.lists(st.integers(-3, 30), min_size=1, max_size=60), schedules)
def test_nor_where_the_clock_swung(jumps: list[int], schedule: Schedule) -> None:
    wall, times = START_NS, []
    for jump in jumps:
        wall += jump * HOUR_NS // 2
        times.append(wall)
    highest = [max(times[: number + 1]) for number in range(len(times))]
    versions = [Kept(n + 1, wall, NOW - highest[n]) for n, wall in enumerate(times)]
    gone = set(going(versions, (), schedule))
    assert going([each for each in versions if each.seq not in gone], (), schedule) == []


@given(walls, schedules, schedules)
def test_who_keeps_longer_keeps_no_less(some: list[int], one: Schedule, other: Schedule) -> None:
    more = Schedule(
        max(one.keep_days, other.keep_days),
        max(one.hourly_days, other.hourly_days),
        max(one.daily_days, other.daily_days),
        max(one.keep_last, other.keep_last),
    )
    versions = kept_of(some, NOW)
    assert set(going(versions, (), more)) <= set(going(versions, (), one))


@given(walls, schedules, st.lists(st.integers(0, 800), max_size=4))
def test_step_by_step_ends_like_at_once(some: list[int], schedule: Schedule, days: list[int]) -> None:
    left = kept_of(some, NOW)
    for day in sorted(days):
        now = NOW - (800 - day) * DAY_NS
        aged = [each._replace(age_ns=max(0, now - each.wall_ns)) for each in left]
        gone = set(going(aged, (), schedule))
        left = [each for each in left if each.seq not in gone]
    gone = set(going(left, (), schedule))
    at_once = kept_of(some, NOW)
    assert {each.seq for each in left} - gone == {each.seq for each in at_once} - set(going(at_once, (), schedule))


@given(walls, schedules)
def test_of_every_stretch_the_newest_stays(some: list[int], schedule: Schedule) -> None:
    versions = kept_of(some, NOW)
    gone = set(going(versions, (), schedule))
    weeks = {each.wall_ns // WEEK_NS for each in versions}
    assert {each.wall_ns // WEEK_NS for each in versions if each.seq not in gone} == weeks


def test_around_a_loss_both_sides_stay() -> None:
    assert beside([1, 5, 9, 12, 20], [(5, 12)]) == {5, 9, 12, 20}
    assert beside([1, 5, 9], [(5, 7)]) == {5, 7, 9}, "a deletion has no content, the version before it has"
    assert beside([], [(None, 7)]) == {7}


# --------------------------------------------------------------------------- room


@pytest.mark.parametrize(
    ("size", "grown", "limit", "level", "days"),
    [
        (100, 0, 0, "", None),
        (79, 0, 100, "", None),
        (80, 0, 100, "near", None),
        (94, 1, 100, "near", None),
        (95, 0, 100, "full", None),
        (50, 25, 100, "near", 28),
        (50, 23, 100, "near", 30),
        (50, 20, 100, "", None),
        (200, 20, 100, "full", 0),
    ],
)
def test_it_is_told_long_before(size: int, grown: int, limit: int, level: str, days: int | None) -> None:
    found = room(size, grown, limit)
    assert (found.level, found.days) == (level, days)
