"""The nightly checks on a daemon in this process: what is gathered, where the page stands, what is mended."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from conductd.core.night.facts import Night, Occasion
from conductd.core.qc.checks import ALL
from conductd.core.qc.results import Grade, QcResult
from conductd.engine.jobs.checkpoint import CheckpointJob
from conductd.engine.jobs.drill import drill
from conductd.engine.jobs.job import Outcome, Result
from conductd.engine.jobs.qc import QcJob
from conductd.engine.service import Daemon
from support.until import until

Make = Callable[..., Occasion]
Run = Callable[..., Outcome]


def nobody(_done: int, _of: int, _what: str) -> None: ...


@pytest.fixture
def run(service: Daemon, occasion: Make) -> Run:
    def go(write_into: str = "daily-log", *, is_dry: bool = False, mends: bool = False) -> Outcome:
        service.sync()
        of = occasion("qc", is_dry=is_dry)
        placing = service.placing(of.workspace, write_into, is_dry=is_dry)

        def may(_night: Night) -> bool:
            return mends

        job = QcJob(service.gathering.parts, service.bootcards, service.fixers, lambda _night: placing, may)
        return job.run(service.gathering.night(of), nobody)

    return go


def result(outcome: Outcome) -> QcResult:
    return msgspec.msgpack.decode(outcome.data, type=QcResult)


def grade(outcome: Outcome, check: str) -> Grade:
    return next(each.grade for each in result(outcome).findings if each.check == check)


def test_a_page_is_kept_and_every_check_has_said_something(service: Daemon, workspace: Path, run: Run) -> None:
    outcome = run()
    found = result(outcome)
    assert [each.check for each in found.findings] == [each.name for each in ALL]
    (where,) = outcome.written
    text = Path(where).read_text()
    assert text.startswith("# QC ")
    assert where.endswith("-qc.md")
    assert Path(where).parent.name == "qc"
    assert not (workspace / "memory" / "qc").exists()
    assert grade(outcome, "recorded") is Grade.PASS
    assert grade(outcome, "incidents") is Grade.PASS
    first = run()
    assert run().written == (), "the same page is not written again"
    assert result(first).findings


def test_what_nobody_verified_is_unknown_until_a_checkpoint_did(service: Daemon, occasion: Make, run: Run) -> None:
    assert grade(run(), "history") is Grade.UNKNOWN
    assert grade(run(), "drill") is Grade.UNKNOWN, "nothing was on record when the day began"
    assert run().result in (Result.UNKNOWN, Result.WARN, Result.FAIL)


def test_the_drill_brings_back_what_was(service: Daemon, workspace: Path, occasion: Make) -> None:
    service.sync()
    of = occasion("qc")
    found = drill(service.gathering.parts, of.workspace, of.now_ns + 3_600_000_000_000, nobody)
    assert found is not None
    assert (found.files, found.different, found.unreadable) == (1, (), ())
    state = Path(service.gathering.state_dir)
    assert not [each for each in state.iterdir() if each.name.startswith("drill-")], "nothing is left of it"
    assert drill(service.gathering.parts, of.workspace, 1, nobody) is None


def test_a_loss_that_is_open_is_named(service: Daemon, workspace: Path, run: Run) -> None:
    path = os.fsencode(workspace / "MEMORY.md")
    lines = (workspace / "MEMORY.md").read_text().splitlines()
    service.sync()
    (workspace / "MEMORY.md").write_text("\n".join(lines[: len(lines) * 2 // 3]) + "\n", encoding="utf-8")
    until(lambda: service.incidents("open"), "an incident")
    outcome = run()
    assert grade(outcome, "incidents") is Grade.WARN
    assert grade(outcome, "net_loss") is Grade.WARN
    assert service.versions(path, None, 1, None)


@pytest.mark.parametrize("is_dry", [True, False])
def test_with_all_it_stands_in_the_workspace(service: Daemon, workspace: Path, run: Run, is_dry: bool) -> None:
    outcome = run("all", is_dry=is_dry)
    (where,) = outcome.written
    assert Path(where).parent == workspace / "memory" / "qc"
    assert Path(where).exists() is not is_dry
    service.sync()
    assert service.incidents(None) == []


def test_the_checkpoint_of_the_night_is_taken_up(service: Daemon, occasion: Make) -> None:
    of = occasion("checkpoint")
    placing = service.placing(of.workspace, "never", is_dry=False)
    made = CheckpointJob(service.gathering.parts, lambda _night: placing)
    assert made.run(service.gathering.night(of), nobody).result is Result.OK


def test_its_own_findings_on_the_boot_card_are_no_finding(service: Daemon, workspace: Path, run: Run) -> None:
    lines = [f"- [ ] renew the certificate of the host number {n} by 2026-01-0{n % 9 + 1}\n" for n in range(9)]
    (workspace / "TASKS.md").write_text("# Tasks\n\n" + "".join(lines), encoding="utf-8")
    (workspace / "memory" / "2020-02-30.md").write_text("- x [gone](nowhere.md)\n", encoding="utf-8")
    first = grade(run(), "boot_card")
    for _ in range(3):
        assert grade(run(), "boot_card") is first
