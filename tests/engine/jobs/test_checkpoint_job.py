"""The checkpoint on a daemon in this process: what stands in the log, what is said, what a second run does."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from conductd.core.checkpoint.result import CheckpointResult
from conductd.core.night.facts import Occasion
from conductd.engine.jobs.checkpoint import CheckpointJob
from conductd.engine.jobs.job import Outcome, Result
from conductd.engine.service import Daemon
from support.until import until

Make = Callable[..., Occasion]
Run = Callable[..., Outcome]


@pytest.fixture
def run(service: Daemon, occasion: Make) -> Run:
    def go(write_into: str = "daily-log", *, is_dry: bool = False) -> Outcome:
        of = occasion("checkpoint", is_dry=is_dry)
        job = CheckpointJob(
            service.gathering.parts, lambda _night: service.placing(of.workspace, write_into, is_dry=is_dry)
        )
        return job.run(service.gathering.night(of), lambda _done, _of, _what: None)

    return go


def log_of(workspace: Path, occasion: Make) -> Path:
    return workspace / "memory" / f"{occasion().day.isoformat()}.md"


def result(outcome: Outcome) -> CheckpointResult:
    return msgspec.msgpack.decode(outcome.data, type=CheckpointResult)


def test_what_the_day_brought_stands_in_its_log_once(
    service: Daemon, workspace: Path, occasion: Make, run: Run
) -> None:
    log = log_of(workspace, occasion)
    log.write_text("- met Anna\n", encoding="utf-8")
    with (workspace / "MEMORY.md").open("a", encoding="utf-8") as memory:
        memory.write("- never call before nine\n")
    service.sync()
    first = run()
    text = log.read_text()
    assert text.startswith("- met Anna\n\n## Pre-Reset Checkpoint ")
    assert '- constraint: "never call before nine" (MEMORY.md:' in text
    assert first.result is Result.OK
    assert first.written == (str(log),)
    assert first.plan is not None
    found = result(first)
    assert (found.files, found.recorded, found.is_whole, found.quoted) == (2, 2, True, {"constraint": 1})
    service.sync()
    again = run()
    assert log.read_text() == text
    assert again.written == ()
    assert "nothing new" in result(again).why


@pytest.mark.parametrize("write_into", ["never", "daily-log"])
def test_what_does_not_go_into_the_workspace_goes_to_the_reports(
    service: Daemon, workspace: Path, occasion: Make, run: Run, write_into: str
) -> None:
    (workspace / "memory").rmdir() if write_into == "daily-log" else None
    with (workspace / "MEMORY.md").open("a", encoding="utf-8") as memory:
        memory.write("- never call before nine\n")
    service.sync()
    outcome = run(write_into)
    assert not log_of(workspace, occasion).exists()
    assert (outcome.result, outcome.plan) == (Result.OK, None)
    assert '"never call before nine"' in Path(outcome.written[0]).read_text()
    assert result(outcome).why in ('write_into_workspace is "never"', "the workspace has no memory directory")


@pytest.mark.parametrize("log", [b"# Log\n\n```sh\nrm -rf x\n", b"\x00\x01 no text\n"])
def test_a_log_that_takes_no_section_is_left_alone_and_the_text_is_kept(
    service: Daemon, workspace: Path, occasion: Make, run: Run, log: bytes
) -> None:
    path = log_of(workspace, occasion)
    path.write_bytes(log)
    with (workspace / "MEMORY.md").open("a", encoding="utf-8") as memory:
        memory.write("- never call before nine\n")
    service.sync()
    outcome = run()
    assert path.read_bytes() == log
    assert '"never call before nine"' in Path(outcome.written[0]).read_text()
    assert "code block" in result(outcome).why


def test_a_dry_run_writes_nothing(service: Daemon, workspace: Path, occasion: Make, run: Run) -> None:
    (workspace / "memory" / "a.md").write_text("- new\n", encoding="utf-8")
    service.sync()
    assert run(is_dry=True).written == (str(log_of(workspace, occasion)),)
    assert not log_of(workspace, occasion).exists()


def test_a_quotation_in_a_log_is_no_new_home_of_what_is_lost(
    service: Daemon, workspace: Path, occasion: Make, run: Run
) -> None:
    lines = "".join(f"- rule {n}: never touch account {n * 7} without asking the {n}th clerk\n" for n in range(12))
    before = (workspace / "MEMORY.md").read_text()
    (workspace / "MEMORY.md").write_text(before + "\n## Rules\n\n" + lines, encoding="utf-8")
    path = os.fsencode(workspace / "MEMORY.md")
    until(lambda: service.versions(path, None, 1, None)[0].event_class, "a verdict")
    assert result(run()).quoted == {"constraint": 12}
    (workspace / "MEMORY.md").write_text(before, encoding="utf-8")
    service.sync()
    until(lambda: service.incidents("open"), "an incident")
    assert service.incidents("open")[0].lost >= 12


def test_a_person_who_asks_has_the_journal_verified_anew(service: Daemon, workspace: Path, occasion: Make) -> None:
    job = CheckpointJob(service._, lambda night: service.placing(night.occasion.workspace, "never", is_dry=True))

    def whole(**others: object) -> bool:
        outcome = job.run(service.gathering.night(occasion("checkpoint", **others)), lambda _done, _of, _what: None)
        return result(outcome).is_whole

    assert whole()
    (segment,) = (Path(service.gathering.state_dir) / "journal").glob("*.seg")
    data = bytearray(segment.read_bytes())
    at = data.find(b"MEMORY.md")
    data[at] ^= 1
    segment.write_bytes(data)
    assert whole(), "the same night, of another workspace"
    assert not whole(is_manual=True)


def test_why_it_is_not_in_the_log_and_what_was_withheld_is_said(
    service: Daemon, workspace: Path, occasion: Make, run: Run
) -> None:
    with (workspace / "MEMORY.md").open("a", encoding="utf-8") as memory:
        memory.write("- never call before nine\n- the key is AKIAIOSFODNN7EXAMPLE\n")
    service.sync()
    words = run("never").words
    assert "1 line quoted in " in words
    assert "; not in the log: " in words
    assert words.endswith("; 1 line withheld")
