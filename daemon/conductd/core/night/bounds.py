"""When a local day begins and ends. Pure."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

_SECOND = 1_000_000_000


def day_bounds(day: date, zone: tzinfo, after_midnight: time = time()) -> tuple[int, int]:
    """From the first instant of the day to that of the next one: wall clock, nanoseconds, UTC.

    ``after_midnight``: a day that begins later, as where an agent's day ends at its reset. Where the clock is put
    forward over the beginning it begins at that moment; where it is put back, at the first of both.
    """
    return _instant(day, after_midnight, zone), _instant(day + timedelta(days=1), after_midnight, zone)


def day_of(wall_ns: int, zone: tzinfo) -> date:
    """The local day of an instant."""
    return datetime.fromtimestamp(wall_ns / _SECOND, zone).date()


def _instant(day: date, at: time, zone: tzinfo) -> int:
    local = datetime.combine(day, at, zone)
    instant = local.astimezone(UTC)
    if instant.astimezone(zone).replace(tzinfo=None) > local.replace(tzinfo=None):
        # In a gap: what it would have been by the offset before is too late by the difference of the two.
        instant = _change(instant - timedelta(days=1), instant, zone)
    return int(instant.timestamp()) * _SECOND


def _change(before: datetime, after: datetime, zone: tzinfo) -> datetime:
    """The first second in which the offset is that of ``after``."""
    wanted = after.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) // 2
        middle = middle.replace(microsecond=0)
        if middle.astimezone(zone).utcoffset() == wanted:
            after = middle
        else:
            before = middle
    return after
