"""When a notice goes out, and in which words."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.notifying.routing import (
    FIRST_RETRY_S,
    HOUR_NS,
    LAST_RETRY_S,
    Channel,
    again_ns,
    clock,
    due,
    quiet_end,
    retry_in_s,
    room_ns,
    span,
    takes,
)
from conductd.core.notifying.wording import LONGEST, NAMED, Told, message
from conductd.model import EventClass, NoticeRecord, Severity

DAY = datetime(2026, 3, 8)  # what a clock on the wall shows
NIGHT = span("22:00-07:00")
NOW, MINUTE = 1_772_000_000_000_000_000, 60_000_000_000


def ago(*minutes: int) -> list[int]:
    return [NOW - each * MINUTE for each in minutes]


def at(hour: int, minute: int = 0, day: int = 0) -> datetime:
    return DAY + timedelta(days=day, hours=hour, minutes=minute)


@pytest.mark.parametrize(
    ("channel", "severity", "now", "then"),
    [
        (Channel("c"), Severity.NOTICE, at(3), at(3)),
        (Channel("c", quiet=NIGHT), Severity.NOTICE, at(23), at(7, day=1)),
        (Channel("c", quiet=NIGHT), Severity.NOTICE, at(3), at(7)),
        (Channel("c", quiet=NIGHT), Severity.NOTICE, at(7), at(7)),
        (Channel("c", quiet=NIGHT), Severity.NOTICE, at(21, 59), at(21, 59)),
        (Channel("c", quiet=NIGHT), Severity.ALARM, at(3), at(3)),
        (Channel("c", quiet=NIGHT, urgent=False), Severity.ALARM, at(3), at(7)),
        (Channel("c", quiet=span("12:00-13:00")), Severity.NOTICE, at(12, 30), at(13)),
        (Channel("c", digest=clock("09:00")), Severity.NOTICE, at(8), at(9)),
        (Channel("c", digest=clock("09:00")), Severity.NOTICE, at(10), at(9, day=1)),
        (Channel("c", digest=clock("09:00")), Severity.ALARM, at(10), at(10)),
        (Channel("c", digest=clock("06:00"), quiet=NIGHT), Severity.INFO, at(1), at(7)),
    ],
)
def test_when_it_goes_out(channel: Channel, severity: Severity, now: datetime, then: datetime) -> None:
    assert due(channel, severity, now) == then


def test_no_more_in_an_hour_than_allowed() -> None:
    channel = Channel("c", an_hour=2)
    assert room_ns(channel, Severity.NOTICE, NOW, ago(30)) == NOW
    assert room_ns(channel, Severity.NOTICE, NOW, ago(30, 20)) == NOW + 30 * MINUTE
    assert room_ns(channel, Severity.NOTICE, NOW, ago(120, 119, 20)) == NOW
    assert room_ns(channel, Severity.NOTICE, NOW, ago(-10, -20, -30)) == NOW, "a clock that was ahead"


def test_alarms_do_not_wait_behind_noise_but_are_not_without_end() -> None:
    channel = Channel("c", an_hour=2)
    assert room_ns(channel, Severity.ALARM, NOW, ago(30, 20)) == NOW
    assert room_ns(channel, Severity.ALARM, NOW, ago(40, 30, 20, 10)) == NOW + 20 * MINUTE


@given(st.integers(1, 9), st.lists(st.integers(-90, 90), max_size=30), st.sampled_from(list(Severity)))
def test_a_full_hour_ends(most: int, minutes: list[int], severity: Severity) -> None:
    channel, sent = Channel("c", an_hour=most), ago(*minutes)
    then = room_ns(channel, severity, NOW, sent)
    assert NOW <= then <= NOW + HOUR_NS
    assert then == NOW or then > NOW + MINUTE - 1
    assert room_ns(channel, severity, then, [each for each in sent if each <= NOW]) == then


def test_a_digest_is_not_put_off_again_when_its_time_has_come() -> None:
    channel = Channel("c", digest=clock("09:00"))
    assert due(channel, Severity.NOTICE, at(8)) == at(9)
    assert quiet_end(channel, Severity.NOTICE, at(9, 1)) == at(9, 1)


@given(st.integers(0, 1439), st.integers(0, 1439), st.integers(0, 1439), st.sampled_from(list(Severity)))
def test_it_is_never_due_in_a_quiet_hour_nor_a_day_late(begin: int, end: int, now: int, severity: Severity) -> None:
    quiet = span(f"{begin // 60:02}:{begin % 60:02}-{end // 60:02}:{end % 60:02}")
    then = due(Channel("c", quiet=quiet, urgent=False), severity, DAY + timedelta(minutes=now))
    assert timedelta() <= then - (DAY + timedelta(minutes=now)) < timedelta(days=1)
    if quiet is not None:
        minute = then.hour * 60 + then.minute
        assert not (begin <= minute < end if begin < end else minute >= begin or minute < end)


@pytest.mark.parametrize("text", ["", "22", "22:00", "24:00-07:00", "22:00-22:00", "a-b", "22:00-07:60"])
def test_what_is_no_span_is_none(text: str) -> None:
    assert span(text) is None


def test_the_distance_between_attempts_grows_to_an_hour() -> None:
    found = [retry_in_s(each) for each in range(1, 60)]
    assert found[0] == FIRST_RETRY_S
    assert found == sorted(found)
    assert found[-1] == LAST_RETRY_S == 3_600


def test_a_channel_takes_what_is_loud_enough() -> None:
    assert [takes(Channel("c"), each) for each in Severity] == [False, True, True]
    assert all(takes(Channel("c", Severity.INFO), each) for each in Severity)


def notice(title: str, severity: Severity = Severity.NOTICE, **further: object) -> NoticeRecord:
    given = {"files": (b"MEMORY.md",), "command": "conductd undo 8", "incident": 8, **further}
    return NoticeRecord(EventClass.OVERWRITE, severity, title, **given)  # type: ignore[arg-type]


def test_one_notice_is_told_whole() -> None:
    made = message([Told(5, notice("MEMORY.md was overwritten"), "/ws", ("a line",))])
    assert made.title == "conductd: overwrite: MEMORY.md"
    assert made.body == "MEMORY.md was overwritten\nin /ws\n  a line\nto act: conductd undo 8"
    assert made.notices == (5,)


def test_several_are_one_message_as_loud_as_the_loudest() -> None:
    told = [Told(n, notice(f"notice {n}", Severity.ALARM if n == 3 else Severity.INFO)) for n in range(NAMED + 5)]
    made = message(told)
    assert made.title == f"conductd: {NAMED + 5} notices, 1 of them alarms"
    assert made.severity is Severity.ALARM
    assert made.body.endswith("and 5 more: conductd incidents")
    assert made.notices == tuple(range(NAMED + 5))


@pytest.mark.parametrize(
    ("told", "now", "at"),
    [(None, 7, 7), (0, HOUR_NS, HOUR_NS), (0, HOUR_NS - 1, HOUR_NS), (HOUR_NS, 5, HOUR_NS), (5, 5, HOUR_NS + 5)],
)
def test_the_same_words_wait_for_the_end_of_the_hour(told: int | None, now: int, at: int) -> None:
    assert again_ns(told, now) == at


def test_the_same_words_are_said_once_and_counted() -> None:
    told = [Told(n, notice("a fault", incident=None)) for n in range(4)]
    made = message(told)
    assert made.body == "a fault\nto act: conductd undo 8\n(4 times)"
    assert made.notices == (0, 1, 2, 3)
    apart = message([Told(n, notice("a fault", incident=n)) for n in range(4)])
    assert apart.body.count("a fault") == 4


@given(st.lists(st.text(max_size=400), min_size=1, max_size=30), st.binary(max_size=40))
def test_a_message_is_bounded_and_has_no_control_characters(titles: list[str], name: bytes) -> None:
    made = message([Told(n, notice(title, files=(name,))) for n, title in enumerate(titles)])
    assert len(made.body) <= LONGEST
    assert all(each.isprintable() or each == "\n" for each in made.body)
