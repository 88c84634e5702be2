"""The state directory is ours: looked at, made private, locked; or waited for."""

from __future__ import annotations

import os
from collections.abc import Callable

import structlog

from conductd.errors import StoreUnavailable
from conductd.journal import place
from conductd.journal.lock import StateLock

log = structlog.get_logger("conductd")


def hold(
    state_dir: str, pause: Callable[[], None], waiting: Callable[[str], None] | None, *, allows_network: bool
) -> StateLock:
    """Raises Refused, AlreadyRunning, and StoreUnavailable where nobody is `waiting`: who is told why each time that it
    is looked again, after a `pause`."""
    told = ""
    while True:
        try:
            warnings = place.prepare(state_dir, allows_network=allows_network)
            lock = StateLock.acquire(os.path.join(state_dir, "lock"))
        except StoreUnavailable as error:
            if waiting is None:
                raise
            if error.message != told:
                told = error.message
                log.error("waiting for the state directory: nothing is recorded", why=told, hint=error.hint)  # noqa: TRY400
            waiting(told)
            pause()
            continue
        for warning in warnings:
            log.warning(warning)
        return lock
