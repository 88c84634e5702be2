"""What an hour of nothing costs (`--minutes`): processor, memory, wake-ups; 200 files, 10,000 directories."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack

from benchmarks.figures import Figure, at_most, number
from benchmarks.idle import fill
from benchmarks.rig import Rig
from benchmarks.session import Session

FILES, DIRECTORIES = 200, 10_000


def run(session: Session) -> Iterator[Figure]:
    """Both daemons stand idle in the same window: neither has anything to do, so neither is in the other's way."""
    minutes = session.choose(session.minutes, 0.05)
    with session.directory("idle-hour") as directory, ExitStack() as stack:
        rigs = []
        for name, count, apart in (
            (" files", session.choose(FILES, 20), False),
            (" directories and files", session.choose(DIRECTORIES, 50), True),
        ):
            place = directory / str(count)
            fill(place / "ws" / "memory", count, apart=apart)
            rig = stack.enter_context(Rig(place, [place / "ws"]))
            rig.settle()
            rigs.append((f"{count:,}{name}", rig))
        time.sleep(session.choose(10.0, 0.0))
        begun = time.monotonic()
        before = [(rig.cpu_s(), rig.wake_ups()) for _, rig in rigs]
        time.sleep(60 * minutes)
        for (name, rig), (cpu_s, woken) in zip(rigs, before, strict=True):
            seconds = time.monotonic() - begun
            yield from _figures(name, rig, seconds, rig.cpu_s() - cpu_s, _more(woken, rig.wake_ups()))


def _figures(name: str, rig: Rig, seconds: float, cpu_s: float, woken: dict[int, int]) -> Iterator[Figure]:
    """``woken``: wake-ups of each thread within ``seconds``."""
    window = f"{seconds / 60:.3g} min idle"
    share = 100 * cpu_s / seconds
    yield Figure(f"{name}, {window}: processor", (cpu_s,), "s", note=f"{number(share)} % of a core")
    yield at_most("… resident memory", [rig.memory_mb()], "MB", 80)
    yield Figure("… its share of memory (PSS)", (rig.memory_mb("Pss", "smaps_rollup"),), "MB")
    rates = sorted((count / seconds for count in woken.values()), reverse=True)
    each = ", ".join(number(rate) for rate in rates)
    yield Figure(f"… wake-ups of {len(rates)} threads", (sum(rates),), "a second", note=f"each: {each}")


def _more(before: dict[int, int], after: dict[int, int]) -> dict[int, int]:
    """Of every thread that is there at the end; one that came meanwhile has them all from the window."""
    return {thread: count - before.get(thread, 0) for thread, count in after.items()}
