"""`conductd status --check`: a line, an exit code, and never a false green."""

from __future__ import annotations

import json
import os
import re
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.cli.status_check import ALARMS, DEGRADED, PLUGIN_CODES, UNKNOWN, Level, of_status
from conductd.views import DegradedView, StatusView, WorkspaceView
from conductd.views.reasons import REASONS, Weight
from support.served import Served
from support.service import FakeService

from .conftest import Run

LINE = re.compile(r"CONDUCTD (OK|WARNING|CRITICAL|UNKNOWN) - [^|\n]+(?: \| [a-z]+=\S+(?: [a-z]+=\S+)*)?\n")


def workspace(state: str = "ok") -> WorkspaceView:
    return WorkspaceView("w", "/ws", "L3dz", "protect", "generic", state, "events", 1, 1, 0, None)


def status(*reasons: str, alarms: int = 0, notices: int = 0, **said: Any) -> StatusView:
    figures = dict.fromkeys(
        ("versions", "false_positives", "journal_bytes", "journal_segments", "last_seq", "coalesced", "pending"), 0
    )
    given: dict[str, Any] = {
        **figures,
        **{"daemon": "1", "pid": 1, "uptime_s": 0.0, "state_dir": "/s", "socket": "/k", "last_change_ns": None},
        **{"health": "degraded" if reasons else "ok", "workspaces": [workspace()], "files": 1},
        "degraded": [DegradedView(each, f"{each} | is\nso", "", 0) for each in reasons],
        "open_incidents": alarms + notices,
        "open_by_severity": {"info": 0, "notice": notices, "alarm": alarms},
        **said,
    }
    return StatusView(**given)


@pytest.mark.parametrize(
    ("view", "state", "level", "code"),
    [
        (status(), "ok", Level.OK, 0),
        (status(notices=3), "ok", Level.OK, 0),
        (status(alarms=1), "alarms", Level.CRITICAL, ALARMS),
        (status("store"), "degraded", Level.CRITICAL, DEGRADED),
        (status("stuck:judge"), "degraded", Level.CRITICAL, DEGRADED),
        (status("a_reason_of_another_release"), "degraded", Level.CRITICAL, DEGRADED),
        (status("no_events"), "degraded", Level.WARNING, DEGRADED),
        (status("channel:phone"), "degraded", Level.WARNING, DEGRADED),
        (status("no_events", alarms=1), "alarms", Level.CRITICAL, ALARMS),
        (status("store", alarms=1), "degraded", Level.CRITICAL, DEGRADED),
        (status(health="degraded"), "degraded", Level.WARNING, DEGRADED),
        (status(health="splendid"), "unknown", Level.UNKNOWN, UNKNOWN),
        (status(workspaces=[]), "unknown", Level.UNKNOWN, UNKNOWN),
        (status(workspaces=[workspace("locked by process 7")]), "unknown", Level.UNKNOWN, UNKNOWN),
        (status(open_incidents=2, open_by_severity={}), "unknown", Level.UNKNOWN, UNKNOWN),
        (status("missing:w", workspaces=[workspace("missing")]), "degraded", Level.CRITICAL, DEGRADED),
    ],
)
def test_what_is_what(view: StatusView, state: str, level: Level, code: int) -> None:
    found = of_status(view, ())
    assert (found.state, found.level, found.exit_code) == (state, level, code)
    assert LINE.fullmatch(found.line + "\n"), found.line


def test_a_reason_that_is_known_may_be_left_out_and_is_still_named() -> None:
    assert of_status(status("no_events"), ("no_events",)).exit_code == 0
    assert "no_events" in of_status(status("no_events"), ("no_events",)).line
    assert of_status(status("no_events", "store"), ("no_events",)).exit_code == DEGRADED
    assert of_status(status("channel:phone"), ("channel",)).exit_code == 0


@given(st.lists(st.sampled_from([*REASONS, "new", "channel:x"])), st.integers(0, 3), st.integers(0, 2))
def test_green_only_when_nothing_stands(reasons: list[str], alarms: int, spaces: int) -> None:
    found = of_status(status(*reasons, alarms=alarms, workspaces=[workspace()] * spaces), ())
    assert (found.exit_code == 0) == (not reasons and not alarms and spaces > 0)
    assert (PLUGIN_CODES[found.level] == 0) == (found.exit_code == 0)
    if any(REASONS.get(each, Weight.GRAVE) is Weight.GRAVE for each in reasons if ":" not in each):
        assert found.level is Level.CRITICAL


# ------------------------------------------------------------------ as a process


def test_all_is_well(run: Run, served: Served, service: FakeService) -> None:
    service.write(b"MEMORY.md", b"- a\n")
    ran = run("status", "--check")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert LINE.fullmatch(ran.stdout.decode())
    assert ran.stdout.startswith(b"CONDUCTD OK - 1 workspace, 1 file | files=1;;;0 ")


def test_degraded_is_told_by_code_line_and_json(run: Run, served: Served, service: FakeService) -> None:
    service.degraded = [DegradedView("store", "the disk is full \x1b[2J", "", 0)]
    ran = run("status", "--check")
    assert ran.returncode == DEGRADED
    assert ran.stdout.startswith(b"CONDUCTD CRITICAL - degraded: the disk is full \\x1b[2J;")
    assert run("status", "--check", "--nagios").returncode == 2
    told = json.loads(run("status", "--check", "--json").stdout)
    assert (told["state"], told["level"], told["exit_code"], told["reasons"]) == (
        "degraded", "CRITICAL", DEGRADED, ["store"],
    )  # fmt: skip
    assert run("status", "--check", "--ignore", "store").returncode == 0


def test_no_daemon_is_not_well(run: Run) -> None:
    ran = run("status", "--check")
    assert ran.returncode == 5
    assert ran.stdout.startswith(b"CONDUCTD CRITICAL - no daemon is running")
    assert ran.stderr == b""
    assert run("status", "--check", "--nagios").returncode == 2
    told = json.loads(run("status", "--check", "--json").stdout)
    assert (told["state"], told["open_alarms"]) == ("not_running", None)


def test_a_file_in_place_of_the_socket_is_not_known(run: Run, tmp_path: Path) -> None:
    (tmp_path / "conductd.sock").write_text("")
    ran = run("status", "--check")
    assert (ran.returncode, ran.stdout.startswith(b"CONDUCTD UNKNOWN - ")) == (6, True)


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", b"HTTP/1.1 200 OK\r\n\r\n[1", b"SSH-2.0-x\r\n", b""]
)
def test_a_strange_answer_is_not_well(run: Run, tmp_path: Path, answer: bytes) -> None:
    import threading

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.fsencode(tmp_path / "conductd.sock"))
        listening.listen()

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        ran = run("status", "--check")
    assert ran.returncode in (5, UNKNOWN)
    assert LINE.fullmatch(ran.stdout.decode()), ran
    assert ran.stderr == b""


def test_options_that_make_no_sense_are_refused(run: Run) -> None:
    assert run("status", "--nagios").returncode == 2
    assert run("status", "--ignore", "store").returncode == 2
    assert run("status", "--check", "--ignore", "no_such_reason").returncode == 2
