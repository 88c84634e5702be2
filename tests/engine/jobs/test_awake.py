"""Since when the machine is awake: a suspend and a clock that was set are jumps, time that passes is none."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

from conductd.engine.health.overview import Parts
from conductd.engine.jobs.planning import Planning
from entry.clock import FakeClock

HOUR = 3_600 * 10**9


class Passing(FakeClock):
    """Does what the test says right after a look at the wall clock."""

    then: Callable[[], None] | None = None

    def wall_ns(self) -> int:
        found = super().wall_ns()
        then, self.then = self.then, None
        if then is not None:
            then()
        return found


def test_time_that_passes_between_the_looks_at_two_clocks_is_no_jump() -> None:
    clock = Passing(10**18, 10**15)
    planning = Planning(cast(Parts, SimpleNamespace(clock=clock)), (), {})
    awake_ns = planning.awake_ns
    clock.then = lambda: clock.advance(HOUR)
    assert not planning.has_jumped
    clock.then = lambda: clock.advance(HOUR)
    planning.notice()
    assert planning.awake_ns == awake_ns
    clock.set_wall(clock.wall_ns() + HOUR)
    assert planning.has_jumped
    clock.then = lambda: clock.advance(HOUR)
    planning.notice()
    assert not planning.has_jumped
    assert planning.awake_ns == clock.wall_ns()
