"""What is told about what is cut: headings, lines, sizes, and what to move."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.load.fixes import fixes
from conductd.core.load.holes import holes
from conductd.core.load.loaded import Cause, Load, LoadedFile, Unit, Why
from conductd.core.load.outline import Outline, newest_date

TEXT = """\
# Memory

intro

## One

- first
- second

## Two

<!-- pin -->
- third
<!-- /pin -->

## Three

- last
"""


def cut_file(*kept: str, text: str = TEXT) -> LoadedFile:
    ranges = tuple((text.index(part), text.index(part) + len(part)) for part in kept)
    return LoadedFile("M.md", "/M.md", len(text), causes=(Cause.PER_FILE,), source=text, kept=ranges, limit=50)


def test_a_hole_has_lines_and_headings() -> None:
    (hole,) = holes(cut_file("# Memory\n\nintro\n\n## One\n\n- first\n", "## Three\n\n- last\n"), Unit.CHARACTERS)
    assert (hole.first, hole.last) == (8, 14)
    assert [(s.heading, s.first, s.last, s.is_whole, s.is_pinned) for s in hole.sections] == [
        ("One", 8, 8, False, False),
        ("Two", 10, 14, True, True),
    ]


def test_a_line_that_is_cut_in_the_middle_counts() -> None:
    (hole,) = holes(cut_file("# Memory\n\nintro\n\n## One\n\n- fir", "cond\n\n## Two"), Unit.CHARACTERS)[:1]
    assert (hole.first, hole.last, hole.size) == (7, 8, len("st\n- se"))


def test_a_file_that_is_not_loaded_is_one_hole() -> None:
    whole = LoadedFile("M.md", "/M.md", len(TEXT), why=Why.UNTRUSTED, source=TEXT)
    (hole,) = holes(whole, Unit.UTF16)
    assert (hole.first, hole.last) == (1, 18)
    assert all(section.is_whole for section in hole.sections)
    assert holes(LoadedFile("M.md", "/M.md", 3, source="abc", kept=((0, 3),)), Unit.UTF16) == ()


def test_headings_in_code_and_line_ends_of_windows() -> None:
    outline = Outline("# A\r\n```\r\n# no\r\n```\r\nB\r\n---\r\ntext\r\n")
    assert [(s.heading, s.first, s.last) for s in outline.sections] == [("A", 1, 4), ("B", 5, 7)]


@pytest.mark.parametrize(
    ("heading", "text", "day"),
    [
        ("2026-03-04", "2027-01-01", "2026-03-04"),
        ("Notes", "seen 2026/3/4 and 2025-01-01", "2026-03-04"),
        ("4. März 2026", "", "2026-03-04"),
        ("04.03.2026", "", "2026-03-04"),
        ("2026年3月4日", "", "2026-03-04"),
        ("March 4th, 2026", "", "2026-03-04"),
        ("4 марта 2026", "", "2026-03-04"),
        ("2026-03", "", "2026-03-01"),
        ("2026-13-40", "no day", None),
    ],
)
def test_dates_are_read(heading: str, text: str, day: str | None) -> None:
    assert newest_date(heading, text) == (date.fromisoformat(day) if day else None)


def memory(*sections: str) -> str:
    body = "- words of it\n" * 20
    return "# Memory\n\n" + "\n".join(f"## {name}\n\n{body}" for name in sections)


def test_the_oldest_goes_first_and_what_is_pinned_last() -> None:
    text = memory("2026-02-01 b", "Rules", "2025-12-01 a <!-- pin -->", "2026-01-01 c")
    file = LoadedFile("M.md", "/M.md", len(text), causes=(Cause.PER_FILE,), source=text, limit=400, own_limit=400)
    (fix,) = fixes(Load("openclaw", "1", "main", Unit.CHARACTERS, (file,)))
    assert [move.heading[:10] for move in fix.moves] == ["2026-01-01", "2026-02-01", "Rules", "2025-12-01"]
    assert fix.over == len(text) - 400
    less = LoadedFile("M.md", "/M.md", len(text), causes=(Cause.PER_FILE,), source=text, limit=900, own_limit=1_000)
    (fix,) = fixes(Load("openclaw", "1", "main", Unit.CHARACTERS, (less,)))
    assert [move.heading[:10] for move in fix.moves] == ["2026-01-01"]
    assert fix.is_enough
    assert text.split("\n")[fix.moves[0].first - 1] == "## 2026-01-01 c"


def test_what_is_too_much_together_may_leave_any_file() -> None:
    old, new = memory("2024-01-01", "2024-02-01"), memory("2026-01-01", "2026-02-01")
    files = (
        LoadedFile("A.md", "/A.md", len(old), len(old), old, 2_000, source=old, own_limit=2_000),
        LoadedFile("B.md", "/B.md", len(new), 0, None, 10, (Cause.TOTAL,), Why.NO_ROOM, source=new, own_limit=2_000),
    )
    (fix,) = fixes(Load("openclaw", "1", "main", Unit.CHARACTERS, files, limit=len(old) + len(new) - 150))
    assert (fix.cause, fix.name, fix.over) == (Cause.TOTAL, "", 150)
    assert [(move.name, move.heading) for move in fix.moves] == [("A.md", "2024-01-01")]


def test_one_large_part_is_moved_in_smaller_ones() -> None:
    text = "# Head\n\nwords\n\n" + memory("2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01")
    assert [each.heading for each in Outline(text).movable()] == [f"2026-0{n}-01" for n in range(1, 5)]


def test_what_is_cut_of_a_file_before_counts_as_it_is_loaded() -> None:
    """An AGENTS.md that is cut to its digest takes less than its limit."""
    cut = LoadedFile("A.md", "/A.md", 500, 150, "a", 200, (Cause.PER_FILE,), source="a" * 500, own_limit=200)
    late = LoadedFile("B.md", "/B.md", 90, 50, "b", 50, (Cause.TOTAL,), source="b" * 90, own_limit=200)
    total = fixes(Load("openclaw", "1", "main", Unit.CHARACTERS, (cut, late), limit=200))[-1]
    assert (total.cause, total.over, total.is_enough) == (Cause.TOTAL, 40, False)


texts = st.text(st.sampled_from("ab \n#-=`😀é中"), max_size=200)


@given(texts, st.integers(0, 200), st.integers(0, 200))
def test_sections_are_the_file_and_holes_lie_in_it(text: str, one: int, two: int) -> None:
    outline = Outline(text)
    assert "".join(text[s.start : s.end] for s in outline.sections) == text
    start, end = sorted((min(one, len(text)), min(two, len(text))))
    file = LoadedFile("M.md", "/M.md", causes=(Cause.PER_FILE,), source=text, kept=((start, end),))
    for hole in holes(file, Unit.UTF16):
        assert 1 <= hole.first <= hole.last <= outline.count
        assert all(hole.first <= s.first <= s.last <= hole.last for s in hole.sections)


def test_a_pinned_line_pins_its_section() -> None:
    outline = Outline(TEXT, (8, 999))
    assert [outline.is_pinned(each.start, each.end) for each in outline.sections] == [False, True, True, False]
