"""The meaning of a glob."""

from __future__ import annotations

import time
from fnmatch import fnmatchcase

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


@given(st.lists(st.sampled_from(["a", "b", "*", "?", "[ab]", "[!a]", "."]), max_size=14), st.text("ab.c", max_size=14))
def test_names_fit_as_in_a_shell(pattern: list[str], name: str) -> None:
    glob = "".join(pattern)
    while "**" in glob:
        glob = glob.replace("**", "*")
    assert matches(glob, name.encode()) == fnmatchcase(name, glob)
    stars = "".join(each for each in pattern if "[" not in each)
    assert actor_matches(stars, name) == fnmatchcase(name, stars)


@given(st.lists(st.sampled_from(["a", "b", "*", "**/", "/", "?"]), max_size=10), st.text("ab/", max_size=12))
def test_a_glob_of_many_wildcards_means_what_each_of_them_means(pattern: list[str], path: str) -> None:
    glob = "".join(pattern).replace("**/", "\0")
    while "**" in glob:
        glob = glob.replace("**", "*")
    glob = glob.replace("*\0", "*/").replace("\0", "**/")
    assert matches(glob, path.encode()) == _fits(glob if "/" in glob else "**/" + glob, path)


def _fits(glob: str, path: str) -> bool:
    """By trying everything."""
    glob = glob.lstrip("/")
    if not glob:
        return not path
    if glob.startswith("**/"):
        return _rest(glob[3:], path) or any(_rest(glob[3:], path[n + 1 :]) for n, c in enumerate(path) if c == "/")
    if glob[0] == "*":
        ends = [n for n in range(len(path) + 1) if "/" not in path[:n]]
        return any(_rest(glob[1:], path[n:]) for n in ends)
    return bool(path) and (glob[0] == path[0] or (glob[0] == "?" and path[0] != "/")) and _rest(glob[1:], path[1:])


def _rest(glob: str, path: str) -> bool:
    return _fits(glob, path) if not glob.startswith("/") else path.startswith("/") and _rest(glob[1:], path[1:])


@pytest.mark.parametrize("glob", ["*a" * 60, "**/*a" * 60 + "x", "*" * 200 + "z", "**/" * 100 + "z/y"])
def test_many_wildcards_cost_no_more_than_their_number(glob: str) -> None:
    begun = time.process_time()
    assert not matches(glob, b"a" * 200 + b"/b" * 100)
    assert not actor_matches(glob, "a" * 200 + "b")
    assert time.process_time() - begun < 3
