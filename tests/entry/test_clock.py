"""The fake clock wakes its waiters for an item and for a deadline, and for nothing else."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from entry.clock import FakeClock

SECOND = 1_000_000_000


def test_wall_and_monotonic_time_move_apart() -> None:
    clock = FakeClock(wall_ns=100 * SECOND, mono_ns=5 * SECOND)
    clock.advance(2 * SECOND)
    clock.set_wall(10 * SECOND)
    assert (clock.wall_ns(), clock.mono_ns()) == (10 * SECOND, 7 * SECOND)
    with pytest.raises(ValueError, match="never goes back"):
        clock.advance(-1)


def test_an_item_that_is_there_is_given_even_after_the_deadline() -> None:
    clock = FakeClock(0, 10)
    source: queue.Queue[str] = queue.Queue()
    source.put("item")
    assert clock.get(source, 5) == "item"
    assert clock.get(source, 5) is None


def test_a_waiter_gets_an_item_put_while_it_waits() -> None:
    clock = FakeClock(0, 0)
    source: queue.Queue[str] = queue.Queue()
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(clock.get, source, None)
        source.put("item")
        assert waiting.result(10) == "item"


def test_a_waiter_is_released_by_its_deadline_and_not_before() -> None:
    clock = FakeClock(0, 0)
    source: queue.Queue[str] = queue.Queue()
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(clock.get, source, 5 * SECOND)
        clock.advance(4 * SECOND)
        assert not waiting.done()
        clock.advance(1 * SECOND)
        assert waiting.result(10) is None


def test_setting_the_wall_clock_releases_nobody() -> None:
    clock = FakeClock(0, 0)
    source: queue.Queue[str] = queue.Queue()
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(clock.get, source, SECOND)
        clock.set_wall(100 * SECOND)
        assert not waiting.done()
        clock.advance(SECOND)
        assert waiting.result(10) is None


def test_two_waiters_on_one_queue_get_one_item_each() -> None:
    clock = FakeClock(0, 0)
    source: queue.Queue[int] = queue.Queue()
    with ThreadPoolExecutor() as pool:
        waiting = [pool.submit(clock.get, source, None) for _ in range(2)]
        source.put(1)
        source.put(2)
        assert sorted(one.result(10) or 0 for one in waiting) == [1, 2]


def test_no_wake_up_is_lost_between_many_waits_and_moves() -> None:
    clock = FakeClock(0, 0)
    source: queue.Queue[int] = queue.Queue()
    reached = threading.Semaphore(0)

    def follow() -> None:
        for deadline in range(1, 501):
            assert clock.get(source, deadline) is None
            reached.release()

    with ThreadPoolExecutor() as pool:
        following = pool.submit(follow)
        for _ in range(500):
            clock.advance(1)
            assert reached.acquire(timeout=10)
        following.result(10)
