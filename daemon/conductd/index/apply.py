"""What each record changes in the tables: explicit SQL, one function a kind, in the writer's transaction.

Depends on nothing but the record and the tables, so that any split into batches gives the same index.
"""

from __future__ import annotations

import sqlite3

import msgspec

from conductd.index.events import outcome_of
from conductd.model import (
    NO_FALSE_ALARM,
    Cause,
    ChangeRecord,
    DecisionRecord,
    ErasureRecord,
    EventRecord,
    EvidenceRecord,
    FileState,
    ForgetRecord,
    Frozen,
    IncidentRecord,
    NoticeRecord,
    RepairDoneRecord,
    RepairPlanRecord,
    RequestRecord,
    Stored,
    VersionRecord,
    WorkspaceRecord,
)

# An announced write counts this long before and after.
_JUST_AFTER_NS = 2_000_000_000
_EVIDENCE_NS = 10_000_000_000
# Undo of an undo of an undo …: how far the chain is followed.
_UNDO_CHAIN = 1_000


class Extra(Frozen, frozen=True):
    """What only few versions have."""

    link_target: bytes | None = None
    reason: str = ""
    parents: tuple[int, ...] = ()
    coalesced: int = 0
    renamed_from: int | None = None
    swept: bool = False


_NOTHING = Extra()
_encode = msgspec.msgpack.Encoder().encode


def apply_record(sql: sqlite3.Connection, stored: Stored) -> None:
    """Take one record into account. Kinds that nothing is asked about change nothing."""
    match stored.record:
        case VersionRecord() as record:
            _version(sql, stored, record)
        case ChangeRecord() as record:
            _change(sql, stored, record)
        case IncidentRecord() as record:
            _incident(sql, stored, record)
        case RepairPlanRecord() as record:
            _repair_plan(sql, stored.seq, record)
        case RepairDoneRecord() as record:
            _repair_done(sql, stored, record)
        case DecisionRecord() as record:
            _decision(sql, stored, record)
        case EvidenceRecord() as record:
            _evidence(sql, stored.wall_ns, record)
        case WorkspaceRecord() as record:
            _workspace(sql, stored, record)
        case NoticeRecord() as record:
            _keep_event(sql, stored, workspace=record.workspace, incident=record.incident)
        case EventRecord() as record:
            _keep_event(sql, stored, workspace=record.workspace, incident=record.incident)
        case RequestRecord() as record:
            _keep_event(sql, stored, workspace=record.workspace, file=record.file)
        case ForgetRecord():
            _keep_event(sql, stored, workspace="")
        case ErasureRecord() as record:
            _erasure(sql, record)


def _erasure(sql: sqlite3.Connection, record: ErasureRecord) -> None:
    """What was only redacted can still be restored; after `forget` the index is made anew, and a digest tells. What
    `gc` names loses its content and its digest: nobody is to find it by that."""
    rows = [(seq,) for seq in record.sequences]
    if record.purpose == "forget":
        sql.executemany("UPDATE versions SET erased = 1 WHERE seq = ? AND digest IS NULL", rows)
    else:
        sql.executemany("UPDATE versions SET erased = 2, digest = NULL WHERE seq = ?", rows)


def _workspace_id(sql: sqlite3.Connection, uuid: str) -> int:
    row = sql.execute("SELECT id FROM workspaces WHERE uuid = ?", (uuid,)).fetchone()
    if row is not None:
        return int(row[0])
    # Its own record is damaged or gone: the files are still worth finding.
    made = sql.execute("INSERT INTO workspaces (uuid, root, mode, profile) VALUES (?, x'', '', '')", (uuid,))
    return int(made.lastrowid or 0)


def _keep_event(
    sql: sqlite3.Connection,
    stored: Stored,
    *,
    workspace: str,
    file: int | None = None,
    incident: int | None = None,
    about: int | None = None,
) -> None:
    ws = _workspace_id(sql, workspace) if workspace else None
    record = stored.record
    sql.execute(
        "INSERT INTO events (seq, at_ns, mono_ns, kind, ws, file, incident, about, record)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (stored.seq, stored.wall_ns, stored.mono_ns, record.kind, ws, file, incident, about, _encode(record)),
    )


def _workspace(sql: sqlite3.Connection, stored: Stored, record: WorkspaceRecord) -> None:
    ws = _workspace_id(sql, record.workspace)
    sql.execute(
        "UPDATE workspaces SET root = ?, mode = ?, profile = ? WHERE id = ?",
        (record.root, record.mode.value, record.profile, ws),
    )
    _keep_event(sql, stored, workspace=record.workspace)


