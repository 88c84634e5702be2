"""Lost events: a reader stopped until the kernel's queue overflows, in a tree of 10,000 directories."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figures import Figure, at_most
from benchmarks.floor import write
from benchmarks.rig import Rig
from benchmarks.session import Session

DEGRADED = "watcher_degraded"  # told once a start, whatever the number of overflows


def run(session: Session) -> Iterator[Figure]:
    count, changed = session.choose((10_000, 200), (300, 50))
    times, named, missing = [], [], 0
    with session.directory("overflow") as directory:
        paths = _tree(directory / "ws", count)
        with Rig(directory, [directory / "ws"], tapped=True) as rig:
            rig.settle()
            with rig.client() as client:
                begun = client.status().last_seq
            for round_ in range(session.choose(5, 1)):
                rig.settle()
                rig.freeze()
                _overflow(directory / "ws" / "memory")
                digests = []
                for at in range(changed):
                    path = paths[at * (count // changed)]
                    # An addition: a loss would be searched for in all of the workspace.
                    data = path.read_bytes() + b"- added in round %d, number %d, unseen\n" % (round_, at)
                    write(path, data)
                    digests.append(hashlib.sha256(data).digest())
                thawed_ns = time.monotonic_ns()
                rig.thaw()
                rig.tap.wait(digests[-1])
                rig.tap.wait_for_silence(1.0)
                last_ns, left = rig.tap.last_durable(digests)
                missing += left
                times.append((last_ns - thawed_ns) / 1e9)
                with rig.client() as client:
                    events = {event.kind for event in client.log(begun, limit=10_000) if event.event_class == DEGRADED}
                named.append({"event", "notice"} <= events)
    what = f"{changed} files changed unseen among {count:,} directories: all durable after the reader runs again"
    yield at_most(what, times, "s", 1.0)
    found = 100 * (1 - missing / (changed * len(times)))
    yield Figure("… changed files found", (found,), "%", "100 %", found == 100)
    share = 100 * sum(named) / len(named)
    yield Figure("… loss named, by an event and a notice", (share,), "%", "100 %", share == 100)


def _tree(root: Path, count: int) -> list[Path]:
    paths = []
    for at in range(count):
        directory = root / "memory" / f"topic-{at // 100:03}" / f"part-{at % 100:02}"
        directory.mkdir(parents=True)
        paths.append(directory / "note.md")
        paths[-1].write_bytes(b"# Note\n\n- number %d, as it was at first\n" % at)
    return paths


def _overflow(directory: Path) -> None:
    """More events than the queue holds, of files that nobody protects; equal neighbours would be merged."""
    queue = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for at in range(queue // 2 + 500):
        write(directory / f"noise-{at % 2}.tmp", b"x")
