"""Quiet hours and digests on days on which clocks are set, in the zones of the machine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from conductd.core.notifying.routing import HOUR_NS, Channel, clock, span
from conductd.model import Severity
from conductd.notify.local_times import FARTHEST_NS, first_ns, held_ns

MINUTE_NS = 60_000_000_000
YEAR = 2026
ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "America/Santiago",
    "Asia/Tehran",
)


@pytest.fixture(params=ZONES)
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ZoneInfo]:
    with monkeypatch.context() as patched:
        patched.setenv("TZ", request.param)
        time.tzset()
        yield ZoneInfo(request.param)
    time.tzset()


def changes(zone: ZoneInfo) -> list[int]:
    """When the clocks of a year are set, to the hour; where they are not, its first hour."""
    begin = datetime(YEAR, 1, 1, tzinfo=UTC)
    days = [begin + timedelta(days=each) for each in range(366)]
    found = [day for day, after in pairwise(days) if _offset(day, zone) != _offset(after, zone)]
    hours = [day + timedelta(hours=each) for day in found or days[:1] for each in range(24)]
    found = [hour for hour in hours if _offset(hour, zone) != _offset(hour + timedelta(hours=1), zone)] or hours[:1]
    return [int(each.timestamp()) * 1_000_000_000 for each in found]


def _offset(at: datetime, zone: ZoneInfo) -> timedelta | None:
    return at.astimezone(zone).utcoffset()


@pytest.mark.parametrize("quiet", ["22:00-02:30", "01:15-02:45", "02:00-03:00", "01:00-02:00", "23:30-00:10"])
def test_what_is_kept_back_is_kept_back_to_a_time_to_come_and_then_goes(zone: ZoneInfo, quiet: str) -> None:
    channel = Channel("c", quiet=span(quiet), an_hour=1)
    for change in changes(zone):
        for minutes in range(-240, 241, 7):
            now = change + minutes * MINUTE_NS + 123_456
            for sent in ([], [now - 10 * MINUTE_NS], [now - HOUR_NS + 1]):
                steps, at = 0, now
                while (later := held_ns(channel, Severity.NOTICE, at, sent)) != at:
                    assert at < later <= at + FARTHEST_NS
                    steps, at = steps + 1, later
                    assert steps <= 6, "it is put off again and again"


@pytest.mark.parametrize("digest", ["02:30", "02:00", "01:30", "03:00", "00:00"])
def test_a_digest_is_due_within_two_days_and_never_in_the_past(zone: ZoneInfo, digest: str) -> None:
    channel = Channel("c", digest=clock(digest), quiet=span("02:15-02:45"))
    for change in changes(zone):
        for minutes in range(-240, 241, 7):
            now = change + minutes * MINUTE_NS
            assert now <= first_ns(channel, Severity.NOTICE, now) <= now + FARTHEST_NS
            assert first_ns(channel, Severity.ALARM, now) == held_ns(channel, Severity.ALARM, now, []) == now
