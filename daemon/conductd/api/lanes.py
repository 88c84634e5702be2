"""Who may use how many threads, so that a slow read never holds up a quick one.

Answers from memory need no thread at all. Everything that may touch a disk runs in a worker thread
of its lane; a full lane makes its own callers wait and nobody else.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

import anyio
import anyio.to_thread

T = TypeVar("T")


class Lane(StrEnum):
    MEMORY = "memory"  # answered on the loop: must not block
    QUICK = "quick"  # an index look-up, or an act that ends soon
    SLOW = "slow"  # reads content, or long histories
    WAIT = "wait"  # waits for the daemon to be done with something
    JOB = "job"  # minutes
    STREAM = "stream"  # streams catching up with the journal


# Together fewer than the 40 threads that one slow client could take from a common pool.
THREADS = {Lane.QUICK: 8, Lane.SLOW: 4, Lane.WAIT: 8, Lane.JOB: 2, Lane.STREAM: 4}


class Lanes:
    """The limiters of one server. Make it on the server's loop."""

    def __init__(self) -> None:
        self._limiters = {lane: anyio.CapacityLimiter(threads) for lane, threads in THREADS.items()}

    async def run(self, lane: Lane, work: Callable[[], T]) -> T:
        if lane is Lane.MEMORY:
            return work()
        # Only a stop cancels: then a call that never returns must not keep the loop from ending.
        return await anyio.to_thread.run_sync(work, limiter=self._limiters[lane], abandon_on_cancel=True)
