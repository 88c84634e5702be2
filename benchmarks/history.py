"""Questions to a daemon with a million versions: a page of the log, an old version's bytes, a difference."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator

from benchmarks.figures import Figure, at_most, quantile
from benchmarks.past import past
from benchmarks.rig import Rig
from benchmarks.session import Session


def run(session: Session) -> Iterator[Figure]:
    long = past(session)
    yield Figure(f"a history of {long.count:,} versions, {long.records:,} records made", (long.built_s,), "s")
    rng = random.Random(6)
    with Rig(long.directory, [long.workspace]) as rig, rig.client() as client:
        rig.settle()

        def log() -> None:
            file = rng.randrange(len(long.paths))
            client.versions(os.fsencode(long.paths[file]), limit=50, before=rng.choice(long.versions[file]))

        def log_of_all() -> None:
            client.versions(limit=50, before=rng.randrange(long.records))

        def show() -> None:
            file = rng.randrange(len(long.paths))
            client.content(os.fsencode(long.paths[file]), str(rng.choice(long.versions[file])))

        def diff() -> None:
            file = rng.randrange(len(long.paths))
            at = rng.randrange(1, len(long.versions[file]))
            old, new = long.versions[file][at - 1], long.versions[file][at]
            client.diff(os.fsencode(long.paths[file]), str(old), str(new))

        asked: tuple[tuple[str, Callable[[], None]], ...] = (
            ("log FILE, 50 versions", log),
            ("log of all, 50 versions", log_of_all),
            ("show FILE@VERSION", show),
            ("diff FILE VERSION VERSION", diff),
        )
        for what, ask in asked:
            ask()
            rounds = [_times(ask, session.choose(300, 30)) for _ in range(session.choose(3, 1))]
            slow = [quantile(times, 0.99) for times in rounds]
            yield at_most(f"{what} over {long.count:,} versions, at the socket, p99", slow, "ms", 10)
            yield Figure("… p50", tuple(quantile(times, 0.5) for times in rounds), "ms")


def _times(ask: Callable[[], None], count: int) -> list[float]:
    """Milliseconds of each, over one kept connection: the client's own work is in it."""
    times = []
    for _ in range(count):
        begun = time.perf_counter()
        ask()
        times.append((time.perf_counter() - begun) * 1e3)
    return times
