"""The sentences a person reads about an incident. Pure: names files and counts, never content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from conductd.core.losses.erosion import all_lost
from conductd.engine.answering.class_words import said
from conductd.model import (
    UNKNOWN,
    Action,
    ChangeRecord,
    EventClass,
    IncidentRecord,
    NoticeRecord,
    RequestRecord,
    Severity,
    Verdict,
)
from conductd.views import shown
from conductd.views.words import counted, pasted, verb

NOT_WRITTEN = "not written"  # how the reason begins that an incident gives for a write that was not made
NAMED = 5  # files named in one sentence

_DONE = {
    Action.REVERT: "put back as it was",
    Action.MERGE: "merged: what was lost is back, what is new is kept",
    Action.PROPOSE: "left as written; what is lost is offered back",
    Action.HOLD: "left alone until the other operation is over",
    Action.RECORD: "recorded",
}
# The same where no entry is gone: something else is wrong, which the class or the rule says.
_DONE_TO_WHOLE = _DONE | {
    Action.MERGE: "merged: what stood there is back, what is new is kept",
    Action.PROPOSE: "left as written; what stood there is offered back",
}
_ANSWERED = (Action.REVERT, Action.MERGE, Action.PROPOSE)
_NOTHING = "nothing lost"


# What is wrong where entries are not what is lost, by the fact that counts it.
_OTHERWISE = {
    "redacted": "entries under a mark",
    "damaged": "entries damaged",
    "keys_lost": "keys lost",
    "extra": "entries only there",
}


def loss(verdict: Verdict) -> str:
    change = verdict.change
    lost = len(change.lost)
    if verdict.event_class is EventClass.EROSION:
        return _slow_loss(verdict)
    for fact, words in _OTHERWISE.items():
        if number := verdict.facts.get(fact):
            return f"{number} {words}"
    if not lost:
        return _NOTHING
    return f"{lost} of {change.entries_before} entries lost ({round(verdict.change.lost_share * 100)} %)"


def _slow_loss(verdict: Verdict) -> str:
    facts = verdict.facts
    files = int(facts.get("files", 1))
    where = f" from {files} files" if files > 1 else ""
    return f"{all_lost(verdict)} entries lost{where} in {facts.get('writes', 1)} writes, one small loss after the other"


def describe(path: bytes, verdict: Verdict, writer: str, done: str = "") -> str:
    """One line: what happened to which file, by whom, how much, what was done."""
    what = said(verdict.event_class, verdict.rule)
    by = "" if what.endswith(f" by {writer}") else _by(writer)  # "was changed by git" says it already
    lost = loss(verdict)
    if lost == _NOTHING and (done or verdict.action in _ANSWERED):
        return f"{shown(path)} {what}{by}; {done or _DONE_TO_WHOLE[verdict.action]}"
    return f"{shown(path)} {what}{by}: {lost}; {done or _DONE[verdict.action]}"


def first(
    path: bytes, verdict: Verdict, record: IncidentRecord, incident: int, *, at_start: bool = False
) -> NoticeRecord:
    """The notice of an incident, sent once when its first answer is given. `at_start`: it happened while no daemon
    ran."""
    found = " (found at start)" if at_start else ""
    return _about(record, incident, (path,), describe(path, verdict, record.writer, record.why) + found)


def put_back(paths: Sequence[bytes], record: IncidentRecord, incident: int) -> NoticeRecord:
    """The notice of an incident whose answer was given just before the daemon died, or could not write."""
    title = f"{names(paths)} {said(record.event_class)}{_by(record.writer)}; {record.why or _DONE[record.action]}"
    return _about(record, incident, paths, title)


def loop(path: bytes, record: IncidentRecord, incident: int) -> NoticeRecord:
    """The second notice of a fight: names the writer."""
    return _about(
        record,
        incident,
        (path,),
        f"{_named(record.writer)} keeps destroying {shown(path)}: round {record.rounds}; "
        "it is put back only after quiet",
        command=f"conductd accept {incident}",
        detail="stop the writer, or accept what it writes",
    )


def stood_down(path: bytes, record: IncidentRecord, incident: int) -> NoticeRecord:
    """The last notice of a fight: the file is not guarded any more."""
    return _about(
        record,
        incident,
        (path,),
        f"conductd has stood down from {shown(path)}: {_named(record.writer)} destroyed it once more; "
        "it stays as it is, and is not judged, until you decide",
        command=f"conductd restore --incident {incident}",
        detail=f"or, if what stands there was meant: conductd accept {incident}",
    )


def gated(notice: NoticeRecord, words: str) -> NoticeRecord:
    """With what the agent will make of a file that somebody else writes."""
    return msgspec.structs.replace(notice, title=f"{notice.title}; {words}") if words else notice


_TOGETHER = {EventClass.MASS_LOSS: "destroyed together", EventClass.EXTERNAL_RESET: "changed together"}


def several(record: IncidentRecord, paths: Sequence[bytes], incident: int, progress: Progress) -> NoticeRecord:
    """One notice for files lost together."""
    what = _TOGETHER.get(record.event_class, "removed with their directory")
    files = f"{counted(len(paths), 'file')} {verb(len(paths), 'was', 'were')}"
    title = f"{files} {what}{_by(record.writer)}: {names(paths)}; {progress.of(len(paths))}"
    return _about(record, incident, paths, title)


class Progress(NamedTuple):
    """How many files of a set are put back, will be, are offered back, and were answered before."""

    back: int
    later: int
    offered: int
    before: int = 0

    def of(self, count: int) -> str:
        words = ("put back", "to be put back", "left as they are and offered back", "answered before")
        counts = zip(self, words, strict=True)
        return ", ".join(f"{each if each < count else 'all'} {what}" for each, what in counts if each)


def asker(caller: Sequence[str]) -> str:
    """Who asked, from an ancestry, nearest first: not the command line itself, but who called it."""
    called = (each for each in caller if not each.endswith((" conductd", "-m conductd")))
    return next(called, caller[0] if caller else "an unknown process")


def weakened(
    what: str, workspace: str, caller: tuple[str, ...], incident: int | None = None, command: str = ""
) -> NoticeRecord:
    """Protection was weakened on request: always told, with who asked."""
    by = asker(caller)
    return NoticeRecord(
        event_class=EventClass.DECISION,
        severity=Severity.NOTICE,
        title=f"{what} (asked by {by})",
        workspace=workspace,
        incident=incident,
        command=command or "conductd log",
        detail=" < ".join(caller),
    )


def asked_for(request: RequestRecord, number: int, path: bytes) -> NoticeRecord:
    """Somebody who may not decide it asked for an act that weakens protection."""
    by = asker(request.caller)
    return NoticeRecord(
        event_class=EventClass.DECISION,
        severity=Severity.NOTICE,
        title=f"{by} asks to {request.words}; nothing is done unless you confirm it",
        workspace=request.workspace,
        files=(path,) if path else (),
        command=f"conductd confirm {number}",
        detail=f"or: conductd refuse {number}; asked by " + (" < ".join(request.caller) or "an unknown process"),
    )


def weaker_settings(changed: Sequence[str], caller: tuple[str, ...]) -> NoticeRecord:
    """The configuration protects less than the one before."""
    more = f" and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
    return NoticeRecord(
        event_class=EventClass.DECISION,
        severity=Severity.NOTICE,
        title=f"the configuration protects less than before: {', '.join(changed[:NAMED])}{more}",
        command="conductd status",
        detail=" < ".join(caller),
    )


def kind_of_file(workspace: str, glob: str, files: Sequence[bytes], times: int, command: str) -> NoticeRecord:
    """Losses in files of one kind were meant several times: asked once."""
    fits = f"it fits {names(files)}" if files else "no file fits it now"
    return NoticeRecord(
        event_class=EventClass.DECISION,
        severity=Severity.NOTICE,
        title=f"{times} losses in files like {glob} were meant: are such files made to be replaced?",
        workspace=workspace,
        files=tuple(files[:NAMED]),
        command=command,
        detail=f"{fits}; this is asked once, and undone with --forget",
    )


def replaced_root(workspace: str, held: tuple[tuple[int, int], ...], *, moved: bool = False) -> IncidentRecord:
    """Another directory stands at a workspace's path, or it was moved and came otherwise: what it held is
    offered, once."""
    replaced = "another directory stands at the workspace's path; what the old one held is offered back"
    return IncidentRecord(
        workspace=workspace,
        incident=None,
        state="open",
        event_class=EventClass.DELETION,
        severity=Severity.NOTICE,
        action=Action.PROPOSE,
        files=tuple(file for file, _ in held),
        debt=held,
        why="the workspace was moved; what differs in its new place is offered back" if moved else replaced,
    )


def offer(root: bytes, record: IncidentRecord, incident: int, *, moved: bool = False) -> NoticeRecord:
    files, are = counted(len(record.files), "file"), verb(len(record.files), "is", "are")
    title = f"another directory stands at {shown(root)}: {files} of the old one {are} kept"
    if moved:
        title = f"a workspace was moved to {shown(root)}: {files} came otherwise; what was in them is kept"
    return _about(record, incident, (), title)


def deleted_again(root: bytes, change: ChangeRecord, writer: str) -> NoticeRecord:
    """It was put back once, and whoever deletes it again means it; told all the same, with the way back."""
    name = shown(change.path)
    return NoticeRecord(
        event_class=EventClass.DELETION,
        severity=Severity.NOTICE,
        title=f"{name} was deleted again{_by(writer)} after it was put back: recorded, and not put back again",
        workspace=change.workspace,
        files=(change.path,),
        command=pasted("conductd", "restore", f"{shown(root)}/{name}@{change.baseline_seq}"),
        writer="" if writer == UNKNOWN.name else writer,
    )


def rotated(workspace: str, path: bytes, topic: bytes, text: str, caller: tuple[str, ...], undo: str) -> NoticeRecord:
    """Sections left a file that an agent did not load whole, and nobody who decides asked for it."""
    by = f" (asked by {asker(caller)})" if caller else ""
    return NoticeRecord(
        event_class=EventClass.LOAD_TRUNCATION,
        severity=Severity.NOTICE,
        title=f"{text}{by}",
        workspace=workspace,
        files=(path, topic),
        command=undo,
        detail=" < ".join(caller),
    )


def half_done(workspace: str, gone: Sequence[bytes], stand: Sequence[bytes], set_id: int, why: str) -> NoticeRecord:
    """Files were to be written together, and what was written of them could not be taken back: those that are missing
    on disk for it, and those that stand as they were written."""
    said = [f"{names(gone)} is not on disk: what it held is in the journal"] if gone else []
    said += [f"{names(stand)} stands as conductd wrote it"] if stand else []
    return NoticeRecord(
        event_class=EventClass.RESTORE_REFUSED,
        severity=Severity.ALARM if gone else Severity.NOTICE,
        title=f"a set of writes was not finished and cannot be taken back yet: {'; '.join(said)}: {why}",
        workspace=workspace,
        files=(*gone, *stand),
        command=f"conductd undo {set_id}",
        detail="it is tried again every minute; the command does it at once",
    )


def kept_in_part(workspace: str, paths: Sequence[bytes], why: str) -> NoticeRecord:
    """Files were to be written together; these stay as they were written, since what they hold is nowhere else."""
    return NoticeRecord(
        event_class=EventClass.RESTORE_REFUSED,
        severity=Severity.NOTICE,
        title=f"what conductd wrote into {names(paths)} stays, though its set was not finished: {why}",
        workspace=workspace,
        files=tuple(paths),
        command="conductd log",
        detail="what it holds stands in no other file as it is now; what the other files held is in the journal",
    )


def over_limit(workspace: str, path: bytes, size: int) -> NoticeRecord:
    return NoticeRecord(
        event_class=EventClass.OVERSIZE,
        severity=Severity.NOTICE,
        title=f"{shown(path)} is over the size limit ({size:,} bytes): only its digest is recorded",
        workspace=workspace,
        files=(path,),
        command="max_file_bytes in the config",
    )


def way_back(record: IncidentRecord, incident: int) -> str:
    """The one command for what an incident did: to reverse it, or to have what was lost."""
    written = record.action in (Action.REVERT, Action.MERGE) and not record.why.startswith(NOT_WRITTEN)
    return f"conductd undo {incident}" if written else f"conductd restore --incident {incident}"


def _about(
    record: IncidentRecord, incident: int, paths: Sequence[bytes], title: str, *, command: str = "", detail: str = ""
) -> NoticeRecord:
    """The notice of an incident; `writer` is empty when nobody knows."""
    return NoticeRecord(
        event_class=record.event_class,
        severity=Severity.ALARM if record.loop or record.stood_down else record.severity,
        title=title,
        workspace=record.workspace,
        files=tuple(paths),
        incident=incident,
        command=command or way_back(record, incident),
        writer="" if record.writer == UNKNOWN.name else record.writer,
        detail=detail or f"conductd accept {incident}: it was meant",
    )


def _by(writer: str) -> str:
    return "" if writer == UNKNOWN.name else f" by {writer}"


def _named(writer: str) -> str:
    return "an unknown writer" if writer == UNKNOWN.name else writer


def names(paths: Sequence[bytes]) -> str:
    """The first five, and how many more."""
    rest = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return ", ".join(shown(path) for path in paths[:NAMED]) + rest
