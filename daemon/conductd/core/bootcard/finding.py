"""Which lines of the files belong on the card, by section, the most important first. Pure; every answer is a place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from enum import StrEnum
from typing import NamedTuple

from conductd.core.notes import telling
from conductd.core.notes.open_lines import is_live, is_open
from conductd.core.notes.quoting import content
from conductd.core.notes.source import Kind, Line, Source, identity_rank
from conductd.core.notes.words import IDENTITY, LABELS, NEXT, STATUS, YOU_ARE
from conductd.core.reading.blocks import Kind as Block

_IDENTITY_LINES = 8  # of one file
_IDENTITY_HEADINGS = telling.Phrases(IDENTITY, 2)
_YOU_ARE = telling.Phrases(YOU_ARE)
_SENTENCES = 2  # of one file that say who somebody is
_PLACEHOLDERS = ("_(", "*(", "(", "[", "<", "{{", "TODO")


class Section(StrEnum):
    """In the order of the card."""

    PINNED = "pinned"
    ME = "me"
    TASK = "task"
    OPEN = "open"
    CONTINUED = "continued"
    QC = "QC"
    LOADED = "loaded whole"


class Place(NamedTuple):
    """Lines of one file that make one line of the card. ``is_sure``: a person pinned it."""

    section: Section
    source: Source
    numbers: tuple[int, ...]
    is_sure: bool = False


def places(sources: Sequence[Source], today: date) -> dict[Section, list[Place]]:
    """``sources`` in any order."""
    ordered = sorted((each for each in sources if not each.is_card), key=lambda each: (each.name, each.path))
    return {
        Section.PINNED: list(_pinned(ordered)),
        Section.ME: list(_identity(ordered)),
        Section.TASK: list(_tasks(ordered)),
        Section.OPEN: list(_open_items(ordered, today)),
        Section.CONTINUED: list(_continuity(ordered)),
        Section.QC: list(_qc(ordered, today)),
    }


def of_kind(sources: Iterable[Source], kind: Kind) -> list[Source]:
    return [each for each in sources if each.kind is kind]


# --------------------------------------------------------------------------- pins


def _pinned(sources: list[Source]) -> Iterator[Place]:
    """Those of a person first; each line of an entry is a line of the card."""
    for sure in (True, False):
        for source in sources:
            for number in source.pinned[0 if sure else 1]:
                if content(source.raw_lines[number - 1]):
                    yield Place(Section.PINNED, source, (number,), sure)


# --------------------------------------------------------------------------- who I am


def _identity(sources: list[Source]) -> Iterator[Place]:
    files = sorted(of_kind(sources, Kind.IDENTITY), key=lambda each: (identity_rank(each.name), each.name))
    yield from _in_turn([list(_who(source, source.lines)) for source in files])
    if files:
        return
    for source in sources:  # agents that keep it under a heading of their instructions
        if source.kind is Kind.MEMORY:
            told = [x for x in source.lines if any(_is_identity(name) for name in x.headings)]
            yield from _who(source, told or _sentences(source))


def _sentences(source: Source) -> list[Line]:
    """Of a file in the root those that begin like "You are …"."""
    if "/" in source.name:
        return []
    return [x for x in source.lines if x.is_content and _YOU_ARE.begin(content(x.text))][:_SENTENCES]


def _in_turn(of_files: list[list[Place]]) -> Iterator[Place]:
    """A line of each file, then the next of each: for whom stands beside who."""
    for at in range(max(map(len, of_files), default=0)):
        yield from (each[at] for each in of_files if at < len(each))


def _is_identity(heading: str) -> bool:
    return _IDENTITY_HEADINGS.are(telling.plain(heading))


def _who(source: Source, lines: Sequence[Line]) -> Iterator[Place]:
    """Fields with a telling label first, then what stands there in order."""
    said = [each for each in lines if each.is_content and _says_something(each)]
    first = [each for each in said if _has_label(each)]
    rest = [each for each in said if not _has_label(each)]
    for each in (*first, *rest)[:_IDENTITY_LINES]:
        yield Place(Section.ME, source, (each.number,))


def _has_label(line: Line) -> bool:
    found = telling.label(line.text)
    return found is not None and found[0] in _LABELS


def _says_something(line: Line) -> bool:
    """No empty field and no stand-in of a template."""
    text = content(line.text)
    found = telling.label(line.text)
    value = found[1] if found else text
    return bool(value.strip("-*_ ")) and not value.startswith(_PLACEHOLDERS) and not text.startswith(("_", "---"))


_LABELS, _STATUS, _NEXT = frozenset(LABELS), frozenset(STATUS), frozenset(NEXT)


# --------------------------------------------------------------------------- tasks


def _tasks(sources: list[Source]) -> Iterator[Place]:
    for source in of_kind(sources, Kind.TASKS):
        live = [each for each in source.lines if is_live(each)]
        chosen = [each for each in live if telling.box(each.text) or _is_active(each)]
        if not chosen:
            chosen = [each for each in live if each.block is not Block.ROW and telling.box(each.text) is None]
        yield from (Place(Section.TASK, source, (each.number,)) for each in chosen)
    for source in of_kind(sources, Kind.MEMORY):
        if not telling.ACTIVE_WORDS.in_(source.text):  # most are not: their lines need not be told apart
            continue
        chosen = [each for each in source.lines if each.headings and is_live(each) and telling.is_active(each.headings)]
        yield from (Place(Section.TASK, source, (each.number,)) for each in chosen if each.block is Block.ITEM)


def _is_active(line: Line) -> bool:
    """Under a heading that says so; a row of a table, or a field, by its own word."""
    if line.block is Block.ROW:
        return any(telling.is_active([cell]) for cell in content(line.text).split("|"))
    return telling.is_active(line.headings) or telling.is_open(line.headings) or _status_is_active(line)


def _status_is_active(line: Line) -> bool:
    found = telling.label(line.text)
    return found is not None and found[0] in _STATUS and telling.is_active([found[1]])


# --------------------------------------------------------------------------- open items of yesterday and today


def _open_items(sources: list[Source], today: date) -> Iterator[Place]:
    """Those of today before those of yesterday; an item of yesterday that is ticked or stands again today is not."""
    later: set[str] = set()
    for day in (today, today - timedelta(days=1)):
        notes = [each for each in of_kind(sources, Kind.DAILY) if each.day == day]
        here = set()
        for source in notes:
            for line in source.lines:
                if not line.is_content:
                    continue
                words = content(line.text).strip(" .!~*_").casefold()
                here.add(words)
                if words not in later and is_open(line):
                    yield Place(Section.OPEN, source, (line.number,))
        later |= here


# --------------------------------------------------------------------------- continuity


def _continuity(sources: list[Source]) -> Iterator[Place]:
    """Of each piece of work one line: its name, its status, its next action."""
    for source in of_kind(sources, Kind.CONTINUITY):
        name = next((x.number for x in source.lines if x.block is Block.HEADING and content(x.text)), None)
        name = _field(source, _NAME) or name
        status, action = _field(source, _STATUS), _field(source, _NEXT)
        if status is not None and _is_over(source.raw_lines[status - 1]):
            continue
        numbers = tuple(dict.fromkeys(each for each in (name, status, action) if each is not None))
        if numbers:
            yield Place(Section.CONTINUED, source, numbers)


_NAME = frozenset(
    {"name", "task", "title", "titel", "aufgabe", "nom", "titre", "nombre", "título", "名称", "名前", "任务", "タスク"}
)


def _is_over(line: str) -> bool:
    found = telling.label(line)
    return telling.is_done([found[1] if found else content(line)])


def _field(source: Source, labels: frozenset[str]) -> int | None:
    """The line of a field that has a value, or the first line below a heading of that name."""
    for line in source.lines:
        if line.block in (Block.CODE, Block.HTML, Block.HEADING, None):
            continue
        found = telling.label(line.text)
        if found is not None and found[0] in labels and found[1]:
            return line.number
        if line.is_content and line.headings and telling.plain(line.headings[-1]) in labels and content(line.text):
            return line.number
    return None


# --------------------------------------------------------------------------- what QC found


def _qc(sources: list[Source], today: date) -> Iterator[Place]:
    """The findings of last night: logs of today and yesterday, of each agent the newest."""
    for source in recent_qc(sources, today):
        yield from _summary(source)
        for line in source.lines:
            if _is_found(line):
                yield Place(Section.QC, source, (line.number,))


def _summary(source: Source) -> Iterator[Place]:
    """`Checks | Passed | Failed | Actions` and the figures below it, as one line."""
    for head in source.table_heads:
        row = source.raw_lines[head + 1 : head + 2]
        cells = [cell.strip() for cell in content(row[0]).split("|")] if row else []
        if len(cells) > 1 and all(cell.isdigit() for cell in cells):
            yield Place(Section.QC, source, (head, head + 2))


def _is_found(line: Line) -> bool:
    """By its own words, or by the heading it stands under."""
    if not line.is_content or not content(line.text) or telling.box(line.text) is False:
        return False
    return telling.is_finding(line.text) or (bool(line.headings) and telling.is_finding(line.headings[-1]))


def recent_qc(sources: Iterable[Source], today: date) -> list[Source]:
    newest: dict[str, Source] = {}
    for each in of_kind(sources, Kind.QC):
        if each.day is not None and today - timedelta(days=1) <= each.day <= today:
            agent = each.name.replace(each.day.isoformat(), "")
            if agent not in newest or (newest[agent].day or each.day) < each.day:
                newest[agent] = each
    return sorted(newest.values(), key=lambda each: each.name)
