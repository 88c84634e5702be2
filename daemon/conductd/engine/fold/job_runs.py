"""The runs of the jobs of the night, as far as the journal says them: a part of the state.

Plain mutable structs that msgpack can write. Only `engine.fold.state` changes them, through `take`; it reads nothing
but the record it is given. What a run found (`JobRunRecord.data`) stays in the journal, under `Run.seq`.
"""

from __future__ import annotations

import msgspec

from conductd.core.night.days import Stretch, parsed, with_days
from conductd.model import JobRunRecord, Stored, WorkspaceRecord

RUNS_KEPT = 24  # of a job and workspace: more than the seven days of a recap, and what was run by hand
STRETCHES_KEPT = 512  # ten years of weeks
BY_ITSELF = ("timed", "late")
ON, OFF = "on", "off"  # results of records that say how it is switched
STARTED = "started"  # the same of one that begins a run of the night


class Run(msgspec.Struct, omit_defaults=True):
    """One run. ``seq``: of its record. ``day``, ``asleep``, ``cause`` as in `JobRunRecord`."""

    seq: int
    job: str
    workspace: str
    day: str
    result: str
    cause: str
    started_ns: int
    ended_ns: int
    detail: str = ""
    asleep: tuple[str, ...] = ()
    plan: int | None = None


class JobTrack(msgspec.Struct, omit_defaults=True):
    """One job of one workspace. ``ran``: days that it ran for by itself; ``asleep``: days that such runs covered.
    ``since_ns``: it was switched on then; 0: nobody ever switched it off."""

    runs: list[Run] = msgspec.field(default_factory=list)  # the newest last, those by hand among them
    ran: list[Stretch] = msgspec.field(default_factory=list)
    asleep: list[Stretch] = msgspec.field(default_factory=list)
    since_ns: int = 0
    is_off: bool = False
    begun: int = 0  # runs for the day `begun_for` that were begun and have no end: the daemon ended before
    begun_for: str = ""


class JobRuns(msgspec.Struct, omit_defaults=True):
    """``tracks``: by workspace and job. ``known_ns``: since when a workspace is known."""

    tracks: dict[str, dict[str, JobTrack]] = msgspec.field(default_factory=dict)
    known_ns: dict[str, int] = msgspec.field(default_factory=dict)

    # ------------------------------------------------------------------ reading

    def track(self, job: str, workspace: str) -> JobTrack:
        return self.tracks.get(workspace, {}).get(job) or JobTrack()

    def last(self, job: str, workspace: str) -> Run | None:
        """The newest, however it came about."""
        runs = self.track(job, workspace).runs
        return runs[-1] if runs else None

    def of_day(self, job: str, workspace: str, day: str) -> Run | None:
        """The newest for that day."""
        return next((each for each in reversed(self.track(job, workspace).runs) if each.day == day), None)

    def since_ns(self, job: str, workspace: str) -> int:
        """Since when it is to run: wall clock. 0: not known."""
        return max(self.known_ns.get(workspace, 0), self.track(job, workspace).since_ns)

    # ------------------------------------------------------------------ changing

    def take(self, stored: Stored) -> None:
        record = stored.record
        if isinstance(record, WorkspaceRecord):
            self.known_ns.setdefault(record.workspace, stored.wall_ns)
        elif isinstance(record, JobRunRecord) and record.workspace:
            track = self.tracks.setdefault(record.workspace, {}).setdefault(record.job, JobTrack())
            if record.result in (ON, OFF):
                track.is_off = record.result == OFF
                track.since_ns = stored.wall_ns
            elif record.result == STARTED:
                track.begun = track.begun + 1 if track.begun_for == record.day else 1
                track.begun_for = record.day
            else:
                _ran(track, stored.seq, record)


def _ran(track: JobTrack, seq: int, record: JobRunRecord) -> None:
    day = parsed(record.day)
    if day is None:
        return
    track.runs.append(
        Run(
            seq,
            record.job,
            record.workspace,
            record.day,
            record.result,
            record.cause,
            record.started_ns,
            record.ended_ns,
            record.detail,
            record.asleep,
            record.plan,
        )
    )
    del track.runs[:-RUNS_KEPT]
    if record.cause not in BY_ITSELF:
        return  # a person may look at any time: the night's run is still due
    track.begun, track.begun_for = 0, ""
    track.ran = with_days(track.ran, *day)[-STRETCHES_KEPT:]
    for stretch in filter(None, map(parsed, record.asleep)):
        track.asleep = with_days(track.asleep, *stretch)[-STRETCHES_KEPT:]
