"""How a thread that answers a caller waits for another one: not for ever."""

from __future__ import annotations

from concurrent.futures import CancelledError, Future
from typing import TypeVar

from conductd.errors import Busy

PATIENCE_S = 60.0  # for another thread of the daemon

T = TypeVar("T")


def result(reply: Future[T]) -> T:
    """What another thread answers. A stuck or stopped thread is a sentence, not a traceback."""
    try:
        return reply.result(PATIENCE_S)
    except (TimeoutError, CancelledError):
        raise Busy("the daemon does not get to it: its disk is slow, or it is stopping", "conductd status") from None
