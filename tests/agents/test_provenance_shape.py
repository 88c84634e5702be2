"""The record as OpenClaw 2026.8.1 to 2026.9.6 keeps it: keys that are digests, several workspaces, many rows."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from conductd.agents.provenance import NAMESPACE, PLUGIN, UNREADABLE, lookup, records
from conductd.core.case import Provenance
from conductd.core.provenance import UNKNOWN, Looked, Recorded

SCHEMA = """CREATE TABLE plugin_state_entries (
  plugin_id TEXT NOT NULL, namespace TEXT NOT NULL, entry_key TEXT NOT NULL, value_json TEXT NOT NULL,
  created_at INTEGER NOT NULL, expires_at INTEGER, PRIMARY KEY (plugin_id, namespace, entry_key))"""
MEMORY, USER = b"MEMORY.md", b"USER.md"
AT = 1_790_000_000_123


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def row(
    root: Path, path: str, text: str, origin: str = "agent", session: str = "agent:main:main"
) -> tuple[object, ...]:
    key = sha(os.path.realpath(root))
    value = {
        "version": 1,
        "workspaceKey": key,
        "relativePath": path,
        "fileHash": sha(text),
        "originClass": origin,
        "observedAt": AT,
        "sessionId": "0f3c",
        "sessionKey": session,
        "reservationId": "r",
    }
    return PLUGIN, NAMESPACE, f"{key}:{sha(path)}", json.dumps(value), AT, None


def fill(state: Path, *rows: tuple[object, ...]) -> None:
    (state / "state").mkdir(exist_ok=True)
    with closing(sqlite3.connect(state / "state/openclaw.sqlite")) as connection:
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute(SCHEMA)
        connection.executemany("INSERT INTO plugin_state_entries VALUES (?, ?, ?, ?, ?, ?)", rows)
        connection.commit()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    made.mkdir()
    return made


def ask(state: Path, root: Path, *paths: bytes) -> dict[bytes, Looked]:
    return records(os.fsencode(state), os.fsencode(root), paths)


def test_a_record_is_found_by_its_hashed_key(tmp_path: Path, root: Path) -> None:
    fill(tmp_path, row(root, "MEMORY.md", "text"), row(root, "memory/a.md", "note", "untrusted"))
    found = ask(tmp_path, root, MEMORY, USER, b"memory/a.md")
    digest = hashlib.sha256(b"text").digest()
    assert found[MEMORY] == Looked(Recorded("agent", digest, AT, "agent:main:main"))
    assert found[USER] == Looked()
    assert lookup(os.fsencode(tmp_path), os.fsencode(root), MEMORY) == Provenance("agent", digest)
    assert found[b"memory/a.md"].record is not None


def test_the_record_of_another_workspace_is_not_this_one_s(tmp_path: Path, root: Path) -> None:
    other = tmp_path / "workspace-two"
    other.mkdir()
    fill(tmp_path, row(other, "MEMORY.md", "theirs", "untrusted"), row(root, "USER.md", "ours"))
    assert ask(tmp_path, root, MEMORY)[MEMORY] == Looked()
    record = ask(tmp_path, other, MEMORY)[MEMORY].record
    assert record is not None
    assert record.origin_class == "untrusted"


def of(workspace: str, path: str, origin: str) -> tuple[object, ...]:
    """A record of a workspace that is not to be found here."""
    value = json.dumps(
        {"workspaceKey": sha(workspace), "relativePath": path, "fileHash": sha("x"), "originClass": origin}
    )
    return PLUGIN, NAMESPACE, f"{sha(workspace)}:{sha(path)}", value, AT, None


@pytest.mark.parametrize("inside", ["home/node", "root"])
def test_what_a_container_noted_by_its_own_paths_is_found(tmp_path: Path, root: Path, inside: str) -> None:
    fill(tmp_path, of(f"/{inside}/.openclaw/workspace", "MEMORY.md", "untrusted"))
    record = ask(tmp_path, root, MEMORY)[MEMORY].record
    assert record is not None
    assert record.origin_class == "untrusted"
    assert ask(tmp_path, root, USER)[USER] == Looked()  # the workspace is known by that name, and this file is not


def test_a_workspace_that_is_not_to_be_found_may_be_this_one(tmp_path: Path, root: Path) -> None:
    fill(tmp_path, of("/srv/somewhere/else", "MEMORY.md", "agent"))
    assert ask(tmp_path, root, MEMORY, USER) == {MEMORY: UNKNOWN, USER: UNKNOWN}
    assert lookup(os.fsencode(tmp_path), os.fsencode(root), MEMORY) == UNREADABLE


def test_a_new_workspace_beside_known_ones_has_no_record(tmp_path: Path, root: Path) -> None:
    elsewhere = tmp_path / "apart"
    elsewhere.mkdir()
    (tmp_path / "workspace-two").mkdir()
    config = {"agents": {"entries": {"ana": {"workspace": str(elsewhere)}}}}
    (tmp_path / "openclaw.json").write_text(json.dumps(config))
    fill(tmp_path, row(elsewhere, "MEMORY.md", "hers"), row(tmp_path / "workspace-two", "MEMORY.md", "two"))
    assert ask(tmp_path, root, MEMORY)[MEMORY] == Looked()


def test_a_workspace_is_known_by_its_real_path(tmp_path: Path, root: Path) -> None:
    fill(tmp_path, row(root, "MEMORY.md", "text"))
    (tmp_path / "link").symlink_to(root)
    assert ask(tmp_path, tmp_path / "link", MEMORY)[MEMORY].record is not None


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system of macOS allows only names that are UTF-8")
def test_names_that_are_no_utf8_are_hashed_as_node_reads_them(tmp_path: Path) -> None:
    root = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(root)
    key = sha(os.path.realpath(root).decode("utf-8", "replace"))
    value = json.dumps({"fileHash": sha("x"), "originClass": "untrusted"})
    fill(tmp_path, (PLUGIN, NAMESPACE, f"{key}:{sha('memory/�.md')}", value, 1, None))
    assert records(os.fsencode(tmp_path), root, (b"memory/\xe9.md",))[b"memory/\xe9.md"].record is not None


def test_a_full_store_answers_at_once(tmp_path: Path, root: Path) -> None:
    others = [(PLUGIN, NAMESPACE, f"{i:064x}:{i:064x}", '{"originClass":"agent"}', i, None) for i in range(50_000)]
    plugins = [(f"other-{i % 7}", "x", str(i), "{}", i, None) for i in range(100_000)]
    fill(tmp_path, *others, *plugins, row(root, "MEMORY.md", "text"))
    found = ask(tmp_path, root, MEMORY, USER)
    assert found[MEMORY].record is not None
    assert found[USER] == Looked()  # known to have none, not given up


def test_what_names_a_session_is_made_harmless(tmp_path: Path, root: Path) -> None:
    fill(tmp_path, row(root, "MEMORY.md", "text", session="a\x1b[2Jb\n" + "c" * 5_000))
    record = ask(tmp_path, root, MEMORY)[MEMORY].record
    assert record is not None
    assert record.session.startswith("a[2Jbc")
    assert len(record.session) <= 200


def test_a_segmented_record_is_read_by_its_own_class(tmp_path: Path, root: Path) -> None:
    made = list(row(root, "MEMORY.md", "text", "untrusted"))
    value = json.loads(str(made[3])) | {
        "segments": [{"contentHash": sha("t"), "originClass": "agent", "observedAt": 1}]
    }
    made[3] = json.dumps(value)
    fill(tmp_path, tuple(made))
    record = ask(tmp_path, root, MEMORY)[MEMORY].record
    assert record == Recorded("untrusted", hashlib.sha256(b"text").digest(), AT, "agent:main:main")


def test_all_files_are_unknown_where_the_database_cannot_be_read(tmp_path: Path, root: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state/openclaw.sqlite").write_bytes(b"SQLite format 3\0" + b"\x5a" * 4096)
    assert ask(tmp_path, root, MEMORY, USER) == {MEMORY: UNKNOWN, USER: UNKNOWN}


def test_what_a_program_that_died_left_is_read_and_left_as_it_was(tmp_path: Path, root: Path) -> None:
    before = tmp_path / "before"
    before.mkdir()
    fill(before)
    (tmp_path / "state").mkdir()
    with closing(sqlite3.connect(before / "state/openclaw.sqlite", isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("INSERT INTO plugin_state_entries VALUES (?, ?, ?, ?, ?, ?)", row(root, "MEMORY.md", "text"))
        for suffix in ("", "-wal"):
            shutil.copyfile(before / f"state/openclaw.sqlite{suffix}", tmp_path / f"state/openclaw.sqlite{suffix}")
    assert ask(tmp_path, root, MEMORY)[MEMORY].record is not None
    assert sorted(os.listdir(tmp_path / "state")) == ["openclaw.sqlite", "openclaw.sqlite-wal"]
