"""The line that a service manager shows."""

from __future__ import annotations

from typing import Any

import pytest

from conductd.service.words import status_line
from conductd.views import DegradedView, StatusView


def status(**said: Any) -> StatusView:
    figures = dict.fromkeys(
        ("versions", "false_positives", "journal_bytes", "journal_segments", "last_seq", "coalesced", "pending"), 0
    )
    given: dict[str, Any] = {
        **figures,
        **{"health": "ok", "degraded": [], "daemon": "1", "pid": 1, "uptime_s": 0.0, "state_dir": "/s", "socket": "/k"},
        **{"workspaces": [], "files": 0, "open_incidents": 0, "last_change_ns": None},
        **said,
    }
    return StatusView(**given)


def degraded(*messages: str) -> list[DegradedView]:
    return [DegradedView("some", each, "", 0) for each in messages]


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ({}, "0 workspaces, 0 files"),
        ({"files": 1, "open_incidents": 1}, "0 workspaces, 1 file; 1 open incident"),
        ({"requests": 2}, "0 workspaces, 0 files; 2 requests to confirm"),
        ({"degraded": degraded("the disk is slow")}, "0 workspaces, 0 files; degraded: the disk is slow"),
        (
            {"degraded": degraded("a", "b", "c", "d", "e")},
            "0 workspaces, 0 files; degraded: a; b; c; and 2 more",
        ),
    ],
)
def test_the_line_counts_what_a_person_may_care_about(said: dict[str, Any], line: str) -> None:
    assert status_line(status(**said)) == line
