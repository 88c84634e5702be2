"""The text that a checkpoint adds to the log of the day, or why it adds none. Pure.

Same night, same text: lines that stand in the log already, by whoever wrote them, are not said again, so that a second
run adds nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from conductd.core.checkpoint.statements import Statement, is_summary, statement
from conductd.core.night.facts import DayIncident, Night, NightFile
from conductd.core.notes.quoter import Quoter
from conductd.core.notes.quoting import harmless
from conductd.core.notes.source import Kind, Line, Source
from conductd.core.notes.withheld import Conceal
from conductd.core.reading.blocks import Kind as Block
from conductd.core.reading.entries import Entry, entry_table
from conductd.model import Frozen
from conductd.views import shown
from conductd.views.words import counted

TITLE = "Pre-Reset Checkpoint"
OF_EACH = 12  # lines of one kind of statement, in the log of a day
_OF_INCIDENT = "incident"
_QUOTED = re.compile(r'^- (?P<kind>[a-z]+): "(?P<text>.*)" \(.*\)$')
_INCIDENT = re.compile(r"^- incident (?P<number>\d+):")


class Checkpoint(Frozen, frozen=True):
    """``text``: to be put at the end of ``log`` (relative path), "" for nothing, and ``why``, one phrase.
    ``quoted``: lines by kind; ``left_out``: lines for which there was no room; ``withheld``: secrets and orders."""

    log: bytes
    text: str = ""
    why: str = ""
    quoted: Mapping[str, int] = {}
    left_out: int = 0
    withheld: int = 0


def checkpoint(night: Night, at: str, conceal: Conceal) -> Checkpoint:
    """``at``: local time of the run, as "03:30"."""
    day = night.occasion.day
    log = f"memory/{day.isoformat()}.md".encode()
    sources = {file.path: _source(file) for file in night.files}
    logs = [each for each in sources.values() if each.kind is Kind.DAILY and each.day == day]
    if any(_sums_up(each) for each in logs):
        return Checkpoint(log, why="the log of the day has a summary")
    if night.day.changes is None:
        return Checkpoint(log, why="the history of the day cannot be read")
    said = [mark for each in logs for mark in _known(each)]
    known = {text for _, text in said}
    given = Counter(kind for kind, _ in said)
    quoter = Quoter(conceal)
    found: dict[Statement, list[str]] = {each: [] for each in Statement}
    for file in night.files:
        source = sources[file.path]
        if source.day == day and source.kind is Kind.DAILY:
            continue
        for line in _news(night, file, source):
            text = quoter.text(source, line.number)
            if text is None or text in known:
                continue
            known.add(text)
            found[statement(line, is_task_file=source.kind is Kind.TASKS)].append(
                f'"{text}" ({harmless(source.name)}:{line.number})'
            )
    incidents = [each for each in night.day.incidents or () if (_OF_INCIDENT, str(each.incident)) not in said]
    return _written(night, log, at, found, incidents, given, quoter.withheld)


def _written(
    night: Night,
    log: bytes,
    at: str,
    found: Mapping[Statement, list[str]],
    incidents: list[DayIncident],
    given: Mapping[str, int],
    withheld: int,
) -> Checkpoint:
    # The room is that of the day: what an earlier run left out is not brought by a later one.
    room = {kind: max(0, OF_EACH - given.get(kind, 0)) for kind in (*map(str, found), _OF_INCIDENT)}
    quoted = {str(kind): min(len(texts), room[kind]) for kind, texts in found.items() if texts and room[kind]}
    lines = [f"- {kind}: {each}" for kind, texts in found.items() for each in texts[: room[kind]]]
    lines += [_incident(each) for each in incidents[: room[_OF_INCIDENT]]]
    left_out = len(incidents) + sum(map(len, found.values())) - len(lines)
    if not lines:
        why = f"no room for {counted(left_out, 'more line')}" if left_out else "nothing new came into the other files"
        return Checkpoint(log, why=why, left_out=left_out, withheld=withheld)
    if left_out:
        lines.append(f"- {counted(left_out, 'more line')} not quoted: conductd log")
    asleep = _days(night.occasion.asleep)
    said = (
        f"What conductd recorded on {night.occasion.day.isoformat()}{asleep} in other files; each line is a quotation."
    )
    text = f"## {TITLE} {at}\n\n{said}\n\n" + "\n".join(lines) + "\n"
    return Checkpoint(log, text, quoted=quoted, left_out=left_out, withheld=withheld)


def _days(asleep: tuple[date, ...]) -> str:
    if not asleep:
        return ""
    first, last = asleep[0].isoformat(), asleep[-1].isoformat()
    return f" (and {first})" if first == last else f" (and {first} to {last})"


def _incident(each: DayIncident) -> str:
    names = ", ".join(harmless(shown(path)) for path in each.paths[:3])
    more = f" and {len(each.paths) - 3} more" if len(each.paths) > 3 else ""
    command = f"; {each.command}" if each.command else ""
    return f"- incident {each.incident}: {each.event_class} of {names}{more}: {harmless(each.done)}{command}"


# --------------------------------------------------------------------------- what is new


def _source(file: NightFile) -> Source:
    return Source(shown(file.path), file.path, file.data)


def _news(night: Night, file: NightFile, source: Source) -> Iterator[Line]:
    """The lines with which new entries of the day begin; none of a file of which nobody knows what it held."""
    before = next((each for each in night.before if each.path == file.path), None)
    if before is None or not before.is_known or source.is_card or source.kind in (Kind.QC, Kind.CONTINUITY):
        return
    there = {entry.fingerprint for entry in entry_table(before.data or b"", b"").entries}
    for entry in entry_table(file.data, b"").entries:
        if entry.fingerprint not in there and _says_something(entry):
            line = source.lines[entry.line - 1]
            if line.is_content and not _is_ours(line):
                yield line


def _is_ours(line: Line) -> bool:
    """Of a checkpoint, wherever it was copied to."""
    return any(TITLE.casefold() in each.casefold() for each in line.headings)


def _says_something(entry: Entry) -> bool:
    return entry.kind in (Block.ITEM, Block.PARAGRAPH, Block.ROW) and bool(entry.words)


# --------------------------------------------------------------------------- what the log has


def _sums_up(source: Source) -> bool:
    """A heading says so, and something stands below it; our own checkpoints are none."""
    heads = {line.headings[-1] for line in source.lines if line.is_content and line.headings}
    return any(is_summary(head) and TITLE.casefold() not in head.casefold() for head in heads)


def _known(source: Source) -> Iterable[tuple[str, str]]:
    """(kind, text) of what the log quotes, and of the incidents it names by number. Within a block of code only what
    stands below the line of a checkpoint."""
    is_ours = False
    for line in source.lines:
        if line.text.startswith("#"):
            is_ours = line.text.startswith(f"## {TITLE}")
        if not (is_ours or line.is_content):
            continue
        if found := _QUOTED.match(line.text):
            yield found["kind"], found["text"]
        elif incident := _INCIDENT.match(line.text):
            yield _OF_INCIDENT, incident["number"]
