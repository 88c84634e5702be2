"""How long one change is judged, and what recording is like meanwhile.

The change loses a fifth of the file, so that the verdict needs the search for the lost entries in the whole
workspace, and is written at once. Most notes of a workspace are old: of those only the ones that hold a lost entry word
for word are looked at. Where all are fresh, each may hold what is lost in other words: the most that can be searched.
From the journal's own times: version → verdict, less the quiet window; one data sync is in it.
"""

from __future__ import annotations

import hashlib
import random
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import texts
from benchmarks.figures import Figure, at_most, number, quantile
from benchmarks.floor import write
from benchmarks.repair import QUIET_MS
from benchmarks.rig import Rig, reading
from benchmarks.session import Session
from benchmarks.tap import Tap
from conductd.model import Action, ChangeRecord, VersionRecord

SMALL, LARGE, PROBE = 20_000, 2_000_000, 10_000
_QUIET_S = QUIET_MS / 1000


def run(session: Session) -> Iterator[Figure]:
    yield from _small(session, "old", "[search]\nrecent_ms = 1000\n")
    yield from _small(session, "fresh", "")
    yield from _large(session)


def _small(session: Session, age: str, config: str) -> Iterator[Figure]:
    """``config`` says how young a file must be to be searched: a file's change time cannot be set to last month."""
    rng, files = random.Random(3), session.choose(500, 50)
    with session.directory("judging") as directory:
        memory = directory / "ws" / "memory"
        memory.mkdir(parents=True)
        for at in range(files):
            (memory / f"note-{at:03}.md").write_bytes(texts.memory(rng, 4_000))
        path = memory / "small.md"
        path.write_bytes(texts.memory(rng, SMALL))
        with Rig(directory, [directory / "ws"], config=config) as rig:
            rig.settle(2.0)
            for _ in range(session.choose(40, 3)):
                _lose(rng, rig, path, SMALL)
        times = [ms for _, _, ms in _judged(rig.state_dir, path)]
    what = f"judge a change of a 20 KB file, {files} {age} files of 4 KB beside it"
    # The first finds everything cold: once a start.
    yield at_most(f"{what}, p99", _thirds(times[1:]), "ms", 20)
    yield Figure("… p50", (quantile(times[1:], 0.5),), "ms")
    yield Figure("… the first after a start", (times[0],), "ms")


def _large(session: Session) -> Iterator[Figure]:
    rng = random.Random(3)
    with session.directory("judging") as directory:
        memory = directory / "ws" / "memory"
        memory.mkdir(parents=True)
        large, probe = memory / "large.md", directory / "ws" / "MEMORY.md"
        large.write_bytes(texts.memory(rng, session.choose(LARGE, 200_000)))
        with Rig(directory, [directory / "ws"], tapped=True) as rig:
            rig.settle()
            for _ in range(session.choose(3, 1)):
                _lose(rng, rig, large, large.stat().st_size)
            alone = [ms / 1000 for _, _, ms in _judged(rig.state_dir, large)]
            idle = _probe(rng, rig.tap, probe, session.choose(15.0, 2.0))
            stop = threading.Event()
            losses = threading.Thread(target=_lose_on, args=(rng, rig, large, session.choose(4, 1), stop))
            losses.start()
            busy = _probe(rng, rig.tap, probe, 600.0, stop)
            losses.join()
        spans = _judged(rig.state_dir, large)
    yield at_most("judge a change of a 2 MB file", alone, "s", 2)
    yield _meanwhile(idle, busy, [(start, end) for start, end, _ in spans])


def _thirds(values: list[float]) -> list[float]:
    """p99 of each of three rounds."""
    size = max(1, len(values) // 3)
    return [quantile(values[at : at + size], 0.99) for at in range(0, size * 3, size) if values[at : at + size]]


def _meanwhile(idle: list[tuple[int, float]], busy: list[tuple[int, float]], spans: list[tuple[int, int]]) -> Figure:
    during = [ms for at_ns, ms in busy if any(start <= at_ns <= end for start, end in spans)]
    peer = quantile([ms for _, ms in idle], 0.99)
    what = f"recording while 2 MB are judged, p99 of {len(during)} writes"
    if not during:
        return Figure(what, (float("nan"),), "ms", "≤ 2× idle", False, note="no write fell into a judgement")
    p99 = quantile(during, 0.99)
    note = f"p50 {number(statistics.median(during))} ms, idle {number(statistics.median(ms for _, ms in idle))} ms"
    return Figure(what, (p99,), "ms", "≤ 2× idle", p99 <= 2 * peer, f"idle {number(peer)} ms", p99 / peer, note)


def _lose(rng: random.Random, rig: Rig, path: Path, size: int) -> None:
    """Let it grow by new items, then lose a fifth of the items; each is judged."""
    whole = texts.grown(rng, path.read_bytes(), size)
    write(path, whole)
    _wait_for_verdict(rig, path)
    # A new item beside the loss: else it is a cut, which waits for its paste.
    write(path, texts.reworked(rng, whole, changed=max(2, len(texts.items_of(whole)) // 6), dropped=0.2))
    _wait_for_verdict(rig, path)


def _wait_for_verdict(rig: Rig, path: Path) -> None:
    time.sleep(_QUIET_S + 0.15)  # a verdict that is only recorded is written 100 ms later
    with rig.client() as client:
        while any(each.what == "judgement" and each.path.endswith(path.name) for each in client.pending()):
            time.sleep(0.05)


def _lose_on(rng: random.Random, rig: Rig, path: Path, times: int, stop: threading.Event) -> None:
    for _ in range(times):
        _lose(random.Random(rng.random()), rig, path, path.stat().st_size)
    stop.set()


def _probe(
    rng: random.Random, tap: Tap, path: Path, seconds: float, stop: threading.Event | None = None
) -> list[tuple[int, float]]:
    """Write every 20 ms: (when, milliseconds to durable)."""
    data = texts.memory(random.Random(4), PROBE)
    written, until, since = [], time.monotonic() + seconds, len(tap.syncs)
    while time.monotonic() < until and not (stop and stop.is_set()):
        data = texts.reworked(random.Random(rng.random()), data)
        written.append((write(path, data), hashlib.sha256(data).digest()))
        time.sleep(0.02)
    tap.wait_for_silence(0.5)
    durable = ((at_ns, tap.durable(digest, since)) for at_ns, digest in written)
    return [(at_ns, (found_ns - at_ns) / 1e6) for at_ns, found_ns in durable if found_ns is not None]


def _judged(state_dir: Path, path: Path) -> list[tuple[int, int, float]]:
    """(monotonic start, end, milliseconds) of every verdict of a loss."""
    recorded: dict[int, int] = {}
    found = []
    with reading(state_dir) as journal:
        for stored in journal.replay():
            record = stored.record
            if isinstance(record, VersionRecord):
                recorded[stored.seq] = stored.mono_ns
            elif isinstance(record, ChangeRecord) and record.path.endswith(path.name.encode()):
                if record.verdict.action is Action.RECORD:
                    continue
                start = recorded[record.version_seq] + QUIET_MS * 1_000_000
                found.append((start, stored.mono_ns, (stored.mono_ns - start) / 1e6))
    return found
