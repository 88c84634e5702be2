"""When the heartbeat is due, and what it says."""

from __future__ import annotations

import pytest

from conductd.core.pinging import FIRST_RETRY_NS, Condition, is_due, whereto

S = 1_000_000_000
EVERY = 300 * S


@pytest.mark.parametrize(
    ("tried", "mono_s", "wall_s", "failures", "due"),
    [
        (None, 0, 0, 0, True),  # at the start
        (0, 299, 299, 0, False),
        (0, 300, 300, 0, True),
        (0, 2, 40_000, 0, True),  # the machine slept
        (0, 2, -40_000, 0, False),  # the clock was set back
        (0, 29, 29, 1, False),
        (0, 30, 30, 1, True),
        (0, 59, 59, 2, False),
        (0, 60, 60, 2, True),
        (0, 299, 299, 9, False),
        (0, 300, 300, 5_000, True),  # never later than it would be anyway
    ],
)
def test_due(tried: int | None, mono_s: int, wall_s: int, failures: int, due: bool) -> None:
    assert is_due(tried, 0, mono_s * S, wall_s * S, EVERY, failures) is due


def test_a_retry_is_not_later_than_the_next_beat() -> None:
    assert is_due(0, 0, 10 * S, 10 * S, 10 * S, 1)
    assert FIRST_RETRY_NS == 30 * S


@pytest.mark.parametrize(
    ("condition", "with_fail", "without"),
    [
        (Condition.WELL, "u", "u"),
        (Condition.DEGRADED, "f", "u"),
        (Condition.NOT_RECORDING, "f", ""),
    ],
)
def test_where_it_goes(condition: Condition, with_fail: str, without: str) -> None:
    assert whereto("u", "f", condition) == with_fail
    assert whereto("u", "", condition) == without
