"""What came back into what is loaded is told again when it falls out again; what hovers at the cut is not."""

from __future__ import annotations

import pytest

from conductd.core.load.came_back import come_back
from conductd.core.load.finding import BY_TOTAL, NOTHING, Finding, Known
from conductd.core.load.findings import is_news, of_load
from conductd.core.load.loaded import Cause, Load, LoadedFile, Unit
from conductd.model import EventClass

CUT, PIN = EventClass.LOAD_TRUNCATION, EventClass.PIN_HIDDEN


def load(text: str, limit: int) -> Load:
    part = text[:limit]
    cut = LoadedFile(
        "M.md", "/ws/M.md", len(text), len(part), part or None, limit, (Cause.TOTAL,) if len(part) < len(text) else (),
        source=text, kept=((0, len(part)),) if part else (),
    )  # fmt: skip
    return Load("reader", "1", "main", Unit.CHARACTERS, (cut,), limit)


def sections(*sizes: int) -> str:
    return "".join(f"## Part {n}\n\n{'x' * (size - 12)}\n\n" for n, size in enumerate(sizes, 1))


def finding(text: str, limit: int, *told: Finding, kind: EventClass = CUT) -> Finding:
    known = {each.place: Known(each.marks, each.lost) for each in told}
    return next(each for each in of_load(load(text, limit), known) if each.event_class is kind)


def news(found: Finding, told: Finding) -> bool:
    return is_news(found, Known(told.marks, told.lost))


def test_from_a_part_to_nothing_is_another_state() -> None:
    text = sections(900)
    part = finding(text, 400)
    nothing = finding(text, 0, part)
    assert NOTHING in nothing.marks
    assert news(nothing, part)
    assert not news(finding(text, 300, nothing), nothing)


@pytest.mark.parametrize("head", ["", "# Notes\n\n"])
def test_without_headings_twice_the_loss_is_told_and_each_line_is_not(head: str) -> None:
    def lines(count: int) -> str:
        return head + "- one line of ten\n" * count

    first = finding(lines(140), 1_800)
    for count in (141, 150, 170):
        assert not news(finding(lines(count), 1_800, first), first)
    twice = finding(lines(190), 1_800, first)
    assert news(twice, first)
    assert not news(finding(lines(200), 1_800, twice), twice)
    assert not news(finding(lines(120), 1_800, twice), twice)


def test_between_headings_more_of_the_same_is_the_same() -> None:
    first = finding(sections(400, 400, 300), 900)
    assert not news(finding(sections(400, 400, 3_000), 900, first), first)


@pytest.mark.parametrize(("limit", "back"), [(810, 0), (1_000, 1)])
def test_a_heading_that_came_back_for_good_is_told_again(limit: int, back: int) -> None:
    text = sections(400, 400, 800)
    first = finding(text, 700)
    known = {first.place: Known(first.marks, first.lost)}
    assert len(come_back(load(text, limit), known, {}).get(first.place, ())) == back
    assert come_back(load(text, 700), known, {}) == {}


def test_a_pin_that_came_back_is_told_again() -> None:
    text = sections(400, 400, 800)
    pins = {"M.md": {5: "two", 11: "three"}}
    found = {each.place: each for each in of_load(load(text, 300), {}, pins)}
    known = {place: Known(each.marks, each.lost) for place, each in found.items()}
    (place,) = (each.place for each in found.values() if each.event_class is PIN)
    assert come_back(load(text, 900), known, pins)[place] == {"pin:two"}
    assert place not in come_back(load(text, 402), known, pins)


def test_that_nothing_is_loaded_is_over_once_a_good_part_is() -> None:
    text = sections(900)
    told = finding(text, 0)
    known = {told.place: Known(told.marks, told.lost)}
    assert come_back(load(text, 10), known, {}) == {}
    assert come_back(load(text, 300), known, {})[told.place] == {NOTHING}


@pytest.mark.parametrize(("spent", "back"), [(950, False), (700, True)])
def test_a_reason_is_over_once_it_is_far(spent: int, back: bool) -> None:
    text = sections(400, 400, 800)
    own = LoadedFile(
        "M.md", "/ws/M.md", len(text), 500, text[:500], 500, (Cause.PER_FILE,), source=text, kept=((0, 500),),
        own_limit=500,
    )  # fmt: skip
    other = LoadedFile("A.md", "/ws/A.md", spent - 500, spent - 500, "x" * (spent - 500))
    now = Load("reader", "1", "main", Unit.CHARACTERS, (other, own), 1_000)
    (cut,) = (each for each in of_load(now, {}) if each.event_class is CUT)
    known = {cut.place: Known((*cut.marks, BY_TOTAL), cut.lost)}
    assert (BY_TOTAL in come_back(now, known, {}).get(cut.place, ())) is back
