"""The one connection that writes the index. Fed with durable records in order; owned by the recorder thread.

Never consulted for what is durable and never fsynced while it runs: an index that was open when the machine went down
is emptied at the next start. Its owner compares `position()` with the journal and feeds what is missing; after a failed
batch too, for a later one applied first would leave a hole for good.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Sequence

from conductd.errors import StoreUnavailable
from conductd.index import schema
from conductd.index.apply import apply_record
from conductd.model import Stored

_OPENED = "open since boot"
_INSTANCE = "journal"


class IndexWriter:
    """See the module. One thread at a time; `path` is made with mode 0600 where it is missing.

    ``instance`` is the journal's UUID: an index of another journal is emptied, and so is one that knows of records
    after ``journal_end``, the last sequence there is (a journal put back from a backup). Raises `StoreUnavailable`
    when the file cannot be made or written (disk full, read-only); damage never raises, it empties.
    """

    def __init__(self, path: str | os.PathLike[str], instance: str = "", journal_end: int | None = None) -> None:
        self._path = os.fspath(path)
        self._instance = instance
        self._files: tuple[tuple[int, int] | None, ...] = ()
        self._closed = False
        self.vanished = 0  # records it knew of that the journal does not hold
        try:
            self._connection = self._open_any()
        except (OSError, sqlite3.Error) as error:
            raise _unavailable(error) from error
        if journal_end is not None and self.position() > journal_end:
            self.vanished = self.position() - journal_end
            self.reset()

    def position(self) -> int:
        """The last sequence applied; 0 when the index is empty and wants everything."""
        try:
            return self._applied()
        except sqlite3.Error as error:
            if not schema.is_damage(error):
                raise _unavailable(error) from error
            self._start_over()
            return 0

    def apply(self, batch: Sequence[Stored]) -> bool:
        """Take records into account, in one transaction; those at or before `position()` are passed over.

        False: the file turned out damaged, or was removed, and is a new, empty one; feed it again from the start.
        Raises `StoreUnavailable` with nothing of the batch applied: go on from `position()` when there is space.
        """
        if not self.is_there():
            self._start_over()
            return False
        try:
            self._apply(batch)
        except sqlite3.Error as error:
            if not schema.is_damage(error):
                raise _unavailable(error) from error
            self._start_over()
            return False
        return True

    def reset(self) -> None:
        """Empty the index; readers go on and see it fill again."""
        if not self.is_there():
            self._start_over()
            return
        try:
            schema.empty(self._connection)
        except sqlite3.Error as error:
            self._roll_back()
            if not schema.is_damage(error):
                raise _unavailable(error) from error
            self._start_over()

    def scrub(self) -> None:
        """`reset`, then leave nothing of what it held in its files: no free page, no log, no copy set aside."""
        self.reset()
        try:
            self._connection.execute("VACUUM")
            (busy, *_) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            raise _unavailable(error) from error
        if busy:
            raise StoreUnavailable("the index is being read: what it held is still in its log", "it is tried again")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path + ".damaged")

    def is_there(self) -> bool:
        """Whether the file that is written, and its log, still stand at their paths: SQLite does not notice."""
        return self._closed or self._files == self._identities()

    def close(self) -> None:
        """Make the file whole on disk, so that the next start need not feed it again."""
        self._closed = True
        with contextlib.suppress(sqlite3.Error):
            self._roll_back()
            self._connection.execute("PRAGMA synchronous = FULL")
            with self._connection:
                self._connection.execute("DELETE FROM meta WHERE key = ?", (_OPENED,))
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()

    # ------------------------------------------------------------------ one batch

    def _applied(self) -> int:
        row = self._connection.execute("SELECT value FROM counters WHERE name = 'position'").fetchone()
        return int(row[0])

    def _apply(self, batch: Sequence[Stored]) -> None:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            position = last = self._applied()
            for stored in batch:
                if stored.seq > last:
                    apply_record(connection, stored)
                    last = stored.seq
            if last != position:
                connection.execute("UPDATE counters SET value = ? WHERE name = 'position'", (last,))
            connection.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    # ------------------------------------------------------------------ opening

    def _open_any(self) -> sqlite3.Connection:
        try:
            return self._open()
        except sqlite3.Error as error:
            if not schema.is_damage(error):
                raise
            schema.move_aside(self._path)
            return self._open()

    def _open(self) -> sqlite3.Connection:
        schema.make_private(self._path)
        # Used by one thread at a time, not always by the one that made it.
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, timeout=5)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._files = self._identities()
        return connection

    def _identities(self) -> tuple[tuple[int, int] | None, ...]:
        return _identity(self._path), _identity(self._path + "-wal")

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA cache_size = -16384")
        if not schema.is_current(connection) or not self._is_trusted(connection):
            self.vanished = self._foreign(connection)
            schema.drop(connection)
            self._create(connection)
        # The mark must be on disk before anything that is not synced, or a power cut could take it away.
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_OPENED, schema.boot_id()))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA synchronous = OFF")

    def _foreign(self, connection: sqlite3.Connection) -> int:
        """How many records of another journal it holds."""
        try:
            meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
            row = connection.execute("SELECT value FROM counters WHERE name = 'position'").fetchone()
        except sqlite3.Error:
            return 0  # of another schema, or new
        return int(row[0]) if row and self._instance and meta.get(_INSTANCE, self._instance) != self._instance else 0

    def _create(self, connection: sqlite3.Connection) -> None:
        schema.create(connection)
        values = [(_INSTANCE, self._instance), (_OPENED, schema.boot_id())]
        connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values)

    def _is_trusted(self, connection: sqlite3.Connection) -> bool:
        """Of this journal, and closed well or left open by a process that died since the machine started."""
        meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        boot = meta.get(_OPENED)
        if meta.get(_INSTANCE) != self._instance or (boot is not None and (not boot or boot != schema.boot_id())):
            return False
        return bool(connection.execute("SELECT count(*) FROM counters").fetchone()[0])

    def _start_over(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()
        schema.move_aside(self._path)
        try:
            self._connection = self._open()
        except (OSError, sqlite3.Error) as error:
            raise _unavailable(error) from error


def _identity(path: str) -> tuple[int, int] | None:
    try:
        there = os.stat(path)
    except OSError:
        return None
    return there.st_dev, there.st_ino


def _unavailable(error: Exception) -> StoreUnavailable:
    return StoreUnavailable(
        f"the index cannot be written: {error}", "free space on its disk; recording goes on without it"
    )
