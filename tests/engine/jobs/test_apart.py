"""The heavy work of the night in a process of its own: the same answers, and no end of it but a good one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conductd import own_process
from conductd.core.checkpoint.checkpoint import Checkpoint
from conductd.core.continuity.plan import Plan
from conductd.core.night.facts import Day, Night, NightFile, Occasion
from conductd.core.qc.facts import CardFacts, Drill, PinFacts, QcFacts
from conductd.core.qc.results import Finding
from conductd.engine.jobs import apart, orders
from conductd.engine.jobs.job import Ended
from conductd.engine.jobs.verified import verified
from conductd.errors import StoreUnavailable
from conductd.journal.journal import Journal
from conductd.journal.storage import DirectoryStorage
from conductd.model import Role
from support.journals import StepClock, growing, version
from support.until import until

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")

HOUR = 3_600_000_000_000
LOG = "# Day\n\n- decided to use Postgres\n- [ ] renew the certificate\n\n## Parser (in progress)\n\n- next: fuzz it\n"
MEMORY = "# Memory\n\n- Never deploy without asking Anna\n- 决定使用 Postgres\n- see notes/gone.md\n"


def night(job: str = "qc", agent: str = "openclaw") -> Night:
    start = 1_772_928_000_000_000_000  # 2026-03-08, UTC
    occasion = Occasion(job, "w" * 32, b"/home/\xff/anna", date(2026, 3, 8), "UTC", start + 20 * HOUR)
    files = (
        NightFile(b"MEMORY.md", Role.CURATED, MEMORY.encode(), 3),
        NightFile(b"memory/2026-03-08.md", Role.DAILY, LOG.encode(), 4),
        NightFile(b"memory/\xff.md", Role.TOPIC, b"# \xff\n\n- caf\xe9\n", 0),
    )
    day = Day(date(2026, 3, 8), start, start + 24 * HOUR, 0, (), (0,) * 24)
    return Night(occasion, agent, "2026.2.1", files, ((b"memory/locked.md", "no permission"),), day)


def asked() -> Iterator[tuple[orders.Order, Any]]:
    facts = QcFacts(
        night=night(),
        diagnoses=(),
        pins=PinFacts(2, 1),
        card=CardFacts(100, 2000, 0, 0),
        drill=Drill(2, (b"MEMORY.md",), (), 0),
        missing=frozenset({b"notes/gone.md"}),
        searched=frozenset({b"MEMORY.md"}),
    )
    yield orders.CheckpointMade(night("checkpoint"), "03:30"), Checkpoint
    page = b"# Parser\n\n- Status: in progress\n"
    yield orders.Planned(night("continuity"), {b"parser.md": page}, {b"parser.md": page}), Plan
    yield orders.Examined(facts), tuple[Finding, ...]
    yield orders.Examined(QcFacts(night=night(agent=""))), tuple[Finding, ...]


@pytest.fixture
def heavy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "MUCH_TEXT", 0)
    monkeypatch.setattr(orders, "MANY_RECORDS", 0)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    storage = DirectoryStorage(tmp_path / "journal", exclusive=True)
    with storage:
        journal, _ = Journal.open(storage, clock=StepClock(), writer="0.1.0")
        journal.append([version(body) for body in growing(40)])
        yield journal
        journal.close()


def no_more(_done: int, _of: int, _doing: str) -> None: ...


def children(of: int | None = None) -> set[int]:
    """Processes for the work of the night that belong to a process, this one where none is named."""
    found = set()
    for task in Path(f"/proc/{of or os.getpid()}/task").iterdir():
        with suppress(OSError):
            for pid in (task / "children").read_text().split():
                if apart.MODULE.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.add(int(pid))
    return found


def is_at_work(pid: int) -> bool:
    """It has its order: it listens for the end of its daemon."""
    with suppress(OSError):
        return len(list(Path(f"/proc/{pid}/task").iterdir())) > 1
    return False


@pytest.fixture
def endless(journal: Journal, tmp_path: Path) -> str:
    """A state directory whose journal gives no answer: its only segment is a pipe that nobody writes to."""
    place = tmp_path / "endless" / "journal"
    place.mkdir(parents=True)
    for each in (tmp_path / "journal").glob("*.seg"):
        os.mkfifo(place / each.name)
    return str(tmp_path / "endless")


@pytest.mark.usefixtures("heavy")
@pytest.mark.parametrize(("order", "kind"), list(asked()), ids=lambda each: type(each).__name__)
def test_the_answer_is_the_same_byte_for_byte(order: orders.Order, kind: Any) -> None:
    assert orders.is_heavy(order)
    here = orders.carried_out(order, lambda _done: None)
    there = apart.answer(order, kind, no_more, "it")
    assert there == here
    assert msgspec.msgpack.encode(there) == msgspec.msgpack.encode(here)


@pytest.mark.usefixtures("heavy")
def test_a_journal_is_verified_the_same_and_its_damage_told(journal: Journal, tmp_path: Path) -> None:
    there = verified(journal, str(tmp_path), no_more)
    assert there.ok
    assert there == journal.verify()
    (name,) = (each for each in (tmp_path / "journal").iterdir() if each.name.endswith("1.seg"))
    with name.open("r+b") as file:
        file.seek(3000)
        file.write(b"\xff" * 64)
    told: list[str] = []
    journal.damaged = told.append
    there = verified(journal, str(tmp_path), no_more)
    assert there.damage
    assert told, "the daemon is told"
    assert there == journal.verify()


@pytest.mark.usefixtures("heavy")
def test_what_no_message_can_hold_is_done_here() -> None:
    order = orders.CheckpointMade(msgspec.structs.replace(night("checkpoint"), version="\udc80"), "03:30")
    assert apart.answer(order, Checkpoint, no_more, "it") == orders.carried_out(order, lambda _done: None)


@linux
@pytest.mark.usefixtures("heavy")
def test_a_run_that_is_to_end_ends_the_process_whatever_it_is_at(
    journal: Journal, tmp_path: Path, endless: str
) -> None:
    def over(_done: int, _of: int, _doing: str) -> None:
        if any(is_at_work(each) for each in children()):
            raise Ended

    with pytest.raises(Ended):
        verified(journal, endless, over)
    assert not children()
    assert verified(journal, str(tmp_path), no_more).ok, "nothing is held up by it afterwards"


@linux
@pytest.mark.usefixtures("heavy")
def test_a_process_that_is_killed_is_an_error_of_the_run(journal: Journal, endless: str) -> None:
    def kill(_done: int, _of: int, _doing: str) -> None:
        for pid in children():
            os.kill(pid, signal.SIGKILL)

    with pytest.raises(apart.Failed, match="signal 9"):
        verified(journal, endless, kill)
    assert not children()


DAEMON = """
import sys
from conductd.engine.jobs import orders
from conductd.engine.jobs.verified import verified
from conductd.journal.journal import Journal
from conductd.journal.storage import DirectoryStorage
from conductd.ports import SystemClock
orders.MANY_RECORDS = 0
journal, _ = Journal.open(DirectoryStorage(sys.argv[1]), clock=SystemClock(), writer="0.1.0", read_only=True)
verified(journal, sys.argv[2], lambda *_: None)
"""


@linux
def test_it_does_not_outlive_a_daemon_that_is_killed(journal: Journal, tmp_path: Path, endless: str) -> None:
    daemon = subprocess.Popen(
        [sys.executable, "-c", DAEMON, str(tmp_path / "journal"), endless], env=own_process.environment()
    )
    try:
        pid = until(lambda: next((each for each in children(daemon.pid) if is_at_work(each)), 0), "the process")
    finally:
        daemon.kill()
        daemon.wait()
    until(lambda: not is_ours(pid), "its end")


def is_ours(pid: int) -> bool:
    with suppress(OSError):
        return apart.MODULE.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


@pytest.mark.usefixtures("heavy")
def test_a_journal_that_is_not_there_is_an_error_of_the_disk(journal: Journal, tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable):
        verified(journal, str(tmp_path / "elsewhere"), no_more)


@linux
def test_little_work_starts_no_process(journal: Journal, tmp_path: Path) -> None:
    seen: set[int] = set()

    def look(_done: int, _of: int, _doing: str) -> None:
        seen.update(children())

    assert verified(journal, str(tmp_path), look).ok
    for order, kind in asked():
        apart.answer(order, kind, look, "it")
    assert not seen
