"""What waits to be sent, on a disk that takes nothing for a while: full, held by somebody else, damaged."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from conductd.notify.spool import Spool, Waiting
from engine.conftest import notes
from support.daemon import Daemon
from support.receiver import Receiver
from support.until import until

FILLING = """
import resource, signal, sys
from conductd.notify.spool import Spool, Waiting
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

def full(is_full):
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0 if is_full else most, most))

def state(spool):
    return spool.cursor(), [each.seq for each in spool.waiting("a")], [each.attempts for each in spool.waiting("a")]

told = []
"""

WHILE_RUNNING = """
spool = Spool(sys.argv[1], "u", told.append)
spool.take(7, [("a", Waiting(5, 1, 1)), ("a", Waiting(6, 1, 1)), ("a", Waiting(7, 1, 1))])
assert told == []
full(True)
spool.put_off("a", [6], 9, "why")
assert len(told) == 1 and told[0], told
spool.was_sent("a", [5], 20)
spool.take(9, [("a", Waiting(9, 1, 1))])
spool.back_to_disk()
assert len(told) == 1, "it is told once"
assert state(spool) == (9, [6, 7, 9], [1, 0, 0]), state(spool)
full(False)
spool.back_to_disk()
assert told[1:] == [""], told
spool.back_to_disk()
spool.put_off("a", [9], 9, "why")
spool.close()
again = Spool(sys.argv[1], "u")
assert state(again) == (9, [6, 7, 9], [1, 0, 1]), state(again)
assert again.counts("a").sent == 1
print("well")
"""

FROM_THE_START = """
spool = Spool(sys.argv[1], "u")
spool.take(7, [("a", Waiting(5, 1, 1)), ("a", Waiting(6, 1, 1))])
spool.close()
full(True)
spool = Spool(sys.argv[1], "u", told.append)
assert len(told) == 1 and told[0], told
assert spool.cursor() is None
spool.take(10, [])
spool.take(12, [("a", Waiting(11, 1, 1)), ("a", Waiting(12, 1, 1))])
spool.was_sent("a", [11], 20)
full(False)
spool.back_to_disk()
assert told[1:] == [""], told
assert state(spool)[:2] == (7, [5, 6, 12]), "what was recorded in between is looked at, what waited waits"
spool.take(12, [("a", Waiting(each, 1, 1)) for each in (9, 11, 12)])
assert state(spool)[:2] == (12, [5, 6, 9, 12]), "what was sent is not sent again"
print("well")
"""


@pytest.mark.parametrize("story", [WHILE_RUNNING, FROM_THE_START])
def test_a_full_disk_loses_nothing_while_the_daemon_lives(tmp_path: Path, story: str) -> None:
    command = [sys.executable, "-c", FILLING + story, str(tmp_path / "spool")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ran.stdout == "well\n", ran.stderr


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Somebody else holds the file: nothing can be written."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin immediate")
        yield


def test_a_file_that_is_damaged_while_it_is_open_is_begun_anew_and_tells_nothing_old(tmp_path: Path) -> None:
    path, told = tmp_path / "spool", list[str]()
    spool = Spool(str(path), "u", told.append)
    spool.take(7, [("a", Waiting(5, 1, 1))])
    with closing(sqlite3.connect(path)) as other:
        other.execute("create table noise (x)")  # what is known of the file in memory does not hold any more
        other.execute("pragma wal_checkpoint(truncate)")
    size = path.stat().st_size
    path.write_bytes(b"no database at all"[:16] + b"\xa5" * (size - 16))
    assert spool.cursor() == 7, "what is on record is not told anew"
    assert told != []
    spool.take(9, [("a", Waiting(9, 1, 1))])
    until(lambda: spool.back_to_disk() or told[-1] == "", "it is on disk again")
    spool.close()
    assert [each.seq for each in Spool(str(path), "u").waiting("a")][-1] == 9


def test_a_daemon_whose_spool_takes_nothing_says_so_and_goes_on(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    for first, name in enumerate(("MEMORY.md", "USER.md", "SOUL.md")):
        (root / name).write_text(notes(first * 40 + 1, first * 40 + 40))
    with Receiver() as receiver:
        config = f'[[channels]]\nname = "hook"\nurl = "webhook+http://localhost:{receiver.port}/"\n'
        with Daemon(tmp_path / "d", [root], config=config) as daemon:

            def reasons() -> list[str]:
                return [each["reason"] for each in daemon.status()["degraded"]]

            def destroyed(name: str, times: int) -> None:
                (root / name).write_text("# Nothing\n")
                daemon.settle()
                until(lambda: daemon.status()["channels"][0]["sent"] >= times, "it is told")

            destroyed("MEMORY.md", 1)
            assert reasons() == []
            with held(daemon.state_dir / "notices.sqlite3"):
                destroyed("USER.md", 2)
                assert reasons() == ["notice_spool"]
            daemon.advance(60_000)
            destroyed("SOUL.md", 3)
            until(lambda: reasons() == [], "it is on disk again")
            until(lambda: daemon.status()["channels"][0]["waiting"] == 0, "nothing waits")
            count = len(receiver.got)
            daemon.restart()
            (channel,) = daemon.status()["channels"]
            assert (channel["waiting"], len(receiver.got)) == (0, count), "nothing is told twice"
            assert channel["sent"] >= 3
