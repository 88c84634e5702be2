"""A small database on disk that goes on in memory while the disk takes nothing, and goes back as soon as it does.

Knows tables and rows, not what they mean. What changed in memory is lost with the daemon, and with nothing else.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
Rows = Mapping[str, Sequence[tuple[Any, ...]]]  # by table

MEMORY = ":memory:"
PATIENCE_S = 1.0  # for somebody else who holds the file


class Database:
    """Thread-safe: one connection, one lock. ``tables``: all of the schema. ``trouble`` is told why the disk takes
    nothing, "" when it does again; None: each such error is the caller's. ``merge(memory, rows)``: what is on the
    disk is taken in, where it was begun in memory without having been read."""

    def __init__(
        self,
        path: str,
        schema: str,
        tables: Sequence[str],
        trouble: Callable[[str], None] | None,
        merge: Callable[[sqlite3.Connection, Rows], None],
    ) -> None:
        """Raises OSError, sqlite3.OperationalError where there is nobody to tell of trouble."""
        self._path, self._schema, self._tables, self._trouble, self._merge = path, schema, tables, trouble, merge
        self._lock = threading.Lock()
        self._is_on_disk = self._is_whole = True
        try:
            self._sql = _opened(path, schema)
        except (OSError, sqlite3.Error) as error:
            if trouble is None:
                raise
            self._sql = _opened(MEMORY, schema)
            self._is_on_disk = self._is_whole = False
            trouble(str(error))

    def run(self, do: Callable[[sqlite3.Connection], T]) -> T:
        """`do` as one transaction; once more, in memory, where the disk does not take it. It may be called twice."""
        with self._lock:
            try:
                with self._sql:
                    return do(self._sql)
            except sqlite3.DatabaseError as error:
                if self._trouble is None or not self._is_on_disk or not _is_of_the_disk(error):
                    raise
                self._leave()
                self._trouble(str(error))
            with self._sql:
                return do(self._sql)

    def back_to_disk(self) -> None:
        """Nothing happens where it is there, or where the disk still takes nothing."""
        with self._lock:
            if self._is_on_disk or self._trouble is None:
                return
            try:
                disk = _opened(self._path, self._schema)
            except (OSError, sqlite3.Error):
                return
            try:
                if not self._is_whole:
                    with self._sql:
                        self._merge(self._sql, self._rows(disk))
                    self._is_whole = True
                with disk:
                    self._fill(disk, self._rows(self._sql))
            except sqlite3.Error as error:
                disk.close()
                if type(error) is sqlite3.DatabaseError:  # it is no database any more: the next look makes a new one
                    _remove(self._path)
                return
            self._sql.close()
            self._sql, self._is_on_disk = disk, True
            self._trouble("")

    def close(self) -> None:
        with self._lock:
            self._sql.close()

    def _leave(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._sql.rollback()  # also of a commit that failed
        rows = self._rows(self._sql)
        with contextlib.suppress(sqlite3.Error):
            self._sql.close()
        self._sql, self._is_on_disk = _opened(MEMORY, self._schema), False
        with self._sql:
            self._fill(self._sql, rows)

    def _rows(self, sql: sqlite3.Connection) -> Rows:
        """As much as can be read."""
        found: dict[str, list[tuple[Any, ...]]] = {table: [] for table in self._tables}
        for table, rows in found.items():
            with contextlib.suppress(sqlite3.Error):
                rows.extend(sql.execute(f"select * from {table}"))  # noqa: S608 - a name of our own
        return found

    def _fill(self, sql: sqlite3.Connection, rows: Rows) -> None:
        for table in self._tables:
            sql.execute(f"delete from {table}")  # noqa: S608 - a name of our own
        put(sql, rows)


def put(sql: sqlite3.Connection, rows: Rows) -> None:
    """Rows beside those that are there; of two with the same key the one that is there stays."""
    for table, each in rows.items():
        if each:
            places = ", ".join("?" * len(each[0]))
            sql.executemany(f"insert or ignore into {table} values ({places})", each)  # noqa: S608 - a name of our own


def _is_of_the_disk(error: sqlite3.DatabaseError) -> bool:
    """A disk that is full, read-only or fails; a file that somebody holds, or that is no database any more."""
    return type(error) in (sqlite3.OperationalError, sqlite3.DatabaseError)


def _opened(path: str, schema: str) -> sqlite3.Connection:
    """What is no database at all, or a malformed one, is begun anew."""
    try:
        return _connected(path, schema)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        _remove(path)
        return _connected(path, schema)


def _connected(path: str, schema: str) -> sqlite3.Connection:
    if path != MEMORY:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    sql = sqlite3.connect(path, timeout=PATIENCE_S, check_same_thread=False)
    try:
        sql.execute("pragma journal_mode = wal")
        sql.execute("pragma synchronous = normal")
        sql.executescript(schema)
    except sqlite3.DatabaseError:
        sql.close()
        raise
    return sql


def _remove(path: str) -> None:
    for each in (path, f"{path}-wal", f"{path}-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(each)
