"""OpenClaw's memory tools as rules: names, media, pages, patterns, collections."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.load.javascript import units
from conductd.core.load.openclaw_versions import NEWEST, Version
from conductd.core.openclaw_memory.collections import Wanted, collections
from conductd.core.openclaw_memory.minimatch import matches, understood
from conductd.core.openclaw_memory.paging import CHARACTERS, LINES, page
from conductd.core.openclaw_memory.rules import (
    MEDIA_BYTES,
    NO_MEDIA,
    Media,
    Medium,
    is_memory_path,
    is_skipped,
    media,
    medium,
    root_names,
    rules,
)

V1, V4, V5, V7, V8 = (2026, 1, 30), (2026, 4, 15), (2026, 5, 28), (2026, 7, 35), (2026, 8, 1)
NOW = rules(NEWEST)


@pytest.mark.parametrize(
    ("version", "names"),
    [
        (V1, ("MEMORY.md", "memory.md")),
        ((2026, 4, 22), ("MEMORY.md", "memory.md")),
        ((2026, 4, 23), ("MEMORY.md",)),
        (V7, ("MEMORY.md",)),
        (V8, ("MEMORY.md", "USER.md")),
    ],
)
def test_the_root_by_release(version: Version, names: tuple[str, ...]) -> None:
    assert root_names(rules(version)) == names


@pytest.mark.parametrize(
    ("path", "version", "expected"),
    [
        ("MEMORY.md", V1, True),
        ("memory.md", V1, True),
        ("memory.md", V5, False),
        ("USER.md", V7, False),
        ("USER.md", V8, True),
        ("DREAMS.md", V1, False),
        ("dreams.md", V8, True),
        ("memory/a/b.md", V1, True),
        ("memory", V8, False),
        ("memoryx/a.md", V8, False),
        ("AGENTS.md", V8, False),
        ("Memory.md", V8, False),
        ("", V8, False),
        ("notes/memory/a.md", V8, False),
    ],
)
def test_what_memory_get_takes_for_memory(path: str, version: Version, expected: bool) -> None:
    assert is_memory_path(path, rules(version)) is expected


ALL = Media((Medium.IMAGE, Medium.AUDIO))


@pytest.mark.parametrize(
    ("name", "those", "expected"),
    [
        ("a.md", NO_MEDIA, Medium.MARKDOWN),
        ("a.MD", ALL, None),
        ("a.png", NO_MEDIA, None),
        ("a.PNG", ALL, Medium.IMAGE),
        ("a.m2a", ALL, Medium.AUDIO),
        ("a.m2a", Media((Medium.IMAGE,)), None),
        ("a.pdf", ALL, None),
        (".md", NO_MEDIA, Medium.MARKDOWN),
    ],
)
def test_media_by_ending(name: str, those: Media, expected: Medium | None) -> None:
    assert medium(name, those) is expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (None, NO_MEDIA),
        ({"modalities": ["all"]}, NO_MEDIA),
        ({"enabled": "yes"}, NO_MEDIA),
        ({"enabled": True}, ALL),
        ({"enabled": True, "modalities": ["audio", "x"]}, Media((Medium.AUDIO,))),
        ({"enabled": True, "modalities": []}, NO_MEDIA),
        ({"enabled": True, "maxFileBytes": 0.5}, Media(ALL.kinds, 1)),
        ({"enabled": True, "maxFileBytes": float("inf")}, Media(ALL.kinds, MEDIA_BYTES)),
        ({"enabled": True, "maxFileBytes": True}, ALL),
    ],
)
def test_media_by_configuration(raw: object, expected: Media) -> None:
    assert media(raw) == expected


def test_what_the_repair_keeps_is_no_memory() -> None:
    kept = ".openclaw-repair/root-memory/2026/memory.md"
    assert is_skipped(kept, NOW)
    assert is_skipped("memory.md", NOW)
    assert not is_skipped("memory.md", rules(V1))
    assert not is_skipped("notes/memory.md", NOW)


NOTICE = "\n\n[More content available. Use from={} to continue.]"


@pytest.mark.parametrize(
    ("content", "first", "lines", "text", "count", "following"),
    [
        ("", 1, 2, "", 0, None),
        ("one\ntwo\n", 1, 2, "one\ntwo", 2, None),
        ("one\r\ntwo\r\n", 1, 2, "one\r\ntwo\r", 2, None),
        ("one\n\n", 1, 2, "one\n", 2, None),
        ("one\ntwo\n", 2, 1, "two", 1, None),
        ("one\ntwo\n", 3, 1, "", 0, None),
        ("one\ntwo\n", 1, 1, "one" + NOTICE.format(2), 1, 2),
        ("one\ntwo", 1, 2, "one\ntwo", 2, None),
        ("one\ntwo", -4, 0, "one" + NOTICE.format(2), 1, 2),
        ("one\ntwo", None, None, "one\ntwo", 2, None),
    ],
)
def test_pages(
    content: str, first: int | None, lines: int | None, text: str, count: int, following: int | None
) -> None:
    found = page(content, NOW, first, lines)
    assert (found.text, found.lines, found.following) == (text, count, following)
    assert found.first == max(1, first or 1)


def test_the_default_is_120_lines() -> None:
    found = page("\n".join(map(str, range(1, 200))), NOW)
    assert (found.lines, found.following) == (LINES, LINES + 1)
    assert found.text.endswith("\n120" + NOTICE.format(121))


def test_before_there_were_limits_all_is_answered() -> None:
    content = "x\n" * 5_000
    assert page(content, rules((2026, 4, 14))).text == content
    assert page(content, rules((2026, 4, 14)), 4_999, 1).text == "x"
    assert page(content, rules(V4)).lines == LINES


def test_an_older_release_counts_the_line_after_the_last_line_end() -> None:
    assert page("one\ntwo\n", rules(V5), 1, 2).following == 3
    assert page("one\ntwo\n", NOW, 1, 2).following is None


def test_lines_are_left_out_until_the_rest_fits() -> None:
    found = page("\n".join(["x" * 5_000] * 4), NOW)
    assert (found.lines, found.following) == (2, 3)
    assert found.text == "x" * 5_000 + "\n" + "x" * 5_000 + NOTICE.format(3)


@pytest.mark.parametrize(
    ("inside", "end"), [(True, " If you need the full raw line, use read on the source file.]"), (False, "budget.]")]
)
def test_one_line_over_the_limit_is_cut(inside: bool, end: str) -> None:
    found = page("x" * 20_000 + "\nnext", NOW, in_workspace=inside)
    assert found.text.startswith("x" * CHARACTERS + "\n\n[More content available. Requested excerpt exceeded")
    assert found.text.endswith(end)
    assert (found.lines, found.is_cut, found.following) == (1, True, None)


def test_a_pair_is_not_cut_by_newer_releases() -> None:
    line = "x" * 9 + "😀"
    assert page(line, NOW, most=10).text.startswith("x" * 9 + "\n")
    assert page(line, rules(V5), most=10).text.startswith("x" * 9 + "\ud83d\n")


TEXTS = st.text(st.sampled_from("ab\n😀é\r "), max_size=60)


@given(TEXTS, st.one_of(st.none(), st.integers(-2, 9)), st.one_of(st.none(), st.integers(-2, 9)), st.integers(1, 30))
def test_a_page_is_never_over_its_limit(content: str, first: int | None, lines: int | None, most: int) -> None:
    found = page(content, NOW, first, lines, most)
    excerpt = found.text.split("\n\n[More content available.")[0] if found.is_cut else found.text
    assert units(excerpt) <= most


@given(TEXTS, st.integers(1, 4), st.integers(4, 30))
def test_going_on_gives_the_whole_file(content: str, lines: int, most: int) -> None:
    parts, start = [], 1
    for _ in range(200):
        found = page(content, NOW, start, lines, most)
        if found.is_cut and found.following is None:
            return  # a line over the limit: that one is not paged
        notice = NOTICE.format(found.following) if found.following else ""
        parts.append(found.text.removesuffix(notice))
        if found.following is None:
            break
        assert found.following > start
        start = found.following
    assert "\n".join(parts) == content.removesuffix("\n")


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.md", "a.md", True),
        ("*.md", "sub/a.md", False),
        ("**/*.md", "a.md", True),
        ("**/*.md", "a/b/c.md", True),
        ("runbooks/**/*.md", "runbooks/a.md", True),
        ("runbooks/**/*.md", "runbooks/x/y/a.md", True),
        ("runbooks/**/*.md", "other/a.md", False),
        ("**/*.md", ".hidden/a.md", False),
        ("**/*.md", "a/.b.md", False),
        (".hidden/*.md", ".hidden/a.md", True),
        ("{a,b}/*.md", "b/x.md", True),
        ("{a,b/{c,d}}/*.md", "b/d/x.md", True),
        ("a?.md", "ab.md", True),
        ("a?.md", "a.md", False),
        ("[ab]*.md", "bx.md", True),
        ("[!ab]*.md", "bx.md", False),
        ("A.md", "a.md", False),
        ("./*.md", "a.md", True),
        ("a{b.md", "a{b.md", True),
        ("a\\*.md", "a*.md", True),
        ("a\\*.md", "ab.md", False),
        ("~/**/*.md", "~/team/a.md", True),
        ("..notes/**", "..notes/a.md", True),
        ("a(b).md", "a(b).md", True),
    ],
)
def test_patterns(pattern: str, path: str, expected: bool) -> None:
    assert matches(pattern, path) is expected


def test_what_is_not_understood_matches_nothing() -> None:
    assert not understood("+(a|b).md")
    assert not matches("+(a|b).md", "a.md")
    assert not understood("{a,b}" * 20)
    assert not matches("{a,b}" * 20, "a" * 20)


def test_many_stars_are_quick() -> None:
    assert not matches("*a" * 40 + "b", "a" * 400)
    assert not matches("**/" * 40 + "b", "/".join("a" * 400))


@given(st.text("ab*?[]{},/\\.!", max_size=14), st.text("ab/.", max_size=10))
def test_a_pattern_never_fails(pattern: str, path: str) -> None:
    assert matches(pattern, path) in (True, False)


def test_collections_are_scoped_by_agent() -> None:
    found = collections("/w", "Ana Lú", True, [Wanted("/w/notes"), Wanted("/x", "*.md", "Team")], rules(V7))
    assert [(each.name, each.path, each.pattern, each.kind) for each in found] == [
        ("memory-root-ana-l", "/w", "MEMORY.md", "memory"),
        ("memory-dir-ana-l", "/w/memory", "**/*.md", "memory"),
        ("custom-1-ana-l", "/w/notes", "**/*.md", "custom"),
        ("team", "/x", "*.md", "custom"),
    ]


def test_collections_of_an_older_release() -> None:
    found = collections("/w", "main", True, [Wanted("/x", "", "team"), Wanted("/x"), Wanted("/x")], rules(V4))
    names = [each.name for each in found]
    assert names == [
        "memory-root-main",
        "memory-alt-main",
        "memory-dir-main",
        "team-main",
        "custom-2-main",
        "custom-3-main",
    ]
    assert [each.name for each in collections("/w", "main", False, [], rules(V4))] == []


def test_names_of_collections_are_unique() -> None:
    found = collections("/w", "a", False, [Wanted("/x", "", "n"), Wanted("/y", "", "N!")], rules(V7))
    assert [each.name for each in found] == ["n", "n-2"]
