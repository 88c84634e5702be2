"""Which versions keep their content, and how old a version is when no clock can be believed alone.

Pure. Owns the ages (`Moment`), the thinning and what is never thinned; `engine.retaining` gathers the facts and
erases. Never says that something goes because room is short.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from conductd.model import Frozen

SECOND_NS = 1_000_000_000
HOUR_NS = 3_600 * SECOND_NS
DAY_NS = 24 * HOUR_NS
WEEK_NS = 7 * DAY_NS
BELIEVED_NS = DAY_NS  # a machine was off or asleep for so long, by the wall clock alone


class Schedule(Frozen, frozen=True):
    """Ages in days: younger than ``keep_days`` every version is kept, then one an hour, from ``hourly_days`` on one a
    day, from ``daily_days`` on one a week. ``keep_last`` versions of a file always; what a closed incident refers to
    for ``incident_days``."""

    keep_days: int = 90
    hourly_days: int = 180
    daily_days: int = 730
    keep_last: int = 20
    incident_days: int = 365

    def width_ns(self, age_ns: int) -> int:
        """Of the stretch of time that one version is kept of; 0: all are."""
        if age_ns < self.keep_days * DAY_NS:
            return 0
        if age_ns < self.hourly_days * DAY_NS:
            return HOUR_NS
        return DAY_NS if age_ns < self.daily_days * DAY_NS else WEEK_NS


class Moment(NamedTuple):
    """When a record was written, by all clocks. ``lived_ns``: the time that surely passed in the journal until then;
    ``high_ns``: the latest wall time that was ever seen."""

    wall_ns: int
    mono_ns: int
    lived_ns: int = 0
    high_ns: int = 0

    def then(self, wall_ns: int, mono_ns: int) -> Moment:
        """The moment of the next record (or now).

        A monotonic clock that went on counted real time; one that begins anew (a boot) counted what passed since. By
        the wall clock more may have passed (asleep, switched off): up to a day of that is believed, beyond the latest
        time seen. A step that is larger counts as nothing until real time has passed; a step back never counts.
        """
        proven = mono_ns - self.mono_ns if mono_ns >= self.mono_ns else max(0, mono_ns)
        claimed = max(0, wall_ns - self.high_ns)
        believed = claimed if claimed - proven <= BELIEVED_NS else 0
        passed = min(max(0, wall_ns - self.wall_ns), max(proven, believed))
        return Moment(wall_ns, mono_ns, self.lived_ns + passed, max(self.high_ns, wall_ns))

    def age_ns(self, now: Moment) -> int:
        """Never more than the journal lived since, nor than the wall clock says: the later a record, the smaller."""
        return max(0, min(now.lived_ns - self.lived_ns, now.wall_ns - self.high_ns))


def first(wall_ns: int, mono_ns: int) -> Moment:
    """The moment of the oldest record."""
    return Moment(wall_ns, mono_ns, 0, wall_ns)


class Kept(NamedTuple):
    """A version that has its content."""

    seq: int
    wall_ns: int
    age_ns: int


def going(versions: Sequence[Kept], needed: Collection[int], schedule: Schedule) -> list[int]:
    """Which versions of one file (oldest first) lose their content.

    A version goes when the next one falls into the same stretch of time: the newest of each stretch stays. Hours lie
    in days, days in weeks, so that thinning step by step ends like thinning at once.
    """
    found = []
    upto = len(versions) - schedule.keep_last
    for number, version in enumerate(versions[: max(0, upto)]):
        width = schedule.width_ns(version.age_ns)
        if not width or version.seq in needed or number + 1 == len(versions):
            continue
        if version.wall_ns // width == versions[number + 1].wall_ns // width:
            found.append(version.seq)
    return found


def beside(versions: Sequence[int], judged: Iterable[tuple[int | None, int]]) -> set[int]:
    """The versions of one file (rising) around its damaging changes, each given as (baseline, version): both, the one
    that stood before, and the one that came after."""
    found: set[int] = set()
    for baseline, version in judged:
        before, after = bisect_left(versions, version) - 1, bisect_right(versions, version)
        found |= {version} if baseline is None else {baseline, version}
        if before >= 0:
            found.add(versions[before])
        if after < len(versions):
            found.add(versions[after])
    return found


class Room(Frozen, frozen=True):
    """How a journal stands to its limit. ``days``: until it is reached at the pace of the last 14 days; None: never,
    or not soon enough to be said."""

    level: str  # "" | "near" | "full"
    share: float
    days: int | None = None


NEAR, FULL = 0.80, 0.95
PACE_DAYS, WARNED_DAYS = 14, 30


def room(size: int, grown: int, limit: int) -> Room:
    """``grown``: bytes that came within the last `PACE_DAYS`; ``limit`` 0: there is none."""
    if not limit:
        return Room("", 0.0)
    share = size / limit
    left = max(0, limit - size)
    days = left * PACE_DAYS // grown if grown > 0 else None
    days = days if days is not None and days <= WARNED_DAYS else None
    level = "full" if share >= FULL else "near" if share >= NEAR or days is not None else ""
    return Room(level, share, days)
