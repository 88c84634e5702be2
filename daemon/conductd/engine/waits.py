"""What the judge waits for: messages from other threads, and each file's own time.

The queue holds ids and functions, never content, so that its length costs next to nothing.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from conductd.engine.answers import Judged
from conductd.model import Frozen


class Recorded(Frozen, frozen=True):
    """New versions of these files are durable."""

    files: tuple[int, ...]


class Unrecorded(Frozen, frozen=True):
    """A verdict that was to travel with a later batch did not become durable."""

    file: int


class Touched(Frozen, frozen=True):
    """A write left a file as it was recorded."""

    file: int


class Command(Frozen, frozen=True):
    """Something a person asked for that writes: run on this thread."""

    run: Callable[[], Any]
    reply: Future[Any]


class Barrier(Frozen, frozen=True):
    """Answered once all that came before is judged, or named in `waits`."""

    reply: Future[None]


class Stop(Frozen, frozen=True):
    pass


class Wait:
    """One file's wait. ``looked``: the version whose waiting time has been worked out;
    ``first_ns`` is when the first of its versions came, ``cut_ns`` when it was first seen cut; both
    are kept across later versions."""

    def __init__(self, due_ns: int, why: str, since_ns: int, first_ns: int, cut_ns: int | None = None) -> None:
        self.due_ns, self.why, self.since_ns, self.cut_ns = due_ns, why, since_ns, cut_ns
        self.first_ns = first_ns
        self.looked: int | None = None
        self.check_ns: int | None = None  # a cut: look then whether it has been pasted
        self.again: Judged | None = None
        self.postponed = False

    @property
    def next_ns(self) -> int:
        return self.due_ns if self.check_ns is None else min(self.due_ns, self.check_ns)


Message = Recorded | Unrecorded | Touched | Command | Barrier | Stop


def tell_lost(judge: queue.Queue[Message], file: int, reply: Future[Any]) -> None:
    """Tell the judge of a verdict that did not become durable."""
    if not reply.cancelled() and reply.exception() is not None:
        judge.put(Unrecorded(file))
