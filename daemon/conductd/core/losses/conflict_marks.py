"""Conflict marks that stand in a text though no merge is under way.

Owns their shapes (git with and without the base between `|||||||`, Mercurial, Jujutsu) and the rule. What is done
while a merge is under way is `core.judging.judge`'s. Pure.
"""

from __future__ import annotations

import re

from conductd.core.judging.finding import Evidence, Finding, figures
from conductd.core.judging.loss import Loss
from conductd.core.reading.blocks import Kind
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
