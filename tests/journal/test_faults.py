"""Full, read-only and failing disks: nothing acknowledged that is not durable, and all well once the disk is."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conductd.errors import NotFound, StoreTooNew, StoreUnavailable
from conductd.journal import format as fmt
from conductd.journal import writer
from conductd.journal.journal import Draft, Journal
from conductd.journal.storage import DirectoryStorage
from conductd.model import RepairDoneRecord
from support.journals import StepClock, contents, growing, noise, open_journal, version
from support.storage import Disk, Fault, MemoryStorage, crash_states

DONE = Draft(RepairDoneRecord(1, "applied"))


def fill_up(journal: Journal) -> int:
    """Append incompressible versions until the journal refuses; how many it took."""
    for count in range(10_000):
        try:
            journal.append([version(noise(3000, seed=count), file=count + 1)])
        except StoreUnavailable:
            return count
    raise AssertionError("the disk never filled up")


def test_a_full_disk_is_reported_and_control_records_still_fit() -> None:
    disk = Disk(capacity=700_000)
    journal, _ = open_journal(MemoryStorage(disk))
    fill_up(journal)
    assert journal.spare_error, "the missing spare shows before anything is refused"
    last = journal.last_seq
    for _ in range(100):
        journal.append([DONE])
    assert journal.last_seq == last + 100
    disk.capacity = None
    stored = journal.append([version(b"there is room again\n")])
    assert journal.body(stored[0].seq) == b"there is room again\n"
    assert journal.verify(None).ok
    again, recovery = open_journal(MemoryStorage(Disk.of(disk.image())))
    assert recovery.clean
    assert contents(again) == contents(journal)


def test_the_same_drafts_are_taken_once_the_disk_is_fine() -> None:
    disk = Disk(capacity=400_000)
    journal, _ = open_journal(MemoryStorage(disk))
    fill_up(journal)
    last = journal.last_seq
    drafts = [version(noise(3000, seed=1), file=1), version(noise(10, seed=2), file=2)]
    for _ in range(3):
        with pytest.raises(StoreUnavailable):
            journal.append(drafts)
        assert journal.last_seq == last
    disk.capacity = None
    assert [stored.seq for stored in journal.append(drafts)] == [last + 1, last + 2]


@pytest.mark.parametrize("method", ["write_at", "data_sync"])
def test_a_failed_write_or_sync_moves_on_to_the_next_segment(method: str) -> None:
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    journal.append([version(b"one\n")])
    before = journal.segments
    disk.faults = [Fault(method, errno.EIO)]
    journal.append([version(b"one\ntwo\n")])
    assert journal.segments == before + 1
    assert journal.last_seq == 2
    first = disk.files[fmt.segment_name(1)]
    upto = len(disk.log)
    journal.append([version(b"one\ntwo\nthree\n")])
    assert not [op for op in disk.log[upto:] if op.inode == first], "never written or synced again"
    for position, image in crash_states(disk.log):
        if position == len(disk.log):
            again, _ = open_journal(MemoryStorage(Disk.of(image)))
            assert contents(again) == {1: b"one\n", 2: b"one\ntwo\n", 3: b"one\ntwo\nthree\n"}


def test_a_disk_that_fails_for_a_while_loses_nothing_acknowledged() -> None:
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    bodies = growing(30)
    kept: dict[int, bytes] = {}
    for number, body in enumerate(bodies):
        if number % 5 == 2:
            disk.faults = [Fault("data_sync", errno.EIO, times=7)]
        try:
            kept[journal.append([version(body)])[0].seq] = body
        except StoreUnavailable:
            disk.faults = []
            kept[journal.append([version(body)])[0].seq] = body
    assert contents(journal) == kept
    assert journal.verify(None).ok


def test_read_only_shows_all_and_changes_nothing() -> None:
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    for body in growing(5):
        journal.append([version(body)])
    image = disk.image()
    disk.read_only = True
    reader, recovery = open_journal(MemoryStorage(disk), read_only=True)
    assert recovery.clean
    assert contents(reader) == contents(journal)
    assert reader.verify(None).ok
    with pytest.raises(StoreUnavailable):
        reader.append([DONE])
    assert disk.image() == image
    with pytest.raises(StoreUnavailable):
        open_journal(MemoryStorage(Disk(read_only=True)))
    with pytest.raises(StoreUnavailable):
        journal.append([DONE])
    disk.read_only = False
    journal.append([DONE])
    assert journal.last_seq == 6


def test_read_only_without_a_journal_says_so() -> None:
    with pytest.raises(NotFound):
        open_journal(MemoryStorage(), read_only=True)


def changed_header(disk: Disk, **fields: int | str) -> Disk:
    image = disk.image()
    name = fmt.segment_name(1)
    header, _ = fmt.unpack_header(image[name])
    assert header is not None
    image[name] = fmt.pack_header(header._replace(**fields)) + image[name][fmt.DATA_START :]  # type: ignore[arg-type]
    return Disk.of(image)


def test_an_unknown_incompatible_feature_names_the_release_and_opens_read_only() -> None:
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    journal.append([version(b"text\n")])
    newer = changed_header(disk, incompatible=64, needs="3.1.0")
    with pytest.raises(StoreTooNew, match=r"3\.1\.0"):
        open_journal(MemoryStorage(newer))
    reader, _ = open_journal(MemoryStorage(newer), read_only=True)
    assert reader.body(1) == b"text\n"
    compatible = changed_header(disk, compatible=1 << 20)
    assert open_journal(MemoryStorage(compatible))[0].body(1) == b"text\n"
    with pytest.raises(StoreTooNew, match=r"9\.0"):
        open_journal(MemoryStorage(changed_header(disk, major=9, needs="9.0")), read_only=True)


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 1 MiB."""
    if os.geteuid() != 0:
        pytest.skip("mounting a tmpfs needs root")
    mount = tmp_path / "tiny"
    mount.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mount], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"no mount allowed here: {done.stderr.decode().strip()}")
    try:
        yield mount
    finally:
        subprocess.run(["umount", "-l", mount], check=False)


def test_a_really_full_file_system(tiny_disk: Path) -> None:
    with DirectoryStorage(tiny_disk / "journal", exclusive=True) as storage:
        journal, _ = Journal.open(storage, clock=StepClock(), writer="0.1.0")
        ballast = tiny_disk / "ballast"
        ballast.write_bytes(bytes(300_000))
        fill_up(journal)
        last = journal.last_seq
        for _ in range(50):
            journal.append([DONE])
        assert journal.last_seq == last + 50
        ballast.unlink()
        journal.append([version(b"room\n", file=99_999)])
        held = contents(journal)
        journal.close()
    with DirectoryStorage(tiny_disk / "journal", exclusive=True) as storage:
        journal, recovery = Journal.open(storage, clock=StepClock(), writer="0.1.0")
        assert recovery.clean
        assert contents(journal) == held
        assert journal.verify(None).ok
        journal.close()


def test_a_body_larger_than_a_segment_gets_a_segment_that_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SMALLEST", 8192)
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    for size in (50_000, 10, 300_000):
        seq = journal.append([version(noise(size, seed=size), file=size)])[0].seq
        assert journal.body(seq) == noise(size, seed=size)
    assert journal.verify(None).ok
