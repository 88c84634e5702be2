"""50,000 writes over 200 files, as fast as one process can."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import writer
from benchmarks.figures import Figure, at_most
from benchmarks.rig import Rig
from benchmarks.session import Session

FILES, SIZE = 200, 2_000


def run(session: Session) -> Iterator[Figure]:
    writes = session.choose(50_000, 2_000)
    times, peaks, missing, versions = [], [], 0, []
    for _ in range(session.choose(3, 1)):
        with session.directory("burst") as directory:
            workspace = directory / "ws"
            (workspace / "memory").mkdir(parents=True)
            with Rig(directory, [workspace], tapped=True) as rig:
                end_ns = writer.run(workspace / "memory", files=FILES, writes=writes, interval_us=0, size=SIZE)
                rig.tap.wait_for_silence(1.5)
                finals = {writer.digest(number, SIZE) for number in writer.last_states(FILES, writes)}
                last_ns, left = rig.tap.last_durable(finals)
                times.append(max(0.0, (last_ns - end_ns) / 1e9))
                missing += left
                peaks.append(rig.memory_mb("VmHWM"))
                with rig.client() as client:
                    versions.append(float(client.counters()["versions_total"]))
    yield at_most(f"{writes:,} writes over {FILES} files: final states durable after the last close", times, "s", 2.0)
    found = 100 * (1 - missing / (FILES * len(times)))
    yield Figure("… final states recorded", (found,), "%", "100 %", found == 100)
    yield at_most("… memory at its highest", peaks, "MB", 150)
    yield Figure("… versions recorded", tuple(versions), "")
