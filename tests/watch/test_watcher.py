"""The watcher with real inotify: every change becomes a hint that leads to it."""

from __future__ import annotations

import mmap
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from conductd.watch.hints import Hint, HintKind
from conductd.watch.reader import observe
from conductd.watch.watcher import Watcher
from conductd.watch.watchset import watch_set

from .conftest import Box, Hints, MakeBox

K = HintKind


def test_a_write_is_hinted_when_it_is_closed(box: Box) -> None:
    (box.root / "MEMORY.md").write_text("x")
    box.hints.wait(K.CLOSED, b"MEMORY.md")
    assert box.hints.kinds(b"MEMORY.md")[0] is K.CREATED


def test_a_writer_that_keeps_the_file_open_is_hinted(box: Box) -> None:
    with open(box.root / "MEMORY.md", "wb", buffering=0) as file:
        box.settle()
        file.write(b"x")
        box.hints.wait(K.MODIFIED, b"MEMORY.md")
        box.settle()
        file.write(b"y")
        box.hints.wait(K.MODIFIED, b"MEMORY.md")
        assert K.CLOSED not in box.hints.kinds(b"MEMORY.md")


def test_truncate_by_path_is_hinted(box: Box) -> None:
    (box.root / "MEMORY.md").write_text("long text")
    box.settle()
    os.truncate(box.root / "MEMORY.md", 2)
    box.hints.wait(K.MODIFIED, b"MEMORY.md")


def test_an_mmap_write_is_hinted_at_the_latest_when_the_file_is_closed(box: Box) -> None:
    (box.root / "MEMORY.md").write_bytes(b"a" * 4096)
    box.settle()
    with open(box.root / "MEMORY.md", "r+b") as file, mmap.mmap(file.fileno(), 4096) as memory:
        memory[0:1] = b"b"
        memory.flush()
    box.hints.wait(K.CLOSED, b"MEMORY.md")


def test_rename_over_is_hinted_at_once_on_both_names(box: Box) -> None:
    (box.root / "MEMORY.md").write_text("old")
    (box.root / "MEMORY.md.tmp").write_text("new")
    box.settle()
    (box.root / "MEMORY.md.tmp").rename(box.root / "MEMORY.md")
    box.hints.wait(K.MOVED, b"MEMORY.md")
    moved = [hint for hint in box.hints.all() if hint.kind in (K.MOVED, K.MOVED_FROM)]
    assert [hint.path for hint in moved] == [b"MEMORY.md.tmp", b"MEMORY.md"]
    assert moved[0].cookie == moved[1].cookie != 0


def test_a_move_out_is_not_held_back(box: Box, tmp_path: Path) -> None:
    delays = []
    for _ in range(5):
        (box.root / "MEMORY.md").write_text("x")
        box.settle()
        asked = time.monotonic_ns()
        (box.root / "MEMORY.md").rename(tmp_path / "away.md")
        box.hints.wait(K.MOVED_FROM, b"MEMORY.md")
        delays.append(box.hints.all()[-1].mono_ns - asked)
    assert min(delays) < 400_000_000  # watchdog's own emitter holds each for 500 ms


def test_vim_saves_with_a_backup_are_followed(box: Box) -> None:
    path = box.root / "MEMORY.md"
    path.write_text("old")
    box.settle()
    path.rename(box.root / "MEMORY.md~")
    path.write_text("new")
    (box.root / "MEMORY.md~").unlink()
    box.hints.wait(K.DELETED, b"MEMORY.md~")
    assert box.hints.kinds(b"MEMORY.md") == [K.MOVED_FROM, K.CREATED, K.MODIFIED, K.CLOSED]


def test_gedit_saves_by_a_hidden_file_are_followed(box: Box) -> None:
    path = box.root / "MEMORY.md"
    path.write_text("old")
    box.settle()
    hidden = box.root / ".goutputstream-ABC"
    hidden.write_text("new")
    os.link(path, box.root / "MEMORY.md~")
    hidden.rename(path)
    box.hints.wait(K.MOVED, b"MEMORY.md")


