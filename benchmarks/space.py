"""Bytes a version of the whole store, beside `git gc --aggressive` on the same states; and bringing versions back.

Two files of the kind agents keep. *Capped*: about 20 KB, each version adds a note at the end and drops the oldest.
*Growing*: from 2 KB, each version rewords a note and every twentieth adds one (36 KB after 10,000 versions).
"""

from __future__ import annotations

import hashlib
import random
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks import texts
from benchmarks.figures import Figure, number, quantile
from benchmarks.rig import reading
from benchmarks.session import Session
from conductd.core.case import Case, Text, Write
from conductd.core.judging.judge import judge
from conductd.core.policy import Policy
from conductd.engine.gathering.tables import Tables
from conductd.journal.journal import Draft, Journal
from conductd.journal.storage import DirectoryStorage
from conductd.model import UNKNOWN, Cause, ChangeRecord, FileStat, FileState, Mode, Role, VersionRecord
from conductd.ports import SystemClock

CAP, SEED = 20_000, 2_000
_PATH = b"memory/notes.md"
_JUDGED = 500  # versions whose real verdicts are stored to find out what a verdict takes
_MS_NS = 1_000_000


def run(session: Session) -> Iterator[Figure]:
    count = session.choose(10_000, 300)
    for name, states in (("capped", _capped), ("growing", _growing)):
        with session.directory("space") as directory:
            yield from _measure(session, directory, name, count, states)


