"""Time expressions, by table; nothing makes the parser raise."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core import when
from conductd.core.when import meant

BERLIN = ZoneInfo("Europe/Berlin")
# A Wednesday.
NOW = datetime(2026, 3, 11, 15, 30, 12, tzinfo=BERLIN)

WORDS = (
    "last",
    "at",
    "ago",
    "an",
    "2",
    "99",
    "2h",
    "10min",
    "1",
    "day",
    "days",
    "weeks",
    "months",
    "yesterday",
    "today",
    "monday",
    "noon",
    "14:00",
    "2pm",
    "2026-03-08",
    "T",
    "Z",
    "+01:00",
    ",",
    "and",
    "now",
    "year",
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", "2026-03-11T15:30:12"),
        ("2h ago", "2026-03-11T13:30:12"),
        ("2 hours ago", "2026-03-11T13:30:12"),
        ("  2   HOURS   Ago ", "2026-03-11T13:30:12"),
        ("an hour ago", "2026-03-11T14:30:12"),
        ("a minute ago", "2026-03-11T15:29:12"),
        ("10 minutes ago", "2026-03-11T15:20:12"),
        ("10min ago", "2026-03-11T15:20:12"),
        ("90s ago", "2026-03-11T15:28:42"),
        ("1h30m ago", "2026-03-11T14:00:12"),
        ("1 hour and 30 minutes ago", "2026-03-11T14:00:12"),
        ("1 day, 2 hours ago", "2026-03-10T13:30:12"),
        ("3 days ago", "2026-03-08T15:30:12"),
        ("2 weeks ago", "2026-02-25T15:30:12"),
        ("1 month ago", "2026-02-11T15:30:12"),
        ("2 years ago", "2024-03-11T15:30:12"),
        ("today", "2026-03-11T00:00:00"),
        ("today 9:05", "2026-03-11T09:05:00"),
        ("today at 18:00", "2026-03-11T18:00:00"),
        ("yesterday", "2026-03-10T15:30:12"),
        ("yesterday 14:00", "2026-03-10T14:00:00"),
        ("yesterday at 2pm", "2026-03-10T14:00:00"),
        ("yesterday at 2:30 pm", "2026-03-10T14:30:00"),
        ("yesterday noon", "2026-03-10T12:00:00"),
        ("yesterday midnight", "2026-03-10T00:00:00"),
        ("yesterday 12am", "2026-03-10T00:00:00"),
        ("yesterday 12pm", "2026-03-10T12:00:00"),
        ("monday", "2026-03-09T15:30:12"),
        ("monday 08:00", "2026-03-09T08:00:00"),
        ("last friday", "2026-03-06T15:30:12"),
        ("last friday at 10:00:30", "2026-03-06T10:00:30"),
        ("wednesday", "2026-03-04T15:30:12"),
        ("wednesday 09:00", "2026-03-11T09:00:00"),
        ("wednesday 17:00", "2026-03-04T17:00:00"),
        ("last wednesday 09:00", "2026-03-04T09:00:00"),
        ("14:00", "2026-03-11T14:00:00"),
        ("at 14:00", "2026-03-11T14:00:00"),
        ("16:00", "2026-03-10T16:00:00"),
        ("3pm", "2026-03-11T15:00:00"),
        ("noon", "2026-03-11T12:00:00"),
        ("midnight", "2026-03-11T00:00:00"),
        ("2026-03-08", "2026-03-08T00:00:00"),
        ("2026-03-08 14:00", "2026-03-08T14:00:00"),
        ("2026-03-08T14:00", "2026-03-08T14:00:00"),
        ("2026-03-08T14:00:05", "2026-03-08T14:00:05"),
        ("2026-03-08T14:00:05.250", "2026-03-08T14:00:05.250"),
        ("2026-03-08T14:00:05.123456789", "2026-03-08T14:00:05.123456"),
        ("2099-01-01", "2099-01-01T00:00:00"),
    ],
)
def test_understood(text: str, expected: str) -> None:
    assert when.parse(text, NOW) == at(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-08T14:00Z", datetime(2026, 3, 8, 14, tzinfo=UTC)),
        ("2026-03-08T14:00:00.5z", datetime(2026, 3, 8, 14, 0, 0, 500_000, tzinfo=UTC)),
        ("2026-03-08T14:00+02:00", datetime(2026, 3, 8, 12, tzinfo=UTC)),
        ("2026-03-08 14:00 -0530", datetime(2026, 3, 8, 19, 30, tzinfo=UTC)),
    ],
)
def test_an_offset_in_the_text_counts(text: str, expected: datetime) -> None:
    assert when.parse(text, NOW) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "ago", "2h", "2 parsecs ago", "h ago", "tomorrow", "yesterday sometime", "yesterday 25:00",
        "yesterday 14", "last", "last year", "last yesterday", "13pm", "0am", "14", "1234", "20260308", "abcd12",
        "2026-02-30", "2026-13-01", "2026-03-08T25:00", "2026-03-08T14:00+99:99", "9999999 years ago",
        "999999999 weeks ago", "١٤:٠٠", "2h ago" + " " * 3 + "x", "now" * 60,
    ],
)  # fmt: skip
def test_not_understood(text: str) -> None:
    assert when.parse(text, NOW) is None


def test_the_end_of_a_short_month_stands_for_the_missing_day() -> None:
    now = datetime(2026, 3, 31, 12, tzinfo=BERLIN)
    assert when.parse("1 month ago", now) == datetime(2026, 2, 28, 12, tzinfo=BERLIN)
    assert when.parse("13 months ago", now) == datetime(2025, 2, 28, 12, tzinfo=BERLIN)


def test_hours_are_elapsed_time_across_the_change_to_summer_time() -> None:
    after = datetime(2026, 3, 29, 4, 0, tzinfo=BERLIN)  # 02:00 became 03:00 that night
    assert when.parse("2h ago", after) == datetime(2026, 3, 29, 1, 0, tzinfo=BERLIN)


def test_days_are_wall_time_across_the_change_to_summer_time() -> None:
    after = datetime(2026, 3, 29, 14, 0, tzinfo=BERLIN)
    found = when.parse("yesterday 14:00", after)
    assert found == datetime(2026, 3, 28, 14, 0, tzinfo=BERLIN)
    assert found is not None
    assert after.astimezone(UTC) - found.astimezone(UTC) == timedelta(hours=23)


def test_a_mere_offset_needs_the_zone_from_outside() -> None:
    after = datetime(2026, 3, 29, 14, 0, tzinfo=timezone(timedelta(hours=2)))
    found = when.parse("yesterday 14:00", after, lambda naive: naive.replace(tzinfo=BERLIN))
    assert found == datetime(2026, 3, 28, 13, 0, tzinfo=UTC)


@given(st.text(max_size=120))
def test_nothing_raises(text: str) -> None:
    found = when.parse(text, NOW)
    assert found is None or found.tzinfo is not None


@given(
    st.lists(
        st.sampled_from(WORDS),
        max_size=6,
    )
)
def test_no_mixture_of_the_words_raises(words: list[str]) -> None:
    found = when.parse(" ".join(words), NOW)
    assert found is None or found.utcoffset() is not None


@given(st.integers(0, 5_000), st.sampled_from(["s", "m", "h"]))
def test_so_many_units_ago_is_that_much_earlier(count: int, unit: str) -> None:
    found = when.parse(f"{count}{unit} ago", NOW)
    assert found is not None
    assert NOW.astimezone(UTC) - found.astimezone(UTC) == timedelta(seconds=count * {"s": 1, "m": 60, "h": 3600}[unit])


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine's clock goes by Central European time, which was changed on 2026-03-29 and 2026-10-25."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("berlin")
def test_a_time_that_the_clock_showed_twice_is_the_first_and_names_the_second() -> None:
    now = datetime(2026, 11, 2, 12).astimezone()
    twice = meant("2026-10-25 02:30", now)
    assert twice is not None
    assert twice.moment.isoformat() == "2026-10-25T02:30:00+02:00"
    assert twice.other is not None
    assert twice.other.isoformat() == "2026-10-25T02:30:00+01:00"
    named = meant("2026-10-25T02:30:00+01:00", now)
    assert named is not None
    assert (named.moment, named.other, named.skipped) == (twice.other, None, False)


@pytest.mark.usefixtures("berlin")
def test_a_time_that_the_clock_never_showed_is_told() -> None:
    now = datetime(2026, 4, 2, 12).astimezone()
    skipped = meant("2026-03-29 02:30", now)
    assert skipped is not None
    assert (skipped.other, skipped.skipped) == (None, True)
    plain = meant("yesterday 14:00", now)
    assert plain is not None
    assert (plain.moment.isoformat(), plain.other, plain.skipped) == ("2026-04-01T14:00:00+02:00", None, False)
    assert meant("no time at all", now) is None
