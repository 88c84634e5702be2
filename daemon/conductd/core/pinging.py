"""When the heartbeat is due, and what it says. Pure."""

from __future__ import annotations

from enum import StrEnum

FIRST_RETRY_NS = 30_000_000_000


class Condition(StrEnum):
    WELL = "well"
    DEGRADED = "degraded"  # what happens is recorded; something else is wrong
    NOT_RECORDING = "not_recording"


def is_due(
    tried_mono_ns: int | None, tried_wall_ns: int, mono_ns: int, wall_ns: int, every_ns: int, failures: int
) -> bool:
    """Whether enough time has passed since the last try (None: there was none): by the monotonic clock, or by the
    wall clock, which goes on while a machine sleeps. After a failure it is tried sooner, each time less so."""
    if tried_mono_ns is None:
        return True
    wait = min(every_ns, FIRST_RETRY_NS << min(failures - 1, 10)) if failures else every_ns
    return mono_ns - tried_mono_ns >= wait or wall_ns - tried_wall_ns >= wait


def whereto(url: str, fail_url: str, condition: Condition) -> str:
    """What is asked for; "": nothing, and whoever waits for it finds out. Without a place of its own a daemon that is
    degraded and records is told to live: that it is not well is told by `status` and by notices."""
    if condition is Condition.WELL:
        return url
    if fail_url:
        return fail_url
    return url if condition is Condition.DEGRADED else ""
