"""The tables of the index and how an index file is made, checked and given up.

The index is a cache of the journal: one that is damaged, of another schema, of another journal or that was
open when the machine went down is not repaired but emptied, and fed again. Called by `writer` only.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3

from sqlite_utils import Database
from sqlite_utils.db import Table

from conductd import macos

# Raise it with any change of the tables: an index of another number is emptied and fed again, which is
# the whole migration of a cache.
SCHEMA = 1

_COUNTERS = ("position", "versions", "coalesced", "false_positives")
_TABLES = ("workspaces", "files", "versions", "changes", "incidents", "incident_files", "plans", "events")

# The primary result codes that say nothing about the file.
_NOT_THE_FILE = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
    }
)


def create(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty database and mark it with the schema number."""
    database = Database(connection)
    with connection:
        _table(database, "meta").create({"key": str, "value": str}, pk="key", strict=True)
        _table(database, "counters").create({"name": str, "value": int}, pk="name", strict=True)
        connection.executemany("INSERT INTO counters VALUES (?, 0)", [(each,) for each in _COUNTERS])
        _table(database, "workspaces").create(
            {"id": int, "uuid": str, "root": bytes, "mode": str, "profile": str},
            pk="id",
            not_null={"uuid", "root", "mode", "profile"},
            strict=True,
        ).create_index(["uuid"], unique=True)
        files = _table(database, "files").create(
            {
                "file": int,
                "ws": int,
                "path": bytes,
                "name": bytes,  # the last part of the path
                "state": str,
                "size": int,
                "digest": bytes,
                "versions": int,
                "last_seq": int,
                "last_ns": int,
            },
            pk="file",
            strict=True,
        )
        files.create_index(["ws", "path"])
        files.create_index(["name"])
        versions = _table(database, "versions").create(
            {
                "seq": int,
                "file": int,
                "ws": int,
                "at_ns": int,
                "mono_ns": int,
                "state": str,
                "cause": str,
                "digest": bytes,
                "size": int,
                "actor": str,
                "confidence": float,
                "evidence": str,  # lines; NULL when none
                "extra": bytes,  # msgpack of what few versions have; NULL when none
                "erased": int,
                # of the verdict, once judged:
                "change": int,
                "event_class": str,
                "severity": str,
                "action": str,
                "lost": int,
                "added": int,
                "lost_share": float,
                "incident": int,
                "outcome": str,
            },
            pk="seq",
            strict=True,
        )
        # Each index ends with the row id, which is the sequence: newest first costs no sort.
        versions.create_index(["file"])
        versions.create_index(["ws"])
        versions.create_index(["file", "at_ns"])
        versions.create_index(["digest", "file"])
        changes = _table(database, "changes").create(
            {"seq": int, "file": int, "version_seq": int, "action": str, "incident": int}, pk="seq", strict=True
        )
        changes.create_index(["file"])
        changes.create_index(["incident"])
        _table(database, "incidents").create(
            {"incident": int, "ws": int, "state": str, "opened_ns": int, "last_seq": int, "record": bytes},
            pk="incident",
            strict=True,
        ).create_index(["state"])
        _table(database, "incident_files").create(
            {"incident": int, "file": int}, pk=("incident", "file"), strict=True
        ).create_index(["file"])
        plans = _table(database, "plans").create(
            {
                "plan": int,
                "file": int,
                "purpose": str,
                "undoes": int,
                "outcome": str,
                "judged_seq": int,  # the version it answers
                "done": bytes,  # the repair_done record
                "record": bytes,
            },
            pk="plan",
            strict=True,
        )
        plans.create_index(["undoes"])
        plans.create_index(["outcome", "plan"])
        events = _table(database, "events").create(
            {
                "seq": int,
                "at_ns": int,
                "mono_ns": int,
                "kind": str,
                "ws": int,
                "file": int,
                "incident": int,
                "about": int,  # change: version; repair_done: plan
                "record": bytes,
            },
            pk="seq",
            strict=True,
        )
        events.create_index(["incident"])
        connection.execute(f"PRAGMA user_version = {SCHEMA}")


def drop(connection: sqlite3.Connection) -> None:
    """Remove every table of whatever schema; only before anybody reads."""
    with connection:
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
        for (name,) in names:
            quoted = str(name).replace('"', '""')
            connection.execute(f'DROP TABLE "{quoted}"')
        connection.execute("PRAGMA user_version = 0")


def empty(connection: sqlite3.Connection) -> None:
    """Remove every row in one transaction: readers see all of it or nothing. What is in `meta` stays."""
    connection.execute("BEGIN IMMEDIATE")
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
    connection.execute("UPDATE counters SET value = 0")
    connection.execute("COMMIT")


def is_current(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA)


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is at fault, and not its place (full, read-only, locked, out of reach) or its user.

    An input/output error counts: it is what a file that was cut short gives.
    """
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF not in _NOT_THE_FILE


def make_private(path: str) -> None:
    """An empty file of mode 0600 where there is none; SQLite gives its side files the same mode."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def move_aside(path: str) -> None:
    """Give up a damaged index: keep one copy beside it for whoever wants to look, drop its side files."""
    with contextlib.suppress(FileNotFoundError):
        os.replace(path, path + ".damaged")
    for suffix in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + suffix)


def boot_id() -> str:
    """What changes when the machine starts anew; "" where it cannot be told."""
    if macos.IS_MACOS:
        return macos.boot_session()
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def _table(database: Database, name: str) -> Table:
    table = database[name]
    assert isinstance(table, Table)
    return table
