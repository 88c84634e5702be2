"""Git takes memory away, brings other versions, is in the middle of something: real repositories, a real daemon."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.conftest import notes
from support.daemon import Daemon
from support.repository import committed, git

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

MORE = "- [m-900] a note that nobody committed yet, about the harbour office\n"


@pytest.fixture
def memory(workspace: Path) -> Path:
    committed(workspace)
    return workspace / "MEMORY.md"


@pytest.fixture
def commits_of_long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is committed from here on was committed long ago: no commit of what somebody has just written."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-01-01T12:00:00Z")


def changes(daemon: Daemon, path: str = "MEMORY.md") -> list[tuple[str, str, str]]:
    """Class, action and rule of each verdict on the file."""
    found = daemon.events(kind="change", path=path)
    return [(each["event_class"], each["action"], each["data"]["rule"]) for each in found]


def open_incidents(daemon: Daemon) -> list[dict[str, Any]]:
    answer = daemon.api.get("/v1/incidents", state="open")
    return answer["incidents"] if isinstance(answer, dict) else answer


TAKES = (
    ("stash", "-q"),
    ("reset", "-q", "--hard"),
    ("checkout", "-q", "--", "MEMORY.md"),
    ("restore", "MEMORY.md"),
    ("checkout", "-q", "-f", "HEAD"),
)


def test_uncommitted_notes_that_git_takes_are_offered_back(daemon: Daemon, memory: Path) -> None:
    before = memory.read_text()
    for arguments in TAKES:
        memory.write_text(before + MORE)
        daemon.settle()
        git(memory.parent, *arguments)
        daemon.settle()
        assert memory.read_text() == before, arguments
        assert changes(daemon)[-1] == ("external_reset", "propose", "git-at-work"), arguments
        (incident,) = open_incidents(daemon)
        assert incident["writer"] == "git"
        assert daemon.cli("restore", "--incident", str(incident["id"])).exit_code == 0
        daemon.settle()
        assert memory.read_text() == before + MORE


def test_what_a_stash_brings_back_closes_the_incident(daemon: Daemon, memory: Path) -> None:
    memory.write_text(memory.read_text() + MORE)
    daemon.settle()
    git(memory.parent, "stash", "-q")
    daemon.settle()
    assert open_incidents(daemon)
    git(memory.parent, "stash", "pop", "-q")
    daemon.settle()
    assert MORE in memory.read_text()
    assert not open_incidents(daemon)


def test_what_git_took_while_the_daemon_was_down_is_gits_too(daemon: Daemon, memory: Path) -> None:
    memory.write_text(memory.read_text() + MORE)
    daemon.settle()
    daemon.stop()
    git(memory.parent, "stash", "-q")
    daemon.start()
    daemon.settle()
    assert changes(daemon)[-1] == ("external_reset", "propose", "git-at-work")
    assert MORE not in memory.read_text()


def an_overwrite(memory: Path) -> None:
    memory.write_text(f"# Memory\n\n- a stub in place of {memory.stem} that an agent wrote by mistake\n")


NEVER_REWRITES: dict[str, Callable[[Path], object]] = {
    "add and commit": lambda root: committed(root, "agent"),
    "commit": lambda root: git(root, "commit", "-q", "-a", "-m", "agent"),
    "status": lambda root: git(root, "status"),
    "gc": lambda root: git(root, "gc", "-q"),
    "branch": lambda root: git(root, "branch", "other"),
    "commit, then a branch": lambda root: (committed(root, "agent"), git(root, "checkout", "-q", "-b", "side")),
}


def test_what_never_rewrites_files_excuses_no_overwrite(daemon: Daemon, workspace: Path) -> None:
    files = {what: workspace / "memory" / f"{number}.md" for number, what in enumerate(NEVER_REWRITES)}
    for number, file in enumerate(files.values(), 1):
        file.write_text(notes(100 * number, 100 * number + 40))
    committed(workspace)
    daemon.settle()
    daemon.pass_time(60_000)
    for what, run in NEVER_REWRITES.items():
        last = files[what].read_text().splitlines()[-1]
        an_overwrite(files[what])
        run(workspace)
        daemon.settle()
        daemon.pass_time(60_000)
        assert changes(daemon, f"memory/{files[what].name}")[-1][:2] == ("overwrite", "merge"), what
        assert last in files[what].read_text(), what
        committed(workspace, "put back")


def test_an_overwrite_right_after_a_checkout_is_not_gits(daemon: Daemon, memory: Path) -> None:
    git(memory.parent, "checkout", "-q", "-b", "side")
    an_overwrite(memory)
    daemon.settle()
    assert changes(daemon)[0][:2] == ("overwrite", "merge")


def test_branches_that_are_left_and_entered_again_do_not_pile_up(daemon: Daemon, memory: Path) -> None:
    root = memory.parent
    git(root, "checkout", "-q", "-b", "short")
    memory.write_text(notes(1, 9))
    daemon.settle()
    git(root, "commit", "-q", "-a", "-m", "short")
    already = len(daemon.events(kind="notice"))
    for _ in range(3):
        git(root, "checkout", "-q", "main")
        daemon.settle()
        git(root, "checkout", "-q", "short")
        daemon.settle()
    assert memory.read_text() == notes(1, 9)
    lost = [each for each in changes(daemon) if each[0] == "external_reset"]
    assert len(lost) == 3
    assert set(lost) == {("external_reset", "record", "git-keeps-it")}
    assert len(daemon.events(kind="notice")) == already


def test_what_a_branch_holds_that_is_left_is_offered_once_and_in_silence(daemon: Daemon, memory: Path) -> None:
    root = memory.parent
    git(root, "branch", "old")
    memory.write_text(memory.read_text() + MORE)
    daemon.settle()
    committed(root, "more")
    for _ in range(3):
        git(root, "checkout", "-q", "old")
        daemon.settle()
        assert MORE not in memory.read_text()
        git(root, "checkout", "-q", "main")
        daemon.settle()
    lost = [each for each in changes(daemon) if each[0] == "external_reset"]
    assert lost == [
        ("external_reset", "propose", "git-at-work"),
        ("external_reset", "record", "git-keeps-it"),
        ("external_reset", "record", "git-keeps-it"),
    ]
    assert {each["severity"] for each in daemon.events(kind="notice")} == {"info"}
    assert not open_incidents(daemon)


def test_several_files_in_one_operation_are_one_incident(daemon: Daemon, workspace: Path) -> None:
    files = [workspace / "memory" / f"{name}.md" for name in ("one", "two", "three")]
    for number, file in enumerate(files):
        file.write_text(notes(1 + 50 * number, 20 + 50 * number))
    committed(workspace)
    daemon.settle()
    for number, file in enumerate(files):
        file.write_text(file.read_text() + f"- number {number} of the notes about the harbour office\n")
    daemon.settle()
    git(workspace, "stash", "-q")
    daemon.settle()
    (incident,) = open_incidents(daemon)
    assert (incident["event_class"], len(incident["files"])) == ("external_reset", 3)
    git(workspace, "stash", "pop", "-q")
    daemon.settle()
    assert not open_incidents(daemon)


def test_a_file_that_a_checkout_removes_is_not_put_back(daemon: Daemon, memory: Path) -> None:
    root = memory.parent
    git(root, "checkout", "-q", "--orphan", "empty")
    git(root, "rm", "-q", "-r", "--cached", ".")
    git(root, "commit", "-q", "--allow-empty", "-m", "nothing")
    git(root, "checkout", "-q", "-f", "main")
    daemon.settle()
    git(root, "checkout", "-q", "empty")
    daemon.settle()
    assert not memory.exists()
    assert changes(daemon)[-1][0] == "external_reset"
    git(root, "checkout", "-q", "main")
    daemon.settle()
    assert not open_incidents(daemon)


@pytest.mark.parametrize("way", ["checkout", "switch", "reset"])
def test_a_branch_without_the_directory_takes_nothing_that_is_not_in_git(
    daemon: Daemon, workspace: Path, way: str
) -> None:
    (workspace / "README.txt").write_text("x\n")
    git(workspace, "init", "-q", "-b", "main")
    git(workspace, "add", "README.txt")
    git(workspace, "commit", "-q", "-m", "base")
    git(workspace, "branch", "old")
    files = [workspace / "memory" / "deep" / f"{name}.md" for name in ("one", "two")]
    for number, file in enumerate(files):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(notes(101 + 50 * number, 120 + 50 * number))
    committed(workspace)
    daemon.settle()
    arguments = ("reset", "-q", "--hard", "old") if way == "reset" else (way, "-q", "old")
    git(workspace, *arguments)
    assert not (workspace / "memory").exists()
    daemon.settle()
    for path in ("MEMORY.md", "memory/deep/one.md", "memory/deep/two.md"):
        assert changes(daemon, path)[-1] == ("external_reset", "propose", "git-at-work")
        assert daemon.versions(workspace / path)[0]["actor"] == "git"
    (incident,) = open_incidents(daemon)
    assert (incident["event_class"], incident["severity"], len(incident["files"])) == ("external_reset", "info", 3)
    git(workspace, *("reset", "-q", "--hard", "main@{1}") if way == "reset" else (way, "-q", "main"))
    daemon.settle()
    assert not open_incidents(daemon)
    assert {each["severity"] for each in daemon.events(kind="notice")} <= {"info"}


def test_a_directory_that_is_removed_long_after_git_was_at_work_is_a_deletion(daemon: Daemon, workspace: Path) -> None:
    directory = workspace / "memory" / "deep"
    directory.mkdir()
    for number, name in enumerate(("one", "two")):
        (directory / f"{name}.md").write_text(notes(101 + 50 * number, 120 + 50 * number))
    committed(workspace)
    daemon.settle()
    git(workspace, "commit", "-q", "--allow-empty", "-m", "nothing that rewrites files")
    shutil.rmtree(directory)
    daemon.settle()
    assert changes(daemon, "memory/deep/one.md")[-1][0] == "deletion"


def test_nothing_is_written_while_git_holds_its_lock(daemon: Daemon, memory: Path) -> None:
    lock = memory.parent / ".git" / "index.lock"
    lock.touch()
    an_overwrite(memory)
    daemon.sync()
    daemon.pass_time(3_000)
    assert "note 40" not in memory.read_text()
    assert [one["why"] for one in daemon.sync()["pending"]] == ["git"]
    lock.unlink()
    daemon.settle()
    assert "note 40" in memory.read_text()


def test_a_restore_that_a_person_asks_for_says_that_git_is_at_work(daemon: Daemon, memory: Path) -> None:
    memory.write_text(memory.read_text() + MORE)
    daemon.settle()
    lock = memory.parent / ".git" / "index.lock"
    lock.touch()
    refused = daemon.cli("restore", "MEMORY.md", "--version", "1")
    assert refused.exit_code != 0
    lock.unlink()


def test_after_an_unfinished_merge_judgement_goes_on(daemon: Daemon, memory: Path) -> None:
    root = memory.parent
    git(root, "checkout", "-q", "-b", "theirs")
    memory.write_text(memory.read_text().replace("note 1:", "note 1, theirs:"))
    committed(root, "theirs")
    git(root, "checkout", "-q", "main")
    memory.write_text(memory.read_text().replace("note 1:", "note 1, ours:"))
    committed(root, "ours")
    daemon.settle()
    git(root, "merge", "theirs", check=False)
    daemon.settle()
    assert "<<<<<<<" in memory.read_text()
    assert changes(daemon)[-1][:2] == ("conflict_markers", "hold")
    resolved = notes().replace("note 1:", "note 1, ours and theirs:")
    memory.write_text(resolved)
    committed(root, "merged")
    daemon.settle()
    assert memory.read_text() == resolved
    assert not open_incidents(daemon)
    an_overwrite(memory)
    daemon.settle()
    assert "note 40" in memory.read_text()


def later(daemon: Daemon) -> None:
    """The next write has nothing to do with the last: it is no copy that was read before it."""
    daemon.settle()
    daemon.pass_time(3_600_000)


@pytest.mark.usefixtures("commits_of_long_ago")  # first: the memory is committed then, too
@pytest.mark.parametrize("way", ["merge", "rebase", "cherry-pick"])
@pytest.mark.parametrize("lines", ["number", "words"])
def test_a_conflict_that_is_resolved_by_joining_both_sides_is_nobodys_loss(
    daemon: Daemon, memory: Path, way: str, lines: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = memory.parent
    before = "- [m-0801] the ferry to the island leaves at nine\n"
    theirs = "- [m-0801] the ferry to the island leaves at ten now\n"
    ours = "- [m-0801] the ferry to the island leaves at half past eight\n"
    joined = "- [m-0801] the ferry to the island leaves at half past eight, in summer at ten\n"
    if lines == "words":
        before, theirs, ours, joined = (each.replace("[m-0801] ", "") for each in (before, theirs, ours, joined))
    text = notes()
    memory.write_text(text + before)
    committed(root, "the ferry")
    later(daemon)
    git(root, "checkout", "-q", "-b", "theirs")
    memory.write_text(text + theirs)
    committed(root, "theirs")
    later(daemon)
    git(root, "checkout", "-q", "main")
    later(daemon)
    memory.write_text(text + ours)
    committed(root, "ours")
    later(daemon)
    if way == "rebase":
        git(root, "checkout", "-q", "theirs")
    later(daemon)
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    os.utime(root / ".git/logs/HEAD", (1_767_268_800, 1_767_268_800))  # the time of its last line
    git(root, way, "main" if way == "rebase" else "theirs", check=False)
    daemon.settle()
    assert changes(daemon)[-1][:2] == ("conflict_markers", "hold")
    assert daemon.versions(memory)[0]["actor"] == "git"
    daemon.pass_time(3_600_000)
    memory.write_text(text + joined)
    git(root, "add", "-A")
    going_on = ("commit", "-q", "-m", "merged") if way == "merge" else ("-c", "core.editor=true", way, "--continue")
    git(root, *going_on)
    daemon.settle()
    assert memory.read_text() == text + joined
    assert changes(daemon)[-1][1] == "record"
    assert {each["severity"] for each in open_incidents(daemon)} <= {"info"}  # the other side is in git
    assert "alarm" not in {each["severity"] for each in daemon.events(kind="notice")}


@pytest.mark.usefixtures("commits_of_long_ago")
def test_a_merge_that_is_held_up_after_it_wrote_the_file_is_still_gits(daemon: Daemon, memory: Path) -> None:
    """Its first trace, which a reset leaves as well, is nearer to the write than its last then."""
    root, text = memory.parent, memory.read_text()
    git(root, "checkout", "-q", "-b", "theirs")
    memory.write_text(text + "- [m-0801] the ferry leaves at ten now\n")
    committed(root, "theirs")
    later(daemon)
    git(root, "checkout", "-q", "main")
    memory.write_text(text + "- [m-0801] the ferry leaves at half past eight\n")
    committed(root, "ours")
    later(daemon)
    os.utime(root / ".git/logs/HEAD", (1_767_268_800, 1_767_268_800))
    blobs = set((root / ".git/objects").rglob("*"))
    git(root, "merge", "theirs", check=False)
    written_ns = memory.stat().st_ctime_ns
    for blob in {each for each in (root / ".git/objects").rglob("*") if each.is_file()} - blobs:
        os.utime(blob, ns=(written_ns, written_ns))
    os.utime(root / ".git/ORIG_HEAD", ns=(written_ns - 1_000_000, written_ns - 1_000_000))
    os.utime(root / ".git/MERGE_HEAD", ns=(written_ns + 500_000_000, written_ns + 500_000_000))
    daemon.settle()
    (version, *_) = daemon.versions(memory)
    assert (version["actor"], version["evidence"]) == ("git", ["git merge"])


def test_an_agents_overwrite_in_an_unfinished_rebase_is_its_own_but_not_written_over(
    daemon: Daemon, memory: Path
) -> None:
    (memory.parent / ".git" / "rebase-merge").mkdir()
    daemon.api.post("/v1/evidence", {"path": str(memory), "actor": "agent:main"})
    an_overwrite(memory)
    daemon.settle()
    assert changes(daemon)[-1][:2] == ("overwrite", "propose")
    assert "note 40" not in memory.read_text()


@pytest.mark.parametrize("kind", ["worktree", "submodule"])
def test_work_trees_and_submodules_are_repositories_too(tmp_path: Path, kind: str) -> None:
    origin = tmp_path / "origin"
    origin.mkdir()
    (origin / "MEMORY.md").write_text(notes())
    committed(origin)
    if kind == "worktree":
        root = tmp_path / "tree"
        git(origin, "worktree", "add", "-q", str(root))
    else:
        outer = tmp_path / "outer"
        outer.mkdir()
        git(outer, "init", "-q")
        git(outer, "submodule", "add", "-q", str(origin), "inner")
        root = outer / "inner"
    with Daemon(tmp_path / "d", [root]) as daemon:
        memory = root / "MEMORY.md"
        memory.write_text(memory.read_text() + MORE)
        daemon.settle()
        git(root, "stash", "-q")
        daemon.settle()
        assert memory.read_text() == notes()
        assert changes(daemon)[-1] == ("external_reset", "propose", "git-at-work")


def test_a_pull_that_brings_less_is_gits(tmp_path: Path, workspace: Path) -> None:
    committed(workspace)
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", str(workspace), str(other))
    git(workspace, "config", "receive.denyCurrentBranch", "ignore")
    (workspace / "MEMORY.md").write_text(notes(1, 12))
    committed(workspace, "less")
    with Daemon(tmp_path / "d", [other]) as daemon:
        git(other, "pull", "-q")
        daemon.settle()
        assert (other / "MEMORY.md").read_text() == notes(1, 12)
        assert changes(daemon)[-1] == ("external_reset", "propose", "git-at-work")
        assert [each["severity"] for each in open_incidents(daemon)] == ["info"]
