"""When a notice goes out on a channel: at once, later, or never.

A channel takes what is loud enough for it. In its quiet hours, and past so many messages in an hour, notices wait;
what waits together goes out as one message. Times of day are those of a clock on the wall: local, without a zone, so
that a day on which clocks are set has no other hours than it shows. What lasts is counted in nanoseconds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, time, timedelta

from conductd.model import Frozen, Severity

_LOUDNESS = {Severity.INFO: 0, Severity.NOTICE: 1, Severity.ALARM: 2}
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
FIRST_RETRY_S = 15
LAST_RETRY_S = 3_600
RESERVE = 2  # alarms may fill an hour once more: they never wait behind noise
HOUR_NS = 3_600_000_000_000


class Channel(Frozen, frozen=True):
    """What is decided for a channel; where it leads to is not here.

    ``severity``: the quietest it takes. ``quiet``: (from, to), over midnight where the second is earlier; None: never.
    ``urgent``: alarms do not wait for its end. ``digest``: the time of day at which all but alarms go out together;
    None: at once. ``an_hour``: so many messages at most.
    """

    name: str
    severity: Severity = Severity.NOTICE
    quiet: tuple[time, time] | None = None
    urgent: bool = True
    digest: time | None = None
    an_hour: int = 20


def clock(text: str) -> time | None:
    """`22:00`; None for anything else."""
    found = _CLOCK.fullmatch(text.strip())
    return time(int(found[1]), int(found[2])) if found else None


def span(text: str) -> tuple[time, time] | None:
    """`22:00-07:00`; None for anything else, and for a span without length."""
    first, dash, last = text.partition("-")
    begin, end = clock(first), clock(last)
    return (begin, end) if dash and begin is not None and end is not None and begin != end else None


def takes(channel: Channel, severity: Severity) -> bool:
    return _LOUDNESS[severity] >= _LOUDNESS[channel.severity]


def due(channel: Channel, severity: Severity, now: datetime) -> datetime:
    """When it may go out for the first time, `now` or later: what a digest and quiet hours leave."""
    if channel.digest is not None and severity is not Severity.ALARM:
        now = _next(channel.digest, now)
    return quiet_end(channel, severity, now)


def quiet_end(channel: Channel, severity: Severity, now: datetime) -> datetime:
    """The end of the quiet hours that keep it back now, else `now`."""
    if channel.quiet is None or (channel.urgent and severity is Severity.ALARM):
        return now
    return _after_quiet(channel.quiet, now)


def room_ns(channel: Channel, severity: Severity, now_ns: int, sent_ns: Sequence[int]) -> int:
    """When the hour has room for one more message, `now_ns` or later. ``sent_ns``: when messages went out."""
    recent = sorted(each for each in sent_ns if now_ns - HOUR_NS < each <= now_ns)
    most = channel.an_hour * (RESERVE if severity is Severity.ALARM else 1)
    return now_ns if len(recent) < most else recent[-most] + HOUR_NS


def again_ns(told_ns: int | None, now_ns: int) -> int:
    """When the same words go out once more. ``told_ns``: when they went out last, or are to; None: never. Within an
    hour they wait for its end, all of them together."""
    if told_ns is None or now_ns - told_ns >= HOUR_NS:
        return now_ns
    return told_ns if told_ns > now_ns else told_ns + HOUR_NS


def retry_in_s(attempts: int) -> int:
    """How long after the attempt with this number (from 1) the next one comes."""
    return int(min(LAST_RETRY_S, FIRST_RETRY_S * 2 ** min(attempts - 1, 20)))


def _next(at: time, now: datetime) -> datetime:
    """The next time that a clock on the wall shows this."""
    today = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    return today if today >= now else today + timedelta(days=1)


def _after_quiet(quiet: tuple[time, time], now: datetime) -> datetime:
    begin, end = quiet
    at = now.time()
    inside = begin <= at < end if begin < end else at >= begin or at < end
    return _next(end, now) if inside else now
