"""A copy of the whole journal that is known to be good: for tools that carry it elsewhere."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import closing

from conductd import __version__
from conductd.errors import StoreDamaged
from conductd.journal.journal import Journal
from conductd.journal.storage import DirectoryStorage
from conductd.model import Frozen
from conductd.ports import SystemClock

TRIES = 3
_SUFFIX = ".seg"


class Snapshot(Frozen, frozen=True):
    """``last_seq``: the newest record in it. ``versions`` that can be restored from it."""

    directory: str
    segments: int
    records: int
    versions: int
    last_seq: int
    bytes: int


def take(state_dir: str, directory: str, at_least: int) -> Iterator[float | Snapshot]:
    """Copy the journal of ``state_dir`` into ``directory`` (empty), then read every frame of the copy. Progress, the
    result last. ``at_least``: the newest record that must be in it. Raises StoreDamaged.

    A daemon may go on writing: the copy ends where it was then. When it erases something meanwhile, it is done again.
    """
    source, target = os.path.join(state_dir, "journal"), os.path.join(directory, "journal")
    why = ""
    for _ in range(TRIES):
        shutil.rmtree(target, ignore_errors=True)
        os.mkdir(target, 0o700)
        try:
            yield from _copied(source, target)
        except FileNotFoundError:  # a segment was published anew in that moment
            continue
        with closing(_opened(target)) as copy:
            report = copy.verify()
            if report.ok and copy.last_seq >= at_least:
                _synced(target)
                for above in (directory, os.path.dirname(directory)):
                    _sync(above)  # or a crash leaves a snapshot that nothing leads to
                yield Snapshot(directory, report.segments, report.records, report.restorable, copy.last_seq, copy.bytes)
                return
            why = report.damage[0].what if report.damage else "the newest records are missing"
    raise StoreDamaged(f"the copy is not good: {why}", "conductd verify")


def _copied(source: str, target: str) -> Iterator[float]:
    names = sorted(name for name in os.listdir(source) if name.endswith(_SUFFIX))
    for number, name in enumerate(names):
        shutil.copyfile(os.path.join(source, name), os.path.join(target, name), follow_symlinks=False)
        os.chmod(os.path.join(target, name), 0o600)
        yield min(0.9, 0.9 * (number + 1) / len(names))


def _opened(target: str) -> Journal:
    return Journal.open(
        DirectoryStorage(target), clock=SystemClock(), writer=f"conductd {__version__}", read_only=True
    )[0]


def _synced(target: str) -> None:
    for name in (*sorted(os.listdir(target)), "."):
        _sync(os.path.join(target, name))


def _sync(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
