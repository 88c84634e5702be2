"""What is forgotten does not stand in what is told of a load: neither as a heading nor as a mark of one. Pure.

Called with what is hidden before anything that was told leaves the daemon, and with what is erased before it is written
down again.
"""

from __future__ import annotations

from msgspec.structs import replace

from conductd.core.forget import STAND_IN, Marks, cut, is_forgotten, pieces
from conductd.core.load.finding import FORGOTTEN, Finding, Gone
from conductd.model import EventClass

_KINDS = ("section", "pin")


def without(finding: Finding, hidden: Marks, key: bytes) -> Finding:
    """The finding without what is hidden; the same one where there is nothing of it. Of what is told no more, the
    marks say only that it was forgotten, so that it is no news."""
    if not hidden or not (finding.sections or finding.marks or finding.note):
        return finding
    known = {each.hex() for each in hidden.entries}
    sections = tuple(_section(each, hidden, known, key) for each in finding.sections)
    # Of a heading that was cut or is not listed, and of a pin, only whole entries can be compared.
    is_short = bool(hidden.exact)
    gone = {
        old.mark
        for old, new in zip(finding.sections, sections, strict=True)
        if old.heading != new.heading or (is_short and old.heading.endswith("…"))
    }
    listed = {each.mark for each in finding.sections}
    marks = []
    for each in finding.marks:
        kind, found, rest = each.partition(":")
        print_ = rest.partition("#")[0]
        if not found and finding.event_class is EventClass.LOAD_TRUNCATION:
            continue  # an older release's, made without the key
        is_unlisted = kind == "pin" or (kind == "section" and finding.more_sections > 0 and print_ not in listed)
        is_gone = print_ in known or print_ in gone or (is_short and is_unlisted)
        marks.append(f"{kind}:{FORGOTTEN}" if kind in _KINDS and is_gone else each)
    note = cut(finding.note, hidden.exact, key) if hidden.exact else finding.note
    left = replace(finding, sections=sections, marks=tuple(sorted(set(marks))), note=note)
    return left if left != finding else finding


def heading_without(heading: str, hidden: Marks, key: bytes) -> str:
    if not hidden or not heading:
        return heading
    data = heading.encode("utf-8", "replace")
    if (hidden.entries or hidden.guards) and any(is_forgotten(each, hidden, key) for each in pieces(data, key)):
        return STAND_IN
    return cut(heading, hidden.exact, key) if hidden.exact else heading


def _section(section: Gone, hidden: Marks, known: set[str], key: bytes) -> Gone:
    heading = STAND_IN if section.mark in known else heading_without(section.heading, hidden, key)
    return section if heading == section.heading else replace(section, heading=heading, mark=FORGOTTEN)
