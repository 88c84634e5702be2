"""What stands on the screen of `conductd status`: growth, alarms, the heartbeat, and never more than a screen."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from conductd.cli import render
from conductd.views import DegradedView, HeartbeatView, StatusView

from .test_status_check import status, workspace

NOW_NS = 1_790_000_000 * 10**9
MIB = 1024 * 1024


def screen(view: StatusView) -> str:
    return "\n".join(render.status(view, NOW_NS))


@pytest.mark.parametrize(
    ("grown", "seconds", "said"),
    [
        (None, 0.0, "its growth is not known"),
        (4096, 0.0, "its growth is not known"),
        (4096, 7_200.0, "4.0 KiB of it in its first 2 h 0 min"),
        (7 * MIB, 7 * 86_400.0, "7.0 MiB of it in the last 7 days: 1.0 MiB a day"),
        (6 * MIB, 3 * 86_400.0, "6.0 MiB of it in the last 3 days: 2.0 MiB a day"),
        (0, 7 * 86_400.0, "0 B of it in the last 7 days: 0 B a day"),
    ],
)
def test_how_fast_the_journal_grows(grown: int | None, seconds: float, said: str) -> None:
    assert said in screen(status(grown_bytes=grown, grown_s=seconds))


def test_alarms_are_counted_among_what_is_open() -> None:
    assert "2 open incidents: conductd incidents" in screen(status(notices=2))
    assert "3 open incidents (1 alarm): conductd incidents" in screen(status(notices=2, alarms=1))


def test_false_alarms_are_counted_also_when_there_was_none() -> None:
    assert "no false alarm so far" in screen(status())
    assert "2 false alarms so far" in screen(replace(status(), false_positives=2))


def test_what_runs_it_is_named() -> None:
    assert "run by systemd" in screen(status(service="systemd"))
    assert "run by no service manager: conductd service status" in screen(status())


@pytest.mark.parametrize(
    ("beat", "said"),
    [
        (HeartbeatView(5, None), "heartbeat every 5 min, not taken yet"),
        (HeartbeatView(5, NOW_NS - 60 * 10**9), "heartbeat every 5 min, last taken 60 s ago"),
        (HeartbeatView(5, None, "the server answered 404"), "not taken yet: the server answered 404"),
    ],
)
def test_the_heartbeat_is_shown_where_there_is_one(beat: HeartbeatView, said: str) -> None:
    assert said in screen(status(heartbeat=beat))
    assert "heartbeat" not in screen(status())


def test_many_workspaces_and_reasons_are_still_one_screen_and_what_is_wrong_is_on_it() -> None:
    spaces = [replace(workspace(), id=str(number)) for number in range(500)]
    spaces[444] = replace(spaces[444], state="missing")
    view: Any = status("store", workspaces=spaces)
    view = replace(view, degraded=[DegradedView(f"unseen:{n}", f"part {n}", "look", 0) for n in range(200)])
    shown = screen(view)
    assert len(shown.splitlines()) < 80
    assert "missing" in shown
    assert "and 470 more: conductd status --json" in shown
    assert "! and 192 more: conductd status --json" in shown
