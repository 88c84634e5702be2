"""The meaning of a glob."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.globs import actor_matches, first_match, matches


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("MEMORY.md", b"MEMORY.md", True),
        ("MEMORY.md", b"deep/down/MEMORY.md", True),
        ("MEMORY.md", b"NOTMEMORY.md", False),
        ("/MEMORY.md", b"sub/MEMORY.md", False),
        ("*.md", b"a/b.md", True),
        ("memory/*.md", b"memory/a.md", True),
        ("memory/*.md", b"memory/x/a.md", False),
        ("memory/*.md", b"other/memory/a.md", False),
        ("memory/**/*.md", b"memory/a.md", True),
        ("memory/**/*.md", b"memory/x/y/a.md", True),
        ("memory/**", b"memory/x/y", True),
        ("memory/**", b"memoryx", False),
        ("**", b"anything/at all", True),
        ("a?c", b"abc", True),
        ("a?c", b"a/c", False),
        ("[!a]b/c", b"xb/c", True),
        ("[!a]b/c", b"ab/c", False),
        ("[ab]x/c", b"ax/c", True),
        ("[", b"[", True),
        ("a.c", b"abc", False),
        ("*.md", b"\xff\n.md", True),
        ("é.md", "é.md".encode(), True),
    ],
)
def test_globs(pattern: str, path: bytes, expected: bool) -> None:
    assert matches(pattern, path) is expected


@given(st.text(max_size=12), st.binary(max_size=12))
def test_no_pattern_is_an_error(pattern: str, path: bytes) -> None:
    matches(pattern, path)


@given(st.text(st.characters(blacklist_characters="*?[/", blacklist_categories=["Cs"]), min_size=1, max_size=8))
def test_a_pattern_without_wildcards_matches_itself(name: str) -> None:
    assert matches(name, name.encode())
    assert matches("d/" + name, b"d/" + name.encode())


def test_the_first_glob_that_fits_decides() -> None:
    assert first_match({"a/*": 1, "**": 2}, b"a/b") == 1
    assert first_match({"a/*": 1}, b"b") is None


@pytest.mark.parametrize(
    ("pattern", "actor", "expected"),
    [
        ("*", "unknown", True),
        ("cron:*", "cron:a:b/c", True),
        ("cron:*", "agent:x", False),
        ("agent:flush", "agent:flush", True),
    ],
)
def test_actors(pattern: str, actor: str, expected: bool) -> None:
    assert actor_matches(pattern, actor) is expected
