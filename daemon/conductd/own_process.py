"""How a module of conductd is run as a process of its own: of this Python, from this place.

What can take for ever or too much memory (judging large files, expressions of people, the secret rules, the heavy work
of the night) runs in one that can be ended. Starts nothing itself. Messages between the two are a length (8 bytes,
little endian) and as many bytes.
"""

from __future__ import annotations

import os
import resource
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

# Where the package lies, so that the process finds it whether it is installed or not; never the package itself, whose
# modules would stand before those of the standard library (`secrets`).
_ABOVE = str(Path(__file__).resolve().parent.parent)
LENGTH = 8


def command(module: str) -> list[str]:
    """To be run in "/", with `environment`: nothing of the working directory is imported then."""
    return [sys.executable, "-m", module]


def environment() -> dict[str, str]:
    given = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([_ABOVE, given] if given else [_ABOVE])}


def send(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(len(data).to_bytes(LENGTH, "little"))
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes | None:
    """None at the end of the stream."""
    head = pipe.read(LENGTH)
    if len(head) < LENGTH:
        return None
    size = int.from_bytes(head, "little")
    data = pipe.read(size)
    return data if len(data) == size else None


def stand_back(memory_bytes: int, niceness: int) -> None:
    """In the process: no more address space than that, and behind others where processor time is short. Where the
    system can do it."""
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    with suppress(OSError):
        os.nice(niceness)
    if sys.platform == "linux":  # one that wakes up never waits for this process to use up its turn
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