def test_hard_links_and_links_appear(box: Box, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.md").write_text("x")
    os.link(tmp_path / "elsewhere.md", box.root / "USER.md")
    (box.root / "CLAUDE.md").symlink_to("AGENTS.md")
    box.hints.wait(K.CREATED, b"USER.md")
    box.hints.wait(K.CREATED, b"CLAUDE.md")


def test_a_change_of_mode_is_hinted(box: Box) -> None:
    (box.root / "MEMORY.md").write_text("x")
    box.settle()
    (box.root / "MEMORY.md").chmod(0o400)
    box.hints.wait(K.METADATA, b"MEMORY.md")


def test_a_name_that_is_not_utf8_is_hinted_as_it_is(box: Box) -> None:
    with open(os.path.join(box.path, b"n\xff\xfe.md"), "wb"):
        pass
    box.hints.wait(K.CLOSED, b"n\xff\xfe.md")


def test_reading_a_file_makes_no_hint(box: Box) -> None:
    (box.root / "MEMORY.md").write_text("x")
    box.settle()
    (box.root / "MEMORY.md").read_bytes()
    os.listdir(box.root)
    (box.root / "end").touch()
    box.hints.wait(K.CLOSED, b"end")
    assert box.hints.kinds(b"MEMORY.md") == []


class TestDirectories:
    def test_new_ones_three_deep_lead_to_the_file_in_the_last(self, box: Box) -> None:
        for number in range(50):
            day = box.root / "memory" / f"{number}" / "03"
            day.mkdir(parents=True)
            (day / "day.md").write_text("x")
        # Each file was either announced itself, or lies below a directory hinted after it was watched.
        for number in range(50):
            box.hints.until(lambda number=number: _leads_to(box.hints, b"memory/%d/03/day.md" % number))

    def test_a_file_written_into_a_hinted_directory_is_always_announced(self, box: Box) -> None:
        (box.root / "memory" / "2026" / "03").mkdir(parents=True)
        box.settle()
        (box.root / "memory" / "2026" / "03" / "day.md").write_text("x")
        box.hints.wait(K.CLOSED, b"memory/2026/03/day.md")

    def test_a_moved_directory_is_followed_under_its_new_name(self, box: Box) -> None:
        (box.root / "memory" / "a" / "b").mkdir(parents=True)
        (box.root / "memory" / "a" / "b" / "x.md").write_text("x")
        box.settle()
        (box.root / "memory" / "a").rename(box.root / "memory" / "z")
        box.hints.wait(K.DIRECTORY, b"memory/a")
        box.hints.wait(K.DIRECTORY, b"memory/z")
        box.settle()
        (box.root / "memory" / "z" / "b" / "x.md").write_text("y")
        box.hints.wait(K.CLOSED, b"memory/z/b/x.md")

    def test_a_directory_moved_out_is_no_longer_watched(self, box: Box, tmp_path: Path) -> None:
        (box.root / "memory" / "a").mkdir(parents=True)
        box.settle()
        watched = box.watcher.watched()
        (box.root / "memory" / "a").rename(tmp_path / "away")
        box.hints.wait(K.DIRECTORY, b"memory/a")
        (tmp_path / "away" / "x.md").write_text("x")
        box.settle()
        assert box.watcher.watched() == watched - 1

    def test_a_directory_moved_in_is_watched_with_what_is_below(self, box: Box, tmp_path: Path) -> None:
        (box.root / "memory").mkdir()
        (tmp_path / "in" / "deep").mkdir(parents=True)
        box.settle()
        (tmp_path / "in").rename(box.root / "memory" / "in")
        box.hints.wait(K.DIRECTORY, b"memory/in")
        box.settle()
        (box.root / "memory" / "in" / "deep" / "x.md").write_text("x")
        box.hints.wait(K.CLOSED, b"memory/in/deep/x.md")

    def test_one_moved_into_a_new_directory_at_once_is_followed(self, box: Box) -> None:
        for number in range(30):  # the walk of the new one may come before or after the move
            (box.root / "memory" / f"{number}" / "deep").mkdir(parents=True)
        box.settle()
        for number in range(30):
            (box.root / "memory" / f"new{number}").mkdir()
            (box.root / "memory" / f"{number}").rename(box.root / "memory" / f"new{number}" / "in")
        box.settle()
        for number in range(30):
            (box.root / "memory" / f"new{number}" / "in" / "deep" / "x.md").write_text("x")
        for number in range(30):
            box.hints.wait(K.CLOSED, b"memory/new%d/in/deep/x.md" % number)
        assert box.watcher.watched() == 2 + 30 * 3

    def test_an_inode_used_again_in_a_new_directory_is_watched(self, box: Box) -> None:
        for number in range(30):
            (box.root / "memory" / "old").mkdir(parents=True, exist_ok=True)
            box.settle()
            (box.root / "memory" / f"{number}").mkdir()
            (box.root / "memory" / "old").rmdir()
            (box.root / "memory" / f"{number}" / "b").mkdir()  # often gets the inode just freed
            box.settle()
            (box.root / "memory" / f"{number}" / "b" / "x.md").write_text("x")
            box.hints.wait(K.CLOSED, b"memory/%d/b/x.md" % number)

    def test_one_removed_and_made_again_is_watched_again(self, box: Box) -> None:
        for number in range(30):
            (box.root / "memory" / "a").mkdir(parents=True)
            (box.root / "memory" / "a" / f"{number}.md").write_text("x")
            shutil.rmtree(box.root / "memory")
        (box.root / "memory" / "a").mkdir(parents=True)
        box.settle()
        (box.root / "memory" / "a" / "x.md").write_text("x")
        box.hints.wait(K.CLOSED, b"memory/a/x.md")
        assert box.watcher.watched() == 3

    def test_the_rest_of_the_workspace_is_not_watched(self, box: Box) -> None:
        (box.root / "venv" / "lib").mkdir(parents=True)
        (box.root / "memory" / ".git").mkdir(parents=True)
        box.settle()
        (box.root / "venv" / "x.md").write_text("x")
        (box.root / "memory" / ".git" / "index").write_text("x")
        box.settle()
        assert box.watcher.watched() == 2

    def test_the_directory_of_an_extra_is_watched_once_it_is_there(self, make_box: MakeBox) -> None:
        box = make_box(watch_set(files=[b"docs/agent/rules.md"]))
        (box.root / "docs" / "agent").mkdir(parents=True)
        box.settle()
        (box.root / "docs" / "agent" / "rules.md").write_text("x")
        box.hints.wait(K.CLOSED, b"docs/agent/rules.md")

    def test_a_linked_directory_is_never_watched(self, box: Box, tmp_path: Path) -> None:
        (tmp_path / "outside").mkdir()
        (box.root / "memory").symlink_to(tmp_path / "outside")
        box.settle()
        (tmp_path / "outside" / "x.md").write_text("x")
        box.settle()
        assert box.watcher.watched() == 1

    def test_thousands_are_watched_by_two_threads(self, make_box: MakeBox, workspace: Path) -> None:
        for number in range(2_000):
            (workspace / "memory" / f"{number // 60}" / f"{number}").mkdir(parents=True)
        threads = threading.active_count()
        box = make_box()
        assert threading.active_count() <= threads + 2
        assert box.watcher.watched() == 2_036
        (workspace / "memory" / "33" / "1999" / "x.md").write_text("x")
        box.hints.wait(K.CLOSED, b"memory/33/1999/x.md")

    @pytest.mark.slow
    def test_ten_thousand_are_watched_and_removed(self, make_box: MakeBox, workspace: Path) -> None:
        for number in range(10_000):
            (workspace / "memory" / f"{number // 100}" / f"{number}").mkdir(parents=True)
        box = make_box()
        assert box.watcher.watched() == 10_102
        assert box.watcher.degradations() == []
        shutil.rmtree(workspace / "memory")
        box.hints.until(lambda: box.watcher.watched() == 1)


WRITER = """
import sys, time
for number in range(300):
    with open(sys.argv[1], "wb") as file:
        file.write(b"%d" % number)
    time.sleep(0.002)  # the pace is what is measured
"""


def test_states_2_ms_apart_are_all_seen_by_a_reader_behind_the_hints(workspace: Path) -> None:
    path = workspace / "MEMORY.md"
    path.write_text("start")
    hints: queue.SimpleQueue[Hint] = queue.SimpleQueue()
    watcher = Watcher(hints.put)
    watcher.start()
    watcher.add_root(os.fsencode(workspace), watch_set())
    fd = os.open(workspace, os.O_RDONLY)
    seen: set[bytes | None] = set()
    try:
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)]):
            while b"299" not in seen:
                hints.get(timeout=30)
                seen.add(observe(fd, b"MEMORY.md").data)
    finally:
        os.close(fd)
        watcher.stop()
    assert len(seen - {b"", b"start"}) >= 270  # all 300 on an idle machine


def _leads_to(hints: Hints, path: bytes) -> bool:
    return any(
        (hint.path == path and hint.kind is K.CLOSED)
        or (hint.kind is K.DIRECTORY and path.startswith((hint.path or b"") + b"/"))
        for hint in hints.all()
    )
