"""Erasure: what is redacted is gone from every file, the rest is restorable, the chain holds, crashes harm nothing."""

from __future__ import annotations

import errno
import hashlib
import threading

import msgspec
import pytest

from conductd.errors import ContentUnavailable, StoreUnavailable
from conductd.journal import erase, writer
from conductd.journal.erase import KEEP, Keep, Rewritten
from conductd.journal.journal import Draft, Journal
from conductd.journal.segment import Segment
from conductd.model import (
    ErasureRecord,
    EvidenceRecord,
    FileState,
    RepairPlanRecord,
    Stored,
    VersionRecord,
)
from support.journals import WORKSPACE, contents, growing, noise, open_journal, version
from support.storage import Disk, Fault, MemoryStorage, crash_states

SECRET = b"sk-4f9a77aa01hunter2"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SMALLEST", 4096)
    monkeypatch.setattr(writer, "_CHUNK", 2048)


def forget(stored: Stored, body: bytes | None) -> bytes | Keep | Rewritten | None:
    """Every match, wherever it stands."""
    return body.replace(SECRET, b"[forgotten]") if body is not None and SECRET in body else KEEP


def filled(count: int = 60, at: int = 20, until: int = 40) -> tuple[Disk, Journal, dict[int, bytes | None]]:
    """A secret comes with version ``at`` of the first file and leaves with ``until``; raw content holds it once."""
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    for number, body in enumerate(growing(count)):
        text = body + (b"token: " + SECRET + b"\n" if at <= number < until else b"")
        drafts = [version(text)]
        if number % 6 == 0:
            raw = noise(200, seed=number) + (SECRET if number == 30 else b"")
            drafts.append(version(raw, file=2, path=b"memory/b.md"))
        journal.append(drafts)
    assert journal.segments >= 3
    return disk, journal, contents(journal)


def test_a_secret_is_gone_from_every_version_and_the_rest_stays() -> None:
    disk, journal, held = filled()
    sizes = journal.bytes
    report = journal.erase(forget, "forget")
    expected = {seq: body.replace(SECRET, b"[forgotten]") for seq, body in held.items() if body is not None}
    got = contents(journal)
    assert {seq: got[seq] for seq in expected} == expected
    changed = {seq for seq in expected if expected[seq] != held[seq]}
    assert set(report.redacted) == changed
    assert not report.erased
    assert not report.unreadable
    assert report.rebased > 0
    assert journal.bytes < 2 * sizes, "deltas are based anew, not given up"
    assert journal.verify(None).ok
    journal.close()
    for image in (disk.image(),):
        assert not any(SECRET in data for data in image.values())
        again, recovery = open_journal(MemoryStorage(Disk.of(image)))
        assert recovery.clean
        assert {seq: contents(again)[seq] for seq in expected} == expected
        assert again.verify(None).ok


def test_no_frame_decodes_to_the_secret_nor_has_its_digest() -> None:
    disk, journal, held = filled()
    digests = {hashlib.sha256(body).digest() for body in held.values() if body is not None and SECRET in body}
    salts = [segment.header.salt for segment in journal._segments]
    journal.erase(forget, "forget")
    data = b"".join(disk.image().values())
    assert not any(digest in data for digest in digests)
    rewritten = [segment for segment in journal._segments if segment.header.compatible & 1]
    assert rewritten
    assert not any(
        salt in data for salt, segment in zip(salts, journal._segments, strict=False) if segment in rewritten
    )
    for stored in journal.replay():
        if isinstance(stored.record, VersionRecord) and stored.record.digest is not None:
            body = journal.body(stored.seq)
            assert stored.record.digest == hashlib.sha256(body).digest()
            assert stored.record.size == len(body)


def test_chain_values_do_not_change() -> None:
    _, journal, _ = filled()
    before = [segment.header.chain for segment in journal._segments]
    journal.erase(forget, "forget")
    after = [segment.header.chain for segment in journal._segments]
    assert after[: len(before)] == before
    assert journal.verify(None).ok


def test_gc_erases_content_and_keeps_the_record() -> None:
    _, journal, held = filled()
    report = journal.erase(lambda stored, _body: None if stored.seq % 2 else KEEP, "gc")
    assert set(report.erased) == {seq for seq in held if seq % 2}
    for seq, body in held.items():
        stored = journal.read(seq)
        assert isinstance(stored.record, VersionRecord)
        if seq % 2:
            assert stored.record.digest is None
            assert stored.record.state is FileState.FILE
            with pytest.raises(ContentUnavailable, match="erased"):
                journal.body(seq)
        else:
            assert journal.body(seq) == body
    result = journal.verify(None)
    assert result.ok
    assert result.erased == len(report.erased)
    assert result.restorable == len(held) - len(report.erased)
    last = journal.read(journal.last_seq).record
    assert isinstance(last, ErasureRecord)
    assert set(last.sequences) == set(report.erased)


