"""The week: days that were clean, what came again and again, how the files grow. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from statistics import median

from conductd.core.report.facts import FileSizes
from conductd.core.report.html import document, listed, table
from conductd.core.report.verdict import Shape
from conductd.core.report.wording import code, escaped, name, plain
from conductd.model import Frozen
from conductd.views.words import counted

RECENT = 10  # days that the growth is taken from: what stopped growing before is full on no day
LEAST_DAYS = 4  # with a size on record: of fewer nothing is foretold
_LACKS = {
    "checkpoint": "nobody verifies the history",
    "qc": "nobody checks the memory",
    "report": "nobody sums up the day",
}
"""What is not known where a job is off, of those without which no day is clean."""
FARTHEST = 90  # days: what is farther away nobody knows


class DayShape(Frozen, frozen=True):
    """``shape``: of the day's report; None: it has none, so that nobody knows. ``is_partly``: nothing was wrong in what
    was looked at, and not all could be: neither clean nor a fault."""

    day: str
    shape: Shape | None
    is_partly: bool = False

    @property
    def words(self) -> str:
        if self.shape is None:
            return "unknown"
        return "nothing wrong seen, not all known" if self.is_partly else str(self.shape)


class Cause(Frozen, frozen=True):
    """An incident of the week: what, who wrote, where."""

    event_class: str
    writer: str
    path: bytes


class Week(Frozen, frozen=True):
    """``week``: "2026-W10". ``days``: seven, oldest first. ``before``: clean days of the week before; None: not known.
    ``causes``: of each incident; None: the history could not be asked. ``requests``: waiting for a person. ``off``:
    jobs that somebody switched off."""

    week: str
    zone: str
    workspace: str
    days: tuple[DayShape, ...]
    before: int | None = None
    causes: tuple[Cause, ...] | None = None
    sizes: tuple[FileSizes, ...] | None = None
    requests: int | None = None
    off: tuple[str, ...] = ()
    format: int = 1

    @property
    def clean(self) -> int:
        return sum(1 for each in self.days if each.shape is Shape.CLEAN)

    @property
    def partly(self) -> tuple[str, ...]:
        return tuple(each.day for each in self.days if each.is_partly)


def forecast(file: FileSizes) -> int | None:
    """Days until the file reaches its limit; None: it does not grow, has none, or too little is known.

    The slope is the median of those between all pairs of days (Theil and Sen): one large paste or one clean-up is no
    trend.
    """
    if file.limit is None or len(file.points) < LEAST_DAYS:
        return None
    points = [(date.fromisoformat(day).toordinal(), size) for day, size in file.points[-RECENT:]]
    slopes = [(b - a) / (later - day) for day, a in points for later, b in points if later > day]
    slope = median(slopes) if slopes else 0.0
    left = file.limit - points[-1][1]
    if slope <= 0 or left < 0 or left / slope > FARTHEST:
        return None
    return math.ceil(left / slope)


def recurring(causes: Sequence[Cause]) -> list[tuple[Cause, int]]:
    """What came more than once, the most frequent first."""
    counts = Counter(causes)
    found = [(cause, count) for cause, count in counts.items() if count > 1]
    return sorted(found, key=lambda each: (-each[1], each[0].event_class, each[0].writer, each[0].path))


def sentences(week: Week) -> list[str]:
    """What the week comes to, a sentence a thing; all forms have just these."""
    said = [f"days clean: {week.clean}/{len(week.days)}"]
    if week.before is not None:
        change = week.clean - week.before
        said.append(f"trend: {change:+d} against the week before" if change else "trend: as the week before")
    blank = [each.day for each in week.days if each.shape is None]
    said += [f"no report, so not known: {', '.join(blank)}"] if blank else []
    if week.partly:
        said.append(f"nothing wrong seen, but not all known, so not clean: {', '.join(week.partly)}")
    said += [f"off, as configured, which is no failure: {_off(each)}" for each in week.off]
    if week.causes is None:
        said.append("incidents: unknown, the history could not be asked")
    else:
        said.append(f"incidents: {len(week.causes)}")
    for file in week.sizes or ():
        days = forecast(file)
        if days is not None and days > 0:
            said.append(f"{name(file.path)} reaches its limit in about {counted(days, 'day')}")
        elif file.limit is not None and file.points and file.points[-1][1] >= file.limit:
            said.append(f"{name(file.path)} has reached its limit")
    said += ["sizes: unknown"] if week.sizes is None else []
    said.append("requests that wait: " + ("unknown" if week.requests is None else str(week.requests)))
    return [plain(each) for each in said]


def _off(job: str) -> str:
    lacks = _LACKS.get(job)
    return f"{job}; {lacks}, and no day without it is called clean" if lacks else job


def title(week: Week) -> str:
    partly = f", {len(week.partly)} with nothing wrong seen" if week.partly else ""
    return plain(f"{week.week}: {week.clean}/{len(week.days)} days clean{partly}")


def chat(week: Week) -> str:
    rows = [f"{count} × {what}, {who}, {where}" for what, who, where, count in _rows(week)[:3]]
    return "\n".join([*sentences(week), *rows])


def markdown(week: Week) -> str:
    lines = [f"# Recap {escaped(title(week))}", "", escaped(f"{week.workspace}, {week.zone} time"), ""]
    lines += [f"- {escaped(each)}" for each in sentences(week)]
    lines += ["", "| day | report |", "| --- | --- |"]
    lines += [f"| {each.day} | {each.words} |" for each in week.days]
    rows = _rows(week)
    if rows:
        lines += ["", "## Recurring causes", "", "| what | writer | file | times |", "| --- | --- | --- | --- |"]
        lines += [f"| {escaped(a)} | {escaped(b)} | {code(c)} | {count} |" for a, b, c, count in rows]
    return "\n".join(lines) + "\n"


def page(week: Week) -> str:
    return document(f"Recap {title(week)}", f"{week.workspace}, {week.zone} time", _parts(week))


def _parts(week: Week) -> Iterator[str]:
    yield from listed("The week", sentences(week))
    yield from table("Days", ("day", "report"), [(each.day, each.words) for each in week.days])
    rows = [(a, b, c, str(count)) for a, b, c, count in _rows(week)]
    yield from table("Recurring causes", ("what", "writer", "file", "times"), rows)


def _rows(week: Week) -> list[tuple[str, str, str, int]]:
    return [(c.event_class, plain(c.writer), name(c.path), n) for c, n in recurring(week.causes or ())][:50]
