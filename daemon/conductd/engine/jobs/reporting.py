"""Gathers what a report and a recap are made of: what the jobs of the day found, the history, sizes and limits.

Reads only. What cannot be asked is None, never nothing. Any thread.
"""

from __future__ import annotations

import os
from datetime import date, datetime, timedelta
from typing import TypeVar
from zoneinfo import ZoneInfo

import msgspec

from conductd.config.jobs import NAMES
from conductd.core.checkpoint.result import CheckpointResult
from conductd.core.continuity.result import ContinuityResult
from conductd.core.night.bounds import day_bounds
from conductd.core.night.days import written
from conductd.core.night.facts import Before, Day, DayIncident, Night, Occasion
from conductd.core.night.net import Net
from conductd.core.qc.results import QcResult
from conductd.core.report.facts import OFF, Facts, FileSizes, JobFact, Unreported
from conductd.core.report.recap import Cause, DayShape, Week
from conductd.core.report.result import ReportResult
from conductd.engine.health.overview import Parts
from conductd.engine.jobs.apart import answer
from conductd.engine.jobs.job import Progress, quiet
from conductd.engine.jobs.orders import Netted
from conductd.engine.jobs.recalling import Recalled, Recalling
from conductd.engine.loading.readers import tried
from conductd.errors import StoreUnavailable
from conductd.views import shown

DAYS = 30  # with a size of each file
MOST_FILES = 12  # whose sizes are shown
WEEK = 7
_MOST_INCIDENTS = 100_000
_T = TypeVar("_T", CheckpointResult, ContinuityResult, QcResult, ReportResult)


