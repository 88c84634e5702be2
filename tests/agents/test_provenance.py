"""OpenClaw's record of who wrote what, in real SQLite files."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from conductd.agents.provenance import NAMESPACE, PLUGIN, UNREADABLE, lookup, opened
from conductd.core.case import Provenance

DIGEST = hashlib.sha256(b"text").digest()
RECORD = json.dumps({"fileHash": DIGEST.hex(), "originClass": "agent", "sessionIds": ["s"]})
EXPECTED = Provenance("agent", DIGEST)
ROOT = b"/home/x/.openclaw/workspace"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return tmp_path


def database(state: Path) -> Path:
    return state / "state/openclaw.sqlite"


def fill(
    state: Path,
    *rows: tuple[object, object, object, object],
    columns: str = "plugin_id TEXT, namespace TEXT, entry_key TEXT, value_json TEXT",
    mode: str = "wal",
) -> None:
    with closing(sqlite3.connect(database(state))) as connection:
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.execute(f"CREATE TABLE plugin_state_entries ({columns}, updated_at INTEGER)")
        connection.executemany("INSERT INTO plugin_state_entries VALUES (?, ?, ?, ?, 1)", rows)
        connection.commit()


def ask(state: Path, path: bytes = b"MEMORY.md", root: bytes = ROOT) -> Provenance | None:
    return lookup(os.fsencode(state), root, path)


def test_no_database_no_record(state: Path) -> None:
    assert ask(state) is None
    assert ask(state / "none") is None
    database(state).write_bytes(b"")
    assert ask(state) is None
    assert os.listdir(state / "state") == ["openclaw.sqlite"]


def test_an_older_release_has_no_table(state: Path) -> None:
    with closing(sqlite3.connect(database(state))) as connection:
        connection.execute("CREATE TABLE other (x)")
    assert ask(state) is None


@pytest.mark.parametrize(
    "key",
    [
        "MEMORY.md",
        f"{ROOT.decode()}/MEMORY.md",
        f"{ROOT.decode()}:MEMORY.md",
        f"{ROOT.decode()}\0MEMORY.md",
    ],
)
@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_key_may_be_absolute_or_relative(state: Path, key: str, mode: str) -> None:
    fill(state, (PLUGIN, NAMESPACE, "other.md", "{}"), (PLUGIN, NAMESPACE, key, RECORD), mode=mode)
    assert ask(state) == EXPECTED
    assert ask(state, b"USER.md") is None


@pytest.mark.parametrize(
    "columns",
    [
        "plugin TEXT, namespace TEXT, key TEXT, value TEXT",
        "pluginId TEXT, ns_namespace TEXT, stateKey TEXT, payload BLOB",
        '"plugin id" TEXT, "namespace" TEXT, "the ""key""" TEXT, "json" TEXT',
    ],
)
def test_columns_are_discovered(state: Path, columns: str) -> None:
    fill(state, (PLUGIN, NAMESPACE, "MEMORY.md", RECORD), columns=columns)
    assert ask(state) == EXPECTED


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (RECORD.encode(), EXPECTED),
        (json.dumps({"value": {"record": json.loads(RECORD)}}), EXPECTED),
        (
            json.dumps({"file_hash": "sha256:" + DIGEST.hex().upper(), "origin_class": "untrusted"}),
            Provenance("untrusted", DIGEST),
        ),
        (json.dumps({"fileHash": DIGEST.hex()}), Provenance("unknown", DIGEST)),
        (json.dumps({"fileHash": "abcd", "originClass": "agent"}), Provenance("agent", b"")),
        (json.dumps({"fileHash": 3}), Provenance("unknown", b"")),
        ("no json", Provenance("unknown", b"")),
        (b"\xff\xfe", Provenance("unknown", b"")),
        ("[" * 50_000, Provenance("unknown", b"")),
        (None, Provenance("unknown", b"")),
        (3, Provenance("unknown", b"")),
    ],
)
def test_values_of_any_shape(state: Path, value: object, expected: Provenance) -> None:
    fill(state, (PLUGIN, NAMESPACE, "MEMORY.md", value))
    assert ask(state) == expected


def test_a_value_that_names_the_path_under_a_hashed_key(state: Path) -> None:
    record = json.loads(RECORD) | {"path": "memory/a.md", "workspaceDir": ROOT.decode()}
    fill(state, (PLUGIN, NAMESPACE, "d41d8cd9", json.dumps(record)))
    assert ask(state, b"memory/a.md") == EXPECTED
    assert ask(state, b"memory/a.md", b"/another") is None


def test_the_record_of_this_workspace_wins_over_a_bare_name(state: Path) -> None:
    other = json.dumps({"fileHash": "00" * 32, "originClass": "owner"})
    fill(state, (PLUGIN, NAMESPACE, "MEMORY.md", other), (PLUGIN, NAMESPACE, f"{ROOT.decode()}/MEMORY.md", RECORD))
    assert ask(state) == EXPECTED


