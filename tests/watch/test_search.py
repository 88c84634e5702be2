"""The search through a workspace's recent text files, and the ignore patterns it keeps to."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from conductd.core.policy import Search
from conductd.watch.ignore import parse
from conductd.watch.search import search
from conductd.watch.watchset import watch_set

WIDE = Search(budget_ms=30_000)


def found(root_fd: int, bounds: Search = WIDE, **more: object) -> dict[bytes, bytes]:
    searched = search(root_fd, time.time_ns(), bounds, **more)  # type: ignore[arg-type]
    return {text.path: text.data for text in searched.texts}


def test_recent_text_files_anywhere_are_found_with_their_digests(workspace: Path, root_fd: int) -> None:
    (workspace / "archive" / "deep").mkdir(parents=True)
    (workspace / "archive" / "deep" / "old-notes.txt").write_text("moved here")
    searched = search(root_fd, time.time_ns(), WIDE)
    assert searched.complete
    assert searched.texts == [
        (b"archive/deep/old-notes.txt", hashlib.sha256(b"moved here").digest(), b"moved here"),
    ]


def test_what_did_not_change_lately_is_left_out_but_a_move_counts(workspace: Path, root_fd: int) -> None:
    (workspace / "notes.md").write_text("x")
    os.utime(workspace / "notes.md", ns=(0, 0))  # an old mtime, a new ctime: as a move leaves it
    assert b"notes.md" in found(root_fd)
    later = time.time_ns() + 11 * 60 * 1_000_000_000
    assert search(root_fd, later, WIDE).texts == []


@pytest.mark.parametrize("name", [".git", ".venv", "venv", "node_modules", "__pycache__"])
def test_what_tools_made_is_skipped(name: str, workspace: Path, root_fd: int) -> None:
    (workspace / "sub" / name).mkdir(parents=True)
    (workspace / "sub" / name / "x.md").write_text("x")
    assert found(root_fd) == {}


def test_beside_an_agents_transcripts_only_notes_where_they_are_kept_are_searched(
    workspace: Path, root_fd: int
) -> None:
    for name in ("CLAUDE.md", "history.jsonl", "rules/a.md", "projects/x/s.jsonl", "file-history/y/CLAUDE.md"):
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(name)
    plan = watch_set(trees=[b"rules"])
    assert set(found(root_fd, within=plan)) == {b"CLAUDE.md", b"rules/a.md"}


def test_binary_files_links_and_pipes_are_skipped(workspace: Path, root_fd: int, tmp_path: Path) -> None:
    (workspace / "a.bin").write_bytes(b"ELF\0\0")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.md").write_text("x")
    (workspace / "away").symlink_to(tmp_path / "outside")
    (workspace / "link.md").symlink_to(tmp_path / "outside" / "x.md")
    os.mkfifo(workspace / "pipe.md")
    assert found(root_fd) == {}


def test_ignored_files_are_skipped(workspace: Path, root_fd: int) -> None:
    (workspace / ".gitignore").write_text("*.log\n/out/\n")
    (workspace / "out").mkdir()
    for name in ("x.log", "out/x.md", "x.md"):
        (workspace / name).write_text("x")
    assert set(found(root_fd)) == {b".gitignore", b"x.md"}


def test_the_callers_own_files_are_skipped(workspace: Path, root_fd: int) -> None:
    for name in ("MEMORY.md", "x.md"):
        (workspace / name).write_text("x")
    assert set(found(root_fd, skip=lambda path: path == b"MEMORY.md")) == {b"x.md"}


def test_a_bound_that_is_met_is_said(workspace: Path, root_fd: int) -> None:
    for number in range(10):
        (workspace / f"{number}.md").write_text("x" * 100)
    few = search(root_fd, time.time_ns(), Search(files=3, budget_ms=30_000))
    assert (len(few.texts), few.complete) == (3, False)
    small = search(root_fd, time.time_ns(), Search(total_bytes=350, budget_ms=30_000))
    assert (len(small.texts), small.complete) == (3, False)
    clock = iter(range(0, 10**12, 10**6))
    slow = search(root_fd, time.time_ns(), Search(budget_ms=5), mono_ns=lambda: next(clock))
    assert not slow.complete
    assert len(slow.texts) < 10


def test_shallow_files_come_first(workspace: Path, root_fd: int) -> None:
    (workspace / "a" / "b").mkdir(parents=True)
    for name in ("a/b/deep.md", "a/mid.md", "top.md"):
        (workspace / name).write_text("x")
    assert list(found(root_fd)) == [b"top.md", b"a/mid.md", b"a/b/deep.md"]


@pytest.mark.parametrize(
    ("patterns", "path", "is_directory", "ignored"),
    [
        (b"*.log", b"a/b/x.log", False, True),
        (b"*.log", b"x.logs", False, False),
        (b"build/", b"a/build", True, True),
        (b"build/", b"build", False, False),
        (b"/out", b"out", True, True),
        (b"/out", b"a/out", True, False),
        (b"a/*.md", b"a/x.md", False, True),
        (b"a/*.md", b"a/b/x.md", False, False),
        (b"**/tmp", b"a/b/tmp", True, True),
        (b"**/tmp", b"tmp", True, True),
        (b"docs/**", b"docs/a/b", False, True),
        (b"x[0-9].md", b"x7.md", False, True),
        (b"x[!0-9].md", b"x7.md", False, False),
        (b"?.md", b"ab.md", False, False),
        (b"# comment\n\n", b"# comment", False, False),
        (b"*.md\n!keep.md", b"keep.md", False, False),
        (b"*.md\n!keep.md\n*.log", b"x.log", False, True),
        (b"[", b"[", False, True),
        (b"\\#x", b"#x", False, True),
        (b"caf\xc3\xa9", b"caf\xc3\xa9", False, True),
    ],
)
def test_the_simple_patterns_are_understood(patterns: bytes, path: bytes, is_directory: bool, ignored: bool) -> None:
    assert parse(patterns).matches(path, is_directory=is_directory) is ignored
