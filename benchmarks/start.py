"""From the start of the process to the first answer: with many files, and with a long history."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.figures import Figure, at_most
from benchmarks.past import past
from benchmarks.rig import Rig
from benchmarks.session import Session


def run(session: Session) -> Iterator[Figure]:
    count = session.choose(10_000, 300)
    with session.directory("start") as directory:
        memory = directory / "ws" / "memory"
        for at in range(count):
            part = memory / f"topic-{at // 100:03}"
            part.mkdir(parents=True, exist_ok=True)
            (part / f"note-{at % 100:02}.md").write_bytes(b"# Note\n\n- number %d\n" % at)
        rig = Rig(directory, [directory / "ws"])
        first = _start(rig)
        # A file read within 2 s of its last change is read again at the next scan.
        again = [_start(rig) for _ in range(session.choose(5, 2))]
    yield at_most(f"start with {count:,} unchanged files → answers", again, "s", 3)
    yield Figure("… the very first time, all of them recorded", (first,), "s")
    long = past(session)
    rig = Rig(long.directory, [long.workspace])
    times = [_start(rig) for _ in range(session.choose(5, 2))]
    yield at_most(f"start with {long.count:,} versions in the journal → answers", times, "s", 5)


def _start(rig: Rig) -> float:
    try:
        taken = rig.start()
        rig.settle()
        return taken
    finally:
        rig.stop()
