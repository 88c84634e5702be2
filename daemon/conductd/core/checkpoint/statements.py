"""What a line states, told by its words. Pure."""

from __future__ import annotations

import re
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
_LETTERS = re.compile(r"[^\W\d_]+")
# What stands beside the word in the heading of one: of what it is a summary, and when.
_BESIDE = frozenset(
    (
        *("session", "sessions", "day", "days", "daily", "today", "evening", "morning", "afternoon", "night", "final"),
        *("of", "the", "for", "and", "end", "my", "short", "brief", "notes", "log", "am", "pm", "utc"),
        *("der", "die", "des", "den", "tages", "tag", "heute", "sitzung", "abend", "und", "vom", "von"),
        *("de", "du", "la", "le", "les", "jour", "journée", "séance", "session", "del", "día", "sesión", "della"),
        *("giornata", "sessione", "do", "da", "dia", "sessão", "van", "dag", "sessie", "dnia", "sesji"),
        *("дня", "сессии", "сесії", "день", "günün", "oturum"),
        *(
            "今日の",
            "本日の",
            "今日",
            "本日",
            "セッション",
            "セッションの",
            "的",
            "今天",
            "今天的",
            "今日的",
            "会话",
            "本次会话",
        ),
        *("오늘", "오늘의", "세션", "اليوم", "الجلسة", "היום"),
    )
)


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
    """The heading of a summary of a session, however it is dated or numbered: one that says something else of a summary
    ("Prepare the summary page", "No summary yet") is none."""
    text = telling.plain(heading)
    if not _SUMMARY.in_(text):
        return False
    rest = _SUMMARY.without(text)
    return all(word in _BESIDE for word in _LETTERS.findall(rest))
