"""Figures say what was measured, and the table keeps the rows of what was not measured again."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.figures import Figure, at_most, number, quantile

from benchmarks import report


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (0.01234, "0.0123"), (1.5, "1.50"), (87.65, "87.7"), (12345.6, "12,346")]
)
def test_a_number_has_three_digits_that_mean_something(value: float, shown: str) -> None:
    assert number(value) == shown


def test_a_quantile_is_a_value_that_was_measured() -> None:
    values = [float(value) for value in range(100, 0, -1)]
    assert (quantile(values, 0.5), quantile(values, 0.99), quantile(values, 1.0)) == (50, 99, 100)
    assert quantile([7.0], 0.99) == 7


def test_the_median_round_decides_whether_a_limit_is_kept() -> None:
    assert at_most("x", [1, 2, 90], "ms", 2).result == "pass"
    assert at_most("x", [1, 3, 3], "ms", 2).result == "miss"
    assert at_most("x", [1, 3, 3], "ms", 2).spread == "1.00–3.00"
    assert Figure("x", (1.0,), "s").result == ""


def test_writing_replaces_the_rows_of_what_ran_and_keeps_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{report.BEGIN}\n{report.END}\nafter\n", encoding="utf-8")
    monkeypatch.setattr(report, "README", readme)
    rows = {name: [report.row(name, at_most(name, [1.0], "ms", 2), 0.5)] for name in ("one", "two")}
    report.write(("one", "two"), rows, "a machine")
    report.write(("one", "two"), {"two": [report.row("two", at_most("again", [3.0], "ms", 2), 0.5)]}, "a machine")
    text = readme.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "| one | one | 1.00 ms |" in text
    assert "| two | again | 3.00 ms |" in text
    assert "| two | two |" not in text
    assert text.index("| one |") < text.index("| two |")
