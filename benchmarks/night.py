"""A whole night: every job of a workspace of 2,000 files and 100,000 versions, one after the other."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import Figure, at_most, quantile
from benchmarks.past import Builder
from benchmarks.rig import Rig
from benchmarks.session import Session

FILES, VERSIONS = 2_000, 100_000
JOBS = ("checkpoint", "continuity", "qc", "report", "recap")


def run(session: Session) -> Iterator[Figure]:
    with session.directory("night") as directory:
        files = session.choose(FILES, 20)
        long = Builder(directory / "past", session.choose(VERSIONS, 1_000), files).build()
        with Rig(long.directory, [long.workspace]) as rig, rig.client() as client:
            rig.settle()
            path = long.paths[0]
            idle = [_recorded_ms(rig, path) for _ in range(session.choose(200, 5))]
            yield Figure("a write recorded and synced, idle, p50", (quantile(idle, 0.5),), "ms")
            yield Figure("a write recorded and synced, idle, p99", (quantile(idle, 0.99),), "ms")
            took: dict[str, float] = {}
            busy: list[float] = []
            over = threading.Event()

            def write_on() -> None:
                while not over.wait(0.05):
                    busy.append(_recorded_ms(rig, path))

            most = [0.0, 0.0, 0.0]  # the daemon, its processes, both together

            def look_on() -> None:
                while not over.wait(0.05):
                    own, others = rig.memory_mb(), rig.children_mb()
                    most[:] = (max(each) for each in zip(most, (own, others, own + others), strict=True))

            threads = [threading.Thread(target=each) for each in (write_on, look_on)]
            for thread in threads:
                thread.start()
            try:
                for job in JOBS:
                    begun = time.perf_counter()
                    *_, ran = client.run_job(job)
                    took[job] = time.perf_counter() - begun
                    if isinstance(ran, float) or ran.result in ("failed", "timed out"):
                        raise RuntimeError(f"the job {job} did not come to its end: {ran}")
            finally:
                over.set()
                for thread in threads:
                    thread.join()
            for job, seconds in took.items():
                yield Figure(f"{job}, {files:,} files, {long.count:,} versions", (seconds,), "s")
            yield at_most("the whole night", [sum(took.values())], "s", 20)
            yield Figure("… resident memory of the daemon, at its highest", (most[0],), "MB")
            yield Figure("… of the process that it starts", (most[1],), "MB")
            yield at_most("… of both together", [most[2]], "MB", 200)
            yield Figure("a write recorded meanwhile, p50", (quantile(busy or [0.0], 0.5),), "ms")
            slow, usual = quantile(busy or [0.0], 0.99), quantile(idle, 0.99)
            against = "the same while idle"
            yield at_most(
                "a write recorded meanwhile, p99", [slow], "ms", 2 * usual, against=against, ratio=slow / usual
            )


def _recorded_ms(rig: Rig, path: Path) -> float:
    """From the write to its record being durable and known: as anybody outside sees it."""
    with rig.client() as client:
        before = client.versions(os.fsencode(path), limit=1)[0].seq
        begun = time.perf_counter()
        with path.open("ab") as file:
            file.write(b"- one more line\n")
        while client.versions(os.fsencode(path), limit=1)[0].seq == before:
            pass
        return (time.perf_counter() - begun) * 1e3
