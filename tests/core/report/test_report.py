"""The three forms of a report: what each shows of given days, that they agree, that names in them are harmless."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conductd.core.qc.results import Finding, Grade, QcResult
from conductd.core.report.chat import chat, title
from conductd.core.report.facts import Facts, FileSizes, JobFact, figures
from conductd.core.report.html import page
from conductd.core.report.markdown import markdown
from conductd.core.report.verdict import Shape, verdict
from conductd.model import Severity
from core.report.days import BROKEN, BUSY, CLEAN, DAYS, EMPTY, changed, incident
from core.report.reading import Page, of_chat, of_markdown

GOLDEN = Path(__file__).parent / "golden"
HOSTILE = [
    b"<script>alert(1)</script>.md",
    b"\"quoted\" 'twice' & more.md",
    "memory/\u202egnp.\u2066md".encode(),
    b"two\nlines\r\n# heading.md",
    b"not \xff\xfe utf-8.md",
    b"`code` | cell | [link](http://example.invalid/).md",
    b"\x1b[31mred.md",
]


@pytest.mark.parametrize("name", list(DAYS))
def test_each_form_of_a_day_is_as_it_was(name: str) -> None:
    facts = DAYS[name]
    made = {"md": markdown(facts), "html": page(facts), "txt": title(facts) + "\n" + chat(facts) + "\n"}
    for ending, text in made.items():
        assert text == (GOLDEN / f"{name}.{ending}").read_text(encoding="utf-8"), ending


@pytest.mark.parametrize("name", list(DAYS))
def test_all_forms_have_the_same_figures(name: str) -> None:
    facts = DAYS[name]
    wanted = dict(figures(facts))
    assert of_markdown(markdown(facts)) == wanted
    assert Page(page(facts)).figures == wanted
    assert of_chat(chat(facts)) == wanted


@pytest.mark.parametrize("path", HOSTILE)
def test_a_page_needs_nothing_else_and_runs_nothing(path: bytes) -> None:
    facts = changed(
        BUSY,
        workspace="/home/<script>",
        incidents=(incident(1, path, "open"),),
        sizes=(FileSizes(path, (("2026-03-08", 9),), 10, "<b>"),),
        qc=QcResult(findings=(Finding(path.decode("utf-8", "replace"), Grade.FAIL, path.decode("utf-8", "replace")),)),
    )
    read = Page(page(facts))
    assert read.problems == []
    assert "http://" not in page(facts).replace("http://example.invalid/", "")
    for text in (page(facts), markdown(facts), chat(facts)):
        assert not {"\x1b", "\u202e", "\u2066", "\r"} & set(text)
    assert re.findall(r"(?<![\\`])<script", markdown(facts)) == []  # elsewhere it is escaped, or code
    assert "\n# heading" not in markdown(facts)


def test_the_three_shapes() -> None:
    assert [verdict(DAYS[each]).shape for each in ("clean", "busy", "broken")] == list(Shape)
    assert verdict(CLEAN).severity is Severity.INFO
    assert verdict(BUSY).severity is Severity.NOTICE
    assert verdict(BROKEN).severity is Severity.ALARM


def test_of_a_day_before_it_was_watched_nothing_is_known_and_nothing_to_do() -> None:
    found = verdict(changed(DAYS["empty"], is_watched=False))
    assert (found.shape, found.needs, len(found.unknown)) == (Shape.HANDLED, (), 1)


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        ({"qc": None}, "the checks"),
        ({"qc": QcResult()}, "the checks"),
        ({"checkpoint": None}, "whether the history is whole"),
        ({"continuity": None}, "what work is unfinished"),
        ({"incidents": None}, "whether there were incidents"),
        ({"gained": None}, "how many entries came and went"),
        ({"lost": None}, "how many entries came and went"),
        ({"versions_per_hour": None}, "what changed"),
        ({"unjudged": (b"MEMORY.md",)}, "what was written just now: MEMORY.md waits for a verdict"),
        ({"sizes": None}, "how the files grow"),
        ({"degraded": None}, "how the daemon is"),
        ({"unread": (b"USER.md",)}, "what stands in 1 file"),
        ({"qc": QcResult(findings=(Finding("pins", Grade.UNKNOWN, "no agent is known"),))}, "pins: no agent"),
    ],
)
def test_what_is_missing_is_named_and_never_clean(missing: dict[str, object], named: str) -> None:
    found = verdict(changed(CLEAN, **missing))
    assert found.shape is not Shape.CLEAN
    assert any(each.startswith(named) for each in found.unknown)


@pytest.mark.parametrize(
    ("result", "said"),
    [("", "they did not run"), ("off", "they are off"), ("failed", "they failed"), ("timed out", "they failed")],
)
def test_it_says_why_there_are_no_checks(result: str, said: str) -> None:
    facts = changed(CLEAN, qc=None, jobs=(*CLEAN.jobs[:2], JobFact("qc", "2026-03-08", result, "…")))
    assert f"the checks: {said}" in verdict(facts).unknown
    for text in (markdown(facts), page(facts), chat(facts)):
        assert f"the checks: {said}" in text


def test_of_nothing_nothing_is_said_to_be_well() -> None:
    assert verdict(EMPTY).shape is Shape.NEEDS_YOU
    assert set(dict(figures(EMPTY)).values()) == {"unknown"}


def test_a_day_of_thousands_is_bounded() -> None:
    many = tuple(incident(number, b"MEMORY.md", "open") for number in range(5_000))
    facts: Facts = changed(CLEAN, incidents=many)
    assert len(page(facts)) < 200_000
    assert "and 4800 more" in markdown(facts)
    assert len(chat(facts).splitlines()) < 10