def test_erasing_twice_and_appending_after_it_work() -> None:
    disk, journal, held = filled()
    journal.erase(lambda stored, _body: None if stored.seq in (5, 30) else KEEP, "gc")
    journal.erase(forget, "forget")
    journal.erase(lambda stored, _body: None if stored.seq == 31 else KEEP, "gc")
    for body in growing(10, seed=9):
        seq = journal.append([version(body)])[0].seq
        assert journal.body(seq) == body
    assert journal.verify(None).ok
    journal.close()
    again, recovery = open_journal(MemoryStorage(disk))
    assert recovery.clean
    assert again.verify(None).ok
    for seq, body in held.items():
        if seq in (5, 30, 31):
            with pytest.raises(ContentUnavailable):
                again.body(seq)
        else:
            assert body is not None
            assert again.body(seq) == body.replace(SECRET, b"[forgotten]")


def test_records_and_plans_lose_their_digests_too() -> None:
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    digest = hashlib.sha256(SECRET).digest()
    plan = RepairPlanRecord(WORKSPACE, 1, b"MEMORY.md", "repair", None, digest, b".tmp")
    journal.append([Draft(plan, SECRET, stream=1), Draft(EvidenceRecord(WORKSPACE, b"MEMORY.md", "agent:x", digest))])

    def redact(stored: Stored, body: bytes | None) -> bytes | Keep | Rewritten | None:
        if isinstance(stored.record, EvidenceRecord) and stored.record.digest == digest:
            return Rewritten(msgspec.structs.replace(stored.record, digest=None))
        return forget(stored, body)

    journal.erase(redact, "forget")
    assert journal.read(1).record == msgspec.structs.replace(
        plan, target_digest=hashlib.sha256(b"[forgotten]").digest()
    )
    assert journal.body(1) == b"[forgotten]"
    evidence = journal.read(2).record
    assert isinstance(evidence, EvidenceRecord)
    assert evidence.digest is None
    assert not any(digest in data or SECRET in data for data in disk.image().values())
    assert journal.verify(None).ok


def test_a_path_can_be_erased() -> None:
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    for body in growing(5):
        journal.append([version(body, path=b"clients/" + SECRET + b".md")])

    def redact(stored: Stored, body: bytes | None) -> bytes | Keep | Rewritten | None:
        if isinstance(stored.record, VersionRecord) and SECRET in stored.record.path:
            return Rewritten(msgspec.structs.replace(stored.record, path=b"[forgotten]"), body)
        return KEEP

    journal.erase(redact, "forget")
    assert not any(SECRET in data for data in disk.image().values())
    assert journal.body(3) == growing(5)[2]
    assert journal.verify(None).ok


def test_an_erasure_nobody_recorded_is_named() -> None:
    disk, journal, _ = filled()
    monkey = journal.append

    def refuse(drafts: object) -> object:
        raise StoreUnavailable("stop here")

    journal.append = refuse  # type: ignore[method-assign, assignment]
    with pytest.raises(StoreUnavailable):
        journal.erase(forget, "forget")
    journal.append = monkey  # type: ignore[method-assign]
    assert not journal.verify(None).ok
    journal.erase(forget, "forget")
    assert not any(SECRET in data for data in disk.image().values())


def test_every_crash_state_of_an_erasure_keeps_the_rest_and_running_it_again_finishes_it() -> None:
    disk, journal, held = filled(30, 10, 20)
    start = disk.image()
    journal.close()
    again = Disk.of(start)
    journal, _ = open_journal(MemoryStorage(again))
    journal.erase(forget, "forget")
    journal.close()
    expected = {seq: body.replace(SECRET, b"[forgotten]") for seq, body in held.items() if body is not None}
    count = 0
    for position, image in crash_states(again.log, start, samples=1):
        count += 1
        third = Disk.of(image)
        journal, recovery = open_journal(MemoryStorage(third))
        assert not recovery.damage, (position, recovery)
        for seq, body in held.items():
            assert journal.body(seq) in (body, expected[seq]), (position, seq)
        if count % 5 == 0:
            journal.erase(forget, "forget")
            assert {seq: journal.body(seq) for seq in held} == expected
            assert not any(SECRET in data for data in third.image().values()), position
    assert count > 50


def test_a_full_disk_stops_an_erasure_without_harm() -> None:
    disk, journal, held = filled()
    disk.faults = [Fault("write_at", errno.ENOSPC, after=6, times=1)]
    with pytest.raises(StoreUnavailable):
        journal.erase(forget, "forget")
    assert all(
        journal.body(seq) in (body, body.replace(SECRET, b"[forgotten]"))
        for seq, body in held.items()
        if body is not None
    )
    journal.erase(forget, "forget")
    assert journal.verify(None).ok


