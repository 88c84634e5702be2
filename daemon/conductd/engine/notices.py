"""The sentences a person reads about an incident. Pure: names files and counts, never content."""

from __future__ import annotations

from conductd.model import Action, EventClass, IncidentRecord, NoticeRecord, Severity, Verdict
from conductd.views import shown

_WHAT = {
    EventClass.OVERWRITE: "was overwritten",
    EventClass.SHRINK: "shrank",
    EventClass.DELETION: "was deleted",
    EventClass.PARTIAL_WRITE: "was cut short",
    EventClass.LOST_UPDATE: "was written from a stale copy",
    EventClass.EXTERNAL_RESET: "was changed by git",
    EventClass.MASS_LOSS: "was lost with others",
    EventClass.EROSION: "is eroding",
    EventClass.CONFLICT_MARKERS: "holds conflict marks",
}

_DONE = {
    Action.REVERT: "put back as it was",
    Action.MERGE: "merged: what was lost is back, what is new is kept",
    Action.PROPOSE: "left as written; what is lost is offered back",
    Action.HOLD: "left alone until the other operation is over",
    Action.RECORD: "recorded",
}


def loss(verdict: Verdict) -> str:
    change = verdict.change
    lost = len(change.lost)
    if not lost:
        return "nothing lost"
    return f"{lost} of {change.entries_before} entries lost ({round(verdict.change.lost_share * 100)} %)"


def describe(path: bytes, verdict: Verdict, writer: str, done: str = "") -> str:
    """One line: what happened to which file, by whom, how much, what was done."""
    what = _WHAT.get(verdict.event_class, f"changed ({verdict.event_class})")
    by = f" by {writer}" if writer != "unknown" else ""
    return f"{shown(path)} {what}{by}: {loss(verdict)}; {done or _DONE[verdict.action]}"


def first(path: bytes, verdict: Verdict, incident: int, workspace: str, writer: str, done: str) -> NoticeRecord:
    """The notice of an incident, sent once when its first answer is given."""
    written = verdict.action in (Action.REVERT, Action.MERGE) and not done.startswith("not written")
    command = "conductd undo" if written else f"conductd restore --incident {incident}"
    return NoticeRecord(
        event_class=verdict.event_class,
        severity=verdict.severity,
        title=describe(path, verdict, writer, done),
        workspace=workspace,
        files=(path,),
        incident=incident,
        command=command,
        writer=writer,
        detail=f"conductd accept {incident}: it was meant",
    )


def put_back(paths: tuple[bytes, ...], record: IncidentRecord, incident: int) -> NoticeRecord:
    """The notice of an incident whose repair was done just before the daemon died, or could not write."""
    what = _WHAT.get(record.event_class, f"changed ({record.event_class})")
    by = f" by {record.writer}" if record.writer != "unknown" else ""
    names = ", ".join(shown(path) for path in paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
    return NoticeRecord(
        event_class=record.event_class,
        severity=record.severity,
        title=f"{names} {what}{by}; {_DONE[record.action]}",
        workspace=record.workspace,
        files=paths,
        incident=incident,
        command="conductd undo",
        writer=record.writer,
        detail=f"conductd accept {incident}: it was meant",
    )


def loop(path: bytes, record: IncidentRecord, incident: int) -> NoticeRecord:
    """The second and last notice of a fight: names the writer."""
    writer = record.writer if record.writer != "unknown" else "an unknown writer"
    return NoticeRecord(
        event_class=record.event_class,
        severity=Severity.ALARM,
        title=f"{writer} keeps destroying {shown(path)}: round {record.rounds}; it is put back only after quiet",
        workspace=record.workspace,
        files=(path,),
        incident=incident,
        command=f"conductd accept {incident}",
        writer=record.writer,
        detail="stop the writer, or accept what it writes",
    )


def several(record: IncidentRecord, paths: tuple[bytes, ...], incident: int, done: str) -> NoticeRecord:
    """One notice for files lost together."""
    names = ", ".join(shown(p) for p in paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")
    what = "destroyed together" if record.event_class is EventClass.MASS_LOSS else "removed with their directory"
    written = record.action is Action.REVERT
    return NoticeRecord(
        event_class=record.event_class,
        severity=record.severity,
        title=f"{len(paths)} files were {what}: {names}; {done}",
        workspace=record.workspace,
        files=paths,
        incident=incident,
        command="conductd undo" if written else f"conductd restore --incident {incident}",
        detail=f"conductd accept {incident}: it was meant",
    )


def weakened(what: str, workspace: str, caller: tuple[str, ...], incident: int | None = None) -> NoticeRecord:
    """Protection was weakened on request: always told, with who asked."""
    by = caller[0] if caller else "an unknown process"
    return NoticeRecord(
        event_class=EventClass.DECISION,
        severity=Severity.NOTICE,
        title=f"{what} (asked by {by})",
        workspace=workspace,
        incident=incident,
        command="conductd log",
        detail=" < ".join(caller),
    )


def replaced_root(workspace: str, held: tuple[tuple[int, int], ...]) -> IncidentRecord:
    """Another directory stands at a workspace's path: what the old one held is offered, once."""
    return IncidentRecord(
        workspace=workspace,
        incident=None,
        state="open",
        event_class=EventClass.DELETION,
        severity=Severity.NOTICE,
        action=Action.PROPOSE,
        files=tuple(file for file, _ in held),
        debt=held,
        why="another directory stands at the workspace's path; what the old one held is offered back",
    )


def offer(root: bytes, workspace: str, files: int, incident: int) -> NoticeRecord:
    return NoticeRecord(
        event_class=EventClass.DELETION,
        severity=Severity.NOTICE,
        title=f"another directory stands at {shown(root)}: {files} files of the old one are kept",
        workspace=workspace,
        incident=incident,
        command=f"conductd restore --incident {incident}",
        detail=f"conductd accept {incident}: it was meant",
    )
