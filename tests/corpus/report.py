"""The report on the judge: a table for the terminal, a page and a picture for the documents.

Deterministic: the same rules and the same corpus give the same bytes. No times, no machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from corpus.changes import FAMILIES
from corpus.languages import LANGUAGES
from corpus.measuring import Count, Result, Tally, tally
from corpus.set_aside import FAMILIES as SET_ASIDE
from corpus.set_aside import LANGUAGE, is_set_aside

PARTS = ("tuned", "set aside")


class Row(NamedTuple):
    name: str
    figures: Tally


def part(result: Result) -> str:
    return PARTS[is_set_aside(result.change.family, result.change.language)]


def rows(results: Sequence[Result], of: Callable[[Result], str], names: Iterable[str]) -> list[Row]:
    return [Row(name, tally(each for each in results if of(each) == name)) for name in names]


def by_part(results: Sequence[Result]) -> list[Row]:
    return [*rows(results, part, PARTS), Row("all", tally(results))]


def by_language(results: Sequence[Result], name: str) -> list[Row]:
    return rows([each for each in results if part(each) == name], lambda each: each.change.language, LANGUAGES)


def by_family(results: Sequence[Result], *, destructive: bool) -> list[Row]:
    names = [family.name for family in FAMILIES.values() if family.destructive is destructive]
    return rows(results, lambda each: each.change.family, names)


def percent(count: Count) -> str:
    return f"{100 * count.share:.1f} %" if count.of else "-"


def between(count: Count) -> str:
    low, high = count.interval
    return f"{100 * low:.1f} to {100 * high:.1f}" if count.of else "-"


def _summary(figures: Tally) -> list[str]:
    return [
        f"{figures.recall.hits}/{figures.recall.of}",
        percent(figures.recall),
        between(figures.recall),
        percent(figures.classes),
        percent(figures.entries),
        f"{figures.writes.hits}/{figures.writes.of}",
        f"{figures.alarms.hits}",
        percent(figures.alarms),
        between(figures.alarms),
        f"{figures.notices.hits}",
        percent(figures.notices),
    ]


_SUMMARY = ["", "recall", "%", "95 %", "class", "entries", "writes", "alarms", "%", "95 %", "notices", "%"]
_HARMFUL = ["destructive family", "recall", "95 %", "class", "entries"]
_HARMLESS = ["legitimate family", "changes", "writes", "alarms", "notices"]


def _harmful(row: Row) -> list[str]:
    figures = row.figures
    return [
        _starred(row.name),
        f"{figures.recall.hits}/{figures.recall.of}",
        between(figures.recall),
        f"{figures.classes.hits}/{figures.classes.of}",
        percent(figures.entries),
    ]


def _harmless(row: Row) -> list[str]:
    figures = row.figures
    return [
        _starred(row.name),
        str(figures.writes.of),
        *(str(c.hits) for c in (figures.writes, figures.alarms, figures.notices)),
    ]


def _starred(name: str) -> str:
    return f"{name} *" if name in SET_ASIDE or name == LANGUAGE else name


Table = tuple[list[str], list[list[str]]]


def tables(results: Sequence[Result]) -> list[tuple[str, Table]]:
    """All tables, each under its title."""
    made: list[tuple[str, Table]] = [
        ("Parts", (_SUMMARY, [[row.name, *_summary(row.figures)] for row in by_part(results)])),
    ]
    made += [
        (
            f"Languages, {name} part",
            (_SUMMARY, [[_starred(row.name), *_summary(row.figures)] for row in by_language(results, name)]),
        )
        for name in PARTS
    ]
    made.append(("Destructive families", (_HARMFUL, [_harmful(row) for row in by_family(results, destructive=True)])))
    made.append(("Legitimate families", (_HARMLESS, [_harmless(row) for row in by_family(results, destructive=False)])))
    return made


def as_text(results: Sequence[Result]) -> str:
    parts = []
    for title, (head, lines) in tables(results):
        widths = [max(len(line[place]) for line in (head, *lines)) for place in range(len(head))]
        texts = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in (head, *lines)
        ]
        parts.append("\n".join([title, "", texts[0], "  ".join("-" * width for width in widths), *texts[1:], ""]))
    return "\n".join([*parts, *wrong(results), ""])


def as_page(results: Sequence[Result]) -> str:
    """The page docs/judge-report.md."""
    parts = [
        "# How the judge does on the corpus",
        "Written by `make judge-report`; [corpus.md](corpus.md) says what is measured, and what the columns mean. "
        "Intervals are Wilson's, 95 %. A star marks what is set aside: nobody tunes on it.",
        "![recall and false alarms with their intervals](judge-report.svg)",
    ]
    for title, (head, lines) in tables(results):
        rule = "|".join(["---"] * len(head))
        body = [f"| {' | '.join(line)} |" for line in lines]
        parts.append("\n".join([f"## {title}", "", f"| {' | '.join(head)} |", f"|{rule}|", *body]))
    found = wrong(results)
    parts.append("## What is not right yet" if found else "Every verdict is the one wanted.")
    if found:
        parts.append("\n".join(f"- {line}" for line in found))
    return "\n\n".join(parts) + "\n"


def wrong(results: Sequence[Result]) -> list[str]:
    """The kinds of verdicts that were not wanted, or have another name than wanted: each once, with how often and
    where first."""
    kinds: dict[tuple[str, str], list[Result]] = {}
    for each in results:
        if (each.change.wanted.destructive and each.why) or not each.right:
            kinds.setdefault((each.change.family, each.why), []).append(each)
    return [
        f"{_starred(family)}: {len(found)} times {why} (first {found[0].change.name})"
        for (family, why), found in kinds.items()
    ]
