"""Stretches of days: joined, looked up, written and read."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.night.days import holds, in_words, last_before, parsed, with_days, written

SPANS = st.lists(st.tuples(st.integers(1, 60), st.integers(0, 6)).map(lambda each: (each[0], each[0] + each[1])))


@given(SPANS)
def test_stretches_hold_the_days_that_were_added_and_no_others(spans: list[tuple[int, int]]) -> None:
    stretches: list[tuple[int, int]] = []
    days: set[int] = set()
    for first, last in spans:
        stretches = with_days(stretches, first, last)
        days |= set(range(first, last + 1))
    assert {day for day in range(80) if holds(stretches, day)} == days
    assert all(one[1] + 1 < other[0] for one, other in pairwise(stretches))
    for day in range(80):
        assert last_before(stretches, day) == max((each for each in days if each < day), default=None)


@given(st.dates(), st.integers(0, 400))
def test_what_is_written_is_read(day: date, more: int) -> None:
    stretch = (day.toordinal(), min(day.toordinal() + more, date.max.toordinal()))
    assert parsed(written(stretch)) == stretch


@pytest.mark.parametrize("text", ["", "yesterday", "2026-02-30", "2026-03-08..2026-03-01", "..2026-03-01"])
def test_what_is_no_day_is_none(text: str) -> None:
    assert parsed(text) is None


def test_days_are_named_for_a_person() -> None:
    assert in_words(["2026-03-08", "2026-03-10..2026-03-12"]) == "2026-03-08, 2026-03-10 to 2026-03-12"
