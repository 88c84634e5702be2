"""Every crash state the storage log allows: acknowledged means durable, recovering twice is recovering once."""

from __future__ import annotations

import errno

import pytest

from conductd.errors import StoreUnavailable
from conductd.journal import writer
from conductd.journal.journal import Draft, Journal
from conductd.model import Stored
from support.journals import contents, growing, noise, open_journal, version
from support.storage import Disk, Fault, MemoryStorage, crash_states


def batches(count: int) -> list[list[Draft]]:
    """Single versions, groups, and one larger than a sector, over two files."""
    one, two = growing(count), growing(count, seed=2)
    out = []
    for at in range(count):
        drafts = [version(one[at], path=b"MEMORY.md")]
        if at % 3 == 1:
            drafts += [version(two[at], file=2, path=b"memory/b.md"), version(noise(700, seed=at), file=3, path=b"n")]
        out.append(drafts)
    return out


def run(journal: Journal, disk: Disk, work: list[list[Draft]]) -> tuple[list[Stored], list[tuple[int, int]]]:
    """What was appended, and (length of the log, last acknowledged sequence) after each append."""
    stored: list[Stored] = []
    acknowledged = [(len(disk.log), journal.last_seq)]
    for drafts in work:
        try:
            stored += journal.append(drafts)
        except StoreUnavailable:
            stored += journal.append(drafts)
        acknowledged.append((len(disk.log), journal.last_seq))
    return stored, acknowledged


def check_all(log: Disk, work: list[list[Draft]], acknowledged: list[tuple[int, int]], samples: int) -> int:
    bodies = [draft.body for drafts in work for draft in drafts]
    ends = {0}
    for drafts in work:
        ends.add(max(ends) + len(drafts))
    count = 0
    for position, image in crash_states(log.log, samples=samples):
        count += 1
        durable = max((seq for at, seq in acknowledged if at <= position), default=0)
        disk = Disk.of(image)
        journal, recovery = open_journal(MemoryStorage(disk))
        held = contents(journal)
        assert journal.last_seq >= durable, (position, recovery)
        assert journal.last_seq in ends, "a batch is there whole or not at all"
        assert held == {seq: bodies[seq - 1] for seq in range(1, journal.last_seq + 1)}
        assert not recovery.damage, (position, recovery)
        last, first_uuid = journal.last_seq, journal.uuid
        settled = disk.image()
        again, second = open_journal(MemoryStorage(Disk.of(settled)))
        assert second.clean, (position, second)
        assert contents(again) == held
        if durable:
            assert again.uuid == first_uuid
        journal.append([version(b"after the crash\n")])
        assert journal.body(last + 1) == b"after the crash\n"
        assert journal.verify(None).ok
    return count


def test_every_crash_state_keeps_what_was_acknowledged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SMALLEST", 8192)
    monkeypatch.setattr(writer, "_CHUNK", 2048)
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    work = batches(24)
    _, acknowledged = run(journal, disk, work)
    assert journal.segments > 2, "the run must cross segments"
    assert check_all(disk, work, acknowledged, samples=2) > 200


def test_every_crash_state_with_failing_syncs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SMALLEST", 8192)
    monkeypatch.setattr(writer, "_CHUNK", 2048)
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    disk.faults = [
        Fault("data_sync", errno.EIO, after=4),
        Fault("data_sync", errno.EIO, after=9),
        Fault("write_at", errno.EIO, after=25),
    ]
    work = batches(12)
    _, acknowledged = run(journal, disk, work)
    assert all(fault.times == 0 for fault in disk.faults)
    assert check_all(disk, work, acknowledged, samples=2) > 100


def test_a_crash_in_the_middle_of_recovery_is_recovered_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SMALLEST", 8192)
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    work = batches(4)
    _, acknowledged = run(journal, disk, work)
    bodies = [draft.body for drafts in work for draft in drafts]
    before_last = acknowledged[-2]
    torn = [image for position, image in crash_states(disk.log, samples=4) if position > before_last[0]]
    assert torn
    for image in torn:
        second = Disk.of(image)
        open_journal(MemoryStorage(second))
        for _, after in crash_states(second.log, image, samples=1):
            third, recovery = open_journal(MemoryStorage(Disk.of(after)))
            assert third.last_seq >= before_last[1], recovery
            assert contents(third) == {seq: bodies[seq - 1] for seq in range(1, third.last_seq + 1)}


def test_a_batch_whose_sync_failed_is_written_again_before_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process dies between a failed sync and the next segment; the page cache still shows the batch."""
    monkeypatch.setattr(writer, "SMALLEST", 8192)
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    journal.append([version(b"first\n")])
    disk.faults = [Fault("data_sync", errno.EIO, times=99)]
    with pytest.raises(StoreUnavailable):
        journal.append([version(b"first\nsecond\n")])
    disk.faults = []
    second, recovery = open_journal(MemoryStorage(disk))
    assert recovery.clean
    kept = second.last_seq
    second.append([version(b"first\nthird\n")])
    for position, image in crash_states(disk.log):
        if position < len(disk.log):
            continue
        third, _ = open_journal(MemoryStorage(Disk.of(image)))
        assert third.last_seq == kept + 1
        assert third.body(kept + 1) == b"first\nthird\n"
        assert None not in contents(third).values()
        assert third.verify(None).ok
