"""Roots that go, come, move and nest, with real inotify; and how little five hundred of them cost."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest

from conductd.watch.hints import HintKind
from conductd.watch.watcher import Watcher
from conductd.watch.watchset import watch_set

from .conftest import Box, Hints, MakeBox

K = HintKind


def test_deleted_and_made_again_is_gone_and_back(box: Box) -> None:
    held = os.open(box.root, os.O_RDONLY)  # as our own lock does: then the directory itself tells nothing
    (box.root / "MEMORY.md").write_text("x")
    shutil.rmtree(box.root)
    box.hints.wait(K.ROOT_GONE)
    assert box.watcher.state(box.path) == "missing"
    box.hints.clear()
    box.root.mkdir()
    box.hints.wait(K.ROOT_BACK)
    assert box.watcher.state(box.path) == "events"
    (box.root / "MEMORY.md").write_text("y")
    box.hints.wait(K.CLOSED, b"MEMORY.md")
    os.close(held)


def test_moved_away_and_replaced_is_gone_and_back(box: Box) -> None:
    old = box.root.with_name("ws-old")
    box.root.rename(old)
    box.root.mkdir()
    box.hints.wait(K.ROOT_GONE)
    box.hints.wait(K.ROOT_BACK)
    box.settle()
    (old / "MEMORY.md").write_text("not ours any more")
    (box.root / "USER.md").write_text("x")
    box.hints.wait(K.CLOSED, b"USER.md")
    assert box.hints.kinds(b"MEMORY.md") == []


def test_the_whole_way_to_it_may_go_and_come(tmp_path: Path) -> None:
    root = tmp_path / "a" / "b" / "ws"
    root.mkdir(parents=True)
    hints = Hints()
    watcher = Watcher(hints.add, poll_s=3600, look_s=3600)
    watcher.start()
    try:
        watcher.add_root(os.fsencode(root), watch_set())
        shutil.rmtree(tmp_path / "a")
        hints.wait(K.ROOT_GONE)
        hints.clear()
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "b").mkdir()
        root.mkdir()
        hints.wait(K.ROOT_BACK)
    finally:
        watcher.stop()


def test_missing_at_the_start_is_waited_for(make_box: MakeBox, workspace: Path) -> None:
    workspace.rmdir()
    box = make_box()
    assert box.watcher.state(box.path) == "missing"
    assert box.hints.all() == []
    workspace.mkdir()
    box.hints.wait(K.ROOT_BACK)
    box.settle()


def test_a_directory_above_that_is_renamed_is_noticed_by_a_look(make_box: MakeBox, tmp_path: Path) -> None:
    box = make_box(look_s=0.05)
    moved = tmp_path.with_name(tmp_path.name + "-moved")
    tmp_path.rename(moved)
    box.hints.wait(K.ROOT_GONE)
    moved.rename(tmp_path)
    box.hints.wait(K.ROOT_BACK)


def test_removed_from_the_watcher_is_silent(box: Box) -> None:
    box.watcher.remove_root(box.path)
    (box.root / "MEMORY.md").write_text("x")
    assert (box.watcher.state(box.path), box.watcher.watched()) == ("", 0)


def test_added_again_takes_the_new_plan(box: Box) -> None:
    (box.root / "docs").mkdir()
    box.watcher.add_root(box.path, watch_set(directories=[b"docs"]))
    (box.root / "docs" / "x.md").write_text("x")
    box.hints.wait(K.CLOSED, b"docs/x.md")


@pytest.mark.parametrize("path", [b"relative/ws", b"/ws/"])
def test_a_path_that_could_be_written_two_ways_is_refused(box: Box, path: bytes) -> None:
    with pytest.raises(ValueError, match="not an absolute path"):
        box.watcher.add_root(path, watch_set())


def test_nested_roots_are_both_told(box: Box) -> None:
    (box.root / "memory").mkdir()
    inner = os.fsencode(box.root / "memory")
    box.watcher.add_root(inner, watch_set())
    (box.root / "memory" / "x.md").write_text("x")
    box.hints.wait(K.CLOSED, b"memory/x.md")
    box.hints.wait(K.CLOSED, b"x.md")
    box.watcher.remove_root(inner)
    box.hints.clear()
    (box.root / "memory" / "x.md").write_text("y")
    box.hints.wait(K.CLOSED, b"memory/x.md")
    assert box.hints.kinds(b"x.md") == []


def test_five_hundred_share_two_threads_and_one_instance(tmp_path: Path) -> None:
    threads, hints = threading.active_count(), Hints()
    watcher = Watcher(hints.add)
    watcher.start()
    try:
        for number in range(500):
            (tmp_path / f"{number}" / "memory").mkdir(parents=True)
            watcher.add_root(os.fsencode(tmp_path / f"{number}"), watch_set())
        assert threading.active_count() == threads + 2
        assert _inotify_instances() == 1
        assert watcher.watched() == 1_000
    finally:
        watcher.stop()
    assert threading.active_count() == threads


def _inotify_instances() -> int:
    count = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            count += os.readlink(f"/proc/self/fd/{name}") == "anon_inode:inotify"
        except OSError:
            continue
    return count
