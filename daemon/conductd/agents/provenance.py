"""OpenClaw's own record of who wrote a memory file (2026.8.1 and later). Only read, never locked, nothing left behind.

Each structured write stores the SHA-256 of the content and an origin class in `<state>/state/openclaw.sqlite`, table
`plugin_state_entries`, plugin `core:memory-artifact-provenance`, namespace `workspace-files`. The names of the columns
and the shape of the values are not documented: both are discovered.
"""

from __future__ import annotations

import json
import os
import sqlite3
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from conductd.core.case import Provenance

PLUGIN = "core:memory-artifact-provenance"
NAMESPACE = "workspace-files"

# What is said when a record may exist but cannot be read: a digest that no bytes have, so that the rule for a
# record that does not fit holds. Silence would allow a write that makes the file vanish from the prompt for good.
UNREADABLE = Provenance("unreadable", b"")

_ROWS = 50_000
_VALUE_BYTES = 64 * 1024
# About a second of SQLite's work.
_STEPS, _STEPS_AT_ONCE = 2_000, 10_000


def lookup(state_dir: bytes, root: bytes, path: bytes) -> Provenance | None:
    """The record for a file (`path` relative to the workspace `root`); None when OpenClaw keeps none.

    Never raises. A database that is there but cannot be read gives `UNREADABLE`. May take up to about a second.
    """
    database = os.path.join(os.fsdecode(state_dir), "state", "openclaw.sqlite")
    try:
        size = os.stat(database).st_size
    except OSError as error:
        return None if isinstance(error, FileNotFoundError | NotADirectoryError) else UNREADABLE
    if size == 0:
        return None
    try:
        return _ask(database, os.fsdecode(root), os.fsdecode(path))
    except (sqlite3.Error, sqlite3.Warning, OSError, ValueError, RecursionError):
        return UNREADABLE


def _ask(database: str, root: str, path: str) -> Provenance | None:
    for _ in range(3):
        is_closed = is_closed_database(database)
        before = _identity(database)
        with opened(database, immutable=is_closed) as sql:
            answer = _search(sql, root, path)
        if not is_closed or (is_closed_database(database) and _identity(database) == before):
            return answer
        # OpenClaw opened it while it was read as if nobody would: what was read may be torn.
    return UNREADABLE


def is_closed_database(database: str) -> bool:
    """Whether nothing is being written: neither log nor rollback journal holds anything, all is in the one file."""
    for suffix in ("-wal", "-journal"):
        try:
            if os.stat(database + suffix).st_size:
                return False
        except FileNotFoundError:
            continue
    return True


def _identity(database: str) -> tuple[int, int, int, int]:
    stat = os.stat(database)
    return stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


@contextmanager
def opened(database: str, *, immutable: bool) -> Iterator[sqlite3.Connection]:
    """Read-only. Even so SQLite would make a log beside a closed database and leave it there: hence `immutable`."""
    uri = f"file:{urllib.parse.quote(os.path.abspath(database))}?mode=ro" + ("&immutable=1" if immutable else "")
    connection = sqlite3.connect(uri, uri=True, timeout=0.25, isolation_level=None)
    try:
        # Values are taken as bytes: text that is no UTF-8 must not end the search.
        connection.text_factory = bytes
        left = iter(range(_STEPS))
        connection.set_progress_handler(lambda: next(left, None) is None, _STEPS_AT_ONCE)
        connection.execute("PRAGMA query_only = 1")
        yield connection
    finally:
        connection.close()


def _search(sql: sqlite3.Connection, root: str, path: str) -> Provenance | None:
    columns = [row[1].decode("utf-8", "replace") for row in sql.execute("PRAGMA table_info(plugin_state_entries)")]
    if not columns:
        return None  # an older release: it keeps no such record
    plugin, namespace = _column(columns, "plugin"), _column(columns, "namespace")
    key, value = _column(columns, "key"), _column(columns, "value", "json", "payload", "data", "state")
    if not (plugin and namespace and key and value):
        return UNREADABLE
    question = (
        f"SELECT {_quoted(key)}, {_quoted(value)} FROM plugin_state_entries"  # noqa: S608 - names of its own schema
        f" WHERE CAST({_quoted(plugin)} AS TEXT) = ? AND CAST({_quoted(namespace)} AS TEXT) = ? LIMIT {_ROWS}"
    )
    keys = _keys(root, path)
    relative: Provenance | None = None
    for raw_key, raw_value in sql.execute(question, (PLUGIN, NAMESPACE)):
        record = _decoded(raw_value)
        names = {_text(raw_key), *_texts(record, "path", "filepath", "relativepath", "absolutepath")}
        if names & keys:
            return _provenance(record)
        workspaces = _texts(record, "workspace", "workspacedir", "workspaceroot", "root")
        if path in names and (not workspaces or root in workspaces or os.path.realpath(root) in workspaces):
            relative = _provenance(record)
    return relative


def _column(columns: list[str], *words: str) -> str | None:
    """The first column whose name has the word in it, an exact name before a longer one."""
    for word in words:
        fitting = sorted((name for name in columns if word in name.lower()), key=len)
        if fitting:
            return fitting[0]
    return None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _keys(root: str, path: str) -> set[str]:
    """How a key may name the file beyond doubt: absolute, or workspace and path with something between."""
    keys = set()
    for base in (root, os.path.realpath(root)):
        keys.add(os.path.join(base, path))
        keys |= {f"{base}{between}{path}" for between in (":", "|", "#", "\0", "\n", "::")}
    return keys


def _decoded(raw: object) -> object:
    if not isinstance(raw, bytes) or len(raw) > _VALUE_BYTES:
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _provenance(record: object) -> Provenance:
    hashes = _texts(record, "filehash", "contenthash", "hash", "sha256")
    classes = _texts(record, "originclass", "origin", "class")
    text = min(hashes, default="").lower().removeprefix("sha256:").removeprefix("sha256-")
    try:
        digest = bytes.fromhex(text)
    except ValueError:
        digest = b""
    return Provenance(min(classes, default="unknown")[:64], digest if len(digest) == 32 else b"")


def _texts(record: object, *names: str) -> set[str]:
    """The texts of the first of these names that the record has, at whatever depth (its envelope is unknown)."""
    for name in names:
        found = {text for key, text in _pairs(record, 4) if key.replace("_", "").lower() == name}
        if found:
            return found
    return set()


def _pairs(record: Any, depth: int) -> Iterator[tuple[str, str]]:
    if not isinstance(record, dict) or depth == 0:
        return
    for key, value in record.items():
        if isinstance(value, str):
            yield key, value
        else:
            yield from _pairs(value, depth - 1)


def _text(raw: object) -> str:
    return os.fsdecode(raw) if isinstance(raw, bytes) else ""
