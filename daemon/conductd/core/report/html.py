"""A report as one HTML page that needs nothing else: no script, no font, no picture from anywhere. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from conductd.core.night.days import in_words
from conductd.core.qc.results import Grade
from conductd.core.report.facts import Facts, figures
from conductd.core.report.plots import bars, health, sizes
from conductd.core.report.verdict import Verdict, verdict
from conductd.core.report.wording import MOST, about, heading, name, plain

_STYLE = """
:root{color-scheme:light dark;--ink:#1b1b1b;--paper:#fff;--line:#d0d0d0;--pass:#2e7d32;--warn:#b26a00;--fail:#c62828;\
--unknown:#757575;--plot:#1565c0}
@media (prefers-color-scheme:dark){:root{--ink:#e6e6e6;--paper:#161616;--line:#444;--pass:#66bb6a;--warn:#ffb74d;\
--fail:#ef5350;--unknown:#9e9e9e;--plot:#64b5f6}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:2rem auto;\
padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid var(--line);padding:.25rem .5rem;\
text-align:left;vertical-align:top;overflow-wrap:break-word}
table{display:block;overflow-x:auto}
svg{max-width:100%;height:auto}svg text{fill:var(--ink);font:11px system-ui,sans-serif}
.pass{fill:var(--pass)}.warn{fill:var(--warn)}.fail{fill:var(--fail)}.unknown{fill:var(--unknown)}.bar{fill:var(--plot)}
.size{fill:none;stroke:var(--plot);stroke-width:2}.limit{stroke:var(--fail);stroke-dasharray:4 3}
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(facts: Facts) -> str:
    found = verdict(facts)
    return document(f"Report {heading(facts, found)}", about(facts), _parts(facts, found))


def document(title: str, below: str, parts: Iterator[str]) -> str:
    """`title`, `below`: text; `parts`: HTML."""
    shown = escape(plain(title))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{shown}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{shown}</h1>\n<p>{cell(below)}</p>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def _parts(facts: Facts, found: Verdict) -> Iterator[str]:
    counts = {each: facts.qc.count(each) for each in Grade} if facts.qc is not None else {}
    yield health(counts)
    yield from listed("Needs you", found.needs)
    yield from listed("Handled", found.handled)
    yield from listed("Unknown", found.unknown)
    yield from table("Figures", ("figure", "value"), figures(facts), "figures")
    incidents = [
        (
            str(each.incident),
            each.event_class.value,
            ", ".join(name(path) for path in each.paths[:5]),
            each.state,
            str(each.entries_lost),
            each.done,
            each.command,
        )
        for each in facts.incidents or ()
    ]
    yield from table("Incidents", ("number", "what", "files", "state", "entries lost", "done", "to act"), incidents)
    checks = [(each.check, each.grade.value, each.words, each.fix) for each in (facts.qc.findings if facts.qc else ())]
    yield from table("Checks", ("check", "result", "what", "fix"), checks)
    jobs = [(e.job, e.day, e.result or "did not run", e.words, in_words(e.asleep)) for e in facts.jobs]
    yield from table("Jobs", ("job", "for", "result", "what", "covers"), jobs)
    if facts.sizes:
        yield "<h2>Sizes</h2>"
        yield from (sizes(each) for each in facts.sizes if each.points)
    if facts.versions_per_hour is not None:
        yield "<h2>Versions per hour</h2>"
        yield bars(facts.versions_per_hour)


def listed(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        more = [f"and {len(lines) - MOST} more"] if len(lines) > MOST else []
        items = "".join(f"<li>{cell(each)}</li>" for each in [*lines[:MOST], *more])
        yield f"<h2>{cell(title)}</h2>\n<ul>{items}</ul>"


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "rows") -> Iterator[str]:
    if rows:
        head = "".join(f"<th>{cell(each)}</th>" for each in heads)
        body = "\n".join("<tr>" + "".join(f"<td>{cell(one)}</td>" for one in row) + "</tr>" for row in rows[:MOST])
        more = f"\n<p>and {len(rows) - MOST} more</p>" if len(rows) > MOST else ""
        yield f'<h2>{cell(title)}</h2>\n<table class="{kind}">\n<tr>{head}</tr>\n{body}\n</table>{more}'


def cell(text: str) -> str:
    """Its direction is its own: a name that is written from right to left turns nothing around it."""
    return f"<bdi>{escape(plain(text))}</bdi>" if not text.isascii() else escape(plain(text))
