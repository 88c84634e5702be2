"""Which jobs of the night are due, for which workspace, in whose local time, and what keeps them from running.

Owns since when the machine is awake. Reads the configuration, the state and the clock; starts nothing. Any thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, time
from zoneinfo import ZoneInfo

import msgspec

from conductd.config.jobs import JobsConfig
from conductd.core.night.due import Due, Instants, Ledger, Timing, due, next_due, running_day
from conductd.core.night.facts import Occasion
from conductd.engine.health.overview import Parts
from conductd.engine.jobs.job import Job
from conductd.engine.jobs.triggers import instants_of, time_of, timing_of
from conductd.engine.jobs.zones import SystemZone, zone_named
from conductd.engine.workspaces import Handle
from conductd.model import Frozen

JUMP_NS = 5_000_000_000  # wall against monotonic time: more than this was a suspend, or somebody set the clock
WAIT_NS = 540_000_000_000  # so long after its time the report waits for the checks of its day
MOST_DAYS = 400  # that an occasion names; the record has all of them
_LOOKS = 5
_AFTER = {"report": "qc"}


class Planned(Frozen, frozen=True):
    """One job of one workspace, as it stands now. ``timing`` None: it is off. ``why``: what keeps a due one from
    running, one phrase."""

    job: Job
    handle: Handle
    config: JobsConfig
    zone: ZoneInfo
    timing: Timing | None = None
    due: Due | None = None
    next: tuple[date, int] | None = None
    why: str = ""


class Planning:
    """`jobs` in the order of the night. Another configuration, or another zone of the system, holds at once."""

    def __init__(self, parts: Parts, jobs: Sequence[Job], environ: Mapping[str, str], zone: SystemZone | None = None):
        self._ = parts
        self.jobs = tuple(jobs)
        self._zone = zone or SystemZone(environ)
        self._instants: dict[tuple[Timing, str], Instants] = {}
        self._skew = self._now_skew()
        self.awake_ns, self.awake_mono_ns = parts.clock.wall_ns(), parts.clock.mono_ns()

    # ------------------------------------------------------------------ awake

    @property
    def has_jumped(self) -> bool:
        """The machine slept, or somebody set the clock, since it was noticed last."""
        return abs(self._now_skew() - self._skew) > JUMP_NS

    def notice(self) -> None:
        """Awake since now, if so. On the scheduler's thread."""
        if self.has_jumped:
            self._skew = self._now_skew()
            self.awake_ns, self.awake_mono_ns = self._.clock.wall_ns(), self._.clock.mono_ns()

    def _now_skew(self) -> int:
        """Wall against monotonic time, of one moment: time that passes between the two looks is no jump."""
        clock = self._.clock
        before = clock.mono_ns()
        for _ in range(_LOOKS):
            wall, after = clock.wall_ns(), clock.mono_ns()
            if after - before < JUMP_NS // 10:
                return wall - before
            before = after
        return wall - after

    # ------------------------------------------------------------------ what is planned

    def zone_of(self, config: JobsConfig) -> ZoneInfo:
        """Whose local time holds for a workspace."""
        named = zone_named(config.timezone) if config.timezone else None
        return named or self._zone.zone()

    def planned(self) -> list[Planned]:
        """Every job of every workspace as it stands now. Any thread."""
        return [self._planned(job, handle) for handle in self._.workspaces.handles() for job in self.jobs]

    def _planned(self, job: Job, handle: Handle) -> Planned:
        config = self._.workspaces.config.jobs_of(handle.root)
        zone, timing = self.zone_of(config), timing_of(job.name, config)
        plain = Planned(job, handle, config, zone)
        if timing is None:
            return plain
        ledger, now = self._ledger(job.name, handle.id), self._.clock.wall_ns()
        instants = self.instants(timing, zone)
        found = due(timing, ledger, now, self.awake_ns, zone, instants)
        coming = next_due(timing, ledger, now, zone, instants)
        why = self._obstacle(job, handle, config, zone, found) if found is not None else ""
        return Planned(job, handle, config, zone, timing, found, coming, why)

    def _ledger(self, job: str, workspace: str) -> Ledger:
        with self._.state.lock:
            runs = self._.state.job_runs
            track = runs.track(job, workspace)
            return Ledger(tuple(track.ran), tuple(track.asleep), runs.since_ns(job, workspace))

    def instants(self, timing: Timing, zone: ZoneInfo) -> Instants:
        key = (timing, zone.key)
        if key not in self._instants:
            self._instants[key] = instants_of(timing, zone)
        return self._instants[key]

    def _obstacle(self, job: Job, handle: Handle, config: JobsConfig, zone: ZoneInfo, found: Due) -> str:
        """What keeps it from running now; "" nothing."""
        if handle.fd is None:
            return "the workspace is not there"
        if handle.locked_by:
            return f"another daemon has it ({handle.locked_by})"
        if self._.recorder.down:
            return "nothing can be recorded"
        first = _AFTER.get(job.name)
        if first is not None and self._waits_for(first, handle, config, zone, found):
            return f"it waits for {first}"
        return ""

    def _waits_for(self, first: str, handle: Handle, config: JobsConfig, zone: ZoneInfo, found: Due) -> bool:
        """Whether the run of another job for the same day is still to come, soon enough."""
        timing = timing_of(first, config)
        if timing is None or all(each.name != first for each in self.jobs):
            return False
        now, until = self._.clock.wall_ns(), max(found.at_ns, self.awake_ns) + WAIT_NS
        if not self.awake_ns <= now < until:
            return False
        at_ns = self.instants(timing, zone)(timing.date_of(found.day))
        with self._.state.lock:
            track = self._.state.job_runs.track(first, handle.id)
            is_done = any(a <= found.day.toordinal() <= b for a, b in (*track.ran, *track.asleep))
        return at_ns is not None and at_ns < until and not is_done

    # ------------------------------------------------------------------ occasions

    def occasion(self, each: Planned, found: Due) -> Occasion:
        """Of a run that is due."""
        days = [
            date.fromordinal(day)
            for first, last in found.asleep
            for day in range(max(first, last - MOST_DAYS + 1), last + 1)
        ]
        plain = self.occasion_by_hand(each.job.name, each.handle, found.day, is_dry=False)
        return msgspec.structs.replace(plain, asleep=tuple(days[-MOST_DAYS:]), is_late=found.is_late, is_manual=False)

    def occasion_by_hand(self, name: str, handle: Handle, day: date | None, *, is_dry: bool) -> Occasion:
        """Of a run that a person asks for. ``day`` None: until the agent's reset it is still the day before."""
        config = self._.workspaces.config.jobs_of(handle.root)
        zone, now, reset = self.zone_of(config), self._.clock.wall_ns(), time_of(config.reset)
        return Occasion(
            job=name,
            workspace=handle.id,
            root=handle.root,
            day=day or running_day(now, zone, reset),
            zone=zone.key,
            now_ns=now,
            begins=reset if name == "checkpoint" else time(),
            is_manual=True,
            is_dry=is_dry,
        )
