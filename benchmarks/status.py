"""`conductd status` as a whole process, beside an interpreter that does nothing."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.figures import Figure, number
from benchmarks.rig import Rig
from benchmarks.session import Session

LIMIT_MS = 120.0


def run(session: Session) -> Iterator[Figure]:
    with session.directory("status") as directory:
        workspace = directory / "ws"
        workspace.mkdir()
        (workspace / "MEMORY.md").write_text("# Memory\n\n- one\n")
        with Rig(directory, [workspace]) as rig:
            ours, peers = [], []
            for _ in range(session.choose(5, 1)):
                times = session.choose(12, 4)
                ours.append(_median([sys.executable, "-m", "conductd", "status"], rig.environment, times))
                peers.append(_median([sys.executable, "-c", "pass"], rig.environment, times))
    peer = statistics.median(peers)
    figure = Figure("conductd status, whole process", tuple(ours), "ms", f"≤ {number(LIMIT_MS)} ms")
    yield Figure(
        figure.what,
        figure.rounds,
        "ms",
        figure.target,
        figure.median <= LIMIT_MS,
        f"python -c pass {number(peer)} ms",
        figure.median / peer,
    )


def _median(command: Sequence[str], environment: Mapping[str, str], times: int) -> float:
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=dict(environment))
        taken.append((time.perf_counter() - begun) * 1e3)
    return statistics.median(taken)
