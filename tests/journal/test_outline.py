"""A journal read by another than its writer: it finds the same, and nothing false while it is written and erased."""

from __future__ import annotations

import msgspec
import pytest

from conductd.errors import StoreUnavailable
from conductd.journal import writer
from conductd.journal.erase import KEEP
from conductd.journal.journal import Journal
from conductd.journal.outline import Outline
from conductd.journal.verify import VerifyReport
from support.journals import StepClock, growing, open_journal, version
from support.storage import Disk, MemoryStorage


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SMALLEST", 4096)
    monkeypatch.setattr(writer, "_CHUNK", 2048)


def filled(count: int = 60) -> tuple[Disk, Journal]:
    disk = Disk()
    journal, _ = open_journal(MemoryStorage(disk))
    for body in growing(count):
        journal.append([version(body)])
    assert journal.segments >= 3
    return disk, journal


def told(journal: Journal) -> Outline:
    """As it comes out of a message."""
    found: list[Outline] = []

    def keep(outline: Outline) -> VerifyReport:
        found.append(msgspec.msgpack.decode(msgspec.msgpack.encode(outline), type=Outline))
        return VerifyReport(0, 0, 0, 0, (), 0, (), 0)

    journal.verified_by(keep)
    return found[0]


def other(disk: Disk, outline: Outline) -> Journal:
    return Journal.outlined(MemoryStorage(disk), StepClock(), outline)


def test_another_finds_what_the_writer_finds() -> None:
    disk, journal = filled()
    assert msgspec.msgpack.encode(other(disk, told(journal)).verify()) == msgspec.msgpack.encode(journal.verify())


@pytest.mark.parametrize("what", ["a byte", "a header", "a segment"])
def test_another_finds_the_same_damage(what: str) -> None:
    disk, journal = filled()
    name = sorted(each for each in disk.files if each.endswith(".seg"))[1]
    storage = MemoryStorage(disk)
    if what == "a segment":
        storage.remove(name)
    else:
        fd = storage.open(name, create=False, write=True)
        storage.write_at(fd, b"\xff" * 64, 12 if what == "a header" else 2000)
    outline = told(journal)
    fresh = other(disk, outline).verify()
    assert fresh.damage
    assert msgspec.msgpack.encode(fresh) == msgspec.msgpack.encode(journal.verify())


def test_what_is_appended_meanwhile_is_not_looked_at_and_is_no_damage() -> None:
    disk, journal = filled()
    outline = told(journal)
    before = other(disk, outline).verify()
    for body in growing(60, seed=2):  # more than the newest segment holds
        journal.append([version(body, file=2, path=b"memory/b.md")])
    again = other(disk, outline).verify()
    assert again.ok
    assert (again.records, again.versions) == (before.records, before.versions) == (60, 60)


@pytest.mark.parametrize("opened", ["by the outline", "as it stood"])
def test_what_was_erased_under_the_reader_is_neither_damaged_nor_passed(opened: str) -> None:
    disk, journal = filled()
    reader = (
        other(disk, told(journal))
        if opened == "by the outline"
        else open_journal(MemoryStorage(disk), read_only=True)[0]
    )
    journal.erase(lambda stored, _body: None if stored.seq == 5 else KEEP, "forget")
    with pytest.raises(StoreUnavailable, match="rewritten"):
        reader.verify()
    assert other(disk, told(journal)).verify().ok
