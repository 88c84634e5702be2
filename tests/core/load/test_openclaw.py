"""OpenClaw's bootstrap, against figures observed with its releases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.load.javascript import cut, place, safe_cut, trim_end, units, whole_before
from conductd.core.load.openclaw import Injected, Limits, Source, inject, truncate
from conductd.core.load.policy_digest import policy_digest

OLD = Limits(20_000, None, head_tail=True, safe=False)
NEW = Limits(20_000, 60_000, user=4_000, digest=True)


def of(name: str, length: int) -> Source:
    return Source(name, f"/ws/{name}", "x" * length)


def one(source: Source, limits: Limits) -> Injected:
    return inject([source], limits)[0]


@pytest.mark.parametrize(
    ("length", "limit", "kept", "injected"),
    [
        (30_000, 20_000, (14_000, 4_000), 18_110),
        (20_001, 20_000, (14_000, 4_000), 18_110),
        (14_296, 12_000, (8_400, 2_400), 10_909),
    ],
)
def test_the_older_way_keeps_seventy_and_twenty_percent(
    length: int, limit: int, kept: tuple[int, int], injected: int
) -> None:
    found = one(of("MEMORY.md", length), Limits(limit, None, head_tail=True))
    assert tuple(end - start for start, end in found.kept) == kept
    assert found.injected == injected
    assert f"kept {kept[0]}+{kept[1]} chars of {length})…" in (found.text or "")


@pytest.mark.parametrize(
    ("name", "length", "limit", "kept", "injected"),
    [
        ("MEMORY.md", 20_001, 20_000, (14_917, 4_972), 19_999),
        ("MEMORY.md", 30_000, 20_000, (14_917, 4_972), 19_999),
        ("MEMORY.md", 14_296, 12_000, (8_918, 2_972), 11_999),
        ("USER.md", 5_000, 20_000, (2_922, 974), 3_999),
    ],
)
def test_the_newer_way_keeps_three_quarters_and_a_quarter_of_the_room(
    name: str, length: int, limit: int, kept: tuple[int, int], injected: int
) -> None:
    found = one(of(name, length), Limits(limit, 60_000, user=4_000, digest=True))
    assert tuple(end - start for start, end in found.kept) == kept
    assert found.injected == injected


def test_a_small_limit_gets_the_short_marker() -> None:
    found = one(of("MEMORY.md", 500), Limits(100, 60_000))
    assert "[…truncated 58+19/500]" in (found.text or "")
    assert found.injected == 99


def test_agents_keeps_its_policy_lines() -> None:
    line = "plain words that say how things are done here and there, all day long"
    text = "\n".join([f"- must {line}"] * 400)
    found = one(Source("AGENTS.md", "/ws/AGENTS.md", text), NEW)
    assert "[Policy digest from AGENTS.md]" in (found.text or "")
    assert found.injected <= 20_000
    assert [end - start for start, end in found.kept] == [9_000, 3_000]


def test_memory_starves_first() -> None:
    full = [of("AGENTS.md", 19_000), of("SOUL.md", 19_000), of("IDENTITY.md", 19_000), of("USER.md", 2_900)]
    memory = inject([*full, of("MEMORY.md", 8_000)], NEW)[-1]
    assert memory.injected == 99
    assert [end - start for start, end in memory.kept] == [57, 19]
    assert (memory.by_file, memory.by_total) == (False, True)
    crowded = inject([*full[:3], of("USER.md", 2_960), of("MEMORY.md", 8_000)], NEW)[-1]
    assert (crowded.text, crowded.by_total, crowded.limit) == (None, True, 40)


def test_a_missing_file_says_so_and_counts() -> None:
    missing, memory = inject([Source("AGENTS.md", "/ws/AGENTS.md", None), of("MEMORY.md", 90)], Limits(100, 120))
    assert missing.text == "[MISSING] Expected at: /ws/AGENTS.md"
    assert memory.limit == 120 - 36


def test_the_older_slice_of_nothing_is_everything() -> None:
    assert truncate("abcdef", "M.md", 4, OLD).text.endswith("\nabcdef")


def test_a_cut_between_the_halves_of_a_pair() -> None:
    text = "ab😀cd"
    assert units(text) == 6
    assert cut(text, 0, 3) == "ab\ud83d"
    assert safe_cut(text, 0, 3) == "ab"
    assert safe_cut(text, 3, 6) == "cd"
    assert safe_cut("ab\ud83d", 0, 3) == "ab\ud83d"


def test_places_of_units_are_characters() -> None:
    text = "ab😀cd\ud83d"
    assert [place(text, unit) for unit in range(8)] == [0, 1, 2, 3, 3, 4, 5, 6]
    assert [whole_before(text, unit) for unit in range(8)] == [0, 1, 2, 2, 3, 4, 5, 6]


def test_white_space_at_the_end_never_counts() -> None:
    assert trim_end("a \u00a0\u2003\ufeff\r\n") == "a"
    assert trim_end("a\u200b\u0085") == "a\u200b\u0085"


def test_the_strong_words_come_first_and_the_order_is_kept() -> None:
    digest = policy_digest("# Title\nplain\n- an item\nYou must not push\nnothing here", 27)
    assert digest.text == "# Title\nYou must not push"
    assert digest.omitted == 1


texts = st.text(st.sampled_from("ab \n#-😀é中\ud83d"), max_size=400)


@given(texts, st.integers(1, 300), st.booleans(), st.booleans(), st.sampled_from(["AGENTS.md", "MEMORY.md"]))
def test_a_file_is_never_over_its_limit(text: str, limit: int, digest: bool, safe: bool, name: str) -> None:
    limits = Limits(limit, None, digest=digest, safe=safe)
    part = truncate(text, name, limit, limits)
    assert units(part.text) <= limit
    assert all(0 <= start < end <= units(trim_end(text)) for start, end in part.kept)


@given(st.lists(st.tuples(st.sampled_from(["A.md", "USER.md", "AGENTS.md"]), texts), max_size=5), st.integers(1, 500))
def test_all_together_are_never_over_the_total(files: list[tuple[str, str]], total: int) -> None:
    found = inject(
        [Source(name, "/ws/" + name, text) for name, text in files], Limits(200, total, user=50, digest=True)
    )
    assert sum(each.injected for each in found) <= total
    assert len(found) == len(files)


@given(texts, st.integers(1, 300))
def test_what_fits_is_untouched(text: str, more: int) -> None:
    size = units(trim_end(text))
    assert truncate(text, "MEMORY.md", size + more, NEW).text == trim_end(text)


FRAMED = "\n".join(
    ["Never do this:", "plain words", "🔴 絕不 this", "", "禁止在此子树使用共享账号", "请保持本段内容简洁"]
)


def test_a_policy_line_brings_the_line_before_it_from_2026_9_on() -> None:
    assert policy_digest(FRAMED, 1_000, framed=True).lines == (0, 1, 2, 4)
    assert policy_digest(FRAMED, 1_000).text == "Never do this:"
    assert policy_digest("Example:\n```\nnever\n```\nmust", 99, framed=True).text == "never\nmust"


@pytest.mark.parametrize(("padding", "fits"), [(51, True), (52, False)])
def test_a_policy_line_and_its_frame_are_one(padding: int, fits: bool) -> None:
    frame = "Example " + "x" * padding
    line = (
        "`Check STATUS.md if it exists. Follow it strictly. Do not repeat old tasks from prior chats. "
        "If nothing needs attention, reply STATUS_OK.`"
    )
    text = "\n".join(["# AGENTS.md", "", "A" * 9000, "", frame, line, "", "B" * 7000, "tail marker"])
    found = one(Source("AGENTS.md", "/ws/AGENTS.md", text), Limits(600, None, digest=True, framed=True)).text or ""
    assert (f"{frame}\n{line}" in found) is fits
    assert ("[...1 more policy lines omitted...]" in found) is not fits


@given(texts, st.integers(1, 300), st.booleans(), st.sampled_from(["AGENTS.md", "MEMORY.md"]))
def test_what_is_kept_is_the_beginning_and_the_end(text: str, limit: int, older: bool, name: str) -> None:
    trimmed = trim_end(text)
    part = truncate(text, name, limit, Limits(limit, None, digest=True, head_tail=older, safe=not older))
    for start, end in part.kept:
        assert start == 0 or end == units(trimmed)
    if units(trimmed) > limit and len(part.kept) == 2:
        (_, head), (tail, length) = part.kept
        assert part.text.startswith(safe_cut(trimmed, 0, head))
        assert part.text.endswith(safe_cut(trimmed, tail, length))


@given(st.integers(200, 3_000), st.integers(1, 500), st.integers(1, 4_000))
def test_a_higher_limit_never_keeps_less(limit: int, more: int, length: int) -> None:
    """From where the long marker fits: below it the short one leaves more room."""

    def kept(most: int) -> int:
        part = truncate("x" * length, "MEMORY.md", most, Limits(most, None))
        return sum(end - start for start, end in part.kept)

    assert kept(limit + more) >= kept(limit)
