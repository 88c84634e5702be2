"""`conductd jobs` and `conductd jobs run` against a real daemon, and how its answers are shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from conductd.cli import job_lines, render
from conductd.views import JobRunView, JobView
from support.api import ApiError
from support.daemon import Daemon

from .test_status_check import status

NOON_NS = 1_770_000_000 * 10**9
RAN = JobRunView(
    "qc", "w", "/srv/w", "2026-03-08", "late", ["2026-03-06..2026-03-07"], "warn", "3 of 14 checks", "", NOON_NS, 4.25,
    None, [], False,
)  # fmt: skip
JOB = JobView(
    "qc", "w", "/srv/w", "L3Nydi93", "23:15", "UTC", "waiting", "", "", NOON_NS + 3_600 * 10**9, "2026-03-09", RAN,
    None, "",
)  # fmt: skip


@pytest.fixture
def daemon(tmp_path: Path, workspace: Path) -> Iterator[Daemon]:
    (workspace / "MEMORY.md").write_text("# Memory\n\n- one thing worth keeping\n")
    with Daemon(tmp_path / "d", [workspace], jobs=("qc", "report")) as made:
        yield made
        made.assert_no_traceback()


def test_before_the_first_night_nothing_has_run(daemon: Daemon) -> None:
    ran = daemon.cli("jobs")
    assert ran.exit_code == 0
    assert "never" in ran.output
    assert [each["last"] for each in json.loads(daemon.cli("jobs", "--json").output)] == [None, None]
    assert "next jobs: qc in" in daemon.cli("status").output


def test_one_is_run_by_hand_and_shown(daemon: Daemon, workspace: Path) -> None:
    ran = daemon.cli("jobs", "run", "qc")
    assert (ran.exit_code, "qc for " in ran.output, ": ok: 1 files" in ran.output) == (0, True, True)
    shown = daemon.cli("jobs", "--workspace", str(workspace)).output
    assert "ok (manual)" in shown
    assert "1 files" in shown
    figures = daemon.api.get_bytes("/v1/metrics").decode()
    assert 'conductd_job_result{job="qc"' in figures
    assert 'result="ok"} 1' in figures
    assert "conductd_job_seconds" in figures


def test_a_dry_run_is_no_run(daemon: Daemon) -> None:
    view = json.loads(daemon.cli("jobs", "run", "qc", "--dry-run", "--date", "2026-01-02", "--json").output)
    assert (view["dry_run"], view["day"], view["result"]) == (True, "2026-01-02", "ok")
    assert daemon.job_runs() == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("run", "naps"), 3, "there is no job naps"),
        (("run", "qc", "--date", "soon"), 2, "soon is no date"),
        (("run", "qc", "--workspace", "/nowhere"), 3, "no workspace"),
        (("--workspace", "/nowhere"), 3, "no workspace"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(
    daemon: Daemon, arguments: tuple[str, ...], code: int, said: str
) -> None:
    ran = daemon.cli("jobs", *arguments)
    assert ran.exit_code == code
    assert said in ran.output
    assert "hint:" in ran.output


def test_the_api_answers_with_lines_and_names_what_is_wrong(daemon: Daemon) -> None:
    answer = daemon.api.call("POST", "/v1/jobs/run", {"job": "qc"})
    lines = [json.loads(line) for line in answer.splitlines()]
    assert [key for line in lines[:-1] for key in line] == ["progress"] * (len(lines) - 1)
    assert lines[-1]["result"]["cause"] == "manual"
    with pytest.raises(ApiError):
        daemon.api.post("/v1/jobs/run", {})


# --------------------------------------------------------------------------- on a screen


def test_a_row_says_last_result_duration_and_next() -> None:
    text = "\n".join(job_lines.jobs([JOB], NOON_NS))
    for part in (
        "/srv/w",
        "just now",
        "for 2026-03-08 and 1 more",
        "warn (late)",
        "4.2 s",
        "in 60 min",
        "3 of 14 checks",
    ):
        assert part in text, text


@pytest.mark.parametrize(
    ("state", "more", "said"),
    [
        ("off", {}, "off"),
        ("running", {"progress": 0.25, "doing": "counting"}, "running 25%: counting"),
        ("running", {}, "running"),
        ("stuck", {"why": "the workspace is not there"}, "due now: the workspace is not there"),
        ("due", {}, "due now"),
        ("waiting", {"next_ns": None}, "not within three weeks"),
    ],
)
def test_what_comes_next_is_said_for_every_state(state: str, more: dict[str, object], said: str) -> None:
    row = job_lines.jobs([replace(JOB, state=state, **more)], NOON_NS)[2]
    assert row.rstrip().endswith(said)


def test_a_run_says_what_was_written_and_how_to_take_it_back() -> None:
    lines = job_lines.ran(replace(RAN, written=["/srv/w/memory/2026-03-08.md"], undo=41))
    assert lines[0] == "qc for 2026-03-08: warn: 3 of 14 checks"
    assert lines[1:] == ["  wrote /srv/w/memory/2026-03-08.md", "  to take it back: conductd undo 41"]
    assert "would write" in job_lines.ran(replace(RAN, written=["/x"], dry_run=True))[1]


def test_what_a_job_says_is_made_harmless() -> None:
    nasty = replace(RAN, text="\x1b]0;x\x07 much", written=["/srv/\x1b[31m"])
    assert not any("\x1b" in line for line in job_lines.ran(nasty))
    assert "\x1b" not in "".join(job_lines.jobs([replace(JOB, last=nasty)], NOON_NS))


def test_the_status_names_what_runs_what_cannot_and_what_comes_next() -> None:
    jobs = [
        replace(JOB, job=name, next_ns=NOON_NS + number * 10**12) for number, name in enumerate(("c", "a", "b", "d"), 1)
    ]
    screen = "\n".join(render.status(replace(status(), jobs=jobs), NOON_NS))
    (line,) = [each for each in screen.splitlines() if "next jobs" in each]
    assert [each.split()[0] for each in line.partition(": ")[2].split(", ")] == ["c", "a", "b"]
    busy = [replace(JOB, state="running"), replace(JOB, job="report", state="stuck", why="it waits for qc")]
    assert job_lines.coming(busy, NOON_NS)[0].startswith("  next jobs: qc is running, report is due: it waits for qc")
    assert job_lines.coming([], NOON_NS) == []
