"""Records as people and programs are shown them: one event, one readable line, no file content.

Pure. The engine describes live records with it, `reader` those of the past; both give the same view.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from conductd.model import (
    DAEMON,
    Cause,
    ChangeRecord,
    DecisionRecord,
    EventClass,
    EventRecord,
    FileState,
    ForgetRecord,
    Frozen,
    IncidentRecord,
    NoticeRecord,
    RepairDoneRecord,
    RepairPlanRecord,
    RequestRecord,
    Severity,
    Span,
    Stored,
    VersionRecord,
    WorkspaceRecord,
)
from conductd.views import EventView, b64, iso, shown

# More places than this are counted, not listed: an event is one line of a stream.
PLACES = 200

# The record kinds that are events; the rest of the journal is bookkeeping.
EVENT_KINDS = frozenset(
    {"version", "change", "incident", "repair_done", "notice", "event", "decision", "workspace", "request", "forget"}
)


class Around(Frozen, frozen=True):
    """What a record leaves out because the journal says it elsewhere: the path of its file, who wrote the
    version that was judged, the plan that was done, and what a version was written for."""

    path: bytes = b""
    by: str = ""
    plan: RepairPlanRecord | None = None
    purpose: str = ""  # of the plan that wrote the version


class _Told(Frozen, frozen=True):
    """The parts of an event that depend on the kind of record."""

    text: str
    data: dict[str, object]
    workspace: str = ""
    path: bytes = b""
    event_class: str = ""
    severity: str = Severity.INFO
    action: str = ""
    by: str = ""
    incident: int | None = None


def event_view(stored: Stored, around: Around | None = None) -> EventView | None:
    """The event a record is; None for a record that is none (plans, evidence, checkpoints …)."""
    told = _told(stored, around or Around())
    if told is None:
        return None
    return EventView(
        seq=stored.seq,
        at=iso(stored.wall_ns),
        at_ns=stored.wall_ns,
        kind=stored.record.kind,
        workspace=told.workspace,
        path=shown(told.path),
        path_b64=b64(told.path),
        event_class=told.event_class,
        severity=told.severity,
        action=told.action,
        by=told.by,
        incident=told.incident,
        text=told.text,
        data=told.data,
    )


def _told(stored: Stored, around: Around) -> _Told | None:
    match stored.record:
        case VersionRecord() as record:
            return _version(record, around.purpose)
        case ChangeRecord() as record:
            return _change(record, around.by)
        case IncidentRecord() as record:
            return _incident(record, stored.seq, around.path)
        case RepairDoneRecord() as record:
            return _repair_done(record, around.plan)
        case NoticeRecord() as record:
            return _notice(record)
        case EventRecord() as record:
            return _event(record)
        case DecisionRecord() as record:
            return _decision(record, around.path)
        case WorkspaceRecord() as record:
            return _workspace(record)
        case RequestRecord() as record:
            return _request(record, stored.seq, around.path)
        case ForgetRecord() as record:
            return _forget(record, stored.seq)
    return None


def outcome_of(action: str) -> str | None:
    """What can be said of a judged version before any repair: merge and revert are still to be done."""
    return {"propose": "proposed", "hold": "held"}.get(action)


_PURPOSES = {"restore": ", restored", "undo": ", undone", "accept": ", accepted", "rollback": ", taken back"}


def _version(record: VersionRecord, purpose: str) -> _Told:
    event_class = EventClass.FIRST_SIGHT.value if record.cause is Cause.FIRST_SIGHT else ""
    if record.state is FileState.OVERSIZE:
        event_class = EventClass.OVERSIZE.value
    states = {
        FileState.FILE: _count(record.size, "byte"),
        FileState.ABSENT: "deleted",
        FileState.UNREADABLE: f"unreadable ({record.reason})",
        FileState.SYMLINK: f"a symbolic link to {shown(record.link_target or b'')}",
        FileState.OVERSIZE: f"{_count(record.size, 'byte')}, over the size limit",
        FileState.SPECIAL: "no regular file",
    }
    causes = {
        Cause.FIRST_SIGHT: ", first seen",
        Cause.OFFLINE: ", changed while conductd was not running",
        Cause.REPAIR: ", repaired",
        Cause.RESTORE: _PURPOSES.get(purpose, f", written by {purpose or DAEMON.name}"),
        Cause.SWAPPED_OUT: ", found in the file that was taken out",
    }
    data: dict[str, object] = {
        "state": str(record.state),
        "cause": str(record.cause),
        "purpose": purpose,
        "digest": record.digest.hex() if record.digest else None,
        "size": record.size,
        "offline": record.cause is Cause.OFFLINE,
        "coalesced": record.coalesced,
        "swept": record.swept,
        "confidence": record.actor.confidence,
        "evidence": list(record.actor.evidence),
        "parents": list(record.parents),
        "reason": record.reason,
    }
    by = "" if record.actor.name == "unknown" else f" by {record.actor.name}"
    text = f"{shown(record.path)}: {states[record.state]}{by}{causes.get(record.cause, '')}"
    return _Told(text, data, record.workspace, record.path, event_class, by=record.actor.name)


def _change(record: ChangeRecord, by: str) -> _Told:
    verdict, change = record.verdict, record.verdict.change
    places = sorted({shown(each.path) for each in change.moved if each.path is not None})
    data: dict[str, object] = {
        "version": record.version_seq,
        "baseline": record.baseline_seq,
        "rule": verdict.rule,
        "facts": dict(verdict.facts),
        "entries_before": change.entries_before,
        "kept": change.kept,
        "reworded": len(change.reworded),
        "moved": len(change.moved),
        "lost": len(change.lost),
        "added": len(change.added),
        "new_entries": change.new_entries,
        "lost_share": change.lost_share,
        "lost_lines": _lines(change.lost),
        "moved_lines": _lines([each.old for each in change.moved]),
        "moved_to": places[:PLACES],
        "charged_to": verdict.charged_to,
        "debt": verdict.debt,
    }
    parts = []
    if change.lost:
        share = round(change.lost_share * 100)
        parts.append(f"{len(change.lost)} of {_count(change.entries_before, 'entry', 'entries')} lost ({share} %)")
    if change.moved:
        parts.append(f"{len(change.moved)} moved" + (f" to {places[0]}" if len(places) == 1 else ""))
    if change.reworded:
        parts.append(f"{len(change.reworded)} reworded")
    if change.added:
        parts.append(f"{len(change.added)} added")
    text = f"{shown(record.path)}: {verdict.event_class}" + (f", {', '.join(parts)}" if parts else "")
    return _Told(
        f"{text}: {verdict.action}",
        data,
        record.workspace,
        record.path,
        verdict.event_class,
        verdict.severity,
        verdict.action,
        by,
        record.incident,
    )


def _incident(record: IncidentRecord, seq: int, path: bytes) -> _Told:
    number = seq if record.incident is None else record.incident
    data: dict[str, object] = {
        "state": record.state,
        "rounds": record.rounds,
        "writer": record.writer,
        "loop": record.loop,
        "stood_down": record.stood_down,
        "files": len(record.files),
        "changes": list(record.changes[:PLACES]),
        "debt": len(record.debt),
        "why": record.why,
        "provenance": record.provenance,
    }
    what = shown(path) if len(record.files) == 1 and path else _count(len(record.files), "file")
    text = f"incident {number} {record.state}: {record.event_class} of {what}"
    text += "" if record.writer == "unknown" else f" by {record.writer}"
    text += f", round {record.rounds}" if record.rounds > 1 else ""
    text += ", conductd has stood down" if record.stood_down else ""
    return _Told(
        text,
        data,
        record.workspace,
        path,
        record.event_class,
        record.severity,
        record.action,
        record.writer,
        number,
    )


def _repair_done(record: RepairDoneRecord, plan: RepairPlanRecord | None) -> _Told:
    path = plan.path if plan else b""
    purpose = plan.purpose if plan else "repair"
    data: dict[str, object] = {
        "plan": record.plan,
        "purpose": purpose,
        "outcome": record.outcome,
        "method": record.method,
        "reason": record.reason,
        "version": record.version_seq,
        "undoes": plan.undoes if plan else None,
        "set": plan.set_id if plan else 0,
        "digest": plan.target_digest.hex() if plan and plan.target_digest else None,
        "provenance": plan.provenance if plan else "",
    }
    text = f"{shown(path)}: {purpose} {record.outcome}" + (f": {record.reason}" if record.reason else "")
    if plan is not None and plan.incident is None and record.outcome == "applied" and plan.purpose != "rollback":
        text += f" (conductd undo {plan.set_id or record.plan})"
    return _Told(
        text,
        data,
        plan.workspace if plan else "",
        path,
        severity=Severity.INFO if record.outcome == "applied" else Severity.NOTICE,
        by="conductd",
        incident=plan.incident if plan else None,
    )


def _notice(record: NoticeRecord) -> _Told:
    data: dict[str, object] = {
        "title": record.title,
        "command": record.command,
        "detail": record.detail,
        "files": [shown(each) for each in record.files[:PLACES]],
        "files_b64": [b64(each) for each in record.files[:PLACES]],
    }
    return _Told(
        record.title,
        data,
        record.workspace,
        record.files[0] if record.files else b"",
        record.event_class,
        record.severity,
        by=record.writer,
        incident=record.incident,
    )


def _event(record: EventRecord) -> _Told:
    text = f"{record.event_class}" + "".join(f": {each}" for each in (record.reason, record.detail) if each)
    if record.facts:
        text = record.detail
    facts = _facts(record.facts)
    # Those that share a limit, or a spelling, it is about together; what is cut it is about alone.
    is_shared = bool(facts) and (record.event_class is EventClass.SPLIT_FILES or not facts.get("name"))
    own = [shown(record.path)] if record.path else []
    data: dict[str, object] = {
        "reason": record.reason,
        "detail": record.detail,
        "facts": facts,
        "files": (facts.get("files") if is_shared else None) or own,
    }
    return _Told(
        text,
        data,
        record.workspace,
        record.path,
        record.event_class,
        record.severity,
        # Left as written, with the way to mend it.
        "propose" if record.event_class is EventClass.SPLIT_FILES and record.severity != Severity.INFO else "",
        by=str(facts.get("writer") or "conductd"),
        incident=record.incident,
    )


def _facts(packed: bytes) -> dict[str, object]:
    """What an event says in numbers; nothing where it cannot be read."""
    try:
        found = msgspec.msgpack.decode(packed) if packed else None
    except msgspec.MsgspecError:
        return {}
    return found if isinstance(found, dict) else {}


def _decision(record: DecisionRecord, path: bytes) -> _Told:
    data: dict[str, object] = {
        "decision": record.decision,
        "caller": list(record.caller),
        "detail": record.detail,
        "accepted": len(record.accepted),
        "false_positive": record.false_positive,
    }
    about = shown(path or record.path) or (f"incident {record.incident}" if record.incident is not None else "")
    text = record.decision + (f" {about}" if about else "") + (f": {record.detail}" if record.detail else "")
    by = record.caller[0] if record.caller else ""
    return _Told(text, data, record.workspace, path, by=by, incident=record.incident)


def _request(record: RequestRecord, seq: int, path: bytes) -> _Told:
    number = seq if record.request is None else record.request
    data: dict[str, object] = {
        "request": number,
        "state": record.state,
        "act": record.act,
        "words": record.words,
        "caller": list(record.caller),
    }
    severity = Severity.NOTICE if record.state == "open" else Severity.INFO
    by = record.caller[0] if record.caller else ""
    return _Told(
        f"request {number} ({record.state}): {record.words}", data, record.workspace, path, severity=severity, by=by
    )


def _forget(record: ForgetRecord, seq: int) -> _Told:
    number = seq if record.forget is None else record.forget
    count = len(record.versions)
    data: dict[str, object] = {"forget": number, "state": record.state, "records": count, "due_ns": record.due_ns}
    if record.state == "hidden":
        text = f"forget {number}: {_count(count, 'record')} hidden, to be erased {iso(record.due_ns)}"
    else:
        text = f"forget {number}: {record.state}"
    return _Told(text, data, severity=Severity.NOTICE)


def _workspace(record: WorkspaceRecord) -> _Told:
    data: dict[str, object] = {
        "root": shown(record.root),
        "root_b64": b64(record.root),
        "mode": str(record.mode),
        "profile": record.profile,
        "fresh": record.fresh,
    }
    text = f"workspace {shown(record.root)}: {record.mode} ({record.profile})"
    return _Told(text + (", a new directory" if record.fresh else ""), data, record.workspace)


def _lines(spans: Sequence[Span]) -> list[object]:
    return [[each.line, each.last_line] for each in spans[:PLACES]]


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
