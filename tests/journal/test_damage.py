"""Flipped and missing bytes: found wherever they are, costing only what they must, never a torn tail by mistake."""

from __future__ import annotations

import pytest

from conductd.errors import StoreDamaged, StoreUnavailable
from conductd.journal import format as fmt
from conductd.journal import writer
from conductd.journal.format import Bad
from conductd.journal.journal import Journal
from support.journals import contents, growing, noise, open_journal, version
from support.storage import Disk, Image, MemoryStorage

FIRST = fmt.segment_name(1)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SMALLEST", 8192)
    monkeypatch.setattr(writer, "_CHUNK", 2048)


def made(count: int, *, closed: bool = True) -> tuple[Image, dict[int, bytes | None]]:
    """A journal of two files, one based on its earlier versions, one not."""
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    one = growing(count)
    for at in range(count):
        drafts = [version(one[at])]
        if at % 4 == 3:
            drafts.append(version(noise(150, seed=at), file=2, path=b"memory/b.md"))
        journal.append(drafts)
    held = contents(journal)
    if closed:
        journal.close()
    return disk.image(), held


def opened(image: Image) -> tuple[Journal, object]:
    return open_journal(MemoryStorage(Disk.of(image)))


def flipped(image: Image, name: str, at: int, bit: int = 0x10) -> Image:
    data = bytearray(image[name])
    data[at] ^= bit
    return {**image, name: bytes(data)}


@pytest.mark.usefixtures("small")
def test_every_byte_of_the_tail_truncated_loses_at_most_what_was_cut() -> None:
    image, held = made(6)
    journal, _ = opened(image)
    ends = [item.end for item in journal._segments[0].frames() if not isinstance(item, Bad) and item.type == fmt.RECORD]
    mark_end = max(ends) + fmt.MARK_SIZE
    for length in range(fmt.DATA_START, mark_end + 1):
        cut = {**image, FIRST: image[FIRST][:length]}
        journal, _ = opened(cut)
        got = contents(journal)
        whole = sum(end <= length for end in ends)
        assert got == {seq: held[seq] for seq in range(1, len(got) + 1)}
        assert whole - 2 <= len(got) <= whole, "a batch of two may go with its last frame"
        again, recovery = opened({**cut, **journal._storage.disk.image()})  # type: ignore[attr-defined]
        assert recovery.clean  # type: ignore[attr-defined]
        assert contents(again) == got


@pytest.mark.usefixtures("small")
def test_every_byte_of_a_last_batch_flipped_is_damage_once_it_was_acknowledged() -> None:
    image, held = made(5)
    journal, _ = opened(image)
    start, end = max(
        (item.offset, item.end)
        for item in journal._segments[0].frames()
        if not isinstance(item, Bad) and item.type == fmt.RECORD
    )
    for at in range(start, end):
        journal, recovery = opened(flipped(image, FIRST, at))
        assert not recovery.cut, at  # type: ignore[attr-defined]
        assert journal.last_seq == len(held)
        report = journal.verify(None)
        assert not report.ok, at
        assert report.not_restorable == (len(held),) or report.damage[0].lost_versions == (len(held),)
        assert {seq: body for seq, body in contents(journal).items() if seq < len(held)} == {
            seq: body for seq, body in held.items() if seq < len(held)
        }


@pytest.mark.usefixtures("small")
def test_every_byte_of_an_unacknowledged_batch_flipped_is_cut() -> None:
    image, held = made(5, closed=False)
    journal, _ = opened(image)
    frames = [item for item in journal._segments[0].frames() if not isinstance(item, Bad)]
    mark = next(item for item in frames if item.type == fmt.ACK)
    start, end = max((item.offset, item.end) for item in frames if item.type == fmt.RECORD)
    data = bytearray(image[FIRST])
    data[mark.offset : mark.end] = bytes(fmt.MARK_SIZE)
    unmarked = {**image, FIRST: bytes(data)}
    for at in range(start, end):
        journal, recovery = opened(flipped(unmarked, FIRST, at))
        assert len(recovery.cut) == 1, at  # type: ignore[attr-defined]
        assert not recovery.damage  # type: ignore[attr-defined]
        assert contents(journal) == {seq: held[seq] for seq in range(1, len(held))}
        assert journal.verify(None).ok


