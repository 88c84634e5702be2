"""When a local day begins and ends, through changes of the clock."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.night.bounds import day_bounds, day_of

HOUR = 3_600_000_000_000
ZONES = ("America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Cairo", "Pacific/Apia")


@pytest.mark.parametrize(
    ("zone", "day", "begins", "instant", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 28), time(), "2026-03-27T23:00", 24),
        ("Europe/Berlin", date(2026, 3, 29), time(), "2026-03-28T23:00", 23),
        ("Europe/Berlin", date(2026, 10, 25), time(), "2026-10-24T22:00", 25),
        ("America/Los_Angeles", date(2026, 3, 8), time(2, 30), "2026-03-08T10:00", 23.5),  # in the gap: its end
        ("America/Los_Angeles", date(2026, 11, 1), time(1, 30), "2026-11-01T08:30", 25),  # twice: the first
        ("Africa/Cairo", date(2026, 4, 24), time(), "2026-04-23T22:00", 23),  # there is no midnight
        ("Australia/Lord_Howe", date(2026, 10, 4), time(2, 15), "2026-10-03T15:30", 23.75),
        ("Pacific/Apia", date(2011, 12, 30), time(), "2011-12-30T10:00", 0),  # there is no such day
        ("Asia/Kolkata", date(2026, 1, 1), time(4), "2025-12-31T22:30", 24),
    ],
)
def test_a_day_begins_at_its_first_instant(zone: str, day: date, begins: time, instant: str, hours: float) -> None:
    start, end = day_bounds(day, ZoneInfo(zone), begins)
    assert datetime.fromtimestamp(start / 1e9, UTC) == datetime.fromisoformat(instant).replace(tzinfo=UTC)
    assert end - start == hours * HOUR


@given(
    st.sampled_from(ZONES),
    st.dates(date(2005, 1, 1), date(2034, 1, 1)),
    st.times().map(lambda t: t.replace(second=0, microsecond=0)),
)
def test_days_follow_each_other_without_a_gap(zone: str, day: date, begins: time) -> None:
    start, end = day_bounds(day, ZoneInfo(zone), begins)
    assert day_bounds(day + timedelta(days=1), ZoneInfo(zone), begins)[0] == end
    assert 0 <= end - start <= 26 * HOUR


@given(st.sampled_from(ZONES), st.datetimes(datetime(2005, 1, 1), datetime(2034, 1, 1)))
def test_every_instant_is_within_its_day(zone: str, when: datetime) -> None:
    wall = int(when.replace(tzinfo=UTC).timestamp()) * 1_000_000_000
    start, end = day_bounds(day_of(wall, ZoneInfo(zone)), ZoneInfo(zone))
    assert start <= wall < end
