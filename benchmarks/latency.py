"""From the close of a 10 KB write to the durable version, on an idle daemon."""

from __future__ import annotations

import hashlib
import random
import statistics
import time
from collections.abc import Iterator

from benchmarks import texts
from benchmarks.figures import Figure, number, quantile
from benchmarks.floor import Floor, write
from benchmarks.rig import Rig
from benchmarks.session import Session

SIZE = 10_000
PACE_S = 0.4  # the verdict on the write before is given and written by then


def run(session: Session) -> Iterator[Figure]:
    rng = random.Random(1)
    with session.directory("latency") as directory:
        workspace = directory / "ws"
        workspace.mkdir()
        data = texts.memory(rng, SIZE)
        with Rig(directory, [workspace], tapped=True) as rig, Floor(directory, SIZE) as floor:
            ours: list[list[float]] = []
            floors: list[list[float]] = []
            callbacks: list[float] = []
            for _ in range(session.choose(3, 1)):
                ours.append([])
                floors.append([])
                for _ in range(session.choose(40, 6)):
                    data = texts.reworked(rng, data)
                    closed_ns = write(workspace / "MEMORY.md", data)
                    ours[-1].append((rig.tap.wait(hashlib.sha256(data).digest()) - closed_ns) / 1e6)
                    # The same pause before each: a sync pays for what others wrote in the meantime.
                    time.sleep(PACE_S)
                    callback, durable = floor.sample(data)
                    callbacks.append(callback * 1e3)
                    floors[-1].append(durable * 1e3)
                    time.sleep(PACE_S)
    yield _figure("p50", 0.5, ours, floors, aim=1.0)
    yield _figure("p99", 0.99, ours, floors, aim=10.0)
    yield Figure("floor: raw inotify to callback, p50", (statistics.median(callbacks),), "ms")


def _figure(name: str, share: float, ours: list[list[float]], floors: list[list[float]], aim: float) -> Figure:
    rounds = tuple(quantile(values, share) for values in ours)
    floor = statistics.median(quantile(values, share) for values in floors)
    ratio = statistics.median(rounds) / floor
    reached = "reached" if statistics.median(rounds) <= aim else "not reached"
    return Figure(
        f"close of a 10 KB write → durable version, {name}",
        rounds,
        "ms",
        "≤ 3× floor",
        ratio <= 3,
        f"floor {number(floor)} ms",
        ratio,
        f"aim ≤ {number(aim)} ms {reached}",
    )
