"""What a job of the night is given of a workspace and a day, gathered beforehand. Values that do nothing."""

from __future__ import annotations

from datetime import date, time

from conductd.model import EventClass, Frozen, Role, Severity


class Occasion(Frozen, frozen=True):
    """One run of one job for one workspace.

    ``day``: the local day it is for; of a checkpoint the day that ends at the agent's reset. ``begins``: local time at
    which that day begins. ``asleep``: earlier days without a run, for the machine slept or the daemon did not run; this
    run covers them and names them. ``zone``: IANA name. ``now_ns``: wall clock, UTC.
    """

    job: str  # "checkpoint" | "continuity" | "qc" | "report" | "recap"
    workspace: str
    root: bytes
    day: date
    zone: str
    now_ns: int
    begins: time = time()
    asleep: tuple[date, ...] = ()
    is_late: bool = False
    is_manual: bool = False
    is_dry: bool = False


class NightFile(Frozen, frozen=True):
    """A protected file as it is on disk. ``seq``: the version on record with these bytes; 0: none yet."""

    path: bytes  # relative to the workspace
    role: Role
    data: bytes
    seq: int = 0


class DayIncident(Frozen, frozen=True):
    """An incident that was opened or ended on the day, or is open at its end. ``done``: what the daemon did, in one
    sentence without content; ``command``: what a person may do."""

    incident: int
    event_class: EventClass
    severity: Severity
    state: str  # "open" | "resolved" | "accepted" | "expired"
    paths: tuple[bytes, ...]
    entries_lost: int  # still lost
    opened_ns: int
    done: str
    command: str = ""


class Day(Frozen, frozen=True):
    """All of one local day of a workspace, as the history has it. ``None`` means that it could not be asked, or that
    the workspace was not known on that day. ``unjudged``: files of which the last versions have no verdict yet.
    ``is_watched`` False: the day was over before the workspace was known.

    ``start_ns``, ``end_ns``: the day's first instant and the next day's, wall clock, UTC: 23 to 25 hours apart.
    """

    day: date
    start_ns: int
    end_ns: int
    changes: int | None  # of its versions those that have a verdict
    incidents: tuple[DayIncident, ...] | None
    versions_per_hour: tuple[int, ...] | None  # by hours since the day's start: 23 to 25 figures
    unjudged: tuple[bytes, ...] = ()
    is_watched: bool = True


class Before(Frozen, frozen=True):
    """What a file that changed on the day held at its beginning, and at its end or now. ``data``, ``after``: None: it
    was not there. ``is_known`` False, ``is_after_known`` False: the history cannot tell any more."""

    path: bytes
    data: bytes | None
    is_known: bool = True
    after: bytes | None = None
    is_after_known: bool = True


class Stretch(Frozen, frozen=True):
    """A stretch of the history that is no day, told as one. ``before``: as in `Night`."""

    day: Day
    before: tuple[Before, ...] = ()


class Night(Frozen, frozen=True):
    """What all jobs are given. ``files`` in the order of their paths. ``unread``: (path, why) of protected files that
    could not be read: missing is never clean. ``agent``: the one that reads the workspace (of several the first), and
    its release; "" where nobody knows. ``before``: of each file that changed on the day, by path. ``reports``: files of
    this workspace's directory of reports, by path relative to it. ``unreported``: for a report: what came after the one
    before it and before the day."""

    occasion: Occasion
    agent: str
    version: str
    files: tuple[NightFile, ...]
    unread: tuple[tuple[bytes, str], ...]
    day: Day
    before: tuple[Before, ...] = ()
    reports: tuple[tuple[bytes, bytes], ...] = ()
    unreported: Stretch | None = None
