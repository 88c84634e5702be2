"""Dates that have passed, or cannot be right; the log of the day. Pure."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from conductd.core.checkpoint.checkpoint import TITLE
from conductd.core.comparing.calendar_words import MONTHS
from conductd.core.notes.open_lines import is_open
from conductd.core.notes.source import Kind, Source
from conductd.core.qc.check import Check, Seen
from conductd.core.qc.notes import Given
from conductd.core.qc.results import Grade
from conductd.core.reading.blocks import Kind as Block
from conductd.views.words import counted, verb

# The year first, or a day before a month before a year with dots; `03/04/2026` may be two days and is none.
_YEAR_FIRST = re.compile(
    r"(?<!\d)(\d{4})(?:([-/.])(\d{1,2})\2(\d{1,2})(?!\d)|[年년] ?(\d{1,2})[月월] ?(\d{1,2})[日일])"
)
_DAY_FIRST = re.compile(r"(?<![\d.])(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})(?!\d)")
_MONTH = f"({'|'.join(sorted(map(re.escape, MONTHS), key=len, reverse=True))})"
_SPELT = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|er|\.|º)? (?:de |of )?{_MONTH}\.?,? (?:de )?(\d{{4}})(?!\d)", re.I
)
_SPELT_FIRST = re.compile(rf"\b{_MONTH}\.? (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})(?!\d)", re.I)
# Before a date: the line says when it came up, not until when it is to be done.
_CAME_UP = re.compile(r"\b(?:asked|since|started|created|opened|added)(?: \w+)?(?: on)?:? ?$", re.I)
_NAMED = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)[^/]*\.md$")
_STALE_DAYS = 1
_BEFORE = 40  # characters


def _daily_log(given: Given) -> Seen:
    day = given.night.occasion.day
    logs = [source for _, source in given.sources if source.kind is Kind.DAILY]
    of_day = [source for source in logs if source.day == day]
    if any(_is_written(source) for source in of_day):
        return Seen(Grade.PASS, f"{of_day[0].name} has content")
    if of_day:
        return Seen(
            Grade.WARN,
            f"{of_day[0].name} has nothing but headings, or what conductd put there",
            (of_day[0].name,),
            "have the agent write its log",
        )
    if not logs:
        return Seen(Grade.PASS, "no logs of days are kept here")
    changes = given.night.day.changes
    if not changes:
        return Seen(Grade.PASS, "nothing was written on this day, and no log of it")
    said = f"{counted(changes, 'change')} on this day, and no log of it"
    return Seen(Grade.WARN, said, (f"memory/{day.isoformat()}.md",), "have the agent write its log")


def _is_written(source: Source) -> bool:
    """There is a line in it that is no heading, and stands under none of our own."""
    return any(
        line.is_content
        and line.block is not Block.HEADING
        and bool(line.text.strip())
        and not any(TITLE.casefold() in each.casefold() for each in line.headings)
        for line in source.lines
    )


def _stale(given: Given) -> Seen:
    """Open lines of what is kept for good whose last date has passed."""
    latest = given.night.occasion.day - timedelta(days=_STALE_DAYS)
    found = []
    for _, source in given.sources:
        if source.kind in (Kind.DAILY, Kind.QC, Kind.CONTINUITY):
            continue
        for line in source.lines:
            dates = _due(line.text)
            if dates and max(dates) < latest and is_open(line):
                found.append(f"{source.name}:{line.number} {max(dates).isoformat()}")
    if not found:
        return Seen(Grade.PASS, "no open line has a date that has passed")
    said = f"{counted(len(found), 'open line')} {verb(len(found), 'has', 'have')} a date that has passed"
    return Seen(Grade.WARN, said, found, "do what is open, or tick it off")


def _wrongly_dated(given: Given) -> Seen:
    occasion = given.night.occasion
    # A check of an earlier day looks at the files of today.
    day = max(occasion.day, datetime.fromtimestamp(occasion.now_ns / 1e9, ZoneInfo(occasion.zone)).date())
    found = []
    for _, source in given.sources:
        name = _NAMED.search(source.name)
        if name is not None and _date(*name.groups()) is None:
            found.append(f"{source.name}: there is no such day")
        elif source.kind is Kind.DAILY and source.day is not None:
            if source.day > day + timedelta(days=1):
                found.append(f"{source.name}: in the future")
            elif (titled := _titled(source)) is not None and titled != source.day:
                found.append(f"{source.name}: its title says {titled.isoformat()}")
    if not found:
        return Seen(Grade.PASS, "every note is dated as it is called")
    said = f"{counted(len(found), 'note')} {verb(len(found), 'is', 'are')} dated wrongly"
    return Seen(Grade.WARN, said, found, "rename the note, or mend its title")


def _titled(source: Source) -> date | None:
    """The one date in the first heading."""
    head = next((line.text for line in source.lines if line.block is Block.HEADING), "")
    dates = _dates(head)
    return dates[0] if len(dates) == 1 else None


def _dates(text: str) -> list[date]:
    return [found for _, found in _placed(text)]


def _due(text: str) -> list[date]:
    """The dates in it that do not say when it came up."""
    return [found for at, found in _placed(text) if not _CAME_UP.search(text[max(0, at - _BEFORE) : at])]


def _placed(text: str) -> list[tuple[int, date]]:
    """Each date with where it begins, in characters."""
    found = [(m.start(), _date(m[1], m[3] or m[5], m[4] or m[6])) for m in _YEAR_FIRST.finditer(text)]
    found += [(m.start(), _date(m[3], m[2], m[1])) for m in _DAY_FIRST.finditer(text)]
    found += [(m.start(), _date(m[3], _number(m[2]), m[1])) for m in _SPELT.finditer(text)]
    found += [(m.start(), _date(m[3], _number(m[1]), m[2])) for m in _SPELT_FIRST.finditer(text)]
    return [(at, each) for at, each in found if each is not None]


def _number(month: str) -> str:
    return str(MONTHS[month.lower()])


def _date(year: str, month: str, of_month: str) -> date | None:
    try:
        return date(int(year), int(month), int(of_month))
    except ValueError:
        return None


CHECKS = (
    Check(
        "daily_log", "whether the day has a log with content, where logs are kept", _daily_log, ("changes",), reads=True
    ),
    Check("stale_dates", "open lines whose date has passed", _stale, reads=True),
    Check(
        "wrongly_dated",
        "notes whose name is no day, lies in the future, or differs from their title",
        _wrongly_dated,
        reads=True,
    ),
)
