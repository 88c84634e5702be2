"""What is written can be read: names, types, escapes, numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.exposition import COUNTER, GAUGE, SUMMARY, Family, Sample, one, text
from support.exposition import parse, value

WORDS = st.text(st.characters(blacklist_categories=("Cs",)), max_size=40)


def test_a_family_has_its_help_its_type_and_its_samples() -> None:
    page = text([Family("a_total", COUNTER, "How\nmany \\", (Sample(3, (("where", 'a "b"\\\n'),)), Sample(4)))])
    assert page == (
        '# HELP a_total How\\nmany \\\\\n# TYPE a_total counter\na_total{where="a \\"b\\"\\\\\\n"} 3\na_total 4\n'
    )


def test_what_is_not_known_has_no_value() -> None:
    assert text([Family("a", GAUGE, "Nothing.", ())]) == ""


@pytest.mark.parametrize(
    ("number", "written"),
    [
        *((0, "0"), (True, "1"), (-1, "-1"), (2**63, "9223372036854775808"), (0.25, "0.25"), (1e300, None)),
        *((math.inf, "+Inf"), (-math.inf, "-Inf"), (math.nan, "NaN")),
    ],
)
def test_numbers(number: float, written: str | None) -> None:
    said = text([one("a", GAUGE, "A.", number)]).splitlines()[-1].removeprefix("a ")
    assert said == (written or said)
    assert float(said) == number or math.isnan(number)


@given(WORDS, WORDS, WORDS)
def test_any_text_comes_back(help_text: str, first: str, second: str) -> None:
    labels = (("one", first), ("two", second))
    page = text([Family("a", GAUGE, help_text, (Sample(1, labels),)), one("b", COUNTER, "B.", 2)])
    found = parse(page)
    assert found["a"].help == help_text
    assert value(found, "a", one=first, two=second) == 1


def test_bytes_that_are_no_text_do_not_break_the_page() -> None:
    page = text([Family("a", GAUGE, "A.", (Sample(1, (("name", b"\xff\xfe".decode("utf-8", "surrogateescape")),)),))])
    page.encode("utf-8")
    assert parse(page)


def test_a_summary_is_a_sum_and_a_count() -> None:
    page = text([Family("a_seconds", SUMMARY, "A.", (Sample(0.5, suffix="_sum"), Sample(2, suffix="_count")))])
    found = parse(page)
    assert (value(found, "a_seconds", "_sum"), value(found, "a_seconds", "_count")) == (0.5, 2)
