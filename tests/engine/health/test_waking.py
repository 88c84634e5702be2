"""A machine that slept is looked at as a whole when it wakes: what was written meanwhile was announced to nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from conductd.engine.health.waking import APART_NS, Waking
from support.daemon import Daemon

TEXT = "# Memory\n\n" + "".join(f"- note {number}: something worth keeping\n" for number in range(40))
S = 1_000_000_000


@pytest.mark.parametrize(
    ("looks", "slept"),
    [
        ([(2, 2), (4, 4)], [0, 0]),
        ([(2, 2), (4 + 3 * 86_400, 4), (6 + 3 * 86_400, 6)], [0, 3 * 86_400, 0]),
        ([(2 - 3_600, 2), (4 - 3_600, 4)], [-3_600, 0]),
        ([(4, 2), (8, 4)], [0, 0]),  # a clock that gains two seconds in four is corrected, not set
    ],
)
def test_only_what_went_apart_since_the_last_look_counts(looks: list[tuple[int, int]], slept: list[int]) -> None:
    waking = Waking(1_000 * S, 500 * S)
    assert [waking.slept_ns((1_000 + wall) * S, (500 + mono) * S) // S for wall, mono in looks] == slept
    assert APART_NS > 2 * S, "between two looks"


def test_three_days_asleep_end_in_a_look_at_everything(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    memory = workspace / "MEMORY.md"
    memory.write_text(TEXT)
    with Daemon(tmp_path / "d", [workspace], config="rescan_seconds = 86400\n") as daemon:
        daemon.settle()
        daemon.fault("no_events")
        memory.write_text("# Memory\n\n- a stub that was written on another system\n")
        daemon.set_wall(daemon.wall_ns + 3 * 86_400 * S)
        daemon.wait_until(lambda: daemon.status()["pending"], "it is seen")
        daemon.settle()
        assert "note 39" in memory.read_text()
        assert daemon.status()["versions"] >= 3
        daemon.assert_no_traceback()
