"""What the judge waits for: messages from other threads, and each file's own time.

The queue holds ids and functions, never content, so that its length costs next to nothing.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from conductd.core.judging.wait import Wait as Needed
from conductd.core.policy import Waits
from conductd.engine.answering.judged import Judged
from conductd.engine.answering.worker import Outcome
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


class Traced(Frozen, frozen=True):
    """An editor's swap file or lock came: look who it is while it is alive."""


class Command(Frozen, frozen=True):
    """Something a person asked for that writes: run on this thread."""

    run: Callable[[], Any]
    reply: Future[Any]

    @property
    def is_wanted(self) -> bool:
        """To be asked once, before it is run. False: nobody waits for it any more, and nobody can give it up now."""
        return self.reply.set_running_or_notify_cancel()


class Barrier(Frozen, frozen=True):
    """Answered once all that came before is judged, or named in `waits`."""

    reply: Future[None]


class Stop(Frozen, frozen=True):
    pass


NEVER_NS = 1 << 63


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
        self.working = False  # the worker is at it: no time ends this wait

    def lengthen(self, needed: Needed, quiet_ms: int, now: int) -> bool:
        """Wait beyond the quiet window when the text looks like the middle of something."""
        if needed.ms <= quiet_ms:
            return False
        start = self.since_ns
        if needed.kind == "cut":
            start = self.cut_ns = self.cut_ns or self.since_ns
        due = start + needed.ms * 1_000_000
        if due <= now:
            return False
        self.why, self.due_ns, self.check_ns = needed.kind, due, None
        return True

    @property
    def next_ns(self) -> int:
        if self.working:
            return NEVER_NS
        return self.due_ns if self.check_ns is None else min(self.due_ns, self.check_ns)


class Worked(Frozen, frozen=True):
    """The worker has done with a large file."""

    file: int
    wait: Wait
    outcome: Outcome


Message = Recorded | Unrecorded | Touched | Traced | Command | Barrier | Worked | Stop


def files_of(message: Message | None) -> tuple[int, ...]:
    """The files that a message is about."""
    if isinstance(message, Recorded):
        return message.files
    return (message.file,) if isinstance(message, Unrecorded | Touched | Worked) else ()


def next_wait(known: Wait | None, now: int, waits: Waits) -> Wait:
    """The quiet window from now; a file that is never quiet is judged all the same."""
    first = known.first_ns if known is not None and known.again is None else now
    due = min(now + waits.quiet_ms * 1_000_000, max(now, first + waits.longest_quiet_ms * 1_000_000))
    return Wait(due, "quiet", now, first, known.cut_ns if known else None)


def refuse_rest(messages: queue.Queue[Message]) -> None:
    """Whoever still waits for an answer is told that there will be none."""
    while not messages.empty():
        message = messages.get_nowait()
        if isinstance(message, Command | Barrier):
            message.reply.cancel()


def tell_lost(judge: queue.Queue[Message], file: int, reply: Future[Any]) -> None:
    """Tell the judge of a verdict that did not become durable."""
    if not reply.cancelled() and reply.exception() is not None:
        judge.put(Unrecorded(file))