class Reporting:
    """See the module."""

    def __init__(self, parts: Parts) -> None:
        self._ = parts
        self._recalling = Recalling(parts.state, parts.journal)

    def facts(self, night: Night, progress: Progress = quiet) -> Facts:
        """Of one day. The checkpoint is the one of the night before, for that of the day itself comes after its end,
        unless it was made already."""
        occasion, day = night.occasion, night.occasion.day
        recall, workspace = self._recalling.of_day, occasion.workspace
        own = recall("checkpoint", workspace, day)
        before = day if own is not None and own.data else day - timedelta(days=1)
        runs = {
            "checkpoint": (before, recall("checkpoint", workspace, before)),
            "continuity": (day, recall("continuity", workspace, day)),
            "qc": (day, recall("qc", workspace, day)),
        }
        came = self._net(night.day, night.before, progress)
        with self._.state.lock:
            false_alarms = self._.state.false_positives
        return Facts(
            day=day.isoformat(),
            zone=occasion.zone,
            workspace=shown(occasion.root),
            agent=night.agent,
            version=night.version,
            jobs=(*(self._job(occasion, name, *each) for name, each in runs.items()), *_own(occasion)),
            checkpoint=_decoded(runs["checkpoint"][1], CheckpointResult),
            continuity=_decoded(runs["continuity"][1], ContinuityResult),
            qc=_decoded(runs["qc"][1], QcResult),
            incidents=_incidents(night),
            gained=came.gained,
            lost=came.lost,
            unreported=self._unreported(night, progress),
            versions_per_hour=night.day.versions_per_hour,
            sizes=self.sizes(night),
            unread=tuple(path for path, _ in night.unread),
            unjudged=night.day.unjudged,
            is_watched=night.day.is_watched,
            degraded=tuple(each.message for each in self._.degraded.list()),
            false_alarms=false_alarms,
        )

    def _net(self, day: Day, changed: tuple[Before, ...], progress: Progress) -> Net:
        if day.changes is None:
            return Net(None, None)
        return answer(Netted(changed), Net, progress, "counting what came and went")

    def _unreported(self, night: Night, progress: Progress) -> Unreported | None:
        found = night.unreported
        if found is None:
            return None
        since = datetime.fromtimestamp(found.day.start_ns / 1e9, ZoneInfo(night.occasion.zone))
        hours, came = found.day.versions_per_hour, self._net(found.day, found.before, progress)
        versions = sum(hours) if hours is not None else None
        return Unreported(since.strftime("%Y-%m-%d %H:%M"), versions, came.gained, came.lost)

    def week(self, night: Night) -> Week:
        """The seven days before the day of the run: those whose reports are made."""
        occasion = night.occasion
        year, number, _ = occasion.day.isocalendar()
        days = [occasion.day - timedelta(days=each) for each in range(WEEK, 0, -1)]
        earlier = [self._shape(occasion, each - timedelta(days=WEEK)) for each in days]
        known = all(each.shape is not None for each in earlier)
        return Week(
            week=f"{year}-W{number:02}",
            zone=occasion.zone,
            workspace=shown(occasion.root),
            days=tuple(self._shape(occasion, each) for each in days),
            before=sum(1 for each in earlier if each.shape == "clean") if known else None,
            causes=self._causes(occasion, days[0], days[-1]),
            sizes=self.sizes(night),
            requests=self._.weakening.waiting(),
            off=self._off(occasion),
        )

    def _off(self, occasion: Occasion) -> tuple[str, ...]:
        config = self._.workspaces.config.jobs_of(occasion.root)
        return tuple(each for each in NAMES if each != occasion.job and not config.time_of(each))

    # ------------------------------------------------------------------ jobs

    def _job(self, occasion: Occasion, name: str, day: date, recalled: Recalled | None) -> JobFact:
        if recalled is None:
            is_off = not self._.workspaces.config.jobs_of(occasion.root).time_of(name)
            return JobFact(name, day.isoformat(), OFF if is_off else "")
        run = recalled.run
        return JobFact(name, run.day, run.result, run.detail, tuple(run.asleep), run.cause == "late")

    def result(self, occasion: Occasion) -> ReportResult | None:
        """What the report of the day said; None: there was none, or it is too long ago."""
        return _decoded(self._recalling.of_day("report", occasion.workspace, occasion.day), ReportResult)

    def _shape(self, occasion: Occasion, day: date) -> DayShape:
        found = self.result(msgspec.structs.replace(occasion, day=day))
        if found is None:
            return DayShape(day.isoformat(), None)
        is_partly = bool(found.unknown) and not found.needs and not found.handled
        return DayShape(day.isoformat(), found.shape, is_partly)

    # ------------------------------------------------------------------ the history

    def _causes(self, occasion: Occasion, first: date, last: date) -> tuple[Cause, ...] | None:
        zone = ZoneInfo(occasion.zone)
        start, end = day_bounds(first, zone)[0], day_bounds(last, zone)[1]
        try:
            rows = self._.reader.incidents(limit=_MOST_INCIDENTS)
        except StoreUnavailable:
            return None
        with self._.state.lock:
            paths = {number: track.path for number, track in self._.state.files.items()}
        return tuple(
            Cause(row.record.event_class.value, row.record.writer, paths.get(next(iter(row.files), 0), b""))
            for row in rows
            if row.record.workspace == occasion.workspace and start <= row.opened_ns < end
        )

    def sizes(self, night: Night) -> tuple[FileSizes, ...] | None:
        """Of the files that the agent loads, and those that changed on the day."""
        occasion = night.occasion
        limits = self._limits(night)
        changed = [each.path for each in night.before]
        there = {each.path for each in night.files}
        wanted = [path for path in dict.fromkeys([*limits, *changed]) if path in there][:MOST_FILES]
        with self._.state.lock:
            numbers = {each.path: each.id for each in self._.state.files_of(occasion.workspace)}
        days = [occasion.day - timedelta(days=each) for each in range(DAYS - 1, -1, -1)]
        zone = ZoneInfo(occasion.zone)
        ends = [day_bounds(day, zone)[1] for day in days]
        known = [numbers[path] for path in wanted if path in numbers]
        try:
            found = self._.reader.sizes(ends, known)
        except StoreUnavailable:
            return None
        return tuple(
            FileSizes(
                path,
                tuple(
                    (day.isoformat(), size)
                    for day, size in zip(days, found[numbers[path]], strict=True)
                    if size is not None
                ),
                *limits.get(path, (None, "")),
            )
            for path in wanted
            if path in numbers
        )

    def _limits(self, night: Night) -> dict[bytes, tuple[int | None, str]]:
        """(bytes, as said) of each file that the agent loads, in its order. An agent that counts characters has its
        limit in the bytes that so many characters of this very file take."""
        handle = self._.workspaces.handle(night.occasion.workspace)
        reader = next(iter(self._.loads.looker.readers_of(handle)), None) if handle is not None else None
        load = tried(reader)[0] if reader is not None else None
        if load is None or handle is None:
            return {}
        sizes = {each.path: len(each.data) for each in night.files}
        found: dict[bytes, tuple[int | None, str]] = {}
        for each in load.files:
            path = os.path.relpath(os.fsencode(each.path), handle.root)
            limit = each.own_limit or each.limit
            if path not in sizes:
                continue
            if limit is None or not each.raw:
                found[path] = (None, "")
            else:
                found[path] = (round(limit * sizes[path] / each.raw), f"{limit:,} {load.unit.value}")
        return found


def _incidents(night: Night) -> tuple[DayIncident, ...] | None:
    """Of the day, and those that no report has told of: by number, each once."""
    days = (night.unreported.day, night.day) if night.unreported is not None else (night.day,)
    both = [each.incidents for each in days]
    found: dict[int, DayIncident] = {}
    for each in both:
        if each is None:
            return None
        found |= {one.incident: one for one in each}
    return tuple(found[number] for number in sorted(found))


def _own(occasion: Occasion) -> tuple[JobFact, ...]:
    if not occasion.asleep:
        return ()
    days = tuple(written((each.toordinal(), each.toordinal())) for each in occasion.asleep)
    return (JobFact("report", occasion.day.isoformat(), "late", "", days, is_late=True),)


def _decoded(recalled: Recalled | None, kind: type[_T]) -> _T | None:
    """None: it is missing, of a run that did not come to its end, or written by another version."""
    if recalled is None or not recalled.data:
        return None
    try:
        found = msgspec.msgpack.decode(recalled.data, type=kind)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None
    return found if found.format == 1 else None
