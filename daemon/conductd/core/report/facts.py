"""What a report is made of. Values that do nothing. ``None`` means that nobody knows: it is never taken for nothing.

There is no text of files in any of it: names, counts, times and the daemon's own sentences.
"""

from __future__ import annotations

from collections.abc import Iterator

from conductd.core.checkpoint.result import CheckpointResult
from conductd.core.continuity.result import ContinuityResult
from conductd.core.night.facts import DayIncident
from conductd.core.qc.results import Grade, QcResult
from conductd.model import Frozen

OFF = "off"


class JobFact(Frozen, frozen=True):
    """A job of the night and its run. ``day``: that of the run. ``result``: as in the journal; "": it did not run,
    "off": it is not to. ``asleep``: earlier days that this run covers, as the journal writes them."""

    job: str
    day: str
    result: str = ""
    words: str = ""
    asleep: tuple[str, ...] = ()
    is_late: bool = False


class FileSizes(Frozen, frozen=True):
    """``points``: (ISO day, bytes at its end), oldest first, at most 30. ``limit``: bytes at which the agent loads no
    more, ``limit_said``: the limit in the agent's unit; None, "": it has none, or nobody knows."""

    path: bytes
    points: tuple[tuple[str, int], ...]
    limit: int | None = None
    limit_said: str = ""


class Unreported(Frozen, frozen=True):
    """What came after the report before, and before the day. ``since``: local time, as "2026-03-08 23:20"."""

    since: str
    versions: int | None
    gained: int | None
    lost: int | None


class Facts(Frozen, frozen=True):
    """One day of one workspace. ``workspace``: its directory, as shown. ``agent``, ``version``: "" where nobody knows.
    ``gained``, ``lost``: entries. ``unread``: protected files that could not be read;
    ``unjudged``: those that wait for a verdict. ``degraded``: why the daemon is,
    one sentence each. ``false_alarms``: of all time. ``incidents``: also those that are ``unreported``.
    ``is_watched`` False: the day was over before the workspace was known."""

    day: str
    zone: str
    workspace: str
    agent: str = ""
    version: str = ""
    jobs: tuple[JobFact, ...] = ()
    checkpoint: CheckpointResult | None = None
    continuity: ContinuityResult | None = None
    qc: QcResult | None = None
    incidents: tuple[DayIncident, ...] | None = None
    gained: int | None = None
    lost: int | None = None
    versions_per_hour: tuple[int, ...] | None = None
    sizes: tuple[FileSizes, ...] | None = None
    unread: tuple[bytes, ...] = ()
    unjudged: tuple[bytes, ...] = ()
    degraded: tuple[str, ...] | None = None
    false_alarms: int | None = None
    unreported: Unreported | None = None
    is_watched: bool = True
    format: int = 1

    def job(self, name: str) -> JobFact | None:
        return next((each for each in self.jobs if each.job == name), None)

    @property
    def open_incidents(self) -> tuple[DayIncident, ...] | None:
        if self.incidents is None:
            return None
        return tuple(each for each in self.incidents if each.state == "open")


UNKNOWN = "unknown"


def said(count: int | None, sign: str = "") -> str:
    return UNKNOWN if count is None else format(count, sign + ",")


def _unreported(facts: Facts) -> Iterator[tuple[str, str]]:
    """Nothing where nothing came."""
    found = facts.unreported
    if found is None or found.versions == 0:
        return
    for name, count in (("versions", found.versions), ("entries gained", found.gained), ("entries lost", found.lost)):
        yield f"{name} from {found.since} until the day", said(count)


def figures(facts: Facts) -> tuple[tuple[str, str], ...]:
    """The figures that every form of a report has, in this order: (name, figure or "unknown")."""
    hours, qc, open_ones = facts.versions_per_hour, facts.qc, facts.open_incidents
    net = facts.gained - facts.lost if facts.gained is not None and facts.lost is not None else None

    def graded(grade: Grade) -> str:
        return said(qc.count(grade) if qc is not None and qc.findings else None)

    return (
        ("versions", said(sum(hours) if hours is not None else None)),
        ("entries gained", said(facts.gained)),
        ("entries lost", said(facts.lost)),
        ("net entries", said(net, "+")),
        ("incidents", said(len(facts.incidents) if facts.incidents is not None else None)),
        ("open incidents", said(len(open_ones) if open_ones is not None else None)),
        ("checks passed", graded(Grade.PASS)),
        ("checks with a warning", graded(Grade.WARN)),
        ("checks failed", graded(Grade.FAIL)),
        ("checks unknown", graded(Grade.UNKNOWN)),
        ("unfinished work", said(facts.continuity.unfinished if facts.continuity is not None else None)),
        ("troubles of the daemon", said(len(facts.degraded) if facts.degraded is not None else None)),
        ("false alarms ever", said(facts.false_alarms)),
        *_unreported(facts),
    )
