"""A start that takes long, because the history is long and the disk slow, is ended like any other."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from conductd.engine.recording.recovery import LOOK_EVERY, open_state
from conductd.given import Ended
from conductd.journal.storage import DirectoryStorage
from support.daemon import Daemon
from support.journals import open_journal, version

FILES = 10


def recorded(state_dir: Path) -> int:
    """A history of many segments without a checkpoint, as a daemon leaves it that was killed; its last sequence."""
    directory = state_dir / "journal"
    directory.mkdir(mode=0o700, parents=True)
    journal, _ = open_journal(DirectoryStorage(str(directory)))
    for turn in range(10):
        journal.append(
            [
                version(
                    f"# Notes\n\n- of {turn} and {number}\n".encode(), file=number % FILES + 1, path=b"%d.md" % number
                )
                for number in range(2_000)
            ]
        )
    journal.append([version(b"# Notes\n", path=b"0.md")])
    last = journal.last_seq
    journal.close()
    return last


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    (tmp_path / "ws").mkdir()
    with Daemon(tmp_path, [tmp_path / "ws"]).ended_at_exit() as made:
        yield made


def assert_has_all(daemon: Daemon, last: int) -> None:
    daemon.faults.clear()
    daemon.start()
    assert daemon.status()["versions"] == last
    daemon.wait_until(lambda: daemon.status()["health"] == "ok", "the index is made anew, and nothing is wrong")
    daemon.assert_no_traceback()


def test_sigterm_ends_a_slow_recovery_and_the_next_start_has_all_of_it(daemon: Daemon) -> None:
    last = recorded(daemon.state_dir)
    daemon.fault("slow_read", value=50)
    daemon.launch()
    daemon.wait_until((daemon.state_dir / "lock").exists, "it has begun")
    assert daemon.stop() == 0
    assert '"event": "ready"' not in daemon.log()
    assert_has_all(daemon, last)


def test_sigterm_ends_a_recovery_that_hangs_on_its_disk(daemon: Daemon) -> None:
    last = recorded(daemon.state_dir)
    daemon.fault("slow_read", value=3_600_000)
    daemon.launch()
    daemon.wait_until((daemon.state_dir / "lock").exists, "it has begun")
    assert daemon.stop() == 0
    assert "the daemon ends without it" in daemon.log()
    assert_has_all(daemon, last)


def test_a_second_sigterm_ends_it_at_once(daemon: Daemon) -> None:
    last = recorded(daemon.state_dir)
    daemon.fault("slow_read", value=3_600_000)
    daemon.launch()
    daemon.wait_until((daemon.state_dir / "lock").exists, "it has begun")
    process = daemon.process
    assert process is not None

    def is_ended() -> bool:
        process.send_signal(signal.SIGTERM)
        return process.poll() is not None

    daemon.wait_until(is_ended, "it ends")
    assert daemon.wait_for_exit() == 128 + signal.SIGTERM
    assert_has_all(daemon, last)


def test_the_fold_of_a_history_is_left_whenever_it_is_asked_to_end(tmp_path: Path) -> None:
    last = recorded(tmp_path)
    journal, recovery = open_journal(DirectoryStorage(str(tmp_path / "journal")))
    looks = []

    def go_on() -> None:
        looks.append(1)
        if len(looks) == 3:
            raise Ended

    with pytest.raises(Ended):
        open_state(journal, go_on)
    assert not recovery.damage
    assert open_state(journal, lambda: looks.append(1)).last_seq == last
    assert len(looks) == 3 + -(-last // LOOK_EVERY)
    journal.close()
