"""How much was written since a time: over segments, restarts, and clocks that jump."""

from __future__ import annotations

import pytest

from conductd.journal import writer
from conductd.journal.journal import Journal
from entry.clock import FakeClock
from support.journals import noise, version
from support.storage import Disk, MemoryStorage

DAY_NS = 86_400 * 10**9
START_NS = 20_000 * DAY_NS


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SMALLEST", 65_536)


def opened(disk: Disk, clock: FakeClock) -> Journal:
    return Journal.open(MemoryStorage(disk), clock=clock, writer="test")[0]


def since(journal: Journal, ns: int) -> tuple[int, int]:
    found = journal.written_since(ns)
    assert found is not None
    return found.bytes, found.since_ns


@pytest.mark.usefixtures("small")
def test_a_day_is_what_was_written_in_it_over_segments_and_restarts() -> None:
    clock, disk = FakeClock(START_NS, 0), Disk()
    journal = opened(disk, clock)
    for day in range(10):
        for number in range(10):
            journal.append([version(noise(4_000, seed=100 * day + number))])
            clock.advance(DAY_NS // 10)
        if day == 5:
            journal.close()
            journal = opened(disk, clock)
    assert journal.segments > 3
    now = clock.wall_ns()
    for days in (1, 3, 7):
        found, from_ns = since(journal, now - days * DAY_NS)
        assert from_ns == now - days * DAY_NS
        assert days * 40_000 <= found <= days * 40_000 * 1.15 + 65_536 / 4
    everything, begun = since(journal, now - 30 * DAY_NS)
    assert begun == START_NS
    assert 400_000 <= everything <= journal.bytes
    assert since(journal, now + DAY_NS)[0] == 0


def test_a_young_journal_says_since_when_it_is() -> None:
    clock = FakeClock(START_NS, 0)
    journal = opened(Disk(), clock)
    journal.append([version(noise(5_000))])
    clock.advance(3_600 * 10**9)
    found, begun = since(journal, clock.wall_ns() - 7 * DAY_NS)
    assert begun == START_NS
    assert 5_000 <= found < 20_000, "not what is allocated ahead"


def test_a_journal_without_a_record_has_not_grown() -> None:
    journal = opened(Disk(), FakeClock(START_NS, 0))
    found = journal.written_since(START_NS - 7 * DAY_NS)
    assert found is None or found.bytes < 10_000


def test_a_clock_that_goes_back_breaks_nothing() -> None:
    clock = FakeClock(START_NS, 0)
    journal = opened(Disk(), clock)
    for number in range(40):
        journal.append([version(noise(1_000, seed=number))])
        clock.set_wall(START_NS + (number * 7 % 11) * DAY_NS)
    for days in range(-3, 20):
        found = journal.written_since(START_NS + days * DAY_NS)
        assert found is not None
        assert 0 <= found.bytes <= journal.bytes
