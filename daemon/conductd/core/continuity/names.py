"""What a task is called, and the file its page is. Pure."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from conductd.core.notes import telling
from conductd.core.notes.quoting import content, unbold

_MOST = 60  # characters of a file name, without its ending; at most 180 bytes
_MOST_BYTES = 180
_CLAUSE = re.compile(r"[(（)）\[\]|]|\s[-–—]+\s|[:：]\s|[:：]$|[–—]")
_NUMBER = re.compile(r"^\s*(?:\d{1,3}[.)]|#\d{1,6}:?)\s+")
_TIME = re.compile(
    r"\d{1,4}[-./:年月日時分]\d{1,2}(?:[-./:年月日時分]\d{0,4})*(?:\s*(?:am|pm|uhr|utc|z))?", re.IGNORECASE
)
# Headings that name a part of a log and no task.
_PARTS = telling.Phrases(
    (
        *(
            "notes",
            "note",
            "log",
            "session",
            "session log",
            "summary",
            "misc",
            "general",
            "today",
            "yesterday",
            "morning",
        ),
        *("afternoon", "evening", "night", "memory", "daily log", "daily notes", "journal", "context", "background"),
        *("status", "update", "updates", "decisions", "events", "facts", "people", "links", "references", "ideas"),
        *("tasks", "task list", "projects", "work", "plan", "goals", "reminders", "questions", "learned", "lessons"),
        *("notizen", "protokoll", "sitzung", "heute", "gestern", "allgemein", "aufgaben", "projekte", "entscheidungen"),
        *("notes du jour", "aujourd'hui", "hier", "décisions", "projets", "notas", "hoy", "ayer", "decisiones"),
        *("proyectos", "hoje", "ontem", "decisões", "projetos", "note", "oggi", "ieri", "decisioni", "progetti"),
        *("notities", "vandaag", "gisteren", "besluiten", "projecten", "notatki", "dzisiaj", "wczoraj", "projekty"),
        *("заметки", "сегодня", "вчера", "решения", "проекты", "задачи", "нотатки", "сьогодні", "вчора", "notlar"),
        *(
            "bugün",
            "dün",
            "笔记",
            "记录",
            "日志",
            "今天",
            "昨天",
            "项目",
            "任务",
            "メモ",
            "記録",
            "今日",
            "昨日",
            "タスク",
        ),
        *(
            "메모",
            "기록",
            "오늘",
            "어제",
            "프로젝트",
            "작업",
            "ملاحظات",
            "اليوم",
            "أمس",
            "הערות",
            "היום",
            "אתמול",
            "नोट्स",
            "आज",
        ),
    )
)


def task_name(heading: str) -> str:
    """The name of the task a heading is about, without what it says of its state: "Parser rewrite (in progress)" is
    "Parser rewrite". "" for one that names a part of a log: a date, "Notes", "Next steps"."""
    for clause in _CLAUSE.split(unbold(content(_NUMBER.sub("", heading)))):
        name = clause.strip(" \t*_`#~.!:：")
        plain = telling.plain(_TIME.sub("", name))
        if plain and not _says_a_state(name) and not _PARTS.are(plain):
            return name
    return ""


def _says_a_state(name: str) -> bool:
    """Nothing but that something is active, open or over."""
    plain = telling.plain(name)
    words = (telling.ACTIVE_WORDS, telling.OPEN_WORDS, telling.DONE_WORDS)
    return any(each.are(plain) for each in words) or plain in ("todo", "to do", "next")


def key(name: str) -> str:
    """What a task is the same by: its words, whatever their case, punctuation and order of composition. What ends a
    word as in "C++" or "C#" is a part of it."""
    text = unicodedata.normalize("NFKC", name).casefold()
    kept = ""
    for each in text:
        is_ending = each in "+#" and kept[-1:] not in ("", " ")
        kept += each if each.isalnum() or is_ending or unicodedata.category(each)[0] == "M" else " "
    return "-".join(kept.split())


def veiled_name(of: str, workspace: str) -> bytes:
    """The file of a key that is told to nobody: as stable, and nothing of it can be read from the name."""
    mark = hashlib.sha256(f"{workspace}\0{of}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"task-{mark}.md".encode()


def file_name(of: str) -> bytes:
    """The file of a key: stable, short, of one directory, and not the name of another key."""
    if of and len(of) <= _MOST and len(of.encode()) <= _MOST_BYTES:
        return of.encode() + b".md"
    mark = hashlib.sha256(of.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    begin = of[:_MOST].encode()[:120].decode("utf-8", "ignore").strip("-")
    return f"{begin}-{mark}.md".lstrip("-").encode()
