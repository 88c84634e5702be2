"""What the index answers beside the API's views, and how rows become either.

Pure but for decoding; called by `reader`. Sequences are journal sequences.
"""

from __future__ import annotations

import sqlite3

import msgspec

from conductd.index.apply import Extra
from conductd.index.events import Around, event_view
from conductd.model import (
    RECORD_TYPES,
    Actor,
    Cause,
    FileState,
    Frozen,
    IncidentRecord,
    Record,
    RepairDoneRecord,
    RepairPlanRecord,
    Stored,
    VersionRecord,
)
from conductd.views import EventView, VersionView, b64, iso, shown


class FileRow(Frozen, frozen=True):
    """A file that has a version. ``state``, ``size``, ``digest``, ``last_seq`` are of its newest version."""

    file: int
    workspace: str
    root: bytes
    path: bytes
    state: FileState
    size: int
    digest: bytes | None
    versions: int
    last_seq: int
    last_ns: int
    open_incidents: int


class WorkspaceRow(Frozen, frozen=True):
    workspace: str
    root: bytes
    mode: str
    profile: str
    files: int
    versions: int
    open_incidents: int
    last_ns: int | None


class IncidentRow(Frozen, frozen=True):
    """An incident as its latest record says, and when that came; ``files`` are all it ever named."""

    incident: int
    opened_ns: int
    last_seq: int
    last_ns: int
    record: IncidentRecord
    files: tuple[int, ...]


class PlanRow(Frozen, frozen=True):
    """A repair plan and how it ended (None: it has not)."""

    plan: int
    record: RepairPlanRecord
    done: RepairDoneRecord | None


class Counts(Frozen, frozen=True):
    """Totals over all that was applied."""

    position: int
    versions: int
    coalesced: int
    false_positives: int


class DayRow(Frozen, frozen=True):
    """A file of which versions came within some time: how the first of them came about, how many there were, and how
    many have a verdict."""

    file: int
    path: bytes
    seq: int
    cause: Cause
    versions: int
    judged: int


class Stood(Frozen, frozen=True):
    """A state that a file was in."""

    seq: int
    at_ns: int
    state: FileState
    cause: Cause
    digest: bytes | None
    size: int


class Then(Frozen, frozen=True):
    """A file at some moment: the two newest states until then, newest first, and the first one after it."""

    before: tuple[Stood, ...]
    after: Stood | None


def stood(row: sqlite3.Row) -> Stood:
    seq, at_ns, state, cause, digest, size = row
    return Stood(seq, at_ns, FileState(state), Cause(cause), digest, size)


def day(row: sqlite3.Row) -> DayRow:
    file, path, seq, cause, versions, judged = row
    return DayRow(file, path, seq, Cause(cause), versions, judged)


# What a write of the daemon's own was for stands in its plan, the last one of the file before the version.
_PURPOSE = """
    CASE v.cause WHEN 'restore' THEN
        (SELECT p.purpose FROM plans p WHERE p.plan < v.seq AND p.file = v.file ORDER BY p.plan DESC LIMIT 1)
    END AS purpose
"""
VERSION_COLUMNS = f"""
    v.seq, v.at_ns, w.uuid, f.path, v.state, v.cause, v.digest, v.size, v.actor, v.confidence, v.evidence, v.erased,
    v.event_class, v.severity, v.action, v.lost, v.added, v.lost_share, v.incident, v.outcome,
    {_PURPOSE}
"""
VERSION_TABLES = "versions v JOIN files f ON f.file = v.file JOIN workspaces w ON w.id = v.ws"

ERASED_BY = ("", "forget", "gc")  # by the number in the column

_TYPES: dict[str, type[Record]] = {each.kind: each for each in RECORD_TYPES}
_DECODERS = {kind: msgspec.msgpack.Decoder(each) for kind, each in _TYPES.items()}
_EXTRA = msgspec.msgpack.Decoder(Extra)
_NO_EXTRA = Extra()


def record(kind: str, data: bytes) -> Record:
    return _DECODERS[kind].decode(data)


def version_view(row: sqlite3.Row) -> VersionView:
    """A row of `VERSION_COLUMNS`."""
    (seq, at_ns, workspace, path, state, cause, digest, size, actor, confidence, evidence, erased, *verdict) = row
    event_class, severity, action, lost, added, lost_share, incident, outcome, purpose = verdict
    return VersionView(
        seq=seq,
        at=iso(at_ns),
        at_ns=at_ns,
        workspace=workspace,
        path=shown(path),
        path_b64=b64(path),
        state=state,
        cause=cause,
        digest=digest.hex() if digest is not None else None,
        size=size,
        actor=actor,
        confidence=confidence,
        evidence=evidence.split("\n") if evidence else [],
        restorable=state == FileState.FILE and not erased,
        erased=ERASED_BY[erased or 0],
        offline=cause == Cause.OFFLINE,
        event_class=event_class,
        severity=severity,
        action=action,
        lost=lost,
        added=added,
        lost_share=lost_share,
        incident=incident,
        outcome=outcome,
        purpose=purpose or "",
    )


EVENT_COLUMNS = """
    e.seq, e.at_ns, e.mono_ns, e.kind, e.record, f.path AS path, v.actor AS by, p.record AS plan
"""
EVENT_TABLES = """
    events e LEFT JOIN files f ON f.file = e.file
    LEFT JOIN versions v ON e.kind = 'change' AND v.seq = e.about
    LEFT JOIN plans p ON e.kind = 'repair_done' AND p.plan = e.about
"""


def event(row: sqlite3.Row) -> EventView:
    """A row of `EVENT_COLUMNS`."""
    stored = Stored(row["seq"], row["at_ns"], row["mono_ns"], record(row["kind"], row["record"]))
    plan = record("repair_plan", row["plan"]) if row["plan"] is not None else None
    assert plan is None or isinstance(plan, RepairPlanRecord)
    view = event_view(stored, Around(row["path"] or b"", row["by"] or "", plan))
    assert view is not None
    return view


VERSION_EVENT_COLUMNS = f"""
    v.seq, v.at_ns, v.mono_ns, w.uuid AS workspace, v.file, f.path AS path, v.state, v.cause, v.digest, v.size, v.actor,
    v.confidence, v.evidence, v.extra, {_PURPOSE}
"""


def version_event(row: sqlite3.Row) -> EventView:
    """A row of `VERSION_EVENT_COLUMNS`."""
    extra = _EXTRA.decode(row["extra"]) if row["extra"] is not None else _NO_EXTRA
    evidence = tuple(row["evidence"].split("\n")) if row["evidence"] else ()
    version = VersionRecord(
        workspace=row["workspace"],
        file=row["file"],
        path=row["path"],
        state=FileState(row["state"]),
        cause=Cause(row["cause"]),
        digest=row["digest"],
        size=row["size"],
        link_target=extra.link_target,
        reason=extra.reason,
        actor=Actor(row["actor"], row["confidence"], evidence),
        parents=extra.parents,
        coalesced=extra.coalesced,
        renamed_from=extra.renamed_from,
        swept=extra.swept,
    )
    around = Around(purpose=row["purpose"] or "")
    view = event_view(Stored(row["seq"], row["at_ns"], row["mono_ns"], version), around)
    assert view is not None
    return view


def plan(row: sqlite3.Row) -> PlanRow:
    """A row of ``plan, record, done``."""
    planned = record("repair_plan", row["record"])
    done = record("repair_done", row["done"]) if row["done"] is not None else None
    assert isinstance(planned, RepairPlanRecord)
    assert done is None or isinstance(done, RepairDoneRecord)
    return PlanRow(row["plan"], planned, done)
