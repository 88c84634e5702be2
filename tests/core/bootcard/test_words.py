"""The examples on the page are words that are known; what is said of headings holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conductd.core.bootcard import finding, telling

PAGE = (Path(__file__).parents[3] / "docs" / "bootcard.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (active|open|over|who|a finding) \| (.*) \|$", PAGE, re.MULTILINE))
KNOWN = {
    "active": lambda text: telling.is_active([text]),
    "open": lambda text: telling.is_open([text]),
    "over": lambda text: telling.is_done([text]),
    "who": finding._is_identity,
    "a finding": telling.is_finding,
}


@pytest.mark.parametrize("row", sorted(KNOWN))
def test_every_example_is_known(row: str) -> None:
    words = [word.strip() for word in re.split(r"[,;]", ROWS[row]) if word.strip()]
    assert len(words) > 8
    for word in words:
        for each in word.split() if row == "a finding" else [word]:
            assert KNOWN[row](each), each


def test_the_boxes_on_the_page_are_told() -> None:
    (line,) = re.findall(r"^Boxes: (.*)$", PAGE, re.MULTILINE)
    still_open, over = line.split(" are open; ")
    for box in re.findall(r"`(\[.\])`|([☐⬜☑✅✔])", still_open):
        assert telling.box(f"- {box[0] or box[1]} x") is True, box
    for box in re.findall(r"`(\[.\])`|([☐⬜☑✅✔])", over):
        assert telling.box(f"- {box[0] or box[1]} x") is False, box


@pytest.mark.parametrize("heading", ["Not in progress", "We were active in many of these things", "Inactive", "Opener"])
def test_some_headings_say_nothing(heading: str) -> None:
    assert not telling.is_active([heading])
    assert not telling.is_open([heading])


def test_nothing_takes_long_on_hostile_headings() -> None:
    for text in ("a" * 50_000, "next " * 10_000, "**" * 20_000, "- [ ] " * 10_000, ":" * 50_000):
        assert telling.is_open([text]) is False
        telling.label(text)
        telling.box(text)
        telling.is_struck(text)
        telling.is_finding(text)