def _version(sql: sqlite3.Connection, stored: Stored, record: VersionRecord) -> None:
    ws = _workspace_id(sql, record.workspace)
    extra = Extra(
        record.link_target, record.reason, record.parents, record.coalesced, record.renamed_from, record.swept
    )
    actor = record.actor
    sql.execute(
        "INSERT INTO versions (seq, file, ws, at_ns, mono_ns, state, cause, digest, size, actor, confidence, evidence,"
        " extra) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            stored.seq,
            record.file,
            ws,
            stored.wall_ns,
            stored.mono_ns,
            record.state.value,
            record.cause.value,
            record.digest,
            record.size,
            actor.name,
            actor.confidence,
            "\n".join(actor.evidence) or None,
            None if extra == _NOTHING else _encode(extra),
        ),
    )
    # Bytes that were taken out of place are history of the file, not what stands there.
    is_head = record.cause is not Cause.SWAPPED_OUT
    sql.execute(
        "INSERT INTO files (file, ws, path, name, state, size, digest, versions, last_seq, last_ns)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?)"
        " ON CONFLICT (file) DO UPDATE SET versions = versions + 1",
        (
            record.file,
            ws,
            record.path,
            record.path.rpartition(b"/")[2],
            record.state.value if is_head else FileState.ABSENT.value,
            record.size,
            record.digest,
            stored.seq,
            stored.wall_ns,
        ),
    )
    if is_head:
        sql.execute(
            "UPDATE files SET state = ?, size = ?, digest = ?, last_seq = ?, last_ns = ? WHERE file = ?",
            (record.state.value, record.size, record.digest, stored.seq, stored.wall_ns, record.file),
        )
    sql.execute("UPDATE counters SET value = value + 1 WHERE name = 'versions'")
    if record.coalesced:
        sql.execute("UPDATE counters SET value = value + ? WHERE name = 'coalesced'", (record.coalesced,))


def _change(sql: sqlite3.Connection, stored: Stored, record: ChangeRecord) -> None:
    verdict = record.verdict
    sql.execute(
        "INSERT INTO changes (seq, file, version_seq, action, incident) VALUES (?, ?, ?, ?, ?)",
        (stored.seq, record.file, record.version_seq, verdict.action.value, record.incident),
    )
    sql.execute(
        "UPDATE versions SET change = ?, event_class = ?, severity = ?, action = ?, lost = ?, added = ?,"
        " lost_share = ?, incident = ?, outcome = ? WHERE seq = ?",
        (
            stored.seq,
            verdict.event_class.value,
            verdict.severity.value,
            verdict.action.value,
            len(verdict.change.lost),
            len(verdict.change.added),
            verdict.change.lost_share,
            record.incident,
            outcome_of(verdict.action),
            record.version_seq,
        ),
    )
    _keep_event(
        sql,
        stored,
        workspace=record.workspace,
        file=record.file,
        incident=record.incident,
        about=record.version_seq,
    )


def _incident(sql: sqlite3.Connection, stored: Stored, record: IncidentRecord) -> None:
    number = stored.seq if record.incident is None else record.incident
    sql.execute(
        "INSERT INTO incidents (incident, ws, state, opened_ns, last_seq, record) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (incident) DO UPDATE"
        " SET state = excluded.state, last_seq = excluded.last_seq, record = excluded.record",
        (
            number,
            _workspace_id(sql, record.workspace),
            record.state,
            stored.wall_ns,
            stored.seq,
            _encode(record),
        ),
    )
    sql.executemany(
        "INSERT OR IGNORE INTO incident_files (incident, file) VALUES (?, ?)", [(number, file) for file in record.files]
    )
    for change in record.changes:
        sql.execute("UPDATE changes SET incident = ? WHERE seq = ?", (number, change))
        sql.execute("UPDATE events SET incident = ? WHERE seq = ?", (number, change))
        sql.execute(
            "UPDATE versions SET incident = ?"
            " WHERE seq = (SELECT version_seq FROM changes WHERE seq = ?) AND change = ?",
            (number, change, change),
        )
    if record.state in ("accepted", "resolved"):
        # What was only proposed has found its end; what was put back says so already.
        sql.execute(
            "UPDATE versions SET outcome = ? WHERE (? = 'accepted' OR outcome = 'proposed') AND incident = ?"
            " AND seq IN (SELECT version_seq FROM changes WHERE incident = ?)",
            (record.state, record.state, number, number),
        )
    file = record.files[0] if record.files else None
    _keep_event(sql, stored, workspace=record.workspace, file=file, incident=number)


