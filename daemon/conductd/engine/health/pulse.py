"""Whether the threads of the daemon get on: each says when it takes work up, gets on with it and rests.

Real time throughout, whatever the clock port says: what hangs does so in real seconds. Written by the
thread itself, read by any other. `troubles` is asked every few seconds (`engine.health.tending`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from conductd.model import Frozen

STUCK_NS = 60_000_000_000  # at one and the same piece of work
SLOW_NS = 5_000_000_000  # one write and its sync: a sound disk needs milliseconds
HOPELESS_NS = 600_000_000_000  # a write that takes longer than this does not count as a slow disk any more


class Trouble(Frozen, frozen=True):
    """``reason`` as in the status: "stuck:<thread>" or "disk_slow"."""

    reason: str
    message: str
    hint: str


class Pulse:
    """One thread's. ``beat`` says that it gets on, ``rest`` that it waits for work: neither costs a lock."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.thread: threading.Thread | None = None  # once it was started
        self._working_ns = 0  # since when at the present piece of work; 0: at rest
        self._writing_ns = 0  # since when in a write to the disk; 0: in none

    def beat(self) -> None:
        self._working_ns = time.monotonic_ns()

    def rest(self) -> None:
        self._working_ns = 0

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A wait for the disk: its slowness is the disk's, not the thread's."""
        self._writing_ns = time.monotonic_ns()
        try:
            yield
        finally:
            self._writing_ns = 0
            self.beat()

    @property
    def has_ended(self) -> bool:
        return self.thread is not None and not self.thread.is_alive()

    def slow(self, now_ns: int) -> Trouble | None:
        """The disk keeps this thread waiting."""
        since = self._writing_ns
        if not since or now_ns - since < SLOW_NS:
            return None
        message = f"the disk is slow: a write has been under way for {(now_ns - since) // 1_000_000_000} s"
        return Trouble("disk_slow", message, "look at the disk of the state directory")

    def hopeless(self, now_ns: int) -> bool:
        """The disk has kept it waiting for so long that it is taken for gone."""
        since = self._writing_ns
        return bool(since) and now_ns - since >= HOPELESS_NS

    def stuck(self, now_ns: int) -> Trouble | None:
        """It has ended, or has not got on for a minute."""
        if self.has_ended:
            return ended(self.name)
        since = self._working_ns
        if not since or self._writing_ns or now_ns - since < STUCK_NS:
            return None
        return _stuck(self.name, f"the {self.name} thread has not got on for {(now_ns - since) // 1_000_000_000} s")


def is_hung(pulses: list[Pulse], now_ns: int) -> bool:
    """Whether only a restart can help: a thread has ended or does not get on, or a write has taken ten minutes.
    While the disk is slow whoever waits for it is excused."""
    if any(pulse.slow(now_ns) is not None for pulse in pulses):
        return any(pulse.hopeless(now_ns) or pulse.has_ended for pulse in pulses)
    return any(pulse.stuck(now_ns) is not None for pulse in pulses)


def unattended(tended_ns: int, now_ns: int) -> Trouble | None:
    """The main thread looks after all others; nobody looks after it but whoever asks how the daemon is.
    `tended_ns`: when it last did, 0: it does not do so yet."""
    if not tended_ns or now_ns - tended_ns < STUCK_NS:
        return None
    return _stuck("main", f"the main thread has not got on for {(now_ns - tended_ns) // 1_000_000_000} s")


def ended(name: str) -> Trouble:
    """For a part that keeps its own account of whether it is alive."""
    return _stuck(name, f"the {name} thread has ended")


def _stuck(name: str, message: str) -> Trouble:
    return Trouble(f"stuck:{name}", message, "if it does not pass, see the log and restart the daemon")


def troubles(pulses: list[Pulse], now_ns: int) -> list[Trouble]:
    """What is wrong now. While the disk is slow whoever waits for it is not stuck; who has ended is."""
    slow = [found for pulse in pulses if (found := pulse.slow(now_ns)) is not None]
    if slow:
        return slow + [ended(pulse.name) for pulse in pulses if pulse.has_ended]
    return [found for pulse in pulses if (found := pulse.stuck(now_ns)) is not None]
