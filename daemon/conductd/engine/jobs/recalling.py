"""What earlier runs found, for the jobs that take it up: the state knows the runs, the journal has their data.

Reads only. Any thread.
"""

from __future__ import annotations

from datetime import date

from conductd.engine.fold.job_runs import Run
from conductd.engine.fold.state import State
from conductd.errors import NotFound, StoreDamaged
from conductd.journal.journal import Journal
from conductd.model import Frozen, JobRunRecord


class Recalled(Frozen, frozen=True):
    """A run and its `Outcome.data`; b"": it gave none, or it cannot be read any more."""

    run: Run
    data: bytes


class Recalling:
    """Runs that did not come to their end are among them: `Run.result` says so."""

    def __init__(self, state: State, journal: Journal) -> None:
        self._state, self._journal = state, journal

    def of_day(self, job: str, workspace: str, day: date) -> Recalled | None:
        """The newest run for the day, however it came about. None: there was none, or it is too long ago."""
        with self._state.lock:
            run = self._state.job_runs.of_day(job, workspace, day.isoformat())
        return None if run is None else Recalled(run, self._data(run.seq))

    def runs(self, job: str, workspace: str) -> tuple[Run, ...]:
        """The last ones, oldest first."""
        with self._state.lock:
            return tuple(self._state.job_runs.track(job, workspace).runs)

    def _data(self, seq: int) -> bytes:
        try:
            record = self._journal.read(seq).record
        except (NotFound, StoreDamaged):
            return b""
        return record.data if isinstance(record, JobRunRecord) else b""
