"""Time expressions: "2h ago", "yesterday 14:00", "last monday", "14:00", ISO 8601.

Pure: the moment and the zone come in. Called by the service (the VERSION of a file) and by the CLI
(`log --since`). What it understands is documented in docs/cli.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

Localise = Callable[[datetime], datetime]

_LONGEST = 100  # characters; nothing we understand is longer

_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_UNITS = {
    "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
    "m": "m", "min": "m", "mins": "m", "minute": "m", "minutes": "m",
    "h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
    "d": "d", "day": "d", "days": "d",
    "w": "w", "week": "w", "weeks": "w",
    "mo": "month", "month": "month", "months": "month",
    "y": "year", "year": "year", "years": "year",
}  # fmt: skip
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_TERM = re.compile(r"(\d{1,9}|an?|one)\s*([a-z]+)(?:\s*,?\s*(?:and\s+)?)", re.ASCII)
_CLOCK = re.compile(r"(\d{1,2})(?::(\d{2})(?::(\d{2}))?)?\s*(am|pm)?", re.ASCII)
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_ISO = re.compile(r"(\d{4}-\d{2}-\d{2})[t ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)\s*(z|[+-]\d{2}:?\d{2})?", re.ASCII)


def parse(text: str, now: datetime, local: Localise | None = None) -> datetime | None:
    """The moment meant by `text`, or None when it is not understood. Never raises.

    `now` must be aware. `local` turns a naive wall time into an aware one; the default takes `now`'s
    zone, which is only right across a change to summer time if that is a real zone and not a mere
    offset (pass `datetime.astimezone` for the machine's own). Days and clock times are wall time,
    hours and less are elapsed time. A clock time alone is the last such time that is not in the future.
    """
    words = " ".join(text.lower().split())
    if not words or len(words) > _LONGEST:
        return None
    localise = local or (lambda naive: naive.replace(tzinfo=now.tzinfo))
    try:
        return (
            _now(words, now)
            or _iso(words, localise)
            or _ago(words, now, localise)
            or _day_and_clock(words, now, localise)
        )
    except (ValueError, OverflowError):  # out of the calendar, or no such date
        return None


class Meant(NamedTuple):
    """A moment, and what is odd about it. ``other``: the clock showed this time twice that day, this is the second
    moment. ``skipped``: it never showed that time, it was put forward over it."""

    moment: datetime
    other: datetime | None = None
    skipped: bool = False


def meant(text: str, now: datetime) -> Meant | None:
    """As `parse` on the machine's own clock; where the clock was changed, what else it may mean."""
    walls: list[datetime] = []

    def localise(naive: datetime) -> datetime:
        walls.append(naive)
        return naive.astimezone()

    moment = parse(text, now, localise)
    if moment is None or not walls:
        return None if moment is None else Meant(moment)
    wall = walls[-1]
    first, second = wall.astimezone(), wall.replace(fold=1).astimezone()
    if first.utcoffset() == second.utcoffset():
        return Meant(moment)
    if first.replace(tzinfo=None) != wall.replace(fold=0):
        return Meant(moment, skipped=True)
    return Meant(moment, other=second if moment == first else None)


def _now(words: str, now: datetime) -> datetime | None:
    return now if words == "now" else None


def _iso(words: str, localise: Localise) -> datetime | None:
    """A date alone is its first moment."""
    if _ISO_DATE.fullmatch(words):
        return localise(datetime.combine(date.fromisoformat(words), time()))
    found = _ISO.fullmatch(words)
    if found is None:
        return None
    day, clock, offset = found.groups()
    naive = datetime.fromisoformat(f"{day}T{clock.replace(',', '.')[:15]}")
    if offset is None:
        return localise(naive)
    return datetime.fromisoformat(f"{naive.isoformat()}{'+00:00' if offset == 'z' else offset}")


def _ago(words: str, now: datetime, localise: Localise) -> datetime | None:
    """`2h ago`, `1 day 3 hours ago`, `an hour ago`: years and months by the calendar, days and weeks by wall time."""
    if not words.endswith("ago"):
        return None
    rest = words.removesuffix("ago").strip()
    months = days = seconds = 0
    at = 0
    while at < len(rest):
        term = _TERM.match(rest, at)
        unit = _UNITS.get(term[2]) if term else None
        if term is None or unit is None:
            return None
        count = int(term[1]) if term[1].isdigit() else 1
        if unit in ("month", "year"):
            months += count * (12 if unit == "year" else 1)
        elif unit in ("d", "w"):
            days += count * (7 if unit == "w" else 1)
        else:
            seconds += count * _SECONDS[unit]
        at = term.end()
    if at == 0:
        return None
    moment = now
    if months or days:
        wall = _months_before(now.replace(tzinfo=None), months) - timedelta(days=days)
        moment = localise(wall)
    return _elapsed_before(moment, seconds)


def _elapsed_before(moment: datetime, seconds: int) -> datetime:
    """Subtracts elapsed, not wall, time: an aware datetime by itself would ignore a change of offset."""
    offset = moment.utcoffset() or timedelta()
    utc = moment.replace(tzinfo=None) - offset - timedelta(seconds=seconds)
    zone = moment.tzinfo
    if zone is None:
        return utc
    return zone.fromutc(utc.replace(tzinfo=zone))


def _months_before(wall: datetime, months: int) -> datetime:
    """The same day of an earlier month, or that month's last day."""
    index = wall.year * 12 + wall.month - 1 - months
    year, month = divmod(index, 12)
    day = wall.day
    while True:
        try:
            return wall.replace(year=year, month=month + 1, day=day)
        except ValueError:
            if day <= 28:
                raise
            day -= 1


def _day_and_clock(words: str, now: datetime, localise: Localise) -> datetime | None:
    """`yesterday`, `yesterday 14:00`, `last monday at 9am`, `today noon`, `14:00`, `midnight`.

    A day without a clock time means this time of that day (`today` alone: its first moment).
    """
    day, _, rest = words.partition(" ")
    wall = now.replace(tzinfo=None)
    if day == "last" and rest:
        day, _, rest = rest.partition(" ")
        if day not in _WEEKDAYS:
            return None
    clock = _clock(rest.removeprefix("at ").strip()) if rest else None
    if rest and clock is None and day in (*_WEEKDAYS, "today", "yesterday"):
        return None
    if day == "today":
        return localise(datetime.combine(wall.date(), clock or time()))
    if day == "yesterday":
        return localise(datetime.combine(wall.date() - timedelta(days=1), clock or wall.time()))
    if day in _WEEKDAYS:
        back = (wall.weekday() - _WEEKDAYS.index(day)) % 7
        moment = datetime.combine(wall.date() - timedelta(days=back), clock or wall.time())
        if moment > wall or (back == 0 and (clock is None or "last" in words)):
            moment -= timedelta(days=7)
        return localise(moment)
    alone = _clock(words.removeprefix("at "))
    if alone is None or words.isdigit():  # a bare number is a sequence, not an hour
        return None
    moment = datetime.combine(wall.date(), alone)
    return localise(moment if moment <= wall else moment - timedelta(days=1))


def _clock(words: str) -> time | None:
    if words in ("noon", "midnight"):
        return time(12 if words == "noon" else 0)
    found = _CLOCK.fullmatch(words)
    if found is None or (found[2] is None and found[4] is None):
        return None
    hour, minute, second = int(found[1]), int(found[2] or 0), int(found[3] or 0)
    if found[4]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found[4] == "pm" else 0)
    return time(hour, minute, second)
