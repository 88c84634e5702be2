"""Which files of a workspace OpenClaw leaves out of the prompt, with real databases, and what `load` says of it."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from conductd.agents.openclaw_bootstrap import load
from conductd.agents.openclaw_gate import Place, gated_files, known_version, place_of, said_at, standings
from conductd.agents.provenance import NAMESPACE, PLUGIN
from conductd.core.load.loaded import Why
from conductd.core.load.openclaw_versions import NEWEST, Session, Version
from conductd.core.provenance import Effect

AT = 1_790_000_000_123


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / ".openclaw/workspace"
    made.mkdir(parents=True)
    return made


def record(root: Path, path: str, text: bytes, origin: str = "agent") -> None:
    key = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()
    value = {
        "version": 1,
        "workspaceKey": key,
        "relativePath": path,
        "fileHash": hashlib.sha256(text).hexdigest(),
        "originClass": origin,
        "observedAt": AT,
        "sessionKey": "agent:main:main",
    }
    database = root.parent / "state/openclaw.sqlite"
    database.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(database)) as sql:
        sql.execute(
            "CREATE TABLE IF NOT EXISTS plugin_state_entries (plugin_id TEXT, namespace TEXT, entry_key TEXT,"
            " value_json TEXT, created_at INTEGER, expires_at INTEGER)"
        )
        hashed = f"{key}:{hashlib.sha256(path.encode()).hexdigest()}"
        sql.execute(
            "INSERT INTO plugin_state_entries VALUES (?, ?, ?, ?, 1, NULL)",
            (PLUGIN, NAMESPACE, hashed, json.dumps(value)),
        )
        sql.commit()


def standing(root: Path) -> dict[bytes, Effect]:
    return {each.path: each.effect for each in standings(os.fsencode(root), Place(os.fsencode(root.parent)), NEWEST)}


def test_each_file_by_its_own_record(root: Path) -> None:
    (root / "users/ana").mkdir(parents=True)
    for name, text in (("MEMORY.md", "mended"), ("USER.md", "one"), ("users/ana/USER.md", "ana"), ("SOUL.md", "s")):
        (root / name).write_text(text)
    record(root, "MEMORY.md", b"as the agent wrote it")
    record(root, "users/ana/USER.md", b"ana", "untrusted")
    assert gated_files(os.fsencode(root)) == (b"MEMORY.md", b"USER.md", b"users/ana/USER.md")
    assert standing(root) == {
        b"MEMORY.md": Effect.TAINTS,
        b"USER.md": Effect.NEUTRAL,
        b"users/ana/USER.md": Effect.UNTRUSTED_ALREADY,
    }


def test_a_file_that_is_gone_is_told_of_while_its_record_stands(root: Path) -> None:
    record(root, "MEMORY.md", b"text", "untrusted")
    [found] = standings(os.fsencode(root), Place(os.fsencode(root.parent)), NEWEST)
    assert (found.path, found.effect, found.is_there) == (b"MEMORY.md", Effect.UNTRUSTED_ALREADY, False)


def test_a_file_that_cannot_be_compared_is_not_called_right(root: Path) -> None:
    (root / "MEMORY.md").mkdir()
    record(root, "MEMORY.md", b"")
    assert standing(root) == {b"MEMORY.md": Effect.UNKNOWN}


def test_without_a_state_directory_nothing_is_known(root: Path) -> None:
    (root / "MEMORY.md").write_text("x")
    assert [each.effect for each in standings(os.fsencode(root), Place(), NEWEST)] == [Effect.UNKNOWN]
    assert [each.effect for each in standings(os.fsencode(root), Place(), (2026, 7, 1))] == [Effect.NO_GATE]


def test_load_says_since_when_and_by_which_session(root: Path) -> None:
    (root / "MEMORY.md").write_text("x")
    (root / "USER.md").write_text("mended")
    record(root, "MEMORY.md", b"x", "untrusted")
    record(root, "USER.md", b"before")
    home = str(root.parent.parent)
    found = load(str(root), NEWEST, Session.MAIN, {"HOME": home}, home)
    [out] = found.left_out
    assert (out.name, out.why) == ("MEMORY.md", Why.UNTRUSTED)
    assert out.note == f"recorded as untrusted since {said_at(AT)}"
    assert (out.since, out.session) == (said_at(AT), "agent:main:main")
    assert "MEMORY.md: recorded by session agent:main:main" in found.notes
    assert any(note.startswith("USER.md: OpenClaw will leave it out") for note in found.notes)
    assert "USER.md" in [each.name for each in found.files]


@pytest.mark.parametrize("at", [0, -5, 1 << 60])
def test_a_time_that_is_none_is_not_said(at: int) -> None:
    assert said_at(at) == ""


def test_where_the_record_is_kept(root: Path, tmp_path: Path) -> None:
    home, elsewhere = str(tmp_path), tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert place_of(os.fsencode(root), {}, home) == Place(os.fsencode(root.parent))
    assert place_of(os.fsencode(elsewhere), {}, home) == Place(os.fsencode(root.parent), is_sure=False)
    assert place_of(os.fsencode(elsewhere), {}, str(elsewhere)) == Place()


def test_in_a_state_directory_that_may_be_another_s_only_a_record_counts(root: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "MEMORY.md").write_text("x")
    place = Place(os.fsencode(root.parent), is_sure=False)
    assert [each.effect for each in standings(os.fsencode(elsewhere), place, None)] == [Effect.UNKNOWN]
    key_root = root.parent / "state"
    key_root.mkdir()
    record(root, "USER.md", b"y")
    assert [each.effect for each in standings(os.fsencode(elsewhere), place, None)] == [Effect.UNKNOWN]
    (root / "USER.md").write_text("y")
    assert [each.effect for each in standings(os.fsencode(root), place, None)] == [Effect.NEUTRAL]


def test_a_release_is_known_when_it_is_configured_or_installed(tmp_path: Path) -> None:
    assert known_version("2026.7.1", {}) == (2026, 7, 1)
    assert known_version("", {"PATH": str(tmp_path)}) is None
    (tmp_path / "package.json").write_text('{"name": "openclaw", "version": "2026.9.6"}')
    (tmp_path / "openclaw").touch()
    assert known_version("", {"PATH": str(tmp_path)}) == (2026, 9, 6)


def test_another_memory_plugin_may_leave_both_out(root: Path) -> None:
    (root / "MEMORY.md").write_text("x")
    config = {"plugins": {"slots": {"memory": "memory-lancedb"}}}
    (root.parent / "openclaw.json").write_text(json.dumps(config))
    home = str(root.parent.parent)

    def told(version: Version) -> bool:
        found = load(str(root), version, Session.MAIN, {"HOME": home}, home)
        return any("left to the plugin memory-lancedb" in note for note in found.notes)

    assert told(NEWEST)
    assert not told((2026, 7, 1))
    (root.parent / "openclaw.json").write_text(json.dumps({"plugins": {"slots": {"memory": "memory-core"}}}))
    assert not told(NEWEST)


def test_who_should_make_it_fit_is_said(root: Path) -> None:
    home, text = str(root.parent.parent), "- entry\n" * 4_000
    (root / "MEMORY.md").write_text(text)

    def notes() -> str:
        return "\n".join(load(str(root), NEWEST, Session.MAIN, {"HOME": home}, home).notes)

    assert "let the agent itself" not in notes()
    record(root, "MEMORY.md", text.encode())
    assert "MEMORY.md: let the agent itself move sections" in notes()
