"""When a notice may go out by the clock of this machine, as an instant: wall clock, nanoseconds, UTC.

Where clocks are put back an hour comes twice, where they are put forward one is left out, and a traveller's zone may be
another in the next moment: what is put off is put off to a time that is still to come, whatever the clock shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from conductd.core.notifying import routing
from conductd.core.notifying.routing import Channel
from conductd.model import Severity

SECOND_NS = 1_000_000_000
AGAIN_NS = 60 * SECOND_NS  # where the clock shows a time that is to come, and it is over
FARTHEST_NS = 50 * routing.HOUR_NS  # a digest of tomorrow, and the quiet hours after it


def first_ns(channel: Channel, severity: Severity, now_ns: int) -> int:
    """When it is due for the first time."""
    local = _local(now_ns)
    return _instant(routing.due(channel, severity, local), local, now_ns)


def held_ns(channel: Channel, severity: Severity, now_ns: int, sent_ns: Sequence[int]) -> int:
    """Until when it is kept back, asked at the moment of sending; `now_ns`: it may go."""
    local = _local(now_ns)
    quiet_ns = _instant(routing.quiet_end(channel, severity, local), local, now_ns)
    return max(quiet_ns, routing.room_ns(channel, severity, now_ns, sent_ns))


def _instant(later: datetime, local: datetime, now_ns: int) -> int:
    if later <= local:
        return now_ns
    found = int(later.timestamp() * SECOND_NS)
    return found if now_ns < found <= now_ns + FARTHEST_NS else now_ns + AGAIN_NS


def _local(at_ns: int) -> datetime:
    """What a clock on the wall shows; it knows which of two equal hours it is."""
    return datetime.fromtimestamp(at_ns / SECOND_NS)