def test_content_damaged_before_the_erasure_is_dropped_and_named() -> None:
    disk, journal, held = filled()
    found = journal._find(40)
    assert found is not None
    entry = found.entry(40)
    assert entry is not None
    journal.close()
    disk.inodes[disk.files[found.name]][entry.frame.content] ^= 1
    journal, _ = open_journal(MemoryStorage(disk))
    lost = {seq for seq, body in contents(journal).items() if body is None}
    assert 40 in lost
    report = journal.erase(forget, "forget")
    assert set(report.unreadable) <= lost
    for seq, body in held.items():
        if seq not in lost:
            assert body is not None
            assert journal.body(seq) == body.replace(SECRET, b"[forgotten]")


def test_reading_goes_on_while_erasure_swaps_the_files() -> None:
    _, journal, held = filled()
    allowed = {seq: {body, (body or b"").replace(SECRET, b"[forgotten]")} for seq, body in held.items()}
    wrong: list[object] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            wrong.extend(seq for seq in held if journal.body(seq) not in allowed[seq])
            if [stored.seq for stored in journal.replay()][: len(held)] != list(held):
                wrong.append("replay")

    thread = threading.Thread(target=read)
    thread.start()
    try:
        journal.erase(forget, "forget")
        journal.erase(lambda _stored, body: None if body is not None and b"never" in body else KEEP, "gc")
        for body in growing(10, seed=3):
            journal.append([version(body)])
    finally:
        done.set()
        thread.join(30)
    assert not wrong
    assert not journal.damage


def test_keep_is_a_value_of_its_own() -> None:
    assert erase.KEEP is Keep.KEEP


def test_what_a_failed_write_left_behind_goes_too() -> None:
    """A segment given up half-way holds the batch that was then written to the next one."""
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    journal.append([version(b"# first\n")])
    disk.faults = [Fault("data_sync", errno.EIO)]
    text = noise(1200, seed=1) + SECRET
    seq = journal.append([version(text)])[0].seq
    assert sum(SECRET in data for data in disk.image().values()) == 2
    report = journal.erase(forget, "forget")
    assert report.redacted == (seq,)
    assert not any(SECRET in data for data in disk.image().values())
    assert journal.verify(None).ok
    journal.close()
    again, recovery = open_journal(MemoryStorage(disk))
    assert recovery.clean
    assert SECRET not in again.body(seq)


def test_a_segment_that_is_written_to_is_never_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread appends between the sealing and the look at what is in the segments."""
    _, journal, _ = filled(20, at=2, until=9)
    decide = erase._Run.decide

    def appending(run: erase._Run, segment: Segment) -> None:
        journal.append([version(b"# appended meanwhile, with " + SECRET)])
        decide(run, segment)

    monkeypatch.setattr(erase._Run, "decide", appending)
    journal.erase(forget, "forget")
    assert SECRET in journal.body(journal.last_seq - 1)
    assert journal.verify(None).ok
    assert journal.append([version(b"# and after it\n")])


def test_what_is_left_of_a_thinned_history_is_not_stored_whole() -> None:
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    start = noise(6000).hex().encode()
    for number in range(120):
        journal.append([version(start + b"- entry %d\n" % number)])
    held = contents(journal)
    kept = {seq for seq in held if seq % 10 == 0}
    whole = journal.stored_size(1)
    assert whole is not None
    report = journal.rewrite(lambda _stored, _body: None, {seq for seq in held if seq not in kept})
    assert set(report.erased) == held.keys() - kept
    sizes = [journal.stored_size(seq) for seq in sorted(kept)]
    assert sum(size is not None and size > whole // 2 for size in sizes) == 1, sizes
    assert {seq: journal.body(seq) for seq in kept} == {seq: held[seq] for seq in kept}
    journal.append([Draft(ErasureRecord("gc", report.erased))])
    assert journal.verify(None).ok
    again, _ = open_journal(MemoryStorage(Disk.of(disk.image())))
    assert {seq: again.body(seq) for seq in kept} == {seq: held[seq] for seq in kept}


def test_only_the_named_records_are_asked_about() -> None:
    _, journal, held = filled()
    asked: list[int] = []

    def redact(stored: Stored, _body: bytes | None) -> None:
        asked.append(stored.seq)

    report = journal.rewrite(redact, {4, 9})
    assert set(asked) == {4, 9}
    assert report.erased == (4, 9)
    assert journal.stored_size(4) is None
    assert journal.stored_size(5)
    assert all(journal.body(seq) == body for seq, body in held.items() if seq not in (4, 9))
