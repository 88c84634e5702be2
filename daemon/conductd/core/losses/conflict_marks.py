"""Conflict marks that stand in a text though no merge is under way.

Owns their shapes (git with and without the base between `|||||||`, Mercurial, Jujutsu) and the rule. What is done
while a merge is under way is `core.judging.judge`'s. Pure.
"""

from __future__ import annotations

import re

from conductd.core.judging.finding import Evidence, Finding, figures
from conductd.core.judging.loss import Loss
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import EntryTable, entry_table
from conductd.core.reading.text import decode
from conductd.model import Action, EventClass, Severity

_START = re.compile(r"^<{7,}(?: .*)?$")
_MIDDLE = re.compile(r"^(?:={7,}|%{7,}(?: .*)?|\+{7,}(?: .*)?|-{7,}(?: .*)?|\|{7,}(?: .*)?)$")
_END = re.compile(r"^>{7,}(?: .*)?$")


def conflicts(text: str) -> tuple[tuple[int, int], ...]:
    """The conflicts in a text: 1-based first and last line of each."""
    found: list[tuple[int, int]] = []
    start = middle = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line or line[0] not in "<=%+-|>":
            continue
        if _START.match(line):
            start, middle = number, 0
        elif start and _END.match(line):
            if middle:
                found.append((start, number))
            start = middle = 0
        elif start and _MIDDLE.match(line):
            middle = number
    return tuple(found)


def is_marked(data: bytes) -> bool:
    """Conflicts stand in this text."""
    return b"<<<<<<<" in data and bool(conflicts(decode(data).text))


def open_conflicts(data: bytes) -> int:
    """How many conflicts stand in a text outside of its blocks of code, where somebody writes about them."""
    if b"<<<<<<<" not in data:
        return 0
    found = conflicts(decode(data).text)
    shown = _shown(entry_table(data, b"")) if found else ()
    return sum(not _is_within(each, shown) for each in found)


def without_settled(before: bytes, table: EntryTable, now: bytes) -> bytes | None:
    """The text before with empty lines in place of the conflicts that are not in the text now; None: there is none.
    Those in blocks of code are content."""
    if b"<<<<<<<" not in before:
        return None
    lines, text = before.split(b"\n"), decode(before).text.split("\n")
    found = conflicts("\n".join(text))
    if not found or len(lines) != len(text):
        return None
    later = decode(now).text.split("\n")
    still = {tuple(later[first - 1 : last]) for first, last in conflicts("\n".join(later))}
    shown = _shown(table)
    settled = [
        (first, last)
        for first, last in found
        if tuple(text[first - 1 : last]) not in still and not _is_within((first, last), shown)
    ]
    for first, last in settled:
        lines[first - 1 : last] = [b"\r" if line.endswith(b"\r") else b"" for line in lines[first - 1 : last]]
    return b"\n".join(lines) if settled else None


def other_sides(e: Evidence) -> frozenset[int]:
    """First lines of lost entries that were one side of a conflict in a version since, and whose marks are gone now."""
    marked = [state for state in e.states[:-1] if is_marked(state.data)]
    if not marked or is_marked(e.last.data):
        return frozenset()
    sides: set[bytes] = set()
    for state in marked:
        lines = decode(state.data).text.split("\n")
        for first, last in conflicts("\n".join(lines)):
            sides |= _of_sides(lines[first - 1 : last], e.case.key)
    return frozenset(span.line for span in e.change.lost if span.fingerprint in sides)


def _of_sides(lines: list[str], key: bytes) -> set[bytes]:
    """Fingerprints of the entries of each side."""
    sides: list[list[str]] = [[]]
    for line in lines:
        if _START.match(line) or _MIDDLE.match(line) or _END.match(line):
            sides.append([])
        else:
            sides[-1].append(line)
    texts = ("\n".join(side).encode("utf-8", "surrogatepass") for side in sides if side)
    return {mark for text in texts for mark in entry_table(text, key).places}


def _shown(table: EntryTable) -> tuple[tuple[int, int], ...]:
    return tuple((entry.line, entry.last_line) for entry in table.entries if entry.kind is Kind.CODE)


def _is_within(conflict: tuple[int, int], blocks: tuple[tuple[int, int], ...]) -> bool:
    return any(first < conflict[0] and conflict[1] <= last for first, last in blocks)


def conflict_left(e: Evidence, loss: Loss) -> Finding | None:
    """Marks of a conflict that came with this change. Both sides are there, so mostly nothing is lost."""
    if b"<<<<<<<" not in e.last.data:
        return None
    text = decode(e.last.data).text
    found = conflicts(text)
    if not found or len(found) <= len(conflicts(decode(e.baseline.data).text)):
        return None
    if not loss.destroys and all(_is_shown(e, *each) for each in found):
        return None
    facts = figures(e, loss.share) | {"conflicts": len(found)}
    action = Action.PROPOSE if loss.destroys else Action.RECORD
    return Finding(
        EventClass.CONFLICT_MARKERS,
        "conflict-left",
        facts,
        charged_to=e.charges.main.seq,
        harms=loss.destroys,
        softened=action,
        severity=Severity.NOTICE,
    )


def _is_shown(e: Evidence, first: int, last: int) -> bool:
    """Inside a block of code that is new: somebody writes about conflicts."""
    reworded = {place.line for place in e.change.reworded}
    return any(
        entry.kind is Kind.CODE and entry.line < first and last <= entry.last_line and entry.line not in reworded
        for entry in e.last.table.entries
    )
