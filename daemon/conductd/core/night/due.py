"""What is due of one job of one workspace: for which day, which days it covers, and when it is due next. Pure.

At most once for a day, and once for each day with the machine awake after the due time. Days without a run (the
machine slept, the daemon did not run) are covered by the one run that comes next: that of the last of them.
Clocks that jump change nothing of that: the ledger is kept by days, not by durations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta, tzinfo

from conductd.core.night.bounds import day_of
from conductd.core.night.days import Stretch, holds, last_before, written
from conductd.model import Frozen

LATE_NS = 900_000_000_000  # a run that starts so long after its time was late, whatever the reason
_WEEK = 7
_WEEKS_APART = 4  # more are told as one stretch
_LOOKED_AT = 16  # days of a stretch that are looked at one by one

Instants = Callable[[date], int | None]
"""When the job is due on a local date (wall clock, nanoseconds, UTC). None: not on that date."""


class Timing(Frozen, frozen=True):
    """When a job is due, local time. ``weekday``: 0 is Monday; None: every day. What is due before ``reset`` belongs
    to the day before."""

    at: time
    weekday: int | None = None
    reset: time = time()

    def label(self, on: date) -> date:
        """The day that the run of a local date is for."""
        return on - timedelta(days=1) if self.at < self.reset else on

    def date_of(self, label: date) -> date:
        """The local date on which the run for a day is due."""
        return label + timedelta(days=1) if self.at < self.reset else label


class Ledger(Frozen, frozen=True):
    """``ran``: days with a run of its own. ``asleep``: days that a later run covered. ``since_ns``: since when the job
    is to run at all, 0: nobody knows."""

    ran: Sequence[Stretch] = ()
    asleep: Sequence[Stretch] = ()
    since_ns: int = 0


class Due(Frozen, frozen=True):
    """``at_ns``: when it was due. ``asleep``: the stretches of earlier days that this run covers."""

    day: date
    at_ns: int
    asleep: tuple[Stretch, ...] = ()
    is_late: bool = False

    @property
    def asleep_written(self) -> tuple[str, ...]:
        return tuple(map(written, self.asleep))


def due(
    timing: Timing, ledger: Ledger, now_ns: int, awake_since_ns: int, zone: tzinfo, instants: Instants
) -> Due | None:
    """What is to be run now; None: nothing. ``awake_since_ns``: since when the daemon runs and the machine has not
    slept, nor its clock jumped (wall clock)."""
    found = _latest(now_ns, zone, instants)
    if found is None:
        return None
    on, at_ns = found
    day = timing.label(on)
    # Since a time that has not come yet: the clock was ahead when the workspace was first seen, or is behind now.
    since_ns = ledger.since_ns if ledger.since_ns <= now_ns else 0
    if holds(ledger.ran, day.toordinal()) or at_ns < since_ns:
        return None
    is_missed = at_ns < awake_since_ns and now_ns - at_ns > LATE_NS
    # What reaches into days still to come was covered by a clock that was ahead: that says nothing of this day.
    covered = [each for each in ledger.asleep if each[1] <= day_of(now_ns, zone).toordinal()]
    if is_missed and holds(covered, day.toordinal()):
        return None  # covered already, and the clock went back since
    asleep = _without_run(timing, ledger, day, since_ns, zone, instants)
    is_late = bool(asleep) or at_ns < awake_since_ns or now_ns - at_ns > LATE_NS
    return Due(day, at_ns, asleep, is_late)


def next_due(timing: Timing, ledger: Ledger, now_ns: int, zone: tzinfo, instants: Instants) -> tuple[date, int] | None:
    """(day, instant) of the next run that is still to come; None where it is none within three weeks."""
    today = day_of(now_ns, zone)
    for ahead in range(-1, 3 * _WEEK):
        on = _plus(today, ahead)
        at_ns = instants(on) if on is not None else None
        if on is None or at_ns is None or at_ns <= now_ns:
            continue
        day = timing.label(on)
        if not holds(ledger.ran, day.toordinal()):
            return day, at_ns
    return None


def running_day(now_ns: int, zone: tzinfo, reset: time) -> date:
    """The day that it is for an agent: until its reset still the one before."""
    local = datetime.fromtimestamp(now_ns / 1e9, zone)
    return local.date() - timedelta(days=1) if local.time() < reset else local.date()


def _latest(now_ns: int, zone: tzinfo, instants: Instants) -> tuple[date, int] | None:
    """The last local date whose time has come. A gap over midnight may put it on the day after."""
    today = day_of(now_ns, zone)
    for back in range(2 * _WEEK):  # a weekly one may have lost a date to a change of the calendar
        on = _plus(today, -back)
        at_ns = instants(on) if on is not None else None
        if on is not None and at_ns is not None and at_ns <= now_ns:
            return on, at_ns
    return None


def _without_run(
    timing: Timing, ledger: Ledger, day: date, since_ns: int, zone: tzinfo, instants: Instants
) -> tuple[Stretch, ...]:
    """Days before this one with neither a run nor one that covered them."""
    number = day.toordinal()
    handled = [each for each in (last_before(ledger.ran, number), last_before(ledger.asleep, number)) if each]
    if not handled and not since_ns:
        return ()
    first = max(handled) + 1 if handled else 1
    if since_ns:
        first = max(first, timing.label(day_of(since_ns, zone)).toordinal())
    if timing.weekday is not None:  # of a weekly one only its own days can be missed
        weeks = list(range(number - _WEEK, first - 1, -_WEEK))
        if weeks and not _was_due(timing, weeks[-1], since_ns, instants):
            weeks.pop()
        if len(weeks) <= _WEEKS_APART:
            return tuple((each, each) for each in reversed(weeks))
        return ((weeks[-1], weeks[0]),)
    last = number - 1
    for _ in range(_LOOKED_AT):
        if first <= last and not _was_due(timing, first, since_ns, instants):
            first += 1
        if first <= last and not _was_due(timing, last, since_ns, instants):
            last -= 1
    return ((first, last),) if first <= last else ()


def _was_due(timing: Timing, number: int, since_ns: int, instants: Instants) -> bool:
    """Not before it was to run, nor on a date that the calendar left out."""
    at_ns = instants(timing.date_of(date.fromordinal(number)))
    return at_ns is not None and at_ns >= since_ns


def _plus(day: date, days: int) -> date | None:
    """None: out of what a calendar holds, as after a jump of the clock."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None
