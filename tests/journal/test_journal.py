"""Appending, replaying, reading: the everyday of the journal."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.errors import ContentUnavailable, NotFound
from conductd.journal import writer
from conductd.journal.journal import Draft, Journal
from conductd.journal.recovery import Recovery
from conductd.model import (
    Action,
    CheckpointRecord,
    DecisionRecord,
    EventClass,
    IncidentRecord,
    NoticeRecord,
    RepairDoneRecord,
    Severity,
)
from support.journals import WORKSPACE, contents, growing, noise, open_journal, version
from support.storage import Disk, MemoryStorage

NOTICE = Draft(
    NoticeRecord(EventClass.OVERWRITE, Severity.ALARM, "MEMORY.md was overwritten", WORKSPACE, (b"MEMORY.md",))
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SMALLEST", 4096)
    monkeypatch.setattr(writer, "_CHUNK", 2048)


def test_a_new_journal_is_empty_and_knows_itself() -> None:
    disk = Disk()
    journal, recovery = open_journal(MemoryStorage(disk))
    assert recovery == Recovery()
    assert journal.last_seq == 0
    assert list(journal.replay()) == []
    assert journal.latest_checkpoint() is None
    assert journal.append([]) == ()
    assert len(bytes.fromhex(journal.uuid)) == 16
    assert len(journal.key) == 32
    assert journal.format == "1.0"
    assert journal.verify(None).ok
    journal.close()
    again, _ = open_journal(MemoryStorage(disk))
    assert (again.uuid, again.key) == (journal.uuid, journal.key)


@pytest.mark.usefixtures("small")
def test_what_is_appended_is_replayed_in_order_from_anywhere() -> None:
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    stored = []
    for at, body in enumerate(growing(80)):
        drafts = [version(body, parents=(at,) if at else ()), NOTICE]
        if at % 9 == 0:
            drafts.append(Draft(RepairDoneRecord(at, "applied")))
        stored += journal.append(drafts)
    assert [one.seq for one in stored] == list(range(1, len(stored) + 1))
    assert journal.segments > 3
    journal.close()
    journal, _ = open_journal(MemoryStorage(disk))
    assert list(journal.replay()) == stored
    for after in (0, 1, 17, 50, len(stored) - 1, len(stored), len(stored) + 5):
        assert list(journal.replay(after)) == stored[after:]
    for one in stored[::7]:
        assert journal.read(one.seq) == one
    assert not journal.damage


def test_bodies_of_what_has_none_and_of_what_is_not_there() -> None:
    journal, _ = open_journal(MemoryStorage())
    journal.append([version(None), version(b"")])
    with pytest.raises(ContentUnavailable):
        journal.body(1)
    assert journal.body(2) == b""
    for seq in (0, 3, -1):
        with pytest.raises(NotFound):
            journal.body(seq)
        with pytest.raises(NotFound):
            journal.read(seq)


@pytest.mark.usefixtures("small")
def test_the_newest_checkpoint_is_found_from_the_end() -> None:
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    for at, body in enumerate(growing(60)):
        journal.append([version(body)])
        if at in (10, 30):
            journal.append([Draft(CheckpointRecord(journal.last_seq), b"state %d" % at)])
    journal.close()
    journal, _ = open_journal(MemoryStorage(disk))
    found = journal.latest_checkpoint()
    assert found is not None
    stored, body = found
    assert body == b"state 30"
    assert isinstance(stored.record, CheckpointRecord)
    assert stored.record.upto == stored.seq - 1
    holder = journal._find(stored.seq)
    assert holder is not None
    disk.inodes[disk.files[holder.name]][holder.loaded().offset(stored.seq) + 20] ^= 1
    journal, _ = open_journal(MemoryStorage(disk))
    found = journal.latest_checkpoint()
    assert found is not None
    assert found[1] == b"state 10"


@pytest.mark.usefixtures("small")
def test_bodies_are_read_by_other_threads_while_one_appends() -> None:
    journal, _ = open_journal(MemoryStorage())
    bodies = growing(150)
    wrong: list[object] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            last = journal.last_seq
            low = max(0, last - 20)
            seqs = range(low + 1, last + 1)
            wrong.extend(seq for seq in seqs if journal.body(seq) != bodies[seq - 1] or journal.read(seq).seq != seq)
            if [one.seq for one in journal.replay(low)][: len(seqs)] != list(seqs):
                wrong.append("replay")

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for body in bodies:
            journal.append([version(body)])
    finally:
        done.set()
        for thread in threads:
            thread.join(30)
    assert not wrong
    assert not journal.damage


@pytest.mark.usefixtures("small")
def test_many_files_share_segments_and_each_keeps_its_own_line() -> None:
    journal, _ = open_journal(MemoryStorage())
    texts = {file: growing(30, seed=file) for file in range(1, 9)}
    expected = {}
    for at in range(30):
        drafts = [version(texts[file][at], file=file, path=b"memory/%d.md" % file) for file in texts]
        for stored, draft in zip(journal.append(drafts), drafts, strict=True):
            expected[stored.seq] = draft.body
    assert contents(journal) == expected
    entry = journal._segments[-1].entry(journal.last_seq)
    assert entry is not None
    assert entry.base_seq == journal.last_seq - 8


def test_a_body_of_another_record_can_be_the_base() -> None:
    journal, _ = open_journal(MemoryStorage())
    body = noise(5000)
    journal.append([version(body, file=7)])
    size = journal.bytes
    incident = IncidentRecord(WORKSPACE, None, "open", EventClass.OVERWRITE, Severity.ALARM, Action.REVERT)
    journal.append([Draft(incident), Draft(DecisionRecord("restore", WORKSPACE, 7), body[:4000], stream=7)])
    entry = journal._segments[-1].entry(3)
    assert entry is not None
    assert entry.frame.content_size < 100
    assert journal.body(3) == body[:4000]
    assert journal.bytes == size, "room was made ahead"


def test_similar_records_take_little_room() -> None:
    journal, _ = open_journal(MemoryStorage())
    for _ in range(10):
        journal.append([NOTICE])
    table = journal._segments[-1].loaded().offsets
    assert table[9] - table[8] < 100


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.integers(1, 3), st.none() | st.binary(max_size=400)), min_size=1, max_size=4), max_size=12
    ),
    st.integers(0, 12),
)
def test_any_sequence_of_batches_survives_a_reopen(work: list[list[tuple[int, bytes | None]]], reopen: int) -> None:
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    expected: dict[int, bytes | None] = {}
    for at, batch in enumerate(work):
        if at == reopen:
            journal.close()
            journal, recovery = open_journal(MemoryStorage(disk))
            assert recovery.clean
        for stored, (_, body) in zip(
            journal.append([version(body, file=file) for file, body in batch]), batch, strict=True
        ):
            expected[stored.seq] = body
    assert contents(journal) == expected
    again, _ = open_journal(MemoryStorage(Disk.of(disk.image())), read_only=True)
    assert contents(again) == expected
    assert again.verify(None).ok


def test_closing_twice_is_fine() -> None:
    journal, _ = open_journal(MemoryStorage())
    journal.append([NOTICE])
    journal.close()
    journal.close()
    assert isinstance(journal, Journal)
