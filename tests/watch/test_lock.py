"""One daemon per workspace, with real processes; and who they are."""

from __future__ import annotations

import itertools
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conductd.watch.ancestry import ancestry, look_up, parse_stat, program_name, shown
from conductd.watch.lock import Held, Taken, Unlockable, holder_in, try_lock

HOLDER = """
import sys, os
from conductd.watch.lock import Held, try_lock
print(type(try_lock(os.fsencode(sys.argv[1]))).__name__, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(workspace: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(workspace)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "Held\n"
        yield process


def test_a_free_workspace_is_locked_and_leaves_no_file(workspace: Path) -> None:
    lock = try_lock(os.fsencode(workspace))
    assert isinstance(lock, Held)
    assert os.listdir(workspace) == []
    lock.release()


def test_a_second_daemon_is_told_who_holds_it(workspace: Path, holder: subprocess.Popen[str]) -> None:
    lock = try_lock(os.fsencode(workspace))
    assert isinstance(lock, Taken)
    assert lock.pid in (holder.pid, None)  # a container may hide it
    if lock.pid:
        assert "python" in lock.name


def test_the_lock_goes_with_a_killed_holder(workspace: Path, holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.wait()
    lock = try_lock(os.fsencode(workspace))
    assert isinstance(lock, Held)
    lock.release()


def test_two_workspaces_are_two_locks(workspace: Path, holder: subprocess.Popen[str]) -> None:
    other = workspace.with_name("other")
    other.mkdir()
    lock = try_lock(os.fsencode(other))
    assert isinstance(lock, Held)
    lock.release()


def test_a_missing_workspace_cannot_be_locked(workspace: Path) -> None:
    assert try_lock(os.fsencode(workspace / "gone")) == Unlockable("ENOENT")


def test_the_holder_is_found_among_other_locks() -> None:
    lines = [
        "1: POSIX  ADVISORY  WRITE 10 08:01:77 0 EOF",
        "2: FLOCK  ADVISORY  WRITE 11 08:01:78 0 EOF",
        "3: FLOCK  ADVISORY  WRITE 12 08:01:77 0 EOF",
        "3: -> FLOCK  ADVISORY  WRITE 13 08:01:77 0 EOF",
        "nonsense",
    ]
    assert holder_in(lines, os.makedev(8, 1), 77) == 12
    assert holder_in(lines, os.makedev(0, 9), 77) == 12  # btrfs: only the inode agrees
    assert holder_in(lines, os.makedev(8, 1), 99) is None


class TestAncestry:
    def test_the_chain_starts_with_the_process_and_goes_up(self) -> None:
        chain = ancestry(os.getpid())
        assert chain[0].pid == os.getpid()
        if os.getppid() > 1:
            assert chain[1].pid == os.getppid()
        assert all(above.pid == below.parent for below, above in itertools.pairwise(chain))
        assert shown(chain)[0].startswith(f"{os.getpid()} ")

    def test_a_child_names_us(self) -> None:
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
            assert [process.pid for process in ancestry(child.pid)][:2] == [child.pid, os.getpid()]

    def test_a_process_that_is_gone_has_no_ancestors(self) -> None:
        child = subprocess.Popen(["true"])
        child.wait()
        assert ancestry(child.pid) == []
        assert look_up(child.pid) is None

    def test_a_terminal_is_told_from_none(self) -> None:
        pid, terminal = pty.fork()
        if pid == 0:
            os.execvp("cat", ["cat"])
        try:
            os.write(terminal, b"x\n")
            echoed = b""
            while echoed.count(b"x") < 2:  # the terminal's echo, then cat's own: it is running
                echoed += os.read(terminal, 10)
            process = look_up(pid)
            assert process is not None
            assert process.terminal
        finally:
            os.close(terminal)
            os.waitpid(pid, 0)
        with subprocess.Popen(["cat"], stdin=subprocess.PIPE, start_new_session=True) as child:
            process = look_up(child.pid)
            assert process is not None
            assert not process.terminal

    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            (b"12 (bash) S 7 12 12 34816 12 0", ("bash", 7, 34816)),
            (b"12 (a) b (c) S 7 12 12 0 -1 0", ("a) b (c", 7, 0)),
            (b"12 bash", None),
            (b"", None),
        ],
    )
    def test_a_stat_line_is_parsed_whatever_the_command_is_called(
        self, line: bytes, expected: tuple[str, int, int] | None
    ) -> None:
        assert parse_stat(line) == expected

    @pytest.mark.parametrize(
        ("words", "name"),
        [
            (["/usr/bin/node", "/opt/openclaw/openclaw.mjs", "gateway", "--token", "s3cret"], "node openclaw.mjs"),
            (["python3.11", "-m", "hermes", "--key", "s3cret"], "python3.11 -m hermes"),
            (["python3", "-c", "print('s3cret')"], "python3"),
            (["bash", "-c", "echo s3cret"], "bash"),
            (["-bash"], "bash"),
            (["node", "--inspect", "x.js"], "node x.js"),
            (["claude", "s3cret"], "claude"),
            (["nginx: master process"], "nginx:"),
            ([], ""),
        ],
    )
    def test_a_name_shows_program_and_script_and_no_argument(self, words: list[str], name: str) -> None:
        assert program_name(words) == name