def _repair_plan(sql: sqlite3.Connection, seq: int, record: RepairPlanRecord) -> None:
    answered = sql.execute(
        "SELECT version_seq FROM changes WHERE file = ? ORDER BY seq DESC LIMIT 1", (record.file,)
    ).fetchone()
    judged = answered[0] if answered and record.purpose == "repair" else None
    sql.execute(
        "INSERT INTO plans (plan, file, purpose, undoes, judged_seq, record) VALUES (?, ?, ?, ?, ?, ?)",
        (seq, record.file, record.purpose, record.undoes, judged, _encode(record)),
    )


def _repair_done(sql: sqlite3.Connection, stored: Stored, record: RepairDoneRecord) -> None:
    sql.execute("UPDATE plans SET outcome = ?, done = ? WHERE plan = ?", (record.outcome, _encode(record), record.plan))
    row = sql.execute("SELECT record FROM plans WHERE plan = ?", (record.plan,)).fetchone()
    plan = msgspec.msgpack.decode(row[0], type=RepairPlanRecord) if row else None
    if plan is not None:
        _tell_outcome(sql, record.plan, record.outcome)
    _keep_event(
        sql,
        stored,
        workspace=plan.workspace if plan else "",
        file=plan.file if plan else None,
        incident=plan.incident if plan else None,
        about=record.plan,
    )


def _tell_outcome(sql: sqlite3.Connection, plan: int, outcome: str) -> None:
    """Say at the judged version what became of it: its repair's outcome, or that an undo took it back."""
    undone = False
    for _ in range(_UNDO_CHAIN):
        row = sql.execute("SELECT purpose, undoes, judged_seq FROM plans WHERE plan = ?", (plan,)).fetchone()
        if row is None:
            return
        purpose, undoes, judged = row
        if undoes is None:
            break
        if outcome != "applied":
            return
        undone = not undone
        plan = undoes
    if purpose != "repair" or judged is None:
        return
    if outcome == "applied":
        outcome = "undone" if undone else "merged"
        sql.execute(
            "UPDATE versions SET outcome = CASE WHEN ? = 'merged' AND action != 'merge' THEN 'reverted' ELSE ? END"
            " WHERE seq = ?",
            (outcome, outcome, judged),
        )
    else:
        sql.execute("UPDATE versions SET outcome = ? WHERE seq = ?", (outcome, judged))


def _decision(sql: sqlite3.Connection, stored: Stored, record: DecisionRecord) -> None:
    if record.false_positive:
        sql.execute("UPDATE counters SET value = value + 1 WHERE name = 'false_positives'")
    if record.decision == "undo" and record.detail == NO_FALSE_ALARM:
        sql.execute("UPDATE counters SET value = value - 1 WHERE name = 'false_positives'")
    _keep_event(sql, stored, workspace=record.workspace, file=record.file, incident=record.incident)


def _evidence(sql: sqlite3.Connection, wall_ns: int, record: EvidenceRecord) -> None:
    """Later evidence relabels versions nobody has been named for; it never changes a verdict.

    Which ones: as `engine.fold.attribution` has it. Content that is named holds for all of it, else for one write."""
    if record.version is not None:
        sure, words = record.confidence or 0.0, "\n".join(record.evidence) or None
        sql.execute(
            "UPDATE versions SET actor = ?, confidence = ?, evidence = ? WHERE seq = ? AND confidence <= ?",
            (record.actor, sure, words, record.version, sure),
        )
        return
    at = record.at_ns or wall_ns
    file = sql.execute(
        "SELECT file FROM files WHERE ws = ? AND path = ?", (_workspace_id(sql, record.workspace), record.path)
    ).fetchone()
    if file is None:
        return
    if record.digest is not None:
        sql.execute(
            "UPDATE versions SET actor = ?, confidence = 0.9, evidence = 'announced' WHERE confidence < 0.9"
            " AND coalesce(evidence, '') != 'announced'"
            " AND file = ? AND at_ns BETWEEN ? AND ? AND cause = 'change' AND digest = ?",
            (record.actor, file[0], at - _EVIDENCE_NS, at + _EVIDENCE_NS, record.digest),
        )
        return
    sql.execute(
        "UPDATE versions SET actor = ?, confidence = 0.7, evidence = 'announced' WHERE confidence < 0.9"
        " AND coalesce(evidence, '') != 'announced'"
        " AND cause = 'change' AND at_ns BETWEEN ? AND ?"
        " AND seq = (SELECT max(seq) FROM versions WHERE file = ? AND cause != 'swapped_out')",
        (record.actor, at - _JUST_AFTER_NS, at, file[0]),
    )
