"""Faults bite when they are on, stop by themselves, and cost the disk what was written."""

from __future__ import annotations

import errno
import json
import os
import queue
import socket
from pathlib import Path

import pytest

from conductd.journal.storage import DirectoryStorage
from conductd.repair.exchange import SystemExchange
from entry.clock import FakeClock
from entry.control import Control
from entry.exchange import FaultExchange
from entry.faults import Fault, Faults
from entry.storage import FaultStorage

SECOND = 1_000_000_000


def test_a_fault_ends_by_the_daemons_clock() -> None:
    clock = FakeClock(0, 0)
    faults = Faults(clock.mono_ns)
    faults.turn_on(Fault("readonly_fs", until_mono_ns=SECOND))
    assert faults.is_on("readonly_fs")
    clock.advance(SECOND)
    assert not faults.is_on("readonly_fs")


def test_clearing_ends_every_fault_and_listeners_heard_of_each() -> None:
    faults = Faults(lambda: 0)
    heard: list[Fault] = []
    faults.listen(heard.append)
    faults.turn_on(Fault("no_events"))
    faults.turn_on(Fault("fail_sync"))
    faults.clear()
    assert [fault.kind for fault in heard] == ["no_events", "fail_sync"]
    assert not faults.is_on("no_events")


@pytest.fixture
def faults() -> Faults:
    return Faults(lambda: 0)


@pytest.fixture
def storage(tmp_path: Path, faults: Faults) -> FaultStorage:
    return FaultStorage(DirectoryStorage(tmp_path / "store", exclusive=True), faults)


def _error(call: object, *arguments: object) -> int | None:
    with pytest.raises(OSError) as caught:
        call(*arguments)  # type: ignore[operator]
    return caught.value.errno


def test_a_read_only_store_reads_and_does_not_write(storage: FaultStorage, faults: Faults) -> None:
    fd = storage.open("a", create=True, write=True)
    storage.write_at(fd, b"kept", 0)
    faults.turn_on(Fault("readonly_fs"))
    assert _error(storage.write_at, fd, b"lost", 4) == errno.EROFS
    assert _error(storage.allocate, fd, 100) == errno.EROFS
    assert storage.read_at(fd, 10, 0) == b"kept"
    faults.clear()
    storage.write_at(fd, b"more", 4)
    assert storage.read_at(fd, 10, 0) == b"keptmore"


def test_a_full_disk_gives_no_new_space_and_takes_writes_into_what_is_there(
    storage: FaultStorage, faults: Faults
) -> None:
    fd = storage.open("a", create=True, write=True)
    storage.allocate(fd, 100)
    faults.turn_on(Fault("enospc_after_bytes", value=50))
    storage.write_at(fd, b"x" * 100, 0)
    storage.write_at(fd, b"y" * 50, 100)
    assert _error(storage.write_at, fd, b"z", 150) == errno.ENOSPC
    assert _error(storage.allocate, fd, 151) == errno.ENOSPC
    assert _error(lambda: storage.open("b", create=True, write=True)) == errno.ENOSPC
    storage.close(storage.open("a", create=True, write=True))
    assert storage.size(fd) == 150


def test_a_failing_sync_fails_and_the_next_may_not(storage: FaultStorage, faults: Faults) -> None:
    fd = storage.open("a", create=True, write=True)
    faults.turn_on(Fault("fail_sync"))
    assert _error(storage.data_sync, fd) == errno.EIO
    assert _error(storage.sync_directory) == errno.EIO
    faults.clear()
    storage.data_sync(fd)
    storage.sync_directory()


def test_a_busy_name_cannot_be_renamed_and_others_can(tmp_path: Path, faults: Faults) -> None:
    for name in ("MEMORY.md", "other", "third"):
        (tmp_path / name).write_text(name)
    exchange = FaultExchange(SystemExchange(), faults)
    faults.turn_on(Fault("ebusy_rename", path="MEMORY.md"))
    directory = os.open(tmp_path, os.O_RDONLY)
    try:
        assert _error(exchange.exchange, directory, b"other", b"MEMORY.md") == errno.EBUSY
        assert _error(exchange.move, directory, b"MEMORY.md", b"away") == errno.EBUSY
        exchange.exchange(directory, b"other", b"third")
    finally:
        os.close(directory)
    assert (tmp_path / "other").read_text() == "third"


def test_the_control_socket_answers_every_line(faults: Faults) -> None:
    clock = FakeClock(wall_ns=7, mono_ns=3)
    ours, theirs = socket.socketpair()
    Control(theirs.detach(), clock, faults, {}).start()
    commands = [
        {"do": "advance", "ns": 10},
        {"do": "fault", "kind": "no_events"},
        {"do": "set_wall", "ns": 1},
        {"do": "advance", "ns": -1},
        {"do": "who knows"},
        {"do": "fault", "kind": "no_events", "unknown": 1},
    ]
    with ours, ours.makefile("rwb") as stream:
        answers = []
        for command in commands:
            stream.write(json.dumps(command).encode() + b"\n")
            stream.flush()
            answers.append(json.loads(stream.readline()))
    assert answers[0] == {"wall_ns": 17, "mono_ns": 13}
    assert answers[2] == {"wall_ns": 1, "mono_ns": 13}
    assert all("error" in answer for answer in answers[3:])
    assert faults.is_on("no_events")
    assert clock.get(queue.Queue[int](), 13) is None
