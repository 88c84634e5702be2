"""Which share of the states of one file that is rewritten every 2 ms, and every 1 ms, is in the journal."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path

from benchmarks import writer
from benchmarks.catcher import Catcher
from benchmarks.figures import Figure, number
from benchmarks.rig import Rig, reading
from benchmarks.session import Session
from conductd.model import VersionRecord

SIZE = 2_000


def run(session: Session) -> Iterator[Figure]:
    yield _captured(session, 2_000, 100.0)
    yield _captured(session, 1_000, 99.0)


def _captured(session: Session, interval_us: int, wanted: float) -> Figure:
    writes = session.choose(2_000, 200)
    states = {writer.digest(number, SIZE) for number in range(writes)}
    shares, peers, told = [], [], 0
    for _ in range(session.choose(5, 1)):
        with session.directory("capture") as directory:
            seen = _caught(directory / "peer", writes, interval_us)
            peers.append(100 * len(states & seen) / writes)
        with session.directory("capture") as directory:
            workspace = directory / "ws"
            (workspace / "memory").mkdir(parents=True)
            with Rig(directory, [workspace], tapped=True) as rig:
                rig.settle(0.3)
                writer.run(workspace / "memory", files=1, writes=writes, interval_us=interval_us, size=SIZE)
                rig.tap.wait(writer.digest(writes - 1, SIZE))
                rig.tap.wait_for_silence(0.3)
            with reading(rig.state_dir) as journal:
                versions = [one.record for one in journal.replay() if isinstance(one.record, VersionRecord)]
            shares.append(100 * len(states & {version.digest for version in versions}) / writes)
            told += sum(version.coalesced for version in versions)
    peer, share = statistics.median(peers), statistics.median(shares)
    return Figure(
        f"states recorded, rewrites {interval_us / 1000:g} ms apart",
        tuple(shares),
        "%",
        f"≥ {wanted:g} %" if wanted < 100 else "100 %",
        share >= wanted,
        f"bare reader {number(peer)} %",
        share / peer,
        f"{told} told as coalesced",
    )


def _caught(directory: Path, writes: int, interval_us: int) -> set[bytes]:
    directory.mkdir()
    with Catcher(directory / writer.name(0), writer.digest(writes - 1, SIZE)) as catcher:
        writer.run(directory, files=1, writes=writes, interval_us=interval_us, size=SIZE)
    return catcher.seen
