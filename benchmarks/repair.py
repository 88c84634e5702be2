"""From a destructive replacement (2.8 KB become 42 characters) to the whole file, beyond the quiet window."""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import select
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import texts
from benchmarks.figures import Figure, at_most, quantile
from benchmarks.floor import write
from benchmarks.rig import Rig
from benchmarks.session import Session
from conductd.core.policy import Policy

QUIET_MS = Policy().waits.quiet_ms
_MOVED_TO, _CLOSE_WRITE = 0x80, 0x8
PATIENCE_S = 20.0
WORTHLESS = b"# Memory\n\nCleaned up, nothing to keep here."


def run(session: Session) -> Iterator[Figure]:
    # Workspaces of their own: losses in one workspace would be one mass loss, rounds on one file a fight.
    count = session.choose(40, 4)
    rng = random.Random(2)
    with session.directory("repair") as directory:
        workspaces = [directory / f"ws-{at:02}" for at in range(count)]
        for workspace in workspaces:
            (workspace / "memory").mkdir(parents=True)
            (workspace / "memory" / "notes.md").write_bytes(texts.memory(rng, 4_000))
            (workspace / "MEMORY.md").write_bytes(texts.memory(rng, 2_800))
        with Rig(directory, workspaces) as rig:
            rig.settle()
            after = [
                [_destroy(workspace / "MEMORY.md", round_) for workspace in workspaces]
                for round_ in range(session.choose(2, 1))
            ]
    what = "destructive replacement → file whole again, beyond the quiet window"
    yield at_most(f"{what}, p99", [quantile(values, 0.99) for values in after], "ms", 60)
    yield Figure(f"{what}, p50", tuple(quantile(values, 0.5) for values in after), "ms")


def _destroy(path: Path, round_: int) -> float:
    """Milliseconds."""
    whole = set(path.read_bytes().split(b"\n"))  # a repair may put the new line between the old ones
    libc = ctypes.CDLL(None, use_errno=True)
    inotify = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        closed_ns = write(path, WORTHLESS + b"." * round_)
        libc.inotify_add_watch(inotify, os.fsencode(path.parent), _MOVED_TO | _CLOSE_WRITE)
        give_up = time.monotonic() + PATIENCE_S
        while time.monotonic() < give_up:
            select.select([inotify], [], [], 1)
            # Emptied before the look: what comes after it wakes us again.
            with contextlib.suppress(BlockingIOError):
                os.read(inotify, 65536)
            now_ns = time.monotonic_ns()
            if whole <= set(path.read_bytes().split(b"\n")):
                return (now_ns - closed_ns) / 1e6 - QUIET_MS
        raise TimeoutError(f"{path} was not put back")
    finally:
        os.close(inotify)