@pytest.mark.usefixtures("small")
def test_a_flipped_byte_anywhere_is_found_and_costs_only_what_depends_on_it() -> None:
    image, held = made(40)
    journal, _ = opened(image)
    names = sorted(name for name in image if name.endswith(".seg"))
    assert len(names) > 1
    entries = {seq: journal._find(seq).entry(seq) for seq in held}  # type: ignore[union-attr]
    needs = {seq: {seq} for seq in held}
    for seq, entry in entries.items():
        if entry.base_seq is not None:
            needs[seq] |= needs[entry.base_seq]
    owner = {}
    for seq, entry in entries.items():
        name = journal._find(seq).name  # type: ignore[union-attr]
        for at in range(entry.frame.offset, entry.frame.end):
            owner[name, at] = seq
    for name in names:
        used = len(image[name].rstrip(b"\0"))
        for at in range(names.index(name), used, 23):
            journal, recovery = opened(flipped(image, name, at))
            hit = owner.get((name, at))
            report = journal.verify(None)
            unused_header = at < fmt.DATA_START and not image[name][at] and not image[name][at ^ 1]
            if hit is None:
                assert contents(journal) == held, (name, at)
                assert report.ok is False or recovery.cut or name == names[-1] or unused_header, (name, at)  # type: ignore[attr-defined]
                continue
            lost = {seq for seq in held if hit in needs[seq]}
            got = contents(journal)
            assert not report.ok, (name, at)
            for seq, body in held.items():
                assert got.get(seq) == (None if seq in lost else body), (name, at, seq)
            named = {seq for damage in report.damage for seq in damage.lost_versions}
            assert named == lost, (name, at)
            assert any(damage.segment == name and damage.offset <= at for damage in report.damage)


@pytest.mark.usefixtures("small")
def test_appending_goes_on_after_damage_and_the_damage_stays_named() -> None:
    image, held = made(12)
    journal, _ = opened(image)
    entry = journal._segments[-1].entry(journal.last_seq)
    assert entry is not None
    broken = flipped(image, journal._segments[-1].name, entry.frame.offset + 3)
    disk = Disk.of(broken)
    journal, recovery = open_journal(MemoryStorage(disk))
    assert recovery.sealed, "the chain cannot be continued in this segment"
    stored = journal.append([version(b"after\n")])
    assert stored[0].seq == len(held) + 1
    with pytest.raises(StoreDamaged):
        journal.body(len(held))
    journal.close()
    journal, recovery = open_journal(MemoryStorage(disk))
    assert recovery.clean
    assert journal.body(len(held) + 1) == b"after\n"
    report = journal.verify(None)
    assert [damage.lost_versions for damage in report.damage] == [(len(held),)]


@pytest.mark.usefixtures("small")
def test_a_segment_whose_two_headers_are_gone_costs_itself_and_no_number_is_used_twice() -> None:
    image, held = made(40)
    names = sorted(name for name in image if name.endswith(".seg"))
    for name in names:
        data = bytes(fmt.DATA_START) + image[name][fmt.DATA_START :]
        journal, recovery = opened({**image, name: data})
        assert [damage.segment for damage in recovery.damage] == [name]  # type: ignore[attr-defined]
        stored = journal.append([version(b"more\n")])
        assert stored[0].seq > len(held)
        assert not journal.verify(None).ok
        got = contents(journal)
        assert all(got[seq] == held[seq] or got[seq] is None for seq in got if seq <= len(held))


def test_recorded_bytes_that_look_like_a_frame_are_not_taken_for_one() -> None:
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    journal.append([version(noise(300))])
    frame = journal._segments[0].entry(1)
    assert frame is not None
    copy = disk.image()[FIRST][frame.frame.offset : frame.frame.end]
    journal.append([version(noise(50, seed=4) + copy + noise(50, seed=5), file=2)])
    journal.append([version(b"third", file=3)])
    second = journal._segments[0].entry(2)
    assert second is not None
    image = flipped(disk.image(), FIRST, second.frame.offset + 2)
    journal, _ = opened(image)
    assert sorted(contents(journal)) == [1, 3]
    assert journal.last_seq == 3
    assert [damage.lost_versions for damage in journal.verify(None).damage] == [(2,)]


def test_verify_reports_progress_up_to_the_end() -> None:
    image, _ = made(3)
    seen: list[float] = []
    journal, _ = opened(image)
    assert journal.verify(seen.append).ok
    assert seen[-1] == 1.0
    assert all(0 <= value <= 1 for value in seen)


def test_a_segment_that_was_removed_costs_itself_and_is_named() -> None:
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    told: list[str] = []
    journal.damaged = told.append
    first = journal.append([version(b"one\n")])[-1].seq
    journal._writing().roll()
    journal._adopt()
    second = journal.append([version(b"two\n", file=2)])[-1].seq
    del disk.files[min(name for name in disk.files if name.endswith(".seg"))]
    journal.look_after()
    assert [what for what in told if "is missing" in what]
    with pytest.raises(StoreDamaged):
        journal.read(first)
    assert [stored.seq for stored in journal.replay(0)] == [second]
    report = journal.verify()
    assert not report.ok
    assert report.damage[0].lost_versions == (first,)
    assert journal.append([version(b"three\n")])[-1].seq == second + 1


def test_nothing_is_acknowledged_into_a_segment_that_was_removed() -> None:
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    journal.append([version(b"one\n")])
    name = max(name for name in disk.files if name.endswith(".seg"))
    kept = disk.files.pop(name)
    with pytest.raises(StoreUnavailable):
        journal.append([version(b"two\n")])
    assert journal.last_seq == 1
    disk.files[name] = kept
    assert journal.append([version(b"two\n")])[0].seq == 2
