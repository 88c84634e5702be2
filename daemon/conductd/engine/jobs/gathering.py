"""What a job of the night is given: the files as they are, the day as the history has it.

Has what is on disk put on record first; looks at the disk, the index and the directory of reports; writes nothing. A
file that cannot be read, or of which something was forgotten, is named and never left out in silence, and an index
that is being made tells of no day. Any thread.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from zoneinfo import ZoneInfo

from conductd.core.night.bounds import day_bounds
from conductd.core.night.facts import Before, Day, DayIncident, Night, NightFile, Occasion, Stretch
from conductd.engine.health.overview import Parts
from conductd.engine.jobs.job import DID_NOT_END
from conductd.engine.jobs.reports import Reports
from conductd.engine.people.waiting import result
from conductd.engine.workspaces import Handle
from conductd.errors import ConductdError, NotFound, StoreUnavailable
from conductd.index.rows import DayRow, IncidentRow, Stood
from conductd.model import Cause, FileState
from conductd.views.history import IncidentView
from conductd.watch.reader import observe

_HOUR = 3_600_000_000_000
_UNREPORTED_NS = 31 * 24 * _HOUR  # no more than so long is gone back
_MOST_FILES = 20_000
_MOST_INCIDENTS = 100_000
_MOST_ALL = 256 * 1024 * 1024  # bytes of all files together


class Gathering:
    """`incident`: what is shown of one."""

    def __init__(self, parts: Parts, incident: Callable[[IncidentRow], IncidentView]) -> None:
        self._, self._incident = parts, incident
        self.parts, self.state_dir, self.journal = parts, parts.state_dir, parts.journal

    def night(self, occasion: Occasion) -> Night:
        """Raises NotFound when the workspace is not there, Busy when the disk does not answer."""
        result(result(self._.intake.sync()))
        handle = self._.workspaces.handle(occasion.workspace)
        if handle is None or handle.fd is None:
            raise NotFound("the workspace is not there", "conductd status")
        files, unread = self._files(handle)
        day, before = self._day(occasion)
        reader = next(iter(self._.loads.looker.readers_of(handle)), None)
        return Night(
            occasion=occasion,
            agent=reader.loader.name if reader is not None else "",
            version=reader.asked.version if reader is not None else "",
            files=files,
            unread=unread,
            day=day,
            before=before,
            reports=Reports(self._.state_dir, occasion.workspace).all(),
            unreported=self._unreported(occasion) if occasion.job == "report" else None,
        )

    def day(self, occasion: Occasion) -> Day:
        """One day of a workspace's history; what the index cannot answer is None."""
        return self._day(occasion)[0]

    def _day(self, occasion: Occasion) -> tuple[Day, tuple[Before, ...]]:
        start, end = day_bounds(occasion.day, ZoneInfo(occasion.zone), occasion.begins)
        return self._between(occasion, start, end)

    def _unreported(self, occasion: Occasion) -> Stretch | None:
        """From the last report of an earlier day until this one; None: there is no such time, or no such report."""
        start, _ = day_bounds(occasion.day, ZoneInfo(occasion.zone), occasion.begins)
        with self._.state.lock:
            runs = self._.state.job_runs.track("report", occasion.workspace).runs
            ran = [run for run in runs if run.day < occasion.day.isoformat() and run.result not in DID_NOT_END]
        # One that was made later tells of its own day all the same, and of nothing after it.
        zone = ZoneInfo(occasion.zone)
        told = [min(run.started_ns, day_bounds(date.fromisoformat(run.day), zone, occasion.begins)[1]) for run in ran]
        since = max(told, default=start)
        if since >= start:
            return None
        return Stretch(*self._between(occasion, max(since, start - _UNREPORTED_NS), start))

    def _between(self, occasion: Occasion, start: int, end: int) -> tuple[Day, tuple[Before, ...]]:
        with self._.state.lock:
            known_ns = self._.state.job_runs.known_ns.get(occasion.workspace, 0)
            files = self._.state.files_of(occasion.workspace)
            unjudged = sorted(each.path for each in files if each.since)
        if end <= known_ns <= self._.clock.wall_ns():  # one that is still to come is of a clock that was ahead
            return Day(occasion.day, start, end, None, None, None, is_watched=False), ()
        try:
            self._require_index()
            rows, parts = self._.reader.between(occasion.workspace, start, end, _HOUR)
            incidents = tuple(self._incidents(occasion.workspace, start, end))
            before = tuple(self._before(start, end, rows))
            self._require_index()  # it may have been begun anew meanwhile
        except StoreUnavailable:
            return Day(occasion.day, start, end, None, None, None), ()
        changes = sum(row.judged for row in rows)
        hours = [parts.get(number, 0) for number in range(-(-(end - start) // _HOUR))]
        is_over = end <= self._.clock.wall_ns()
        return (
            Day(occasion.day, start, end, changes, incidents, tuple(hours), () if is_over else tuple(unjudged)),
            before,
        )

    def _require_index(self) -> None:
        if not self._.recorder.index_complete:
            raise StoreUnavailable("the index is being rebuilt", "conductd status shows when it is done")

    def _before(self, start: int, end: int, rows: Sequence[DayRow]) -> Iterator[Before]:
        """What was found at first sight was there before."""
        files = [row.file for row in rows]
        then, after = self._.reader.around(start - 1, files), self._.reader.around(end - 1, files)
        for row in rows:
            stood, stands = (next(iter(each[row.file].before), None) for each in (then, after))
            if stood is None and row.cause is Cause.FIRST_SIGHT:
                yield Before(row.path, *self._held(row.seq), *self._stood(stands))
            else:
                yield Before(row.path, *self._stood(stood), *self._stood(stands))

    def _stood(self, version: Stood | None) -> tuple[bytes | None, bool]:
        """The content, and whether it is known."""
        if version is None or version.state is FileState.ABSENT:
            return None, True
        return self._held(version.seq) if version.state is FileState.FILE else (None, False)

    def _held(self, seq: int) -> tuple[bytes | None, bool]:
        try:
            return self._.contents.get(seq), True
        except ConductdError:  # erased, damaged
            return None, False

    def _incidents(self, workspace: str, start: int, end: int) -> list[DayIncident]:
        found = []
        for row in self._.reader.incidents(limit=_MOST_INCIDENTS):
            record = row.record
            if record.workspace != workspace or row.opened_ns >= end:
                continue
            if record.state != "open" and row.opened_ns < start and row.last_ns < start:
                continue
            found.append(self._day_incident(row))
        return found[::-1]

    def _day_incident(self, row: IncidentRow) -> DayIncident:
        view = self._incident(row)
        with self._.state.lock:
            paths = tuple(self._.state.files[each].path for each in row.files if each in self._.state.files)
        return DayIncident(
            incident=row.incident,
            event_class=row.record.event_class,
            severity=row.record.severity,
            state=row.record.state,
            paths=paths,
            entries_lost=view.lost if row.record.state == "open" else 0,
            opened_ns=row.opened_ns,
            done=view.done,
            command=view.command if row.record.state == "open" else "",
        )

    # ------------------------------------------------------------------ files

    def _files(self, handle: Handle) -> tuple[tuple[NightFile, ...], tuple[tuple[bytes, str], ...]]:
        with self._.state.lock:
            known = sorted(
                (each.path, each.head.seq, each.head.digest)
                for each in self._.state.files_of(handle.id)
                if each.head is not None and each.head.state is not FileState.ABSENT
            )
        there = {path for path, _, _ in known}
        files: list[NightFile] = []
        unread: list[tuple[bytes, str]] = []
        left = _MOST_ALL
        with handle.opened() as root:
            if root is None:
                raise NotFound("the workspace is not there", "conductd status")
            for path, seq, digest in known:
                role = self._.workspaces.role(handle.id, path)
                if role is None:
                    continue
                seen = observe(root, path, limit=self._.workspaces.config.max_file_bytes)
                if seen.state is FileState.ABSENT:
                    continue  # it went a moment ago: the history will have it
                if seen.state is FileState.SYMLINK and _leads_within(handle.root, path, there):
                    continue  # what it leads to is read under its own name
                if seen.data is None or len(files) >= _MOST_FILES or len(seen.data) > left:
                    unread.append((path, seen.reason or ("too many files" if seen.data is not None else seen.state)))
                    continue
                left -= len(seen.data)
                data = self._.repairer.cleaned(seen.data)
                if data is None:
                    unread.append((path, "forgotten"))
                    continue
                is_recorded = digest == hashlib.sha256(seen.data).digest()
                files.append(NightFile(path, role, data, seq if is_recorded else 0))
        return tuple(files), tuple(unread)


def _leads_within(root: bytes, path: bytes, known: set[bytes]) -> bool:
    """A link whose end is another of these files of the workspace."""
    end = os.path.realpath(os.path.join(root, path))
    return os.path.relpath(end, os.path.realpath(root)) in known - {path}
