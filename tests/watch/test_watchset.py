"""The watch set as a value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.watch.watchset import ancestors, join, outermost, parent, watch_set


def test_the_default_is_the_root_flat_and_memory_deep() -> None:
    plan = watch_set()
    assert plan.watches(b"")
    assert plan.watches(b"memory")
    assert plan.watches(b"memory/2026/03")
    assert not plan.watches(b"src")
    assert not plan.watches(b"memory-old")


def test_the_way_to_an_extra_is_watched_flat() -> None:
    plan = watch_set(files=[b"docs/agent/rules.md"], directories=[b"a/b"])
    assert all(plan.watches(each) for each in (b"docs", b"docs/agent", b"a", b"a/b"))
    assert not plan.watches(b"docs/agent/deep")
    assert not plan.watches(b"a/c")


@pytest.mark.parametrize("name", [b".git", b"node_modules", b".jj"])
def test_tool_directories_inside_a_tree_are_left_out(name: bytes) -> None:
    assert not watch_set().watches(b"memory/" + name)
    assert not watch_set().watches(b"memory/" + name + b"/x")


def test_a_tree_named_like_a_tool_directory_is_watched() -> None:
    assert watch_set(trees=[b".git"]).watches(b".git/notes")


def test_the_whole_workspace_can_be_a_tree() -> None:
    plan = watch_set(trees=[b"", b"memory"])
    assert plan.trees == {b""}
    assert plan.watches(b"a/b")
    assert not plan.watches(b"a/.git")


NAMES = st.lists(st.sampled_from([b"a", b"b", b"memory", b"x y"]), min_size=1, max_size=4).map(b"/".join)


@given(st.lists(NAMES, max_size=3), st.lists(NAMES, max_size=3), st.lists(NAMES, max_size=3), NAMES)
def test_whatever_is_watched_can_be_reached_by_watched_directories(
    trees: list[bytes], directories: list[bytes], files: list[bytes], path: bytes
) -> None:
    plan = watch_set(trees=trees, directories=directories, files=files)
    if plan.watches(path):
        assert all(plan.watches(above) for above in ancestors(path))
    for wanted in (*trees, *directories, *(parent(file) for file in files)):
        assert plan.watches(wanted)


def test_join_and_parent_are_inverse() -> None:
    assert parent(join(b"", b"a")) == b""
    assert parent(join(b"a", b"b")) == b"a"
    assert ancestors(b"a/b/c") == [b"a/b", b"a", b""]


@given(st.lists(st.one_of(NAMES, st.just(b"")), max_size=8))
def test_the_outermost_directories_cover_all_and_no_two_overlap(directories: list[bytes]) -> None:
    kept = outermost(directories)
    assert set(kept) <= set(directories)
    for directory in directories:
        assert len([each for each in kept if each in (directory, *ancestors(directory))]) == 1
