"""Pages of unfinished work on a daemon in this process: where they stand, what becomes of them, what people wrote."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from conductd.core.continuity.result import ContinuityResult
from conductd.core.night.facts import Occasion
from conductd.engine.jobs.continuity import ContinuityJob
from conductd.engine.jobs.job import Outcome, Result
from conductd.engine.service import Daemon
from conductd.faces import Caller, ForgetWish

Make = Callable[..., Occasion]
Run = Callable[..., Outcome]
LOG = "## Parser rewrite\n\n- 40 rules\n- [ ] run the fuzz tests\n"


@pytest.fixture
def run(service: Daemon, occasion: Make) -> Run:
    def go(write_into: str = "daily-log", *, is_dry: bool = False) -> Outcome:
        service.sync()
        of = occasion("continuity", is_dry=is_dry)
        placing = service.placing(of.workspace, write_into, is_dry=is_dry)
        return ContinuityJob(lambda _night: placing).run(service.gathering.night(of), lambda _done, _of, _what: None)

    return go


@pytest.fixture
def log(workspace: Path, occasion: Make) -> Path:
    path = workspace / "memory" / f"{occasion().day.isoformat()}.md"
    path.write_text(LOG, encoding="utf-8")
    return path


def place_of(write_into: str, service: Daemon, workspace: Path) -> Path:
    if write_into == "all":
        return workspace / "memory" / "continuity"
    reports = Path(service.gathering.state_dir) / "reports" / service.workspaces()[0].id
    return reports / "continuity"


@pytest.mark.parametrize("write_into", ["daily-log", "all"])
def test_a_page_is_begun_kept_and_moved_when_its_task_is_done(
    service: Daemon, workspace: Path, log: Path, run: Run, write_into: str
) -> None:
    place = place_of(write_into, service, workspace)
    first = run(write_into)
    page = place / "parser-rewrite.md"
    assert first.result is Result.OK
    assert first.written == (str(page),)
    assert '- Next action: "run the fuzz tests"' in page.read_text()
    assert run(write_into).written == ()
    page.write_text(page.read_text() + "\nAnna knows more.\n", encoding="utf-8")
    log.write_text(LOG.replace("[ ]", "[x]"), encoding="utf-8")
    outcome = run(write_into)
    assert outcome.written == (str(place / "done" / "parser-rewrite.md"),)
    assert not page.exists()
    done = (place / "done" / "parser-rewrite.md").read_text()
    assert "- Status: done\n" in done
    assert "Anna knows more." in done
    assert msgspec.msgpack.decode(outcome.data, type=ContinuityResult).done == 1
    service.sync()
    assert service.incidents(None) == []
    assert run(write_into).result is Result.NOTHING


def test_all_pages_of_a_run_in_the_workspace_are_one_undo(
    service: Daemon, workspace: Path, log: Path, run: Run
) -> None:
    place, person = workspace / "memory" / "continuity", Caller(("1 bash",), terminal=True)
    kitchen = workspace / "memory" / "kitchen.md"
    kitchen.write_text("# Kitchen\n\n- [ ] call the plumber\n", encoding="utf-8")
    first = run("all")
    assert len(first.written) == 2
    assert first.plan is not None
    before = {each.name: each.read_bytes() for each in place.iterdir()}
    kitchen.write_text("# Kitchen\n\n- [x] call the plumber\n", encoding="utf-8")
    log.write_text(LOG + "- [ ] write the docs\n", encoding="utf-8")
    (workspace / "memory" / "garden.md").write_text("# Garden\n\n- [ ] buy seeds\n", encoding="utf-8")
    second = run("all")
    assert sorted(Path(each).name for each in second.written) == ["garden.md", "kitchen.md", "parser-rewrite.md"]
    assert second.plan is not None
    assert (place / "done" / "kitchen.md").exists()
    service.acts.undo(second.plan, person, False)
    assert {each.name: each.read_bytes() for each in place.iterdir() if each.is_file()} == before
    assert not (place / "done" / "kitchen.md").exists()
    service.acts.undo(first.plan, person, False)
    assert [each for each in place.rglob("*") if each.is_file()] == []
    assert service.incidents(None) == []


def test_a_page_that_cannot_be_written_holds_up_no_other(
    service: Daemon, tmp_path: Path, workspace: Path, log: Path, run: Run
) -> None:
    place = place_of("all", service, workspace)
    place.mkdir()
    (tmp_path / "theirs.md").write_text("- theirs\n", encoding="utf-8")
    (place / "parser-rewrite.md").symlink_to(tmp_path / "theirs.md")
    (workspace / "memory" / "kitchen.md").write_text("# Kitchen\n\n- [ ] call the plumber\n", encoding="utf-8")
    outcome = run("all")
    assert outcome.result is Result.REFUSED
    assert outcome.written == (str(place / "kitchen.md"),)
    assert (place / "kitchen.md").exists()


def test_two_done_pages_never_take_one_name(service: Daemon, workspace: Path, log: Path, run: Run) -> None:
    place = place_of("all", service, workspace)
    other = workspace / "memory" / "parser.md"
    other.write_text("# Parser rewrite 2\n\n- [ ] run them again\n", encoding="utf-8")
    (place / "done").mkdir(parents=True)
    (place / "done" / "parser-rewrite.md").write_text("# An earlier one\n", encoding="utf-8")
    assert sorted(Path(each).name for each in run("all").written) == ["parser-rewrite-2.md", "parser-rewrite.md"]
    for each in (log, other):
        each.write_text(each.read_text().replace("[ ]", "[x]"), encoding="utf-8")
    assert len(run("all").written) == 2
    names = sorted(each.name for each in (place / "done").iterdir())
    assert names == ["parser-rewrite-2-2.md", "parser-rewrite-2.md", "parser-rewrite.md"]


def test_a_dry_run_writes_nothing(service: Daemon, workspace: Path, log: Path, run: Run) -> None:
    assert len(run(is_dry=True).written) == len(run("all", is_dry=True).written) == 1
    assert not os.path.exists(place_of("daily-log", service, workspace))
    assert not place_of("all", service, workspace).exists()


def test_a_link_in_the_place_of_a_page_is_left_alone(
    service: Daemon, tmp_path: Path, workspace: Path, log: Path, run: Run
) -> None:
    place = place_of("all", service, workspace)
    place.mkdir()
    (tmp_path / "theirs.md").write_text("- theirs\n", encoding="utf-8")
    (place / "parser-rewrite.md").symlink_to(tmp_path / "theirs.md")
    outcome = run("all")
    assert outcome.result is Result.REFUSED
    assert (tmp_path / "theirs.md").read_text() == "- theirs\n"
    assert msgspec.msgpack.decode(outcome.data, type=ContinuityResult).refused == 1


def test_what_is_forgotten_is_on_no_page_any_more(
    service: Daemon, workspace: Path, log: Path, run: Run, occasion: Make
) -> None:
    other = workspace / "memory" / "kitchen.md"
    other.write_text("# Kitchen\n\n- [ ] call the plumber at 555-0100\n", encoding="utf-8")
    run()
    place = place_of("daily-log", service, workspace)
    assert sorted(each.name for each in place.iterdir()) == [
        *("kitchen.md", "kitchen.md.base", "parser-rewrite.md", "parser-rewrite.md.base")
    ]
    person = Caller(("1 bash",), terminal=True)
    service.forgetters.forget(ForgetWish(matching="555-0100"), person)
    left = b"".join(each.read_bytes() for each in place.iterdir())
    assert b"555-0100" not in left
    assert b"fuzz tests" in left


def test_a_page_that_somebody_takes_away_is_not_made_again_before_its_task_was_finished(
    service: Daemon, workspace: Path, log: Path, run: Run
) -> None:
    """In the reports: in a workspace it is a note like any other, and judged as one."""
    write_into = "daily-log"
    place = place_of(write_into, service, workspace)
    run(write_into)
    (place / "parser-rewrite.md").unlink()
    log.write_text(LOG + "- [ ] and one more\n", encoding="utf-8")
    outcome = run(write_into)
    assert outcome.written == ()
    assert "1 page taken away by somebody and not made again" in outcome.words
    log.write_text(LOG.replace("[ ]", "[x]"), encoding="utf-8")
    run(write_into)
    log.write_text(LOG, encoding="utf-8")
    assert run(write_into).written == (str(place / "parser-rewrite.md"),)


def test_pages_of_the_reports_are_none_that_are_missing_in_the_workspace(
    service: Daemon, workspace: Path, log: Path, run: Run
) -> None:
    run("daily-log")
    page = place_of("all", service, workspace) / "parser-rewrite.md"
    assert run("all").written == (str(page),)
    log.write_text(LOG.replace("[ ]", "[x]"), encoding="utf-8")
    run("all")
    log.write_text(LOG, encoding="utf-8")
    assert run("all").written == (str(page),)
    assert "- Finished before: done/parser-rewrite.md\n" in page.read_text()


def test_a_secret_that_names_a_task_is_in_no_name_of_a_file_and_is_told(
    service: Daemon, log: Path, run: Run, workspace: Path
) -> None:
    log.write_text("- [ ] AKIAIOSFODNN7EXAMPLE\n- [ ] ring: password=Tr0ub4dor&3xyzzy99\n", encoding="utf-8")
    outcome = run()
    place = place_of("daily-log", service, workspace)
    kept = [each for each in place.rglob("*") if each.is_file()]
    assert len(kept) == 4
    told = outcome.words + "".join(outcome.written) + "".join(str(each) + each.read_text() for each in kept)
    assert "akia" not in told.lower()
    assert "tr0ub" not in told.lower()
    assert "withheld" in outcome.words


@pytest.mark.parametrize("write_into", ["daily-log", "all"])
def test_a_run_that_ended_between_a_page_and_its_base_is_gone_on_with(
    service: Daemon, workspace: Path, log: Path, run: Run, write_into: str
) -> None:
    run(write_into)
    place, ending = place_of(write_into, service, workspace), ".inside.base" if write_into == "all" else ".base"
    kept = place_of("daily-log", service, workspace)
    page, base = place / "parser-rewrite.md", kept / f"parser-rewrite.md{ending}"
    following = kept / f"parser-rewrite.md.next{ending}"
    old, old_base = page.read_text(), base.read_bytes()
    log.write_text(LOG.replace("the fuzz tests", "the long tests"), encoding="utf-8")
    run(write_into)
    assert not following.exists()
    following.write_bytes(base.read_bytes())  # as it was at that moment
    base.write_bytes(old_base)
    log.write_text(LOG.replace("the fuzz tests", "the last tests"), encoding="utf-8")
    run(write_into)
    assert "the last tests" in page.read_text()
    assert "the long tests" not in page.read_text(), "it is not taken for what a person wrote"
    assert old != page.read_text()
