"""The journal's directory on a real disk, and its lock."""

from __future__ import annotations

import itertools
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from conductd.errors import AlreadyRunning, StoreUnavailable
from conductd.journal.journal import Journal
from conductd.journal.lock import StateLock
from conductd.journal.storage import DirectoryStorage
from support.journals import StepClock, contents, growing, rolling, version

HOLDER = """
import sys
from conductd.journal.storage import DirectoryStorage
storage = DirectoryStorage(sys.argv[1], exclusive=True)
print("held", flush=True)
sys.stdin.read()
"""

WRITER = """
import sys
from conductd.journal.journal import Journal
from conductd.journal.storage import DirectoryStorage
from support.journals import StepClock, rolling, version
journal, _ = Journal.open(DirectoryStorage(sys.argv[1], exclusive=True), clock=StepClock(), writer="0.1.0")
for body in rolling():
    print(journal.append([version(body)])[0].seq, flush=True)
"""


def python(code: str, *arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


def test_two_processes_cannot_write_one_journal_and_the_second_names_the_first(tmp_path: Path) -> None:
    with python(HOLDER, str(tmp_path / "journal")) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(AlreadyRunning, match=f"process {holder.pid} "):
            DirectoryStorage(tmp_path / "journal", exclusive=True)
        DirectoryStorage(tmp_path / "journal").release()  # reading needs no lock
        holder.stdin.close()
        holder.wait(10)
    DirectoryStorage(tmp_path / "journal", exclusive=True).release()


def test_the_lock_goes_with_a_killed_holder(tmp_path: Path) -> None:
    with python(HOLDER, str(tmp_path / "journal")) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        holder.kill()
        holder.wait(10)
    DirectoryStorage(tmp_path / "journal", exclusive=True).release()


def test_a_lock_is_free_after_release(tmp_path: Path) -> None:
    lock = StateLock.acquire(tmp_path / "lock")
    with pytest.raises(AlreadyRunning):
        StateLock.acquire(tmp_path / "lock")
    lock.release()
    lock.release()
    StateLock.acquire(tmp_path / "lock").release()


def test_files_are_private_and_links_are_not_followed(tmp_path: Path) -> None:
    with DirectoryStorage(tmp_path / "journal", exclusive=True) as storage:
        assert stat.S_IMODE((tmp_path / "journal").stat().st_mode) == 0o700
        fd = storage.open("a", create=True, write=True)
        assert stat.S_IMODE(os.fstat(fd).st_mode) == 0o600
        storage.allocate(fd, 3 << 20)
        assert storage.size(fd) == 3 << 20
        storage.write_at(fd, b"hello", 1 << 20)
        storage.data_sync(fd)
        assert storage.read_at(fd, 7, (1 << 20) - 1) == b"\0hello\0"
        assert storage.read_at(fd, 10, (3 << 20) - 4) == bytes(4)
        storage.truncate(fd, 10)
        storage.close(fd)
        storage.publish("a", "b")
        assert "b" in storage.names()
        (tmp_path / "journal" / "link").symlink_to("b")
        with pytest.raises(OSError, match="link"):
            storage.open("link", create=False, write=False)
        storage.remove("b")
        storage.remove("b")
        assert "b" not in storage.names()


def test_a_missing_directory_is_a_sentence_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable) as caught:
        DirectoryStorage(tmp_path / "none")
    assert caught.value.hint


def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    expected = list(itertools.islice(rolling(), 400))
    for _ in range(3):
        start = 0
        with python(WRITER, str(tmp_path / "journal")) as process:
            assert process.stdout is not None
            acknowledged = 0
            for _ in range(40):
                acknowledged = int(process.stdout.readline())
                start = start or acknowledged
            process.send_signal(signal.SIGKILL)
            rest = process.stdout.read().split()
            process.wait(10)
        # A number cut short by the kill is no acknowledgement that anybody saw whole.
        acknowledged = max([acknowledged, *(int(word) for word in rest[:-1])])
        with DirectoryStorage(tmp_path / "journal", exclusive=True) as storage:
            journal, recovery = Journal.open(storage, clock=StepClock(), writer="0.1.0")
            assert recovery.clean
            assert journal.last_seq >= acknowledged
            held = contents(journal)
            for seq in range(start, min(acknowledged, start + 300) + 1):
                assert held[seq] == expected[seq - start]
            assert journal.verify(None).ok
            journal.close()


def test_a_daemon_that_runs_can_be_read_by_another_process(tmp_path: Path) -> None:
    with python(WRITER, str(tmp_path / "journal")) as process:
        assert process.stdout is not None
        seq = int(process.stdout.readline())
        for _ in range(5):
            with DirectoryStorage(tmp_path / "journal") as storage:
                journal, _ = Journal.open(storage, clock=StepClock(), writer="0.1.0", read_only=True)
                assert journal.last_seq >= seq
                assert journal.verify(None).ok
                journal.close()
            seq = int(process.stdout.readline())
        process.kill()


def test_versions_of_one_process_are_read_by_the_next(tmp_path: Path) -> None:
    bodies = growing(50)
    for at in range(0, 50, 10):
        with DirectoryStorage(tmp_path / "journal", exclusive=True) as storage:
            journal, recovery = Journal.open(storage, clock=StepClock(), writer="0.1.0")
            assert recovery.clean
            for body in bodies[at : at + 10]:
                journal.append([version(body)])
            journal.close()
    with DirectoryStorage(tmp_path / "journal") as storage:
        journal, _ = Journal.open(storage, clock=StepClock(), writer="0.1.0", read_only=True)
        assert contents(journal) == dict(enumerate(bodies, 1))
        entry = journal._segments[-1].entry(50)
        assert entry is not None
        assert entry.base_seq == 49, "a file's line of bases goes on after a start"
        journal.close()
