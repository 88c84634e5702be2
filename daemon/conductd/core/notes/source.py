"""A file whose lines are quoted: what kind it is by its name, and its lines with what they stand under. Pure."""

from __future__ import annotations

import re
from datetime import date
from enum import StrEnum
from functools import cached_property

from conductd.core.losses import pins
from conductd.core.reading.blocks import Kind as Block
from conductd.core.reading.blocks import scan
from conductd.core.reading.entries import entry_table
from conductd.core.reading.text import Encoding, decode, is_forgotten

MARK = "# Boot card "  # what a card begins with: it is never its own source


class Kind(StrEnum):
    """What a file is to the card, in the order in which files are quoted."""

    IDENTITY = "identity"
    TASKS = "tasks"
    DAILY = "daily"
    CONTINUITY = "continuity"
    QC = "qc"
    MEMORY = "memory"


# Who I am, for whom, and how I am.
_IDENTITY = (
    "identity.md",
    "user.md",
    "soul.md",
    "persona.md",
    "whoami.md",
    "about.md",
    "human.md",
    "owner.md",
    "profile.md",
)
_TASKS = re.compile(
    r"(?:heartbeat|tasks?|todos?|to-do|session|session[-_]handoff|handoff|scratchpad|plan|now|status|state|progress|backlog"
    r"|inbox|(?:active|current)[-_ ]?(?:tasks?|work|context|state|session)|(?:work[-_])?in[-_]progress"
    r"|aufgaben|tâches|taches|tareas|tarefas|задачи|任务|任務|タスク|작업|مهام)\.md",
    re.IGNORECASE,
)
_DATE = re.compile(r"(?<!\d)(\d{4})[-_.]?(\d{2})[-_.]?(\d{2})(?!\d)")
_PARTS = re.compile(r"(?:^|/)(\d{4})/(\d{2})/(\d{2})(?!\d)[^/]*$")
_DELIMITERS = re.compile(r"\s*\|?[\s:]*-[-|:\s]*")
_SHALLOW = 2  # folders above a file of tasks or identity


def kind_of(name: str) -> tuple[Kind, date | None]:
    """By the relative path (text; bytes that are no UTF-8 in any form), with the date in a name that has one."""
    if name.startswith(("/", "~")):  # outside: what the folders far above are called says nothing
        name = "/".join(name.split("/")[-2:])
    folders, _, base = name.rpartition("/")
    parts = folders.lower().split("/") if folders else []
    day = _day(name, base)
    if "qc" in parts:
        return Kind.QC, day
    if "continuity" in parts:
        return Kind.CONTINUITY, None
    lower = base.lower()
    if lower in _IDENTITY and len(parts) <= _SHALLOW:
        return Kind.IDENTITY, None
    if _TASKS.fullmatch(base) and len(parts) <= _SHALLOW:
        return Kind.TASKS, None
    if day is not None and (_DATE.match(base) or _PARTS.search(name)):
        return Kind.DAILY, day
    return Kind.MEMORY, None


def identity_rank(name: str) -> int:
    """Who I am before for whom."""
    base = name.rpartition("/")[2].lower()
    return _IDENTITY.index(base) if base in _IDENTITY else len(_IDENTITY)


def _day(name: str, base: str) -> date | None:
    found = _DATE.search(base) or _PARTS.search(name)
    if found is None:
        return None
    try:
        return date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return None


class Line:
    """One line: its 1-based number, the headings above it, what block it is part of."""

    __slots__ = ("block", "headings", "number", "text")

    def __init__(self, number: int, text: str, headings: tuple[str, ...], block: Block | None) -> None:
        self.number, self.text, self.headings, self.block = number, text, headings, block

    @property
    def is_content(self) -> bool:
        """No heading, code, HTML, front matter, delimiter, nothing that was forgotten."""
        return self.block in (Block.ITEM, Block.PARAGRAPH, Block.ROW) and not is_forgotten(self.text.strip())


class Source:
    """``name``: as it is shown, relative where it lies below the workspace. ``path``: absolute bytes. ``confirmed``:
    1-based first lines of entries that a person pinned. ``data``: its bytes. Never changes."""

    def __init__(self, name: str, path: bytes, data: bytes, confirmed: frozenset[int] = frozenset()) -> None:
        self.name, self.path, self.data = name, path, data
        self.kind, self.day = kind_of(name)
        decoded = decode(data)
        self.text = "" if decoded.encoding is Encoding.BINARY else decoded.text
        self._confirmed = confirmed

    @property
    def is_card(self) -> bool:
        return self.text.startswith(MARK)

    @cached_property
    def raw_lines(self) -> list[str]:
        lines = self.text.split("\n")
        return lines[:-1] if lines and not lines[-1] else lines

    @cached_property
    def table_heads(self) -> tuple[int, ...]:
        """1-based lines above the delimiter row of a table."""
        raw = self.raw_lines
        return tuple(n for n in range(1, len(raw)) if "|" in raw[n - 1] and _DELIMITERS.fullmatch(raw[n]))

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        raw = self.raw_lines
        blocks: list[Block | None] = [None] * len(raw)
        heads: dict[int, tuple[int, str]] = {}
        for each in scan(raw):
            for number in range(each.first, min(each.last + 1, len(raw))):
                blocks[number] = each.kind
            if each.kind is Block.HEADING:
                heads[each.first] = each.level, each.text
        for number in self.table_heads:
            blocks[number - 1] = None  # names columns
        path: list[tuple[int, str]] = []
        found = []
        for number, text in enumerate(raw):
            above = tuple(name for _, name in path)
            if number in heads:
                level, name = heads[number]
                path = [(one, other) for one, other in path if one < level]
                above = tuple(other for _, other in path)
                path.append((level, name))
            found.append(Line(number + 1, text, above, blocks[number]))
        return tuple(found)

    @cached_property
    def pinned(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Numbers of the lines of pinned entries: those that a person pinned, and those that only marks in the file
        say are pinned."""
        if not self._confirmed and b"<!--" not in self.data and "<!--" not in self.text:
            return (), ()
        table = entry_table(self.data, b"")
        sure = [each for each in table.entries if each.line in self._confirmed]
        marked = [each for each in pins.marked(self.data, table) if each.line not in self._confirmed]
        return _numbers([(e.line, e.last_line) for e in sure]), _numbers([(e.line, e.last_line) for e in marked])


def _numbers(ranges: list[tuple[int, int]]) -> tuple[int, ...]:
    return tuple(sorted({number for first, last in ranges for number in range(first, last + 1)}))
