"""git's state, read from repositories that git itself made."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from conductd.core.case import Git
from conductd.watch.git import git_directory, git_state, look

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(directory: Path, *arguments: str, check: bool = True) -> None:
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main", *arguments],
        cwd=directory,
        check=check,
        capture_output=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"},
    )


@pytest.fixture
def repository(workspace: Path) -> Path:
    git(workspace, "init")
    commit(workspace, "one")
    return workspace


def commit(directory: Path, text: str) -> None:
    (directory / "MEMORY.md").write_text(text)
    git(directory, "add", "MEMORY.md")
    git(directory, "commit", "-m", text)


def test_where_there_is_no_repository_everything_is_false(tmp_path: Path) -> None:
    assert git_state(os.fsencode(tmp_path)) == Git()
    assert git_state(os.fsencode(tmp_path / "gone")) == Git()


def test_a_commit_is_no_step_that_rewrites_files(repository: Path) -> None:
    commit(repository, "two")
    steps = look(os.fsencode(repository)).steps
    assert [step for step in steps if step.certain] == []


def test_a_reset_is_a_step_with_its_time_and_the_commit_before(repository: Path) -> None:
    commit(repository, "two")
    left = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository, check=True, capture_output=True).stdout
    git(repository, "reset", "--hard", "HEAD~1")
    newest = max(look(os.fsencode(repository)).steps, key=lambda step: (step.before != "", step.at_ns))
    assert (newest.name, newest.certain, newest.before) == ("reset", True, left.decode().strip())
    assert newest.at_ns == (repository / ".git" / "logs" / "HEAD").stat().st_mtime_ns


def test_an_index_lock_is_seen(repository: Path) -> None:
    (repository / ".git" / "index.lock").touch()
    assert git_state(os.fsencode(repository)).index_lock


@pytest.mark.parametrize("operation", [("merge", "side"), ("cherry-pick", "side"), ("rebase", "side")])
def test_an_unfinished_operation_is_seen(repository: Path, operation: tuple[str, str]) -> None:
    git(repository, "checkout", "-b", "side")
    commit(repository, "theirs")
    git(repository, "checkout", "-")
    commit(repository, "ours")
    git(repository, *operation, check=False)
    assert git_state(os.fsencode(repository)).merge_head
    git(repository, operation[0], "--abort")
    assert not git_state(os.fsencode(repository)).merge_head


def test_a_workspace_in_a_subdirectory_finds_the_repository_above(repository: Path) -> None:
    (repository / "agents" / "main").mkdir(parents=True)
    assert git_directory(os.fsencode(repository / "agents" / "main")) == os.fsencode((repository / ".git").resolve())


def test_a_worktree_is_followed_to_its_own_state(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", str(tmp_path / "tree"))
    directory = git_directory(os.fsencode(tmp_path / "tree"))
    assert directory == os.fsencode((repository / ".git" / "worktrees" / "tree").resolve())
    (repository / ".git" / "worktrees" / "tree" / "index.lock").touch()
    assert git_state(os.fsencode(tmp_path / "tree")).index_lock
    assert not git_state(os.fsencode(repository)).index_lock


def test_a_git_file_that_says_nonsense_is_passed_over(repository: Path) -> None:
    inner = repository / "inner"
    inner.mkdir()
    (inner / ".git").write_text("not a git file")
    assert git_directory(os.fsencode(inner)) == os.fsencode((repository / ".git").resolve())
    (inner / ".git").write_text("gitdir: /nowhere/at/all\n")
    assert git_directory(os.fsencode(inner)) == os.fsencode((repository / ".git").resolve())


def test_looking_changes_nothing(repository: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in sorted((repository / ".git").rglob("*"))}
    git_state(os.fsencode(repository))
    assert {path: path.stat().st_mtime_ns for path in sorted((repository / ".git").rglob("*"))} == before


@pytest.mark.parametrize("name", ["logs/HEAD", "commondir"])
def test_a_pipe_among_gits_files_holds_nobody_up(repository: Path, name: str) -> None:
    place = repository / ".git" / name
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    assert look(os.fsencode(repository)).directory == os.fsencode(repository / ".git")
