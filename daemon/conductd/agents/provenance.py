"""OpenClaw's own record of who wrote a memory file (2026.8.1 and later). Only read, never locked, nothing left behind.

Each structured write stores the SHA-256 of the content and an origin class in `<state>/state/openclaw.sqlite`, table
`plugin_state_entries`, plugin `core:memory-artifact-provenance`, namespace `workspace-files`. The key of a file is the
SHA-256 of the workspace's real path, a colon, and the SHA-256 of its path there; the value is JSON with `workspaceKey`,
`relativePath`, `fileHash`, `originClass`, `observedAt` (milliseconds) and perhaps `sessionId` and `sessionKey`
(`src/memory/memory-artifact-provenance.ts`). Neither is promised: the columns, and keys and values of other shapes, are
discovered. What the record means is `core.provenance`'s.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import urllib.parse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from conductd.agents.openclaw_names import names_of, roots_of
from conductd.core.case import Provenance
from conductd.core.provenance import UNKNOWN, Looked, Recorded

PLUGIN = "core:memory-artifact-provenance"
NAMESPACE = "workspace-files"

# What is said when a record may exist but cannot be read: a digest that no bytes have, so that the rule for a
# record that does not fit holds. Silence would allow a write that makes the file vanish from the prompt for good.
UNREADABLE = Provenance("unreadable", b"")

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ROWS = 50_000
_WORKSPACES = 1_000
_COPIED_MOST = 64 * 1024 * 1024  # a tenth of a second; a judgement may wait for it
_COPIES = "conductd-copy-"
_VALUE_BYTES = 2 * 1024 * 1024  # OpenClaw allows 1 MiB
_NAME_MOST = 200
# About a second of SQLite's work.
_STEPS, _STEPS_AT_ONCE = 2_000, 10_000
_HASHED = 64  # hexadecimal digits


def lookup(state_dir: bytes, root: bytes, path: bytes) -> Provenance | None:
    """The record for a file (`path` relative to the workspace `root`); None when OpenClaw keeps none.

    Never raises. A database that is there but cannot be read gives `UNREADABLE`. May take up to about a second.
    """
    looked = records(state_dir, root, (path,))[path]
    if not looked.is_known:
        return UNREADABLE
    return Provenance(looked.record.origin_class, looked.record.digest) if looked.record else None


def records(state_dir: bytes, root: bytes, paths: Sequence[bytes]) -> dict[bytes, Looked]:
    """The records of several files of a workspace, in one look. Never raises, as `lookup`."""
    database = database_of(state_dir)
    try:
        size = os.stat(database).st_size
    except (OSError, ValueError) as error:
        is_missing = isinstance(error, FileNotFoundError | NotADirectoryError)
        return dict.fromkeys(paths, Looked() if is_missing else UNKNOWN)
    if size == 0:
        return dict.fromkeys(paths, Looked())
    try:
        return _ask(database, os.fsdecode(state_dir), os.fsdecode(root), paths)
    except (sqlite3.Error, sqlite3.Warning, OSError, ValueError, RecursionError):
        return dict.fromkeys(paths, UNKNOWN)


def database_of(state_dir: bytes) -> str:
    return os.path.join(os.fsdecode(state_dir), "state", "openclaw.sqlite")


def _ask(database: str, state_dir: str, root: str, paths: Sequence[bytes]) -> dict[bytes, Looked]:
    for _ in range(3):
        is_closed = is_closed_database(database)
        before = _identity(database)
        with opened(database, immutable=is_closed) as sql:
            answer = _search(sql, state_dir, root, paths)
        if not is_closed or (is_closed_database(database) and _identity(database) == before):
            return answer
        # OpenClaw opened it while it was read as if nobody would: what was read may be torn.
    return dict.fromkeys(paths, UNKNOWN)


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
    """Read-only. Even so SQLite would make a log beside a closed database and leave it there: hence `immutable`. Of a
    database whose program died, with its log but without its index of it, a copy is read: SQLite would make that index
    anew, and leave it there as well. Raises OSError for one that is too large for that."""
    with ExitStack() as stack:
        if not immutable and _is_orphaned(database):
            directory = stack.enter_context(_private_directory())
            copy = _copied(database, directory)
            connection = stack.enter_context(_connected(copy, immutable=False))
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # opens all that belongs to it
            for name in os.listdir(directory):
                os.unlink(os.path.join(directory, name))
            yield connection
            return
        yield stack.enter_context(_connected(database, immutable=immutable))


@contextmanager
def _private_directory() -> Iterator[str]:
    """One that is locked while it is in use, so that the next can tell what a program that was killed left, and remove
    it."""
    place = tempfile.gettempdir()
    for name in os.listdir(place):
        if name.startswith(_COPIES):
            _remove_left(os.path.join(place, name))
    with tempfile.TemporaryDirectory(prefix=_COPIES, ignore_cleanup_errors=True) as directory:
        descriptor = os.open(directory, _DIRECTORY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield directory
        finally:
            os.close(descriptor)


def _remove_left(directory: str) -> None:
    with suppress(OSError):
        descriptor = os.open(directory, _DIRECTORY)
        try:
            if os.fstat(descriptor).st_uid == os.geteuid():
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(directory)
        finally:
            os.close(descriptor)


def _is_orphaned(database: str) -> bool:
    return os.path.exists(database + "-wal") and not os.path.exists(database + "-shm")


def _copied(database: str, directory: str) -> str:
    copy = os.path.join(directory, "copy.sqlite")
    if sum(os.stat(database + suffix).st_size for suffix in ("", "-wal")) > _COPIED_MOST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), database)
    before = _identity(database), _identity(database + "-wal")
    for suffix in ("", "-wal"):
        shutil.copyfile(database + suffix, copy + suffix)
    if before != (_identity(database), _identity(database + "-wal")):
        raise OSError(errno.EAGAIN, "it is written while it is copied", database)
    return copy


@contextmanager
def _connected(database: str, *, immutable: bool) -> Iterator[sqlite3.Connection]:
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


def _search(sql: sqlite3.Connection, state_dir: str, root: str, paths: Sequence[bytes]) -> dict[bytes, Looked]:
    described = [
        (row[1].decode("utf-8", "replace"), (row[2] or b"").decode("utf-8", "replace").upper())
        for row in sql.execute("PRAGMA table_info(plugin_state_entries)")
    ]
    columns = [name for name, _ in described]
    if not columns:
        return dict.fromkeys(paths, Looked())  # an older release: it keeps no such record
    plugin, namespace = _column(columns, "plugin"), _column(columns, "namespace")
    key, value = _column(columns, "key"), _column(columns, "value", "json", "payload", "data", "state")
    if not (plugin and namespace and key and value):
        return dict.fromkeys(paths, UNKNOWN)
    # An index is of use only where nothing is cast; text in a column of another kind must be found all the same.
    texts = {name for name, kind in described if "TEXT" in kind or "CHAR" in kind}
    p, n, k = (
        _quoted(name) if name in texts else f"CAST({_quoted(name)} AS TEXT)" for name in (plugin, namespace, key)
    )
    asked = f"SELECT {_quoted(key)}, {_quoted(value)} FROM plugin_state_entries WHERE {p} = ? AND {n} = ?"  # noqa: S608 - names of its own schema
    own = (PLUGIN, NAMESPACE)
    workspaces = [_workspace_key(name) for name in names_of(root, state_dir)]
    found: dict[bytes, Looked] = {}
    for path in paths:
        for workspace in workspaces:
            row = sql.execute(f"{asked} AND {k} = ?", (*own, f"{workspace}:{_path_key(path)}")).fetchone()
            if row is not None:
                found[path] = Looked(_recorded(_decoded(row[1])))
                break
    left = [path for path in paths if path not in found]
    if not left:
        return found
    of_digests = f"length({k}) = {2 * _HASHED + 1} AND substr({k}, {_HASHED + 1}, 1) = ':'"
    rows = sql.execute(f"{asked} AND NOT ({of_digests}) LIMIT {_ROWS}", own).fetchall()
    decoded = [(_text(raw_key), _decoded(raw_value)) for raw_key, raw_value in rows]
    records = {path: _of_another_form(decoded, root, os.fsdecode(path)) for path in left}
    found |= {path: Looked(record) for path, record in records.items() if record is not None}
    left = [path for path in left if path not in found]
    # The separator's neighbour ends the range of a workspace's own keys.
    ranges = ((*own, f"{each}:", f"{each};") for each in workspaces)
    if any(sql.execute(f"{asked} AND {k} >= ? AND {k} < ? LIMIT 1", each).fetchone() for each in ranges):
        return found | dict.fromkeys(left, Looked())
    known = sql.execute(
        f"SELECT DISTINCT substr({k}, 1, {_HASHED}) FROM plugin_state_entries"  # noqa: S608 - names of its own schema
        f" WHERE {p} = ? AND {n} = ? AND {of_digests} LIMIT {_WORKSPACES}",
        own,
    ).fetchall()
    # OpenClaw noted files of a workspace that is not to be found here, and none of this one: that may be this one, seen
    # from inside of a container, or before it was moved.
    is_elsewhere = {_text(row[0]) for row in known} - {_workspace_key(each) for each in roots_of(state_dir)}
    return found | dict.fromkeys(left, UNKNOWN if is_elsewhere else Looked())


def _of_another_form(rows: Sequence[tuple[str, object]], root: str, path: str) -> Recorded | None:
    """The record in rows whose keys are not the two digests, by any name for the file that a key or value may hold."""
    keys = _keys(root, path)
    hashed = {_workspace_key(base) for base in (root, os.path.realpath(root))}
    relative: Recorded | None = None
    for key, record in rows:
        names = {key, *_texts(record, "path", "filepath", "relativepath", "absolutepath")}
        if names & keys:
            return _recorded(record)
        workspaces = _texts(record, "workspace", "workspacedir", "workspaceroot", "root", "workspacekey")
        if path in names and (not workspaces or workspaces & {root, os.path.realpath(root), *hashed}):
            relative = _recorded(record)
    return relative


def _path_key(path: bytes) -> str:
    return _sha256(os.fsdecode(path).replace("\\", "/"))


def _workspace_key(root: str) -> str:
    return _sha256(root.replace("\\", "/"))


def _sha256(text: str) -> str:
    """Of a name as Node has it: bytes that are no UTF-8 are U+FFFD."""
    return hashlib.sha256(os.fsencode(text).decode("utf-8", "replace").encode("utf-8")).hexdigest()


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


def _recorded(record: object) -> Recorded:
    hashes = _texts(record, "filehash", "contenthash", "hash", "sha256")
    classes = _texts(record, "originclass", "origin", "class")
    text = min(hashes, default="").lower().removeprefix("sha256:").removeprefix("sha256-")
    try:
        digest = bytes.fromhex(text)
    except ValueError:
        digest = b""
    session = min(_texts(record, "sessionkey", "sessionid", "sessionids", "session"), default="")
    return Recorded(
        min(classes, default="unknown")[:64],
        digest if len(digest) == 32 else b"",
        _number(record, "observedat", "recordedat", "updatedat"),
        "".join(letter for letter in session[:_NAME_MOST] if letter.isprintable()),
    )


def _texts(record: object, *names: str) -> set[str]:
    """The texts of the first of these names that the record has, at whatever depth (its envelope is unknown)."""
    for name in names:
        values = [value for key, value in _pairs(record, 4) if key.replace("_", "").lower() == name]
        listed = [each for value in values if isinstance(value, list) for each in value]
        found = {text for text in (*values, *listed) if isinstance(text, str)}
        if found:
            return found
    return set()


def _number(record: object, *names: str) -> int:
    """The first of these names that holds a whole number that may be a time in milliseconds; 0: none."""
    for name in names:
        for key, value in _pairs(record, 4):
            if key.replace("_", "").lower() == name and type(value) in (int, float) and 0 < value < 1 << 53:
                return int(value)
    return 0


def _pairs(record: Any, depth: int) -> Iterator[tuple[str, Any]]:
    if not isinstance(record, dict) or depth == 0:
        return
    for key, value in record.items():
        if isinstance(value, dict):
            yield from _pairs(value, depth - 1)
        else:
            yield key, value


def _text(raw: object) -> str:
    return os.fsdecode(raw) if isinstance(raw, bytes) else ""
