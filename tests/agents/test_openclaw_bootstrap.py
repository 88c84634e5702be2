"""A workspace on disk as OpenClaw's loader reads it, release by release."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest

from conductd.agents.openclaw_bootstrap import load
from conductd.core.load.loaded import Cause, Load, LoadedFile, Why
from conductd.core.load.openclaw_versions import NEWEST, Session, Version

V1, V2, V3, V4, V7, V8 = (2026, 1, 30), (2026, 2, 26), (2026, 3, 24), (2026, 4, 23), (2026, 7, 1), (2026, 8, 1)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "ws"
    made.mkdir()
    return made


def at(root: Path, version: Version, session: Session = Session.MAIN) -> Load:
    return load(str(root), version, session, {"HOME": str(root.parent)}, str(root.parent))


def of(loaded: Load, name: str) -> LoadedFile:
    return next(each for each in loaded.files if each.name == name)


def left(loaded: Load) -> dict[str, Why]:
    return {each.name: each.why for each in loaded.left_out}


def test_what_is_missing_is_said_where_the_release_says_it(root: Path) -> None:
    assert [each.name for each in at(root, NEWEST).files] == ["AGENTS.md", "SOUL.md", "IDENTITY.md", "BOOTSTRAP.md"]
    assert of(at(root, V7), "USER.md").text == f"[MISSING] Expected at: {root}/USER.md"
    assert of(at(root, V7), "USER.md").is_marker
    assert "MEMORY.md" not in [each.name for each in at(root, V1).files]


@pytest.mark.parametrize(
    ("version", "loaded", "out"),
    [
        (V1, ["MEMORY.md", "memory.md"], {}),
        (V2, ["MEMORY.md", "memory.md"], {}),
        (V3, ["MEMORY.md"], {"memory.md": Why.OTHER_FILE}),
        (V4, ["MEMORY.md"], {"memory.md": Why.OTHER_NAME}),
        (NEWEST, ["MEMORY.md"], {"memory.md": Why.OTHER_NAME}),
    ],
)
def test_a_second_memory_by_release(root: Path, version: Version, loaded: list[str], out: dict[str, Why]) -> None:
    (root / "MEMORY.md").write_text("one")
    (root / "memory.md").write_text("two")
    found = at(root, version)
    assert [each.name for each in found.files if each.name.lower() == "memory.md"] == loaded
    assert left(found) == out


def test_a_lower_case_memory_alone(root: Path) -> None:
    (root / "memory.md").write_text("two")
    assert of(at(root, V3), "memory.md").text == "two"
    assert left(at(root, V4)) == {"memory.md": Why.OTHER_NAME}


def test_two_names_of_one_memory_are_one(root: Path) -> None:
    (root / "MEMORY.md").write_text("one")
    (root / "memory.md").symlink_to("MEMORY.md")
    assert [each.name for each in at(root, V1).files if each.name.lower() == "memory.md"] == ["MEMORY.md"]


def hard_linked(path: Path) -> None:
    path.write_text("secret plan")
    os.link(path, path.with_suffix(".bak"))


def linked_inside(path: Path) -> None:
    path.with_name("real.txt").write_text("secret plan")
    path.symlink_to("real.txt")


def linked_outside(path: Path) -> None:
    (path.parent.parent / "elsewhere").write_text("secret plan")
    path.symlink_to("../elsewhere")


def too_large(path: Path) -> None:
    path.write_bytes(b"x" * (2 * 1024 * 1024 + 1))


def directory(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize(
    ("make", "refused_from", "why", "words"),
    [
        (hard_linked, V2, Why.HARD_LINK, "path must not be hardlinked"),
        (linked_inside, V8, Why.SYMLINK, "symlink path component not allowed"),
        (linked_outside, V2, Why.OUTSIDE, "symlink path component not allowed"),
        (too_large, V2, Why.TOO_LARGE, "File exceeds 2097152 bytes"),
        (directory, V1, Why.NOT_REGULAR, "path does not have the required file type"),
    ],
)
@pytest.mark.parametrize("version", [V1, V2, V3, V7, V8, NEWEST])
def test_what_the_guard_refuses(
    root: Path, version: Version, make: object, refused_from: Version, why: Why, words: str
) -> None:
    make(root / "MEMORY.md")  # type: ignore[operator]
    found = of(at(root, version), "MEMORY.md")
    if version < refused_from:
        assert found.why is Why.LOADED
        assert not found.is_marker
    elif version < V8:
        assert found.text == f"[MISSING] Expected at: {root}/MEMORY.md"
        assert found.why is why
    else:
        assert found.text == f"[UNREADABLE: {words}]"


def test_a_directory_above_may_be_a_link(tmp_path: Path, root: Path) -> None:
    (root / "AGENTS.md").write_text("rules")
    (tmp_path / "other").symlink_to("ws")
    assert of(at(tmp_path / "other", NEWEST), "AGENTS.md").text == "rules"


def test_a_pipe_holds_nobody_up(root: Path) -> None:
    os.mkfifo(root / "MEMORY.md")
    assert of(at(root, NEWEST), "MEMORY.md").why is Why.NOT_REGULAR


def test_bytes_that_are_no_text_become_the_replacement_character(root: Path) -> None:
    (root / "AGENTS.md").write_bytes(b"\xef\xbb\xbfa\xffb\xe2\x82c \xed\xa0\x80\r\n\r\n")
    found = of(at(root, NEWEST), "AGENTS.md")
    assert found.text == "\ufeffa\ufffdb\ufffdc \ufffd\ufffd\ufffd"
    assert found.raw == found.injected == 10


def test_retired_files_and_other_sessions_are_named(root: Path) -> None:
    for name in ("AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "MEMORY.md", "Soul.md"):
        (root / name).write_text("x")
    found = at(root, NEWEST, Session.GROUP)
    assert left(found) == {
        "HEARTBEAT.md": Why.RETIRED,
        "MEMORY.md": Why.SESSION,
        "Soul.md": Why.OTHER_NAME,
        "TOOLS.md": Why.RETIRED,
    }
    assert [each.name for each in at(root, NEWEST, Session.SUBAGENT).files] == ["AGENTS.md"]


def test_a_starved_memory_has_a_cause(root: Path) -> None:
    for name in ("AGENTS.md", "SOUL.md", "IDENTITY.md"):
        (root / name).write_text("x" * 19_990)
    (root / "MEMORY.md").write_text("notes\n" * 100)
    (root / "BOOTSTRAP.md").write_text("b")
    memory = of(at(root, NEWEST), "MEMORY.md")
    assert (memory.text, memory.causes, memory.why) == (None, (Cause.TOTAL,), Why.NO_ROOM)


def configured(root: Path, agents: object) -> None:
    state = root.parent / ".openclaw"
    state.mkdir()
    (state / "openclaw.json").write_text(json.dumps({"agents": agents}))


def test_limits_are_the_configured_ones(root: Path) -> None:
    (root / "MEMORY.md").write_text("y" * 5_000)
    (root / "AGENTS.md").write_text("z" * 100)
    defaults = {"bootstrapMaxChars": 3_000, "bootstrapTotalMaxChars": 9_000.7}
    own = {"id": "a", "workspace": str(root), "bootstrapMaxChars": 2_000}
    configured(root, {"defaults": defaults, "list": [{"id": "main", "workspace": "~/else"}, own]})
    assert of(at(root, NEWEST), "MEMORY.md").limit == 2_000
    assert at(root, NEWEST).limit == 9_000
    assert of(at(root, (2026, 5, 1)), "MEMORY.md").limit == 3_000


def test_agents_may_be_a_map_and_a_limit_nonsense(root: Path) -> None:
    (root / "MEMORY.md").write_text("y" * 50_000)
    entry = {"workspace": str(root), "bootstrapMaxChars": "many", "bootstrapTotalMaxChars": 30_000}
    configured(root, {"entries": {"b": entry}, "defaults": {"bootstrapMaxChars": -1}})
    found = at(root, NEWEST)
    assert (of(found, "MEMORY.md").limit, found.limit) == (20_000, 30_000)
    assert "the workspace of OpenClaw's agent b" in found.notes


def test_nothing_is_injected_where_the_configuration_says_never(root: Path) -> None:
    (root / "AGENTS.md").write_text("z")
    configured(root, {"defaults": {"workspace": str(root), "contextInjection": "never"}})
    assert at(root, NEWEST).files == ()


def database(root: Path, origin: str, done: str | None) -> None:
    state = root.parent / ".openclaw"
    (state / "state").mkdir(parents=True)
    (state / "openclaw.json").write_text("{}")
    with sqlite3.connect(state / "state" / "openclaw.sqlite") as sql:
        sql.execute("CREATE TABLE plugin_state_entries (plugin_id, namespace, entry_key, value_json)")
        record = json.dumps({"fileHash": "0" * 64, "originClass": origin})
        row = ("core:memory-artifact-provenance", "workspace-files", f"{root}/MEMORY.md", record)
        sql.execute("INSERT INTO plugin_state_entries VALUES (?, ?, ?, ?)", row)
        sql.execute("CREATE TABLE workspace_setup_state (workspace_key, workspace_path, setup_completed_at)")
        sql.execute("INSERT INTO workspace_setup_state VALUES ('k', ?, ?)", (str(root), done))
    sql.close()


@pytest.mark.parametrize(("origin", "is_loaded"), [("agent", True), ("owner", True), ("untrusted", False)])
def test_what_somebody_untrusted_wrote_is_left_out(root: Path, origin: str, is_loaded: bool) -> None:
    (root / "MEMORY.md").write_text("notes")
    database(root, origin, None)
    found = at(root, NEWEST)
    assert ("MEMORY.md" in [each.name for each in found.files]) is is_loaded
    assert left(found) == ({} if is_loaded else {"MEMORY.md": Why.UNTRUSTED})
    assert of(at(root, V7), "MEMORY.md").text == "notes"


@pytest.mark.parametrize(("done", "is_asked_for"), [("2026-09-01T00:00:00.000Z", False), (None, True)])
def test_bootstrap_is_asked_for_until_the_setup_is_done(root: Path, done: str | None, is_asked_for: bool) -> None:
    database(root, "agent", done)
    assert ("BOOTSTRAP.md" in [each.name for each in at(root, NEWEST).files]) is is_asked_for


def test_the_setup_may_be_noted_in_the_workspace(root: Path) -> None:
    (root / ".openclaw").mkdir()
    (root / ".openclaw" / "workspace-state.json").write_text('{"setupCompletedAt": "2026-06-01"}')
    (root / "BOOTSTRAP.md").write_text("hello")
    assert left(at(root, V7)) == {"BOOTSTRAP.md": Why.RETIRED}
    assert of(at(root, V3), "BOOTSTRAP.md").text == "hello"
