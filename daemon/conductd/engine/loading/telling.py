"""From what is found in a workspace, and what was told of it before, to the records that tell the difference.

Pure: no clock, no disk. Nothing new, nothing to tell. One event for each finding, one notice for all of a class; an
incident for pinned entries out of sight. What is over ends with an event that disturbs nobody.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from conductd.core.load.finding import ALL, BY_TOTAL, Finding, Known
from conductd.core.load.findings import is_news
from conductd.core.load.writable_names import path_of
from conductd.engine.fold.loads import Told
from conductd.engine.loading import words
from conductd.model import (
    Action,
    EventClass,
    EventRecord,
    Frozen,
    IncidentRecord,
    NoticeRecord,
    Record,
    Severity,
)

CURED = "cured"
_LISTED = 20  # files of a notice
Subject = tuple[str, str, bytes]


class Found(Frozen, frozen=True):
    """A finding with the raw path that it is about, and the number of the file where it is tracked. ``severity``: what
    is only info disturbs nobody."""

    finding: Finding
    path: bytes
    file: int | None = None
    severity: Severity = Severity.NOTICE


class Before(Frozen, frozen=True):
    """What is known of a workspace. ``unknown``: agents of which nobody can say what they load at the moment;
    ``guesses``: why they are taken for the readers, where nobody said so. ``open_incidents``: those of pinned entries
    that are open. ``sessions_since``: by place, first seen after it was told. ``elsewhere``: marks that were told of
    another workspace, by class, agent and absolute path: a file that several workspaces load is told of once."""

    workspace: str
    root: bytes
    told: Mapping[str, Told]
    sessions_since: Mapping[str, tuple[str, ...]]
    open_incidents: Mapping[int, IncidentRecord]
    unknown: frozenset[str] = frozenset()
    guesses: Mapping[str, str] = msgspec.field(default_factory=dict)
    elsewhere: Mapping[Subject, frozenset[str]] = msgspec.field(default_factory=dict)


def subject(finding: Finding, path: bytes, root: bytes) -> Subject:
    """What a finding is about, whichever workspace it is found in."""
    return finding.event_class.value, finding.agent, os.path.join(root, path)


def news(found: Sequence[Found], before: Before) -> list[Found]:
    """What was not told yet."""
    return [each for each in found if is_news(each.finding, _known(each.finding, before))]


def records(found: Sequence[Found], fresh: Sequence[Found], before: Before, seq: int) -> list[Record]:
    """`fresh`: what `news` gave, with what there is to say about it. `seq`: the number that the first record gets."""
    out: list[Record] = []
    quiet = {
        each.finding.place
        for each in fresh
        if each.severity is Severity.INFO
        or _is_left_of_a_cut(each.finding, found, before)
        or _is_told_elsewhere(each, before)
    }
    for each in fresh:
        out += _begun(each, before, seq + len(out), is_quiet=each.finding.place in quiet)
    for group in _by_class(each for each in fresh if each.finding.place not in quiet):
        out.append(_notice(group, before))
    there = {each.finding.place for each in found}
    for place, told in before.told.items():
        if place not in there and told.finding.agent not in before.unknown and not _is_superseded(told, found):
            out += _over(told, before)
    out += _once_more(found, {each.finding.place for each in fresh}, before)
    return out


def _is_told_elsewhere(each: Found, before: Before) -> bool:
    told = before.elsewhere.get(subject(each.finding, each.path, before.root))
    return bool(each.path) and told is not None and told >= set(each.finding.marks)


# ------------------------------------------------------------------ what begins


def _known(finding: Finding, before: Before) -> Known | None:
    told = before.told.get(finding.place)
    return told.known if told is not None else None


def _begun(each: Found, before: Before, seq: int, *, is_quiet: bool) -> list[Record]:
    finding = each.finding
    if finding.event_class is not EventClass.PIN_HIDDEN or is_quiet:
        return [_event(each, before, Severity.INFO if is_quiet else each.severity)]
    told = before.told.get(finding.place)
    number = told.incident if told is not None and told.incident in before.open_incidents else None
    incident = IncidentRecord(
        workspace=before.workspace,
        incident=number,
        state="open",
        event_class=finding.event_class,
        severity=Severity.NOTICE,
        action=Action.RECORD,
        files=() if each.file is None else (each.file,),
        writer=finding.writer or "unknown",
        why=words.said(finding),
    )
    number = seq if number is None else number
    notice = NoticeRecord(
        event_class=finding.event_class,
        severity=Severity.NOTICE,
        title=words.title([finding], _shown(before.root)),
        workspace=before.workspace,
        files=(each.path,),
        incident=number,
        command=words.command(finding, _shown(before.root)),
        writer=finding.writer,
        detail=f"conductd accept {number}: it is meant",
    )
    return [incident, _event(each, before, Severity.NOTICE, incident=number), notice]


def _event(each: Found, before: Before, severity: Severity, *, incident: int | None = None) -> EventRecord:
    return EventRecord(
        each.finding.event_class,
        severity,
        before.workspace,
        each.path,
        each.finding.reason,
        words.said(each.finding),
        facts=msgspec.msgpack.encode(each.finding),
        incident=incident,
    )


def _by_class(fresh: Iterable[Found]) -> list[list[Found]]:
    groups: dict[EventClass, list[Found]] = {}
    for each in fresh:
        if each.finding.event_class is not EventClass.PIN_HIDDEN:  # each has an incident, and a notice of its own
            groups.setdefault(each.finding.event_class, []).append(each)
    return list(groups.values())


def _notice(group: Sequence[Found], before: Before) -> NoticeRecord:
    first = group[0].finding
    writers = {each.finding.writer for each in group}
    root = _shown(before.root)
    one = len(group) == 1
    listed = [] if one else [words.said(each.finding) for each in group[: words.NAMED]]
    guess = before.guesses.get(first.agent, "")
    return NoticeRecord(
        event_class=first.event_class,
        severity=Severity.NOTICE,
        title=words.title([each.finding for each in group], _shown(before.root)),
        workspace=before.workspace,
        files=tuple(dict.fromkeys(each.path for each in group))[:_LISTED],
        command=words.command(first if one else msgspec.structs.replace(first, name=ALL), root),
        writer=next(iter(writers)) if len(writers) == 1 else "",
        detail="; ".join([*listed, *([f"{guess} (`agents` in the config says otherwise)"] if guess else [])]),
    )


# ------------------------------------------------------------------ what ends, what goes on


def _is_left_of_a_cut(finding: Finding, found: Sequence[Found], before: Before) -> bool:
    """It was cut until now, which was told: that it is close still disturbs nobody."""
    if finding.event_class is not EventClass.NEAR_LIMIT:
        return False
    now = {each.finding.place: each.finding for each in found}
    cuts = (
        (each, now.get(place))
        for place, each in before.told.items()
        if each.finding.event_class is EventClass.LOAD_TRUNCATION and each.finding.agent == finding.agent
    )
    return any(
        finding.name in (told.finding.name, ALL)
        if cut is None
        else finding.name == ALL and BY_TOTAL in told.marks and BY_TOTAL not in cut.marks
        for told, cut in cuts
    )


def _is_superseded(told: Told, found: Sequence[Found]) -> bool:
    """It was close and is over it now: the event of that ends it (`engine.fold.loads`)."""
    return told.finding.event_class is EventClass.NEAR_LIMIT and any(
        told.finding.place in each.finding.ends for each in found if not each.finding.hidden
    )


def _over(told: Told, before: Before) -> list[Record]:
    finding = msgspec.structs.replace(told.finding, over=True, hidden=False, sessions=())
    path = path_of(finding.name or finding.largest)
    event = EventRecord(
        finding.event_class,
        Severity.INFO,
        before.workspace,
        path,
        CURED,
        words.ended(finding),
        facts=msgspec.msgpack.encode(finding),
        incident=told.incident,
    )
    incident = before.open_incidents.get(told.incident) if told.incident is not None else None
    if incident is None:
        return [event]
    why = words.ended(finding)
    return [msgspec.structs.replace(incident, incident=told.incident, state="resolved", why=why), event]


def _once_more(found: Sequence[Found], fresh: set[str], before: Before) -> list[Record]:
    """What still stands, for sessions that came since it was told."""
    due: list[Found] = []
    sessions: dict[str, None] = {}
    for each in found:
        told = before.told.get(each.finding.place)
        if told is None or each.finding.hidden or each.finding.place in fresh or each.severity is Severity.INFO:
            continue
        since = before.sessions_since.get(each.finding.place, ())
        if since:
            sessions.update(dict.fromkeys(since))
            due.append(msgspec.structs.replace(each, finding=msgspec.structs.replace(each.finding, sessions=since)))
    if not due:
        return []
    root = _shown(before.root)
    loudest = next((each for each in due if each.finding.event_class is EventClass.LOAD_TRUNCATION), due[0]).finding
    one = len(due) == 1
    return [
        *(_event(each, before, Severity.NOTICE, incident=before.told[each.finding.place].incident) for each in due),
        NoticeRecord(
            event_class=loudest.event_class,
            severity=Severity.NOTICE,
            title=words.again([each.finding for each in due], _shown(before.root), list(sessions)),
            workspace=before.workspace,
            files=tuple(dict.fromkeys(each.path for each in due))[:_LISTED],
            command=words.command(loudest if one else msgspec.structs.replace(loudest, name=ALL), root),
            detail="; ".join(words.said(each.finding) for each in due[: words.NAMED]),
        ),
    ]


def _shown(root: bytes) -> str:
    return root.decode("utf-8", "replace")