def test_other_plugins_and_namespaces_do_not_count(state: Path) -> None:
    fill(state, ("other", NAMESPACE, "MEMORY.md", RECORD), (PLUGIN, "other", "MEMORY.md", RECORD))
    assert ask(state) is None


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system of macOS allows only names that are UTF-8")
def test_a_name_that_is_no_utf8(state: Path) -> None:
    fill(state)
    with closing(sqlite3.connect(database(state))) as connection:
        connection.execute(
            "INSERT INTO plugin_state_entries VALUES (?, ?, CAST(? AS TEXT), ?, 1)",
            (PLUGIN, NAMESPACE, ROOT + b"/caf\xe9.md", RECORD),
        )
        connection.commit()
    assert ask(state, b"caf\xe9.md") == EXPECTED


@pytest.mark.parametrize("garbage", [b"not a database at all", b"SQLite format 3\0" + b"\x5a" * 4096])
def test_a_database_that_cannot_be_read_is_not_taken_for_no_record(state: Path, garbage: bytes) -> None:
    database(state).write_bytes(garbage)
    assert ask(state) == UNREADABLE


def test_a_table_of_unknown_shape_is_not_taken_for_no_record(state: Path) -> None:
    with closing(sqlite3.connect(database(state))) as connection:
        connection.execute("CREATE TABLE plugin_state_entries (a, b)")
    assert ask(state) == UNREADABLE


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_closed_database_is_left_exactly_as_it_was(state: Path, mode: str) -> None:
    fill(state, (PLUGIN, NAMESPACE, "MEMORY.md", RECORD), mode=mode)
    before = database(state).read_bytes(), database(state).stat()
    assert ask(state) == EXPECTED
    assert os.listdir(state / "state") == ["openclaw.sqlite"]
    after = database(state).read_bytes(), database(state).stat()
    assert before[0] == after[0]
    assert (before[1].st_mtime_ns, before[1].st_ctime_ns) == (after[1].st_mtime_ns, after[1].st_ctime_ns)


@pytest.fixture
def running(state: Path) -> Iterator[sqlite3.Connection]:
    """What a running gateway holds: the database open, its last writes only in the log."""
    fill(state)
    with closing(sqlite3.connect(database(state), isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(
            "INSERT INTO plugin_state_entries VALUES (?, ?, 'MEMORY.md', ?, 1)", (PLUGIN, NAMESPACE, RECORD)
        )
        yield connection


def test_what_is_only_in_the_log_of_a_running_agent_is_seen(state: Path, running: sqlite3.Connection) -> None:
    assert ask(state) == EXPECTED
    assert sorted(os.listdir(state / "state")) == ["openclaw.sqlite", "openclaw.sqlite-shm", "openclaw.sqlite-wal"]


def test_of_a_copy_nothing_stays_whoever_is_killed(
    state: Path, running: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a program that died there is a log without its index: a copy is read."""
    place = tmp_path / "tmp"
    (place / "conductd-copy-left").mkdir(parents=True)
    (place / "conductd-copy-left" / "copy.sqlite").write_bytes(b"of a run that was killed")
    (place / "conductd-copy-used").mkdir()
    died = tmp_path / "died"
    (died / "state").mkdir(parents=True)
    for name in ("openclaw.sqlite", "openclaw.sqlite-wal"):
        (died / "state" / name).write_bytes((state / "state" / name).read_bytes())
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    used = os.open(place / "conductd-copy-used", os.O_RDONLY)
    try:
        fcntl.flock(used, fcntl.LOCK_EX)
        assert ask(died) == EXPECTED
        assert os.listdir(place) == ["conductd-copy-used"]
        with opened(str(database(died)), immutable=False) as sql:
            assert [files for _, _, files in os.walk(place) if files] == []
            assert sql.execute("SELECT count(*) FROM plugin_state_entries").fetchone()[0] > 0
    finally:
        os.close(used)
    assert sorted(os.listdir(died / "state")) == ["openclaw.sqlite", "openclaw.sqlite-wal"]


def test_the_agent_writes_on_while_it_is_read(state: Path, running: sqlite3.Connection) -> None:
    running.execute("BEGIN IMMEDIATE")
    assert ask(state) == EXPECTED
    running.execute("UPDATE plugin_state_entries SET value_json = '{}'")
    running.execute("COMMIT")
    assert ask(state) == Provenance("unknown", b"")


def test_an_exclusively_locked_database_is_not_taken_for_no_record(state: Path) -> None:
    fill(state, (PLUGIN, NAMESPACE, "MEMORY.md", RECORD), mode="delete")
    with closing(sqlite3.connect(database(state), isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("UPDATE plugin_state_entries SET value_json = '{}'")
        assert ask(state) == UNREADABLE
        connection.execute("ROLLBACK")
    assert ask(state) == EXPECTED
