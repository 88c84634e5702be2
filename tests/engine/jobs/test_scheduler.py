"""The jobs of the night in a real daemon whose clock the test moves: when they run, and what keeps them from it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from conductd.core.night.facts import Night
from conductd.engine.jobs.job import Ended, Outcome, Progress, Result
from conductd.engine.jobs.recalling import Recalling
from conductd.errors import Ambiguous, Busy, NotFound, StoreUnavailable, UsageError
from conductd.views import JobRunView
from support.until import until

from .houses import Holds, House, Plain, day, opened

NIGHT = ("checkpoint", "continuity", "qc", "report", "recap")


@pytest.fixture
def house(tmp_path: Path, workspace: Path) -> Iterator[House]:
    (workspace / "MEMORY.md").write_text("# Memory\n\n- one thing worth keeping\n")
    yield from opened(tmp_path, [workspace])


def by_hand(
    house: House, job: str, date: str = "", *, dry_run: bool = False, workspace: str | None = None
) -> JobRunView:
    *_, view = house.service.jobs.run(job, workspace, date, dry_run=dry_run)
    assert isinstance(view, JobRunView)
    return view


# --------------------------------------------------------------------------- when


def test_each_job_runs_once_a_night_for_its_day(house: House) -> None:
    """From Thursday noon to Monday noon, with a change of the clock on Sunday morning."""
    jobs = [Plain(name) for name in NIGHT]
    house.start(*jobs)
    assert [each.state for each in house.views()] == ["waiting"] * 5
    house.until("2026-03-09T12:00")
    assert house.days("checkpoint") == [(f"2026-03-0{number}", "timed") for number in (5, 6, 7, 8)]
    for name in ("continuity", "qc", "report"):
        assert house.days(name) == [(f"2026-03-0{number}", "timed") for number in (5, 6, 7, 8)]
    assert house.days("recap") == [("2026-03-08", "timed")]
    assert [each.occasion.begins.hour for each in jobs[0].nights] == [4] * 4
    assert {each.occasion.begins.hour for each in jobs[2].nights} == {0}
    assert {each.occasion.zone for job in jobs for each in job.nights} == {"America/New_York"}
    assert not house.reasons()


def test_days_slept_through_are_covered_by_one_late_run_that_names_them(house: House) -> None:
    qc = Plain("qc")
    house.start(qc)
    house.until("2026-03-06T20:00")
    house.sleep_until("2026-03-12T08:00")
    run = house.runs("qc")[-1]
    assert (run.day, run.cause, run.asleep) == ("2026-03-11", "late", ("2026-03-06..2026-03-10",))
    occasion = qc.nights[-1].occasion
    assert occasion.asleep == tuple(day(f"2026-03-{number:02}") for number in range(6, 11))
    assert occasion.is_late
    house.until("2026-03-12T23:59")
    assert house.days("qc")[-1] == ("2026-03-12", "timed")
    assert len(qc.nights) == 3


def test_a_restart_changes_nothing_of_what_is_due(house: House) -> None:
    house.start(Plain("qc"))
    house.until("2026-03-05T23:16")
    house.stop()
    house.start(Plain("qc"))
    house.until("2026-03-06T12:00")
    house.stop()
    house.sleep_until("2026-03-08T12:00")
    house.start(Plain("qc"))
    assert house.days("qc") == [("2026-03-05", "timed"), ("2026-03-07", "late")]
    assert house.runs("qc")[-1].asleep == ("2026-03-06",)


def test_what_was_written_while_the_daemon_did_not_run_is_on_record_before_a_late_run(house: House) -> None:
    house.start(Plain("qc"))
    house.stop()
    for number in range(40):
        (house.roots[0] / "memory").mkdir(exist_ok=True)
        (house.roots[0] / "memory" / f"2026-01-{number % 28 + 1:02}-{number}.md").write_text(f"- {number}\n")
    house.sleep_until("2026-03-06T08:00")
    qc = Plain("qc")
    house.start(qc)
    (night,) = qc.nights
    assert len(night.files) > 28
    assert all(each.seq for each in night.files)


def test_a_clock_that_is_set_ahead_and_back_runs_no_day_twice(house: House) -> None:
    qc = Plain("qc")
    house.start(qc)
    house.until("2026-03-06T12:00")
    house.sleep_until("2027-03-06T12:00")
    assert house.runs("qc")[-1].asleep == ("2026-03-06..2027-03-04",)
    house.sleep_until("2026-03-06T12:05")
    house.until("2026-03-08T12:00")
    assert [each for each, _ in house.days("qc")] == ["2026-03-05", "2027-03-05", "2026-03-06", "2026-03-07"]
    assert not house.reasons()


def test_the_zone_of_the_system_is_read_again(house: House) -> None:
    house.start(Plain("qc"))
    house.until("2026-03-06T12:00")
    house.environ["TZ"] = "Asia/Tokyo"  # 02:00 of the 7th there
    house.until("2026-03-07T00:00", "Asia/Tokyo")
    house.settled()
    assert house.view("qc").zone == "Asia/Tokyo"
    assert house.days("qc") == [("2026-03-05", "timed"), ("2026-03-06", "late")]
    house.until("2026-03-07T23:30", "Asia/Tokyo")
    assert house.days("qc")[-1] == ("2026-03-07", "timed")


def test_each_workspace_has_its_own_times_and_zone(tmp_path: Path) -> None:
    roots = [tmp_path / name for name in ("home", "away")]
    for root in roots:
        root.mkdir()
        (root / "MEMORY.md").write_text("- one\n")
    config = (
        f'[jobs]\nreport = ""\n[[workspaces]]\nroot = "{roots[0]}"\n'
        f'[[workspaces]]\nroot = "{roots[1]}"\njobs = {{ timezone = "Asia/Kolkata", qc = "21:00", report = "22:00" }}\n'
    )
    for house in opened(tmp_path, roots, config):
        qc, report = Plain("qc"), Plain("report")
        house.start(qc, report)
        house.until("2026-03-06T12:00")  # 22:30 in Kolkata
        assert [each.occasion.root for each in qc.nights] == [bytes(root) for root in roots]
        assert house.days("report", 0) == []
        assert house.view("report", 0).state == "off"
        assert len(house.days("report", 1)) == 1
        assert house.view("qc", 1).when == "21:00"
        assert house.view("qc", 1).zone == "Asia/Kolkata"


def test_days_on_which_it_was_off_are_not_missed(house: House) -> None:
    house.start(Plain("qc"))
    house.until("2026-03-06T12:00")
    house.stop()
    house.configure('[jobs]\nqc = ""\n')
    house.start(Plain("qc"))
    house.until("2026-03-10T12:00")
    house.stop()
    house.configure("[jobs]\n")
    house.start(Plain("qc"))
    assert house.days("qc") == [("2026-03-05", "timed")]
    house.until("2026-03-11T12:00")
    assert house.days("qc") == [("2026-03-05", "timed"), ("2026-03-10", "timed")]
    assert not house.runs("qc")[-1].asleep


# --------------------------------------------------------------------------- what keeps it from running


def test_a_workspace_that_is_gone_is_waited_for_and_after_two_days_it_is_told(house: House) -> None:
    house.start(Plain("qc"))
    house.until("2026-03-06T12:00")
    away = house.roots[0].with_name("away")
    shutil.move(house.roots[0], away)
    house.service.sync()
    house.until("2026-03-07T12:00")
    assert (house.view("qc").state, house.view("qc").why) == ("stuck", "the workspace is not there")
    assert not [each for each in house.reasons() if each.startswith("jobs:")]
    house.until("2026-03-09T12:00")
    until(lambda: f"jobs:qc:{house.view('qc').workspace}" in house.reasons(), "it is told")
    shutil.move(away, house.roots[0])
    house.service.sync()
    house.clock.advance(61 * 10**9)
    until(lambda: house.runs("qc")[-1].day == "2026-03-08", "it runs again")
    assert house.runs("qc")[-1].asleep == ("2026-03-06..2026-03-07",)
    house.clock.advance(61 * 10**9)
    until(lambda: not [each for each in house.reasons() if each.startswith("jobs:")], "it is well")


def test_the_report_waits_for_the_checks_of_its_day(tmp_path: Path, workspace: Path) -> None:
    order: list[str] = []
    for later, expected in (("23:27", ["qc", "report"]), ("23:50", ["report", "qc"])):
        order.clear()
        place = tmp_path / expected[0]
        place.mkdir()
        for house in opened(place, [workspace], f'[jobs]\nqc = "{later}"\n'):
            jobs = [Plain(name, lambda night, _: order.append(night.occasion.job)) for name in ("qc", "report")]
            house.start(*jobs)
            house.until("2026-03-05T23:22")
            assert house.view("report").why == ("it waits for qc" if expected[0] == "qc" else "")
            house.until("2026-03-05T23:59")
        assert order == expected


def test_the_report_does_not_wait_for_ever(house: House) -> None:
    """Somebody has the checks run by hand when both are due, and that takes long."""
    holds = Holds()
    house.start(Plain("qc", holds), report := Plain("report"))
    house.until("2026-03-05T23:10")
    steps = house.service.jobs.run("qc", None, "", dry_run=True)
    until(holds.is_there.is_set, "it runs")
    house.clock.advance(6 * 60 * 10**9)  # 23:16, the checks of the night are due
    assert not report.nights
    holds.may_go.set()
    assert [step for step in steps if isinstance(step, JobRunView)]
    house.until("2026-03-05T23:59")
    assert report.days == ["2026-03-05"]
    assert house.days("qc") == [("2026-03-05", "timed")]


# --------------------------------------------------------------------------- one at a time, and not for ever


def test_a_run_by_hand_and_one_of_the_night_never_overlap(house: House) -> None:
    holds = Holds()
    house.start(qc := Plain("qc", holds), Plain("report"))
    steps = house.service.jobs.run("qc", None, "", dry_run=False)
    until(holds.is_there.is_set, "it runs")
    assert house.view("qc").state == "running"
    with pytest.raises(Busy, match="the job qc is running"):
        house.service.jobs.run("report", None, "", dry_run=False)
    holds.may_go.set()
    assert isinstance([*steps][-1], JobRunView)
    holds.may_go.clear()
    holds.is_there.clear()
    house.clock.advance(house.at("2026-03-05T23:15") - house.clock.wall_ns())
    until(holds.is_there.is_set, "the one of the night runs")
    with pytest.raises(Busy):
        house.service.jobs.run("report", None, "", dry_run=False)
    holds.may_go.set()
    house.settled()
    assert house.days("qc") == [("2026-03-05", "manual"), ("2026-03-05", "timed")]
    assert len(qc.nights) == 2


@pytest.mark.parametrize("listens", [True, False], ids=["told to end", "does not listen"])
def test_a_run_that_takes_too_long_is_ended_and_told(house: House, listens: bool) -> None:
    house.configure("[jobs]\nlimit_minutes = 2\n")
    holds = Holds(listens=listens)
    house.start(Plain("qc", holds), Plain("report"))
    house.clock.advance(house.at("2026-03-05T23:15") - house.clock.wall_ns())
    until(holds.is_there.is_set, "it runs")
    for _ in range(4):
        house.clock.advance(61 * 10**9)
    until(lambda: house.days("qc"), "it is on record")
    assert [each.result for each in house.runs("qc")] == ["timed out"]
    (notice,) = house.notices()
    assert "the job qc for 2026-03-05 took too long" in notice.text
    assert notice.data["command"] == f"conductd jobs run qc --workspace {house.roots[0]} --date 2026-03-05"
    holds.may_go.set()
    house.settled()
    house.until("2026-03-05T23:59")
    assert [each.result for each in house.runs("qc")] == ["timed out"]
    assert house.days("report") == [("2026-03-05", "timed")]


def test_a_job_that_fails_is_a_record_and_a_notice_and_the_next_ones_run(house: House) -> None:
    def fails(night: Night, _progress: Progress) -> Outcome | None:
        if night.occasion.day.day == 5:
            raise RuntimeError("a secret of MEMORY.md")
        if night.occasion.day.day == 6:
            raise StoreUnavailable("the reports cannot be written", "free some space")
        return None

    house.start(Plain("qc", fails), Plain("report"))
    house.until("2026-03-06T12:00")
    assert [(each.result, each.detail) for each in house.runs("qc")] == [("failed", "RuntimeError, see the log")]
    assert house.days("report") == [("2026-03-05", "timed")]
    assert not house.reasons()
    house.until("2026-03-07T12:00")
    assert house.runs("qc")[-1].detail == "the reports cannot be written"
    assert house.reasons() == [f"jobs:qc:{house.view('qc').workspace}"]
    assert len(house.notices()) == 2
    assert not any("secret" in each.text for each in house.notices())
    house.until("2026-03-08T12:00")
    assert house.runs("qc")[-1].result == "ok"
    house.clock.advance(61 * 10**9)
    until(lambda: not house.reasons(), "it is well")


def test_a_stop_ends_a_run_without_a_record_and_it_is_due_again(house: House) -> None:
    holds = Holds()
    house.start(Plain("qc", holds))
    house.clock.advance(house.at("2026-03-05T23:15") - house.clock.wall_ns())
    until(holds.is_there.is_set, "it runs")
    house.stop()
    house.start(Plain("qc"))
    assert [(each.day, each.result) for each in house.runs("qc")] == [("2026-03-05", "ok")]


def test_data_that_is_too_large_is_left_out_and_the_run_kept(house: House) -> None:
    house.start(Plain("qc", lambda *_: Outcome(Result.WARN, "much", b"x" * 100_000)))
    house.until("2026-03-06T12:00")
    (run,) = house.runs("qc")
    assert run.result == "warn"
    assert house.service._.journal.read(run.seq).record.data == b""  # type: ignore[attr-defined]


# --------------------------------------------------------------------------- by hand


def test_a_run_by_hand_is_for_the_day_that_it_is_until_the_reset(house: House) -> None:
    house.start(Plain("checkpoint"), qc := Plain("qc"))
    assert by_hand(house, "qc").day == "2026-03-05"
    house.until("2026-03-06T02:00")
    view = by_hand(house, "qc")
    assert (view.day, view.cause, view.result, view.text) == ("2026-03-05", "manual", "ok", "1 files")
    assert house.view("qc").last == view
    assert by_hand(house, "qc", "2026-03-01").day == "2026-03-01"
    assert qc.nights[-1].occasion.is_manual


def test_a_dry_run_is_on_no_record(house: House) -> None:
    house.start(qc := Plain("qc", lambda *_: Outcome(Result.OK, "so", written=("/x/memory/a.md",))))
    view = by_hand(house, "qc", dry_run=True)
    assert (view.dry_run, view.written) == (True, ["/x/memory/a.md"])
    assert qc.nights[-1].occasion.is_dry
    assert house.runs("qc") == []


def test_what_cannot_be_run_says_why(house: House) -> None:
    house.start(Plain("qc"))
    for job, date, kind, said in (
        ("naps", "", NotFound, "there is no job naps"),
        ("qc", "yesterday", UsageError, "is no date"),
        ("qc", "2026-03-06", UsageError, "not a day that has begun"),
        ("qc", "0001-01-01", UsageError, "not a day that has begun"),
    ):
        with pytest.raises(kind, match=said):
            house.service.jobs.run(job, None, date, dry_run=False)
    with pytest.raises(NotFound):
        house.service.jobs.run("qc", "/nowhere", "", dry_run=False)


def test_of_several_workspaces_one_has_to_be_named(tmp_path: Path) -> None:
    roots = [tmp_path / name for name in ("one", "two")]
    for root in roots:
        root.mkdir()
        (root / "MEMORY.md").write_text("- one\n")
    for house in opened(tmp_path, roots):
        house.start(Plain("qc"))
        with pytest.raises(Ambiguous):
            house.service.jobs.run("qc", None, "", dry_run=False)
        assert by_hand(house, "qc", workspace=str(roots[1])).root == str(roots[1])
        assert [each.root for each in house.service.jobs.jobs(str(roots[0]))] == [str(roots[0])]


def test_a_job_that_lets_ended_pass_is_ended(house: House) -> None:
    """`Ended` is no failure of the job."""

    def ends(_night: Night, _progress: Progress) -> None:
        raise Ended

    house.start(Plain("qc", ends))
    house.until("2026-03-06T00:00")
    assert [each.result for each in house.runs("qc")] == ["timed out"]


def test_a_run_that_ends_the_daemon_is_not_tried_for_ever(house: House) -> None:
    house.start(Plain("qc"))
    house.stop()
    house.clock.advance(house.at("2026-03-05T23:15") - house.clock.wall_ns())
    for _ in range(3):
        holds = Holds()
        house.start_without_waiting(Plain("qc", holds))
        until(holds.is_there.is_set, "it runs")
        house.stop()  # the record that a run has begun is all that a kill leaves, too
    house.start(qc := Plain("qc"))
    assert not qc.nights
    (run,) = house.runs("qc")
    assert (run.result, run.detail) == ("failed", "the daemon ended 3 times while it ran: it is not tried again")
    assert len(house.notices()) == 1
    house.until("2026-03-06T23:16")
    assert qc.days == ["2026-03-06"]


def test_what_a_run_found_can_be_recalled(house: House) -> None:
    house.start(Plain("qc", lambda *_: Outcome(Result.WARN, "2 checks", b"\x82found")))
    house.until("2026-03-07T12:00")
    recalling = Recalling(house.service._.state, house.service._.journal)
    workspace = house.view("qc").workspace
    found = recalling.of_day("qc", workspace, day("2026-03-05"))
    assert found is not None
    assert (found.run.result, found.data) == ("warn", b"\x82found")
    assert recalling.of_day("qc", workspace, day("2026-03-04")) is None
    assert [each.day for each in recalling.runs("qc", workspace)] == ["2026-03-05", "2026-03-06"]


def test_a_reload_holds_at_once(house: House) -> None:
    house.configure('[jobs]\nqc = "23:00"\n')
    house.start(Plain("qc"), Plain("report"))
    house.configure('[jobs]\nqc = "11:00"\nreport = ""\n')
    assert house.app.reload().applied
    until(lambda: house.view("report").state == "off", "it is off")
    house.until("2026-03-05T23:30")
    assert (house.days("qc"), house.days("report")) == ([], [])
    house.until("2026-03-06T11:30")
    assert house.days("qc") == [("2026-03-06", "timed")]
    told = [each.text for each in house.service.log(0, 1_000) if each.kind == "notice"]
    assert any("jobs.report" in text for text in told), told
