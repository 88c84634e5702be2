"""What a line states, told by its words. Pure."""

from __future__ import annotations

from enum import StrEnum

from conductd.core.notes import telling
from conductd.core.notes.quoting import content
from conductd.core.notes.source import Line
from conductd.core.notes.statement_words import CONSTRAINT, CORRECTION, DECISION, SUMMARY
from conductd.core.notes.telling import Phrases


class Statement(StrEnum):
    """In the order of the checkpoint: what must not be lost comes first."""

    CONSTRAINT = "constraint"
    CORRECTION = "correction"
    DECISION = "decision"
    TASK = "task"
    NEW = "new"


_WORDS = {
    Statement.CONSTRAINT: Phrases(CONSTRAINT),
    Statement.CORRECTION: Phrases(CORRECTION),
    Statement.DECISION: Phrases(DECISION),
}
_SUMMARY = Phrases(SUMMARY)


def statement(line: Line, *, is_task_file: bool) -> Statement:
    """By a label or the line's own words, then by the headings above it."""
    text = content(line.text)
    found = telling.label(line.text)
    for one, words in _WORDS.items():
        if (found is not None and words.are(found[0])) or words.in_(text):
            return one
    if is_task_file or telling.box(line.text) is not None:
        return Statement.TASK
    if telling.is_open(line.headings) or telling.is_active(line.headings) or telling.WAITING_WORDS.begin(text):
        return Statement.TASK
    for one, words in _WORDS.items():
        if any(words.in_(telling.plain(name)) for name in line.headings[-1:]):
            return one
    return Statement.NEW


def is_summary(heading: str) -> bool:
    """The heading of a summary of a session, however it is dated or numbered."""
    return _SUMMARY.in_(telling.plain(heading))
