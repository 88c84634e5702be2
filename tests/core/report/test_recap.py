"""The week: clean days, what came again, how soon a file is full."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from conductd.core.report.facts import FileSizes
from conductd.core.report.recap import (
    Cause,
    DayShape,
    Week,
    chat,
    forecast,
    markdown,
    page,
    recurring,
    sentences,
    title,
)
from conductd.core.report.verdict import Shape
from core.report.reading import Page

DAYS = [f"2026-03-{day:02}" for day in range(2, 9)]
GROWING = FileSizes(b"MEMORY.md", tuple((day, 10_000 + 500 * n) for n, day in enumerate(DAYS)), 19_000, "19,000 bytes")
WEEK = Week(
    week="2026-W10",
    zone="Europe/Berlin",
    workspace="/home/anna/clawd",
    days=(*(DayShape(day, Shape.CLEAN) for day in DAYS[:5]), DayShape(DAYS[5], Shape.HANDLED), DayShape(DAYS[6], None)),
    before=3,
    causes=(Cause("overwrite", "cron:dream", b"MEMORY.md"),) * 2 + (Cause("shrink", "unknown", b"USER.md"),),
    sizes=(GROWING,),
    requests=1,
)


def long(*values: int) -> FileSizes:
    days = [f"2026-02-{number:02}" for number in range(1, 29)] + [f"2026-03-{number:02}" for number in range(1, 9)]
    return FileSizes(b"a.md", tuple(zip(days, values, strict=False)), 20_000)


def sizes(*values: int, limit: int | None = 2_000) -> FileSizes:
    return FileSizes(b"a.md", tuple(zip(DAYS, values, strict=False)), limit)


@pytest.mark.parametrize(
    ("file", "days"),
    [
        (GROWING, 12),
        (sizes(1_000, 1_100, 1_200), None),  # too few days
        (sizes(1_000, 1_000, 1_000, 1_000), None),
        (sizes(1_400, 1_300, 1_200, 1_100), None),
        (sizes(1_000, 1_100, 1_200, 1_300, limit=None), None),
        (sizes(2_100, 2_200, 2_300, 2_400), None),  # over it already
        (sizes(1_000, 1_001, 1_002, 1_003), None),  # too far away
        (sizes(1_000, 1_000, 1_900, 1_000, 1_000, 1_000), None),  # one paste, taken out again
        (sizes(1_700, 1_800, 1_900, 2_000), 0),
        (long(*range(3_000, 18_000, 1_000), *[18_000] * 15), None),  # it grew once
        (long(*range(1_000, 21_000, 1_000), *[15_000] * 10), None),
        (long(*[2_000] * 20, *range(2_000, 12_000, 1_000)), 9),
    ],
)
def test_how_soon_a_file_is_full(file: FileSizes, days: int | None) -> None:
    assert forecast(file) == days


def test_a_week_in_all_forms() -> None:
    said = sentences(WEEK)
    assert said == [
        "days clean: 5/7",
        "trend: +2 against the week before",
        "no report, so not known: 2026-03-08",
        "incidents: 3",
        "MEMORY.md reaches its limit in about 12 days",
        "requests that wait: 1",
    ]
    assert recurring(WEEK.causes or ()) == [(Cause("overwrite", "cron:dream", b"MEMORY.md"), 2)]
    texts = "".join(Page(page(WEEK)).texts)
    for each in said:
        assert each in texts
        assert each in markdown(WEEK)
        assert each in chat(WEEK)
    assert "2 × overwrite, cron:dream, MEMORY.md" in chat(WEEK)


@pytest.mark.parametrize("values", [(2_100, 2_200, 2_300, 2_400), (2_000,), (1_700, 1_800, 1_900, 2_000)])
def test_a_file_that_is_full_is_told_of_however_little_is_known_of_its_growth(values: tuple[int, ...]) -> None:
    assert "a.md has reached its limit" in sentences(replace(WEEK, sizes=(sizes(*values),)))


def test_a_day_of_which_not_all_is_known_is_neither_clean_nor_a_fault() -> None:
    partly = DayShape(DAYS[6], Shape.HANDLED, is_partly=True)
    week = replace(WEEK, days=(*WEEK.days[:6], partly), off=("checkpoint", "continuity"))
    said = sentences(week)
    assert said[0] == "days clean: 5/7"
    assert "nothing wrong seen, but not all known, so not clean: 2026-03-08" in said
    assert (
        "off, as configured, which is no failure: checkpoint; nobody verifies the history, and no day without it is "
        "called clean" in said
    )
    assert "off, as configured, which is no failure: continuity" in said
    assert title(week) == "2026-W10: 5/7 days clean, 1 with nothing wrong seen"
    assert "| 2026-03-08 | nothing wrong seen, not all known |" in markdown(week)
    assert "nothing wrong seen, not all known" in Page(page(week)).texts


def test_what_nobody_knows_is_said() -> None:
    blank = Week("2026-W10", "UTC", "/w", tuple(DayShape(day, None) for day in DAYS))
    assert "days clean: 0/7" in sentences(blank)
    assert {
        "incidents: unknown, the history could not be asked",
        "sizes: unknown",
        "requests that wait: unknown",
    } <= set(sentences(blank))
