"""Waiting for a condition, as long as it takes and no longer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def until(true: Callable[[], T], what: str = "", seconds: float = 60) -> T:
    """What `true` gives once it is true."""
    deadline = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < deadline, f"it never came: {what}"
        threading.Event().wait(0.05)
    return found
