"""When a local day begins and ends. Pure."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

_SECOND = 1_000_000_000


def day_bounds(day: date, zone: tzinfo, after_midnight: time = time()) -> tuple[int, int]:
    """From the first instant of the day to that of the next one: wall clock, nanoseconds, UTC.

    ``after_midnight``: a day that begins later, as where an agent's day ends at its reset. Where the clock is put
    forward over the beginning it begins at that moment; where it is put back, at the first of both.
    """
    return instant(day, after_midnight, zone), instant(day + timedelta(days=1), after_midnight, zone)


def day_of(wall_ns: int, zone: tzinfo) -> date:
    """The local day of an instant."""
    return datetime.fromtimestamp(wall_ns / _SECOND, zone).date()


def instant(day: date, at: time, zone: tzinfo) -> int:
    """When a local time comes: wall clock, nanoseconds, UTC. Where the clock is put forward over it, the moment after;
    where it comes twice, the first."""
    local = datetime.combine(day, at, zone)
    found = local.astimezone(UTC)
    if found.astimezone(zone).replace(tzinfo=None) > local.replace(tzinfo=None):
        # In a gap: what it would have been by the offset before is too late by the difference of the two.
        found = _change(found - timedelta(days=1), found, zone)
    return int(found.timestamp()) * _SECOND


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
