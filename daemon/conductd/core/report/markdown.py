"""A report as Markdown. Pure: the same facts give the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conductd.core.night.days import in_words
from conductd.core.report.facts import Facts, figures
from conductd.core.report.verdict import Verdict, verdict
from conductd.core.report.wording import MOST, about, code, escaped, heading, name


def markdown(facts: Facts) -> str:
    found = verdict(facts)
    return (
        "\n".join([f"# Report {escaped(heading(facts, found))}", "", escaped(about(facts)), *_parts(facts, found)])
        + "\n"
    )


def _parts(facts: Facts, found: Verdict) -> Iterator[str]:
    yield from _list("Needs you", found.needs)
    yield from _list("Handled", found.handled)
    yield from _list("Unknown", found.unknown)
    yield from _table("Figures", ("figure", "value"), figures(facts))
    if facts.incidents:
        rows = [
            (
                str(each.incident),
                escaped(each.event_class.value),
                ", ".join(code(name(path)) for path in each.paths[:5]),
                each.state,
                str(each.entries_lost),
                escaped(each.done),
                code(each.command),
            )
            for each in facts.incidents
        ]
        yield from _table("Incidents", ("number", "what", "files", "state", "entries lost", "done", "to act"), rows)
    if facts.qc is not None and facts.qc.findings:
        rows_ = [(escaped(e.check), e.grade.value, escaped(e.words), escaped(e.fix)) for e in facts.qc.findings]
        yield from _table("Checks", ("check", "result", "what", "fix"), rows_)
    if facts.jobs:
        jobs = [
            (e.job, e.day, e.result or "did not run", escaped(e.words), escaped(in_words(e.asleep))) for e in facts.jobs
        ]
        yield from _table("Jobs", ("job", "for", "result", "what", "covers"), jobs)
    if facts.sizes:
        sizes = [
            (code(name(e.path)), f"{e.points[0][1]:,}", f"{e.points[-1][1]:,}", escaped(e.limit_said))
            for e in facts.sizes
            if e.points
        ]
        yield from _table("Sizes", ("file", "bytes at first", "bytes now", "limit"), sizes)
    if facts.versions_per_hour is not None:
        busy = [(str(hour), f"{count:,}") for hour, count in enumerate(facts.versions_per_hour) if count]
        yield from _table("Versions per hour", ("hours since the day began", "versions"), busy)


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield from ("", f"## {title}", "")
        yield from (f"- {escaped(each)}" for each in lines[:MOST])
        if len(lines) > MOST:
            yield f"- and {len(lines) - MOST} more"


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if rows:
        yield from ("", f"## {title}", "", _row(heads), _row(["---"] * len(heads)))
        yield from (_row(each) for each in rows[:MOST])
        if len(rows) > MOST:
            yield from ("", f"and {len(rows) - MOST} more")


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
