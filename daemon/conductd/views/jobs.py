"""The jobs of the night: when each runs, and what came of it."""

from __future__ import annotations

from conductd.views.base import View


class JobRunView(View, frozen=True):
    """One run. ``result``: "ok", "warn", "fail", "unknown", "nothing", "refused" of one that came to its end,
    "failed", "timed out" of one that did not. ``cause``: "timed", "late" (it was due while the machine slept or the
    daemon did not run), "manual". ``asleep``: earlier days that it covers, each "2026-03-08" or
    "2026-03-08..2026-03-11". ``written``: what was written where, with ``dry_run`` what would be; empty of past runs.
    ``undo``: what `conductd undo` takes to take back what was written into the workspace."""

    job: str
    workspace: str
    root: str
    day: str
    cause: str
    asleep: list[str]
    result: str
    text: str
    started: str
    started_ns: int
    duration_s: float
    undo: int | None
    written: list[str]
    dry_run: bool


class ReportView(View, frozen=True):
    """The report of a day. ``kept``: it was made in its night and kept; else now, of what the history has, and is not
    kept. ``shape``: "clean", "handled", "needs you"; "" of one that is kept and of which the run is not known any
    more. ``figures``: as in the report. ``where``: the page of one that is kept."""

    workspace: str
    root: str
    root_b64: str
    day: str
    kept: bool
    shape: str
    figures: dict[str, str]
    markdown: str
    html: str
    where: str


class JobView(View, frozen=True):
    """One job of one workspace. ``state``: "off", "waiting" (for its time), "due" (it runs in a moment), "running",
    "stuck" (it cannot run now: ``why`` says why). ``when``: as configured, local time of ``zone``. ``next``: the time
    it is due next, "" when it is off; ``next_day``: the day that run will be for. ``progress``: 0 to 1 of one that
    runs, where known."""

    job: str
    workspace: str
    root: str
    root_b64: str
    when: str
    zone: str
    state: str
    why: str
    next: str
    next_ns: int | None
    next_day: str
    last: JobRunView | None
    progress: float | None
    doing: str
