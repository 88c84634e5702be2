"""What a daemon costs that has nothing to do, with 10,000 directories to watch."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import Figure, at_most
from benchmarks.rig import Rig
from benchmarks.session import Session


def run(session: Session) -> Iterator[Figure]:
    count = session.choose(10_000, 500)
    seconds = session.choose(125.0, 4.0)  # two of the regular rescans are in it
    with session.directory("idle") as directory:
        fill(directory / "ws" / "memory", count, apart=True)
        with Rig(directory, [directory / "ws"]) as rig:
            rig.settle()
            time.sleep(session.choose(10.0, 0.0))
            before = rig.cpu_s()
            time.sleep(seconds)
            share = 100 * (rig.cpu_s() - before) / seconds
            resident = rig.memory_mb()
    yield at_most(f"idle, {count:,} directories and files: processor, over {seconds:g} s", [share], "% of a core", 0.2)
    yield at_most("… resident memory", [resident], "MB", 80)


def fill(memory: Path, count: int, *, apart: bool) -> None:
    """So many notes below ``memory``, each in a directory of its own where they lie ``apart``."""
    for at in range(count):
        topic = memory / f"topic-{at // 100:03}"
        part = topic / f"part-{at % 100:02}" if apart else topic
        part.mkdir(parents=True, exist_ok=True)
        (part / ("note.md" if apart else f"note-{at % 100:02}.md")).write_bytes(b"# Note\n\n- number %d\n" % at)
