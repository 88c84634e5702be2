"""How a thread that answers a caller waits for another one: not for ever."""

from __future__ import annotations

from concurrent.futures import CancelledError, Future
from typing import TypeVar

from conductd.errors import Busy

PATIENCE_S = 60.0  # for another thread of the daemon

T = TypeVar("T")


def acted(reply: Future[T], patience_s: float = PATIENCE_S) -> T:
    """What the judge thread did. An act that was not begun by then is not done at all: who is told that the daemon
    is busy asks again, and an undo that is done twice is none. One that was begun is waited for as long again."""
    try:
        return reply.result(patience_s)
    except TimeoutError:
        if reply.cancel():
            raise Busy("the daemon does not get to it, and nothing was done: its disk is slow", "try again") from None
    except CancelledError:
        pass
    return result(reply)


def result(reply: Future[T]) -> T:
    """What another thread answers. A stuck or stopped thread is a sentence, not a traceback."""
    try:
        return reply.result(PATIENCE_S)
    except (TimeoutError, CancelledError):
        raise Busy("the daemon does not get to it: its disk is slow, or it is stopping", "conductd status") from None
