"""What is put off is put off to a time to come: in every zone, around every hour in which its clocks are set."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.core.notifying.routing import HOUR_NS, Channel
from conductd.model import Severity
from conductd.notify.local_times import FARTHEST_NS, first_ns, held_ns

SECOND_NS = 1_000_000_000
MINUTE_NS = 60 * SECOND_NS
BEGIN, END = datetime(1990, 1, 1, tzinfo=UTC), datetime(2038, 1, 1, tzinfo=UTC)
MOST_STEPS = 2 * 24 * 60  # a look a minute, at the very worst: no loop that never rests

TIMES = st.builds(lambda minutes: (datetime.min + timedelta(minutes=minutes)).time(), st.integers(0, 1439))
QUIET = st.none() | st.tuples(TIMES, TIMES).filter(lambda each: each[0] != each[1])
CHANNELS = st.builds(
    Channel, st.just("c"), quiet=QUIET, urgent=st.booleans(), digest=st.none() | TIMES, an_hour=st.integers(1, 3)
)


@contextmanager
def machine_in(zone: str) -> Iterator[None]:
    before = os.environ.get("TZ")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TZ", zone)
        time.tzset()
        yield
    assert os.environ.get("TZ") == before
    time.tzset()


@cache
def changes(name: str) -> tuple[int, ...]:
    """When clocks are set there, seconds since 1970; where they never are, some moment."""
    zone, step = ZoneInfo(name), 7 * 86_400
    found = []
    for begin in range(int(BEGIN.timestamp()), int(END.timestamp()), step):
        low, high = begin, begin + step
        if _offset(low, zone) == _offset(high, zone):
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _offset(middle, zone) == _offset(begin, zone) else (low, middle)
        found.append(high)
    return tuple(found) or (int(BEGIN.timestamp()),)


def _offset(at: int, zone: ZoneInfo) -> timedelta | None:
    return datetime.fromtimestamp(at, zone).utcoffset()


def goes_in_the_end(channel: Channel, severity: Severity, now: int, sent: list[int]) -> None:
    """In the zone in force. ``sent``: how long ago messages went out."""
    assert now <= first_ns(channel, severity, now) <= now + FARTHEST_NS
    at, steps = now, 0
    while (later := held_ns(channel, severity, at, [now - each for each in sent])) != at:
        assert at < later <= at + FARTHEST_NS
        at, steps = later, steps + 1
        assert steps <= MOST_STEPS, "it is put off again and again"
    assert at <= now + 2 * FARTHEST_NS


@settings(deadline=None)
@given(
    st.sampled_from(sorted(available_timezones())),
    st.integers(0),
    st.integers(-4 * HOUR_NS, 4 * HOUR_NS),
    CHANNELS,
    st.sampled_from(list(Severity)),
    st.lists(st.integers(-HOUR_NS, 2 * HOUR_NS), max_size=8),
)
def test_it_is_put_off_to_a_time_to_come_and_goes_in_the_end(
    zone: str, which: int, beside: int, channel: Channel, severity: Severity, sent: list[int]
) -> None:
    with machine_in(zone):
        known = changes(zone)
        goes_in_the_end(channel, severity, known[which % len(known)] * SECOND_NS + beside, sent)


def test_so_it_is_around_the_last_changes_of_each_zone() -> None:
    """With an hour that is full, quiet hours that begin or end in the one that comes twice, and a digest in it."""
    for zone in sorted(available_timezones()):
        with machine_in(zone):
            for change in changes(zone)[-2:]:
                clock = time.localtime(change)
                begin, end = ((datetime.min + timedelta(hours=clock.tm_hour, minutes=each)).time() for each in (5, 45))
                for channel in (
                    Channel("c", an_hour=1),
                    Channel("c", quiet=(begin, end), an_hour=1),
                    Channel("c", quiet=(end, begin), digest=end),
                ):
                    for minutes in range(-75, 80, 11):
                        now = change * SECOND_NS + minutes * MINUTE_NS
                        goes_in_the_end(channel, Severity.NOTICE, now, [10 * MINUTE_NS, 41 * MINUTE_NS])


@pytest.mark.parametrize("fold", [0, 1])
@pytest.mark.parametrize("minutes", range(0, 60, 7))
def test_an_hour_that_comes_twice_is_quiet_twice_where_it_is_quiet(fold: int, minutes: int) -> None:
    """In Berlin, 02:00 to 03:00 on 25 October 2026: the second one begins an hour after the first."""
    zone = ZoneInfo("Europe/Berlin")
    with machine_in("Europe/Berlin"):
        if time.localtime(1_800_000_000).tm_gmtoff != 3_600:
            pytest.skip("this system knows no zones")
        quiet = (datetime(1, 1, 1, 2, 0).time(), datetime(1, 1, 1, 3, 0).time())
        channel = Channel("c", quiet=quiet)
        now = int(datetime(2026, 10, 25, 2, minutes, tzinfo=zone, fold=fold).timestamp()) * SECOND_NS
        end = int(datetime(2026, 10, 25, 3, 0, tzinfo=zone).timestamp()) * SECOND_NS
        at = now
        while (later := held_ns(channel, Severity.NOTICE, at, [])) != at:
            assert later > at
            at = later
        assert at == end
