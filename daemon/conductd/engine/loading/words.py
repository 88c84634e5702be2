"""The sentences of what an agent does not see. Pure: files, counts, lines; headings only where they are asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence

from conductd.core.load.finding import WRITES, Finding
from conductd.core.load.writable_names import is_writable, path_of
from conductd.model import EventClass
from conductd.views.words import counted, pasted, verb

NAMED = 5  # files, headings or ranges in one sentence


def said(finding: Finding) -> str:
    """One line, without headings: of an event."""
    match finding.event_class:
        case EventClass.SPLIT_FILES:
            return f"{_names(finding.files)} differ only in case: an agent takes one of them and leaves the other"
        case EventClass.NEAR_LIMIT if not finding.name:
            return f"what {finding.agent} loads together takes {_percent(finding)} of its limit ({_of(finding)})"
        case EventClass.NEAR_LIMIT if finding.reason == WRITES:
            return f"{finding.name} {_of_writes(finding)}"
        case EventClass.NEAR_LIMIT:
            return f"{finding.name} takes {_percent(finding)} of what {finding.agent} loads of it ({_of(finding)})"
        case EventClass.NOT_LOADED:
            note = f": {finding.note}" if finding.note else ""
            return f"{finding.name} is there and {finding.agent} does not load it: {finding.reason}{note}"
        case EventClass.PIN_HIDDEN:
            pins = counted(len(finding.pinned), "pinned entry", "pinned entries")
            does = verb(len(finding.pinned), "does", "do")
            return f"{pins} of {finding.name} (line {_few(finding.pinned)}) {does} not reach {finding.agent}"
    why = f"{finding.reason}, {_of(finding)}"
    return f"{finding.name}: {_lines(finding)} not reach {finding.agent} ({why}){_blame(finding)}"


def _of_writes(finding: Finding) -> str:
    if finding.limit and finding.size > finding.limit:
        return (
            f"is over what {finding.agent}'s memory tool takes ({_of(finding)}): all of it is loaded, "
            "and the tool adds nothing more"
        )
    return (
        f"takes {_percent(finding)} of what {finding.agent}'s memory tool takes ({_of(finding)}): all of it is loaded, "
        "and beyond the limit the tool adds nothing more"
    )


def ended(finding: Finding) -> str:
    match finding.event_class:
        case EventClass.SPLIT_FILES:
            return f"{_names(finding.files)}: no names differ only in case any more"
        case EventClass.NEAR_LIMIT:
            what = finding.name or "what is loaded together"
            return f"{what} is not close to {finding.agent}'s limit any more"
        case EventClass.NOT_LOADED:
            return f"{finding.name} is loaded by {finding.agent} again, or is gone"
        case EventClass.PIN_HIDDEN:
            return f"the pinned entries of {finding.name} reach {finding.agent} again"
    return f"{finding.name} is loaded whole by {finding.agent} again"


def with_headings(finding: Finding) -> str:
    """The same with what falls out: for `status`, never for a notice."""
    names = list(dict.fromkeys(each.heading or "(before the first heading)" for each in finding.sections))
    if not names:
        return said(finding)
    rest = len(names) - NAMED
    more = f" and {rest} more" if rest > 0 else ""
    return f"{said(finding)}: {', '.join(names[:NAMED])}{more}"


def title(findings: Sequence[Finding], root: str) -> str:
    """Of a notice about findings of one class, all of one workspace."""
    first = findings[0]
    if len(findings) == 1:
        return f"{said(first)} in {root}"
    files = list(dict.fromkeys(each.name or "all together" for each in findings))
    if len(files) == 1:
        agents = ", ".join(dict.fromkeys(each.agent for each in findings))
        return f"{said(first)} in {root}; told of {agents}"
    what = {
        EventClass.SPLIT_FILES: "names differ only in case from others",
        EventClass.NEAR_LIMIT: "limits are nearly reached",
        EventClass.NOT_LOADED: "files are there and not loaded",
        EventClass.PIN_HIDDEN: "files have pinned entries that do not reach their agent",
    }.get(first.event_class, "files do not reach their agent whole")
    return f"{len(files)} {what} in {root}: {_names(files)}"


def again(findings: Sequence[Finding], root: str, sessions: Sequence[str]) -> str:
    """Of a notice that a new session is told by: what still is as it was told before."""
    who = f"the new session {sessions[0]}" if len(sessions) == 1 else f"{len(sessions)} new sessions"
    if len({each.event_class for each in findings}) == 1:
        return f"{title(findings, root)}; still so for {who}"
    files = list(dict.fromkeys(each.name or "all together" for each in findings))
    return f"{_names(files)} in {root}: what was told of {'it' if len(files) == 1 else 'them'} is still so for {who}"


def command(finding: Finding, root: str) -> str:
    """The command that shows it."""
    can_be_given = is_writable(path_of(finding.name))
    place = os.path.join(root, finding.name) if finding.name and can_be_given else root
    words = ["conductd", "load", place]
    if finding.event_class is EventClass.SPLIT_FILES:
        return pasted("conductd", "doctor", "--workspace", root)
    if finding.name.startswith("/"):
        words += ["--workspace", root]
    words += ["--agent", finding.agent.partition("@")[0]] if finding.agent else []
    words += ["--agent-version", finding.version] if finding.version_is_named else []
    words += ["--session", finding.session] if finding.session not in ("", "main") else []
    return pasted(*words)


def _lines(finding: Finding) -> str:
    ranges = [f"{each.first}-{each.last}" if each.last > each.first else str(each.first) for each in finding.holes]
    pins = f", {counted(len(finding.pinned), 'pinned entry', 'pinned entries')} among them" if finding.pinned else ""
    is_one = len(ranges) == 1 and "-" not in ranges[0]
    return f"{'line' if is_one else 'lines'} {_few(ranges)}{pins} {'does' if is_one else 'do'}"


def _blame(finding: Finding) -> str:
    if "total" not in finding.reason:
        return ""
    if finding.grew and finding.grew != finding.name:
        return f"; {finding.grew} grew"
    return f"; {finding.largest} takes the most" if finding.largest and finding.largest != finding.name else ""


def _of(finding: Finding) -> str:
    parts = []
    if finding.limit:
        parts.append(f"{finding.size:,} of {finding.limit:,} {finding.unit}")
    if finding.lines is not None and finding.lines_limit:
        parts.append(f"{finding.lines:,} of {finding.lines_limit:,} lines")
    return ", ".join(parts) or f"{finding.size:,} {finding.unit}"


def _percent(finding: Finding) -> str:
    return f"{int(finding.share * 100)} %"


def _few(things: Sequence[object]) -> str:
    more = f" and {len(things) - NAMED} more" if len(things) > NAMED else ""
    return ", ".join(str(each) for each in things[:NAMED]) + more


def _names(names: Sequence[str]) -> str:
    return _few(names)
