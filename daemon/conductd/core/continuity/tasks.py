"""Which tasks a note speaks of, and the lines about each. Pure.

A task is a section with a name of its own in which something is open or that is said to be active; a topic file with
such lines, by its title; and in the log of a day each open line that stands under no such section.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from conductd.core.checkpoint.checkpoint import TITLE
from conductd.core.checkpoint.statements import Statement, statement
from conductd.core.continuity.names import key, task_name
from conductd.core.notes import telling
from conductd.core.notes.open_lines import is_open
from conductd.core.notes.quoting import content
from conductd.core.notes.source import Kind, Line, Source
from conductd.core.notes.words import STATUS
from conductd.core.reading.blocks import Kind as Block

_STATUS = frozenset(STATUS)
Says = Callable[[Iterable[str]], bool]


class Said(NamedTuple):
    """What one note says of one task. Numbers of lines are 1-based. ``named``: the line that names it. ``is_item``: the
    task is one line of a list. ``is_over``: nothing of it is open, and it says that it is done."""

    key: str
    name: str
    source: Source
    named: int
    status: int | None
    open: tuple[int, ...]
    state: tuple[int, ...]
    decisions: tuple[int, ...]
    context: tuple[int, ...]
    is_active: bool
    is_over: bool
    is_item: bool = False

    @property
    def is_unfinished(self) -> bool:
        return bool(self.open) or (self.is_active and not self.is_over)


class _Section:
    """Lines of a note under one name, as they come."""

    def __init__(self, name: str, named: int) -> None:
        self.name, self.named = name, named
        self.lines: list[Line] = []
        self.heads: list[str] = []


def tasks_in(source: Source) -> list[Said]:
    """In the order in which they are named."""
    sections, items = _sections(source)
    found = [_said(source, each) for each in sections if each.lines or each.heads]
    if source.kind is Kind.DAILY:
        found += [_item(source, line) for line in items if _is_task_line(line)]
    return [each for each in found if each.key]


def _sections(source: Source) -> tuple[list[_Section], list[Line]]:
    """Those with a name, and the lines outside of them. Of a topic file these belong to the file itself."""
    whole = _Section(*_title(source))
    named: dict[str, _Section] = {}
    loose: list[Line] = []
    for line in source.lines:
        if line.block is Block.HEADING:
            heading = content(line.text)
            name = _named((*line.headings, heading), source)
            if name and _name_of(heading, source, len(line.headings)) == name:
                section = named.setdefault(key(name), _Section(name, line.number))
                section.heads.append(heading)
                section.named = line.number
            continue
        if not line.is_content or any(TITLE.casefold() in each.casefold() for each in line.headings):
            continue
        name = _named(line.headings, source)
        if name:
            named.setdefault(key(name), _Section(name, line.number)).lines.append(line)
        else:
            loose.append(line)
    sections = list(named.values())
    if source.kind is not Kind.DAILY and loose:
        whole.lines = loose
        sections.append(whole)
    return sections, loose


def _title(source: Source) -> tuple[str, int]:
    """Of a topic file: its first heading, else its name."""
    for line in source.lines:
        if line.block is Block.HEADING and not line.headings and (name := task_name(content(line.text))):
            return name, line.number
    stem = source.name.rpartition("/")[2].rpartition(".")[0]
    return stem.replace("-", " ").replace("_", " ").strip(), 1


def _named(headings: tuple[str, ...], source: Source) -> str:
    """The innermost heading that is a task's."""
    for depth in reversed(range(len(headings))):
        if name := _name_of(headings[depth], source, depth):
            return name
    return ""


def _name_of(heading: str, source: Source, depth: int) -> str:
    """The first heading of a topic file is its title: what stands below it alone belongs to the file."""
    return "" if source.kind is not Kind.DAILY and depth == 0 else task_name(heading)


def _said(source: Source, section: _Section) -> Said:
    open_ = tuple(line.number for line in section.lines if is_open(line))
    status = next((line for line in reversed(section.lines) if _is_status(line)), None)
    ticked = [line for line in section.lines if telling.box(line.text) is False or telling.is_struck(line.text)]
    heads = [*section.heads, *(line.headings[-1] for line in section.lines[-1:] if line.headings)]
    is_active = _status_says(status, telling.is_active) or telling.is_active(heads)
    is_over = not open_ and (_status_says(status, telling.is_done) or telling.is_done(section.heads) or bool(ticked))
    state: list[int] = []
    decisions: list[int] = []
    context: list[int] = []
    for line in section.lines:
        if line.number in open_ or line is status or line in ticked:
            continue
        kind = statement(line, is_task_file=False)
        if kind is Statement.DECISION:
            decisions.append(line.number)
        elif kind in (Statement.CONSTRAINT, Statement.CORRECTION):
            context.append(line.number)
        else:
            state.append(line.number)
    return Said(
        key(section.name),
        section.name,
        source,
        section.named,
        status.number if status is not None else None,
        open_,
        tuple(state),
        tuple(decisions),
        tuple(context),
        is_active,
        is_over,
    )


def _is_status(line: Line) -> bool:
    found = telling.label(line.text)
    return found is not None and found[0] in _STATUS and bool(found[1])


def _status_says(line: Line | None, says: Says) -> bool:
    found = telling.label(line.text) if line is not None else None
    return found is not None and says([found[1]])


# --------------------------------------------------------------------------- single lines of a log


def _is_task_line(line: Line) -> bool:
    return is_open(line) or telling.box(line.text) is False or telling.is_struck(line.text)


def _item(source: Source, line: Line) -> Said:
    text = content(line.text).strip("~ ")
    found = telling.label(line.text)
    name = found[1] if found is not None and telling.OPEN_WORDS.are(found[0]) else text
    is_over = not is_open(line)
    number = (line.number,)
    return Said(key(name), name, source, line.number, None, () if is_over else number, (), (), (), False, is_over, True)