def _measure(
    session: Session, directory: Path, name: str, count: int, states: Callable[[int], Iterator[bytes]]
) -> Iterator[Figure]:
    whole = _store(directory / "versions", states(count))
    used, on_disk, allocated = whole
    peer = _git(directory / "git", states(count)) / count
    ratio = on_disk / count / peer
    note = f"aim ≤ 250 B {'reached' if on_disk / count <= 250 else 'not reached'}"
    yield Figure(
        f"{name} file, {count:,} versions: the whole store, a version",
        (on_disk / count,),
        "B",
        "≤ ½ git",
        ratio <= 0.5,
        f"git gc --aggressive {number(peer)} B",
        ratio,
        note,
    )
    yield Figure("… without what is allocated ahead", (used / count,), "B", ratio=used / count / peer)
    yield Figure("… blocks of the file system", (allocated / count,), "B")
    yield Figure("… and a verdict for each version adds", (_verdicts(directory, states(_JUDGED)),), "B")
    slow, usual = [], []
    for round_ in range(session.choose(5, 2)):
        times = _restore(directory / "versions", random.Random(round_), session.choose(1_000, 100))
        slow.append(quantile(times, 0.99))
        usual.append(quantile(times, 0.5))
    median = sorted(slow)[len(slow) // 2]
    what = f"{name} file: any version back, p99"
    yield Figure(what, tuple(slow), "ms", "≤ 1 ms", median <= 1, note=f"p50 {number(quantile(usual, 0.5))} ms")


# ---------------------------------------------------------------------- the states


def _capped(count: int) -> Iterator[bytes]:
    rng = random.Random(7)
    lines = texts.memory(rng, CAP).decode().rstrip("\n").split("\n")
    for _ in range(count):
        lines.append(texts.item(rng))
        while sum(map(len, lines)) + len(lines) > CAP + 100:
            del lines[next(at for at, line in enumerate(lines) if line.startswith("- "))]
        yield ("\n".join(lines) + "\n").encode()


def _growing(count: int) -> Iterator[bytes]:
    rng = random.Random(8)
    data = texts.memory(rng, SEED)
    for at in range(count):
        data = texts.reworked(rng, data)
        if at % 20 == 0:
            data += texts.item(rng).encode() + b"\n"
        yield data


# ---------------------------------------------------------------------- the store


def _store(directory: Path, states: Iterator[bytes]) -> tuple[int, int, int]:
    """Each version appended by itself. Bytes: (used, size of all files, blocks of all files)."""
    workspace, clock = uuid.uuid4().hex, SystemClock()
    with _opened(directory) as storage:
        journal, _ = Journal.open(storage, clock=clock, writer="benchmarks")
        for body in states:
            journal.append([_version(workspace, body)])
        files = [each.stat() for each in (directory / "journal").iterdir()]
        size, blocks = sum(each.st_size for each in files), sum(each.st_blocks * 512 for each in files)
        journal.close()
    return size - _ahead(directory / "journal"), size, blocks


def _opened(directory: Path) -> DirectoryStorage:
    directory.mkdir()
    return DirectoryStorage(directory / "journal", exclusive=True)


def _ahead(journal: Path) -> int:
    """Zeros at the end of the files: what is allocated and not used."""
    return sum(len(data) - len(data.rstrip(b"\0")) for data in (each.read_bytes() for each in journal.iterdir()))


def _version(workspace: str, body: bytes) -> Draft:
    now_ns = time.time_ns()
    # Time stamps and inode as a file that is saved in place has them a moment before it is recorded.
    stat = FileStat(64769, 524_312, 0o100644, 1000, 1000, 1, len(body), now_ns - _MS_NS, now_ns - _MS_NS)
    digest = hashlib.sha256(body).digest()
    record = VersionRecord(workspace, 1, _PATH, FileState.FILE, Cause.CHANGE, digest=digest, size=len(body), stat=stat)
    return Draft(record, body)


def _verdicts(directory: Path, states: Iterator[bytes]) -> float:
    """What a version takes more when the judge's real verdict on it is stored, too."""
    bodies = list(states)
    plain, _, _ = _store(directory / "plain", iter(bodies))
    workspace, policy, tables = uuid.uuid4().hex, Policy(), Tables(b"key")
    with _opened(directory / "judged") as storage:
        journal, _ = Journal.open(storage, clock=SystemClock(), writer="benchmarks")
        before: Text | None = None
        for body in bodies:
            stored = journal.append([_version(workspace, body)])[0]
            digest = hashlib.sha256(body).digest()
            write = Write(stored.seq, FileState.FILE, stored.wall_ns, UNKNOWN, body, digest, len(body))
            case = Case(_PATH, Role.TOPIC, Mode.PROTECT, stored.wall_ns, b"key", (write,), before)
            verdict = judge(case, policy, tables)
            base = before.seq if before is not None else None
            journal.append([Draft(ChangeRecord(workspace, 1, _PATH, stored.seq, verdict, base))])
            before = Text(stored.seq, digest, body, stored.wall_ns, UNKNOWN)
        journal.close()
    names = (directory / "judged" / "journal").iterdir()
    used = sum(len(each.read_bytes().rstrip(b"\0")) for each in names)
    return (used - plain) / len(bodies)


def _restore(directory: Path, rng: random.Random, count: int) -> list[float]:
    """Milliseconds of each, in any order, from a journal that was just opened."""
    times = []
    with reading(directory) as journal:
        journal.body(journal.last_seq)
        for seq in rng.sample(range(1, journal.last_seq + 1), count):
            begun = time.perf_counter()
            journal.body(seq)
            times.append((time.perf_counter() - begun) * 1e3)
    return times


# ---------------------------------------------------------------------- the peer


def _git(directory: Path, states: Iterator[bytes]) -> int:
    """Bytes of the object store of a repository with one commit a version, packed as tightly as git does."""
    _run(directory.parent, "init", "--quiet", "--bare", directory.name)
    with subprocess.Popen(
        ["git", "fast-import", "--quiet"], cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        for at, body in enumerate(states):
            head = b"commit refs/heads/main\ncommitter a <a@example.org> %d +0000\ndata 1\nx" % (
                1_700_000_000 + at * 60
            )
            process.stdin.write(head + b"M 100644 inline notes.md\ndata %d\n%b\n" % (len(body), body))
    assert process.returncode == 0
    _run(directory, "gc", "--aggressive", "--prune=now", "--quiet")
    return sum(each.stat().st_size for each in (directory / "objects").rglob("*") if each.is_file())


def _run(directory: Path, *command: str) -> Sequence[str]:
    subprocess.run(["git", *command], cwd=directory, check=True, capture_output=True)
    return command
