"""What limits do to a text, in each unit, and how files share a budget."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from conductd.core.load.counting import first_from, measure, readable, text_in, whole_before
from conductd.core.load.cutting import Document, cut, spend
from conductd.core.load.holes import holes
from conductd.core.load.limits import Keep, Limits
from conductd.core.load.loaded import Cause, LoadedFile, Unit, Why

UNITS = tuple(Unit)
texts = st.text(st.sampled_from("ab \n#é字😀\u0301"), max_size=120)


def one(text: str, unit: Unit = Unit.CHARACTERS, left: int | None = None, **limits: Any) -> LoadedFile:
    return cut(Document("a.md", "/w/a.md", text, Limits(**limits)), unit, left)


def all_of(sizes: tuple[str, ...], total: int, unit: Unit = Unit.CHARACTERS, **limits: Any) -> list[LoadedFile]:
    return spend([Document(str(n), f"/{n}", text, Limits(**limits)) for n, text in enumerate(sizes)], unit, total)


@pytest.mark.parametrize(
    ("unit", "limit", "text", "splits"),
    [
        (Unit.CHARACTERS, 3, "a😀é", False),
        (Unit.UTF16, 3, "a😀", False),
        (Unit.UTF16, 2, "a", True),
        (Unit.BYTES, 4, "a", True),
        (Unit.BYTES, 5, "a😀", False),
        (Unit.BYTES, 6, "a😀", True),
    ],
)
def test_a_beginning_is_counted_in_the_unit(unit: Unit, limit: int, text: str, splits: bool) -> None:
    found = one("a😀é字", unit, per_file=limit)
    assert (found.text, found.splits, found.causes) == (text, splits, (Cause.PER_FILE,))
    assert found.injected == measure(text, unit)


@pytest.mark.parametrize(
    ("unit", "tail", "text", "splits"),
    [
        (Unit.UTF16, 3, "😀é", False),
        (Unit.UTF16, 2, "é", True),
        (Unit.BYTES, 3, "é", True),
        (Unit.BYTES, 6, "😀é", False),
    ],
)
def test_an_end_begins_with_a_whole_character(unit: Unit, tail: int, text: str, splits: bool) -> None:
    found = one("字字字字字😀é", unit, per_file=tail, keep=Keep.TAIL)
    assert (found.text, found.splits) == (text, splits)


def test_head_and_tail_around_a_marker_that_is_counted_or_not() -> None:
    text = "h" * 500 + "t" * 500
    shares: dict[str, Any] = {
        "keep": Keep.HEAD_TAIL,
        "head": 0.7,
        "tail": 0.2,
        "marker": "[{kept}/{size}: -{gone}, {head}+{tail}]",
    }
    on_top = one(text, per_file=100, **shares)
    assert on_top.text == "h" * 70 + "[90/1000: -910, 70+20]" + "t" * 20
    within = one(text, per_file=100, marker_counted=True, **shares)
    assert within.text == "h" * 49 + "[63/1000: -937, 49+14]" + "t" * 14
    assert within.kept == ((0, 49), (986, 1_000))


def test_the_older_cut_of_openclaw_can_be_said() -> None:
    marker = (
        "\n\n[...truncated, read {name} for full content...]\n"
        "…(truncated {name}: kept {head}+{tail} chars of {size})…\n\n"
    )
    limits = Limits(12_000, 0, Keep.HEAD_TAIL, 0.7, 0.2, marker)
    found = cut(Document("MEMORY.md", "/MEMORY.md", "x" * 14_296, limits), Unit.UTF16)
    assert [end - start for start, end in found.kept] == [8_400, 2_400]
    assert found.injected == 10_909


def test_a_marker_that_would_take_more_than_half_is_left_out() -> None:
    assert one("x" * 50, per_file=10, marker="12345", marker_counted=True).text == "xxxxx12345"
    assert one("x" * 50, per_file=10, marker="123456", marker_counted=True).text == "x" * 10


def test_lines_end_where_the_limit_says() -> None:
    text = "1\n2\n3\n4\n"
    found = one(text, lines=3)
    assert (found.text, found.lines, found.lines_limit, found.causes) == ("1\n2\n3", 4, 3, (Cause.PER_FILE,))
    assert one(text, lines=4).text == text
    assert one(text, lines=3, per_file=2).text == "1\n"
    assert one(text, lines=3, marker="…").text == "1\n2\n3…"


def test_what_is_never_loaded_is_not_counted() -> None:
    text = "\ufeff---\na: b\n---\n<!-- hidden\nlines -->\n kept \n"
    found = one(text, frontmatter=False, comments=False, trim_start=True, trim_end=True, per_file=4)
    assert (found.text, found.raw, found.truncated) == ("kept", 4, False)
    assert "".join(text[low:high] for low, high in found.kept) == "kept"
    long = one(text + "x" * 9, frontmatter=False, comments=False, per_file=4)
    (hole,) = holes(long, Unit.CHARACTERS)
    assert (hole.first, hole.last, hole.size) == (6, 7, 12)
    nothing = one("---\na: b\n---\n", frontmatter=False)
    assert (nothing.why, nothing.text, nothing.truncated) == (Why.EMPTY, None, False)


@pytest.mark.parametrize(("unit", "left"), [(Unit.UTF16, "a"), (Unit.CHARACTERS, "a\ufeff")])
def test_white_space_at_the_end_is_that_of_the_language(unit: Unit, left: str) -> None:
    assert one("a\ufeff \n", unit, trim_end=True).text == left


def test_a_budget_is_spent_in_load_order() -> None:
    first, second, third = all_of(("a" * 60, "b" * 60, "c" * 60), 100)
    assert (first.causes, second.causes, third.causes) == ((), (Cause.TOTAL,), (Cause.TOTAL,))
    assert [each.injected for each in (first, second, third)] == [60, 40, 0]
    assert (third.text, third.why) == (None, Why.NO_ROOM)


def test_both_causes_are_told_where_both_hold() -> None:
    first, second = all_of(("a" * 60, "b" * 60), 80, per_file=50)
    assert first.causes == (Cause.PER_FILE,)
    assert second.causes == (Cause.PER_FILE, Cause.TOTAL)


def test_the_total_is_no_cause_where_it_cuts_nothing() -> None:
    text = "line\n" * 100
    assert one(text, left=60, lines=5).causes == (Cause.PER_FILE,)
    assert one(text, left=20, lines=5).causes == (Cause.PER_FILE, Cause.TOTAL)
    shares: dict[str, Any] = {"keep": Keep.HEAD_TAIL, "head": 0.5, "tail": 0.5, "marker": "[cut]"}
    on_top = one(text, left=105, per_file=100, **shares)
    assert (on_top.causes, on_top.injected) == ((Cause.PER_FILE,), 105)
    assert one(text, left=104, per_file=100, **shares).causes == (Cause.PER_FILE, Cause.TOTAL)


def test_a_file_outside_of_the_budget_takes_nothing_of_it() -> None:
    apart = Document("a", "/a", "a" * 90, Limits(in_total=False))
    found = spend([apart, Document("b", "/b", "b" * 100, Limits())], Unit.CHARACTERS, 100)
    assert [(each.injected, each.is_counted) for each in found] == [(90, False), (100, True)]


def test_a_marker_names_a_file_of_any_bytes() -> None:
    name = b"caf\xe9.md".decode("utf-8", "surrogateescape")
    found = cut(Document(name, name, "x" * 9, Limits(2, marker="[{name}]")), Unit.CHARACTERS)
    assert found.text == "xx[caf\ufffd.md]"


# ------------------------------------------------------------------ properties

limited = st.builds(
    Limits,
    per_file=st.integers(0, 90),
    lines=st.integers(0, 4),
    marker=st.sampled_from(["", "…", "[{gone} of {size}: {head}+{tail}]", "[{name} 😀 {nothing}]"]),
    marker_counted=st.booleans(),
    trim_end=st.booleans(),
    frontmatter=st.booleans(),
    comments=st.booleans(),
)
shares = st.sampled_from(
    [(Keep.HEAD, 0.0, 0.0), (Keep.TAIL, 0.0, 0.0), (Keep.HEAD_TAIL, 0.7, 0.2), (Keep.HEAD_TAIL, 0.3, 0.7)]
)


def shaped(limits: Limits, share: tuple[Keep, float, float]) -> Limits:
    keep, head, tail = share
    return replace(limits, keep=keep, head=head, tail=tail, lines=limits.lines if keep is Keep.HEAD else 0)


@given(st.lists(texts, max_size=5), limited, shares, st.sampled_from(UNITS), st.integers(0, 150))
def test_nothing_is_ever_over_its_budget(
    files: list[str], limits: Limits, share: tuple[Keep, float, float], unit: Unit, total: int
) -> None:
    limits = shaped(limits, share)
    found = spend([Document(str(n), f"/{n}", text, limits) for n, text in enumerate(files)], unit, total)
    assert len(found) == len(files)
    assert sum(each.injected for each in found) <= total
    for each in found:
        text = each.text or ""
        text.encode("utf-8")
        assert each.injected == measure(text, unit)
        if limits.per_file and (limits.marker_counted or not limits.marker):
            assert each.injected <= limits.per_file
        if not each.causes and each.why is Why.LOADED:
            assert each.injected == each.raw


@given(texts, limited, shares, st.sampled_from(UNITS), st.integers(0, 150))
def test_what_is_kept_stands_at_both_ends(
    text: str, limits: Limits, share: tuple[Keep, float, float], unit: Unit, left: int
) -> None:
    found = cut(Document("a", "/a", text, shaped(limits, share)), unit, left)
    loaded = found.text or ""
    kept = [found.source[low:high] for low, high in found.kept]
    assert sorted(found.kept) == list(found.kept)
    if share[0] is Keep.HEAD and limits.frontmatter and limits.comments:
        assert loaded.startswith("".join(kept))
        assert text.startswith("".join(kept))
    if limits.frontmatter and limits.comments and kept and not limits.marker and share[0] is not Keep.HEAD:
        assert loaded == "".join(kept)


@given(
    texts, st.sampled_from(UNITS), shares, st.integers(1, 120), st.integers(0, 40), st.sampled_from(["", "[{gone}]"])
)
def test_a_larger_limit_never_keeps_less(
    text: str, unit: Unit, share: tuple[Keep, float, float], limit: int, more: int, marker: str
) -> None:
    def kept(most: int) -> int:
        limits = shaped(Limits(most, marker=marker), share)
        return sum(high - low for low, high in cut(Document("a", "/a", text, limits), unit).kept)

    assert kept(limit) <= kept(limit + more)


@given(st.lists(texts, min_size=1, max_size=4), st.sampled_from(UNITS), st.integers(0, 120), st.integers(0, 40))
def test_a_larger_total_never_gives_a_file_less(files: list[str], unit: Unit, total: int, more: int) -> None:
    few, many = (all_of(tuple(files), most, unit) for most in (total, total + more))
    assert all(a.injected <= b.injected for a, b in zip(few, many, strict=True))


@given(texts, st.sampled_from(UNITS), st.integers(0, 150))
def test_places_and_sizes_agree(text: str, unit: Unit, count: int) -> None:
    whole, first = whole_before(text, count, unit), first_from(text, count, unit)
    assert measure(text[:whole], unit) <= count
    assert whole == len(text) or measure(text[: whole + 1], unit) > count
    assert first in (whole, whole + 1)
    assert first == len(text) or measure(text[:first], unit) >= count
    assert measure(text, Unit.CHARACTERS) <= measure(text, Unit.UTF16) <= measure(text, Unit.BYTES)


@given(st.lists(st.sampled_from([b"a", b"\n", "é字😀".encode(), b"\xe4", b"\xff\xfe", b"\xf0\x9f", b" "]), max_size=40))
def test_bytes_are_counted_as_they_lie_on_the_disk(parts: list[bytes]) -> None:
    data = b"".join(parts)
    text = text_in(data, Unit.BYTES)
    assert measure(text, Unit.BYTES) == len(data)
    shown = readable(text)
    assert len(shown) == len(text)
    assert shown.encode().decode() == shown
    for count in range(len(data) + 1):
        whole = whole_before(text, count, Unit.BYTES)
        assert measure(text[:whole], Unit.BYTES) <= count
        assert whole == len(text) or measure(text[: whole + 1], Unit.BYTES) > count
    found = one(text, Unit.BYTES, per_file=20)
    assert bool(found.causes) == (len(data) > 20 and bool(text.strip()))
    if found.causes:
        assert found.raw == len(data)
        assert found.source == shown
        lost = holes(found, Unit.BYTES)
        assert all(each.end == len(data) for each in lost)
        assert len(lost) <= 1
        assert (found.text or "").encode().decode() == (found.text or "")
