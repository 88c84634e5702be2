"""When a job of the night is due: the configured time as a cron trigger, and its instant on each local date.

Called by the scheduler. The trigger says on which dates; the change of clocks is put right here: a trigger fires twice
in an hour that comes twice, and after a gap by as much too late as the gap is long.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, tzinfo
from functools import lru_cache

from apscheduler.triggers.cron import CronTrigger

from conductd.config.jobs import JobsConfig
from conductd.core.night.bounds import day_of, instant
from conductd.core.night.due import Instants, Timing

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_KEPT = 64  # dates of a trigger


def timing_of(job: str, config: JobsConfig) -> Timing | None:
    """None: the job is off."""
    written = config.time_of(job)
    if not written:
        return None
    weekday, _, at = written.rpartition(" ")
    number = WEEKDAYS.index(weekday.lower()) if weekday else None
    return Timing(time_of(at), number, time_of(config.reset))


def instants_of(timing: Timing, zone: tzinfo) -> Instants:
    """The first instant of each local date at which the job is due: wall clock, nanoseconds, UTC."""
    weekday = WEEKDAYS[timing.weekday] if timing.weekday is not None else None
    trigger = CronTrigger(day_of_week=weekday, hour=timing.at.hour, minute=timing.at.minute, timezone=zone)
    return lru_cache(_KEPT)(_on(trigger, timing.at, zone))


def _on(trigger: CronTrigger, at: time, zone: tzinfo) -> Callable[[date], int | None]:
    def on(day: date) -> int | None:
        if day_of(instant(day, time(), zone), zone) != day:
            return None  # the calendar leaves it out, as Samoa did with a Friday of 2011
        fires = trigger.get_next_fire_time(None, datetime.combine(day, time(), zone))
        return instant(day, at, zone) if fires is not None and fires.date() == day else None

    return on


def time_of(written: str) -> time:
    """Of "23:15"."""
    hour, _, minute = written.partition(":")
    return time(int(hour), int(minute))
