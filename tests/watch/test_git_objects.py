"""What git keeps, read from repositories that git itself made."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from conductd.model import FileStat
from conductd.watch.git import Look, look
from conductd.watch.git_commits import Commits
from conductd.watch.git_objects import has, is_gits
from support.repository import committed, git

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

TEXT = b"# Memory\n\n- a note\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    directory = tmp_path / "ws"
    directory.mkdir()
    (directory / "MEMORY.md").write_bytes(TEXT)
    return directory


def common(root: Path) -> bytes:
    return look(os.fsencode(root)).common


def stat_of(file: Path) -> FileStat:
    s = file.lstat()
    return FileStat(
        s.st_dev, s.st_ino, s.st_mode, s.st_uid, s.st_gid, s.st_nlink, s.st_size, s.st_mtime_ns, s.st_ctime_ns
    )


def test_loose_packed_and_borrowed_objects_are_found(root: Path, tmp_path: Path) -> None:
    committed(root)
    assert has(common(root), TEXT, time.time_ns())
    git(root, "gc", "-q")
    assert not list((root / ".git" / "objects").glob("[0-9a-f][0-9a-f]"))
    assert has(common(root), TEXT, time.time_ns())
    git(tmp_path, "clone", "-q", "--shared", str(root), "borrowed")
    assert has(common(tmp_path / "borrowed"), TEXT, time.time_ns())
    assert not has(common(root), b"nobody gave this to git\n", time.time_ns())


def test_of_many_packed_objects_each_is_found(root: Path) -> None:
    texts = [b"- note %d\n" % number for number in range(300)]
    for number, text in enumerate(texts):
        (root / f"{number}.md").write_bytes(text)
    committed(root)
    git(root, "gc", "-q")
    assert all(has(common(root), text, time.time_ns()) for text in texts)
    assert not any(has(common(root), text + b"x", time.time_ns()) for text in texts)


def test_what_git_got_after_the_write_was_not_gits(root: Path) -> None:
    before = time.time_ns() - 1_000_000_000
    committed(root)
    assert not has(common(root), TEXT, before)
    git(root, "gc", "-q")
    assert not has(common(root), TEXT, before)


def test_line_ends_that_a_checkout_changes_are_seen_through(root: Path) -> None:
    committed(root)
    assert has(common(root), TEXT.replace(b"\n", b"\r\n"), time.time_ns())


def test_what_a_filter_made_is_known_by_the_index(root: Path) -> None:
    (root / ".gitattributes").write_text("*.md filter=loud\n")
    git(root, "init", "-q")
    git(root, "config", "filter.loud.clean", "tr A-Z a-z")
    git(root, "config", "filter.loud.smudge", "tr a-z A-Z")
    committed(root)
    (root / "MEMORY.md").unlink()
    git(root, "checkout", "-q", "--", "MEMORY.md")
    made, seen = (root / "MEMORY.md").read_bytes(), look(os.fsencode(root))
    assert made == TEXT.upper()
    assert is_gits(seen, b"MEMORY.md", made, stat_of(root / "MEMORY.md"), time.time_ns())
    assert not is_gits(seen, b"MEMORY.md", made, None, time.time_ns())


def test_a_repository_with_sha256_names(root: Path) -> None:
    git(root, "init", "-q", "--object-format=sha256")
    committed(root)
    assert has(common(root), TEXT, time.time_ns())
    git(root, "gc", "-q")
    assert has(common(root), TEXT, time.time_ns())


def test_a_broken_pack_index_holds_nothing(root: Path) -> None:
    committed(root)
    git(root, "gc", "-q")
    (index,) = (root / ".git" / "objects" / "pack").glob("*.idx")
    whole = index.read_bytes()
    for broken in (b"", whole[:7], whole[:900], b"x" * len(whole)):
        index.unlink()
        index.write_bytes(broken)
        assert not has(common(root), TEXT, time.time_ns())


def test_a_commit_tells_what_it_holds(root: Path) -> None:
    committed(root)
    (root / "memory").mkdir()
    (root / "memory" / "日記.md").write_bytes(b"- two\n")
    committed(root, "two")
    first, second = (git(root, "rev-parse", name).strip() for name in ("HEAD~1", "HEAD"))
    seen, commits = look(os.fsencode(root)), Commits()
    path = "memory/日記.md".encode()
    assert commits.hold(seen, (second,), path, b"- two\n")
    assert commits.hold(seen, (first, second), b"MEMORY.md", TEXT)
    assert not commits.hold(seen, (first,), path, b"- two\n")
    assert not commits.hold(seen, (second,), path, b"- another\n")


@pytest.mark.parametrize("commit", ["0" * 40, "", "HEAD", "--output=x", "f" * 40])
def test_what_is_no_commit_holds_nothing(root: Path, commit: str) -> None:
    committed(root)
    assert not Commits().hold(look(os.fsencode(root)), (commit,), b"MEMORY.md", TEXT)


def test_without_a_repository_git_has_nothing(tmp_path: Path) -> None:
    assert not is_gits(Look(), b"MEMORY.md", TEXT, None, time.time_ns())
