"""What works while no daemon runs: checking the journal and rebuilding its index, on the files themselves.

The journal is only read. The index is written under the state directory's lock, so that a daemon that
runs after all (on another socket) is named instead of disturbed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager

from conductd import __version__
from conductd.engine.health.verifying import verify as verify_journal
from conductd.errors import NotFound
from conductd.index.writer import IndexWriter
from conductd.journal.journal import Journal
from conductd.journal.lock import StateLock
from conductd.journal.storage import DirectoryStorage
from conductd.model import Stored, WorkspaceRecord
from conductd.ports import SystemClock
from conductd.views import ForgetCheckView, VerifyView

BATCH = 2_000


@contextmanager
def open_journal(state_dir: str) -> Iterator[Journal]:
    """The journal, to be read, beside a daemon as well. Raises NotFound, StoreUnavailable, StoreTooNew."""
    with _storage(state_dir) as storage, closing(_journal(storage)) as opened:
        yield opened


def verify(state_dir: str) -> Iterator[float | VerifyView]:
    """Progress (0..1), the result last. Raises NotFound, StoreUnavailable, StoreTooNew."""
    with _storage(state_dir) as storage, closing(_journal(storage)) as journal:
        yield from verify_journal(journal)


def check_forgotten(state_dir: str, text: str) -> Iterator[float | ForgetCheckView]:
    """Progress (0..1), the result last; workspaces are those the journal knows. Raises as `verify`."""
    from conductd.engine.forgetting.forget_check import check

    with _storage(state_dir) as storage, closing(_journal(storage)) as journal:
        roots = {s.record.workspace: s.record.root for s in journal.replay() if isinstance(s.record, WorkspaceRecord)}
        yield from check(journal, state_dir, text, sorted(roots.values()))


def rebuild_index(state_dir: str) -> Iterator[float | int]:
    """Progress (0..1), then the number of records. Raises AlreadyRunning when a daemon holds the directory."""
    with _storage(state_dir) as storage, closing(_journal(storage)) as journal:
        lock = StateLock.acquire(os.path.join(state_dir, "lock"))
        try:
            with closing(IndexWriter(os.path.join(state_dir, "index.sqlite3"), journal.uuid)) as index:
                index.reset()
                yield from _fill(index, journal)
        finally:
            lock.release()


def _fill(index: IndexWriter, journal: Journal) -> Iterator[float | int]:
    count = 0
    batch: list[Stored] = []
    for stored in journal.replay():
        batch.append(stored)
        if len(batch) == BATCH:
            index.apply(batch)
            count += len(batch)
            batch = []
            yield min(1.0, stored.seq / max(1, journal.last_seq))
    index.apply(batch)
    yield count + len(batch)


def _storage(state_dir: str) -> DirectoryStorage:
    path = os.path.join(state_dir, "journal")
    if not os.path.isdir(path):
        raise NotFound(f"there is no journal in {state_dir}", "check --state-dir and CONDUCTD_STATE_DIR")
    return DirectoryStorage(path)


def _journal(storage: DirectoryStorage) -> Journal:
    return Journal.open(storage, clock=SystemClock(), writer=f"conductd {__version__}", read_only=True)[0]
