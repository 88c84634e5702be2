"""`conductd doctor --fix` with a real daemon: each fix does what it says, and one undo brings the same back."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from conductd.agents.provenance import NAMESPACE, PLUGIN
from support.daemon import Daemon

OLD = "# Memory\n\n- The gate code is kept with Ana\n- Bob\n"
OTHER = "# Memory\n\n- Bob\n- The boiler is serviced in May\n\n## Trips\n\n- Lisbon needs the blue folder\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    (root / "memory").mkdir(parents=True)
    (root / "SOUL.md").write_text("Be brief and kind.\n")
    return root


@pytest.fixture
def daemon(tmp_path: Path, workspace: Path) -> Iterator[Daemon]:
    running = Daemon(tmp_path / "daemon", [workspace], fake_clock=False)
    with running.ended_at_exit():
        yield running


def start(daemon: Daemon) -> None:
    daemon.start()
    daemon.sync()


def fix(daemon: Daemon, *arguments: str) -> list[dict[str, Any]]:
    """As a script does it, without a terminal."""
    command = [sys.executable, "-m", "conductd", "doctor", "--fix", "--json", *arguments]
    done = subprocess.run(command, env=daemon.environment, capture_output=True, check=False, timeout=60)
    assert done.stdout, done.stderr.decode()
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def undo(daemon: Daemon) -> None:
    daemon.api.post("/v1/undo")


def state_of(root: Path) -> dict[str, object]:
    """Names, bytes and links below the workspace."""
    found: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = ("link", os.readlink(path))
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


def test_split_root_files_are_merged_and_an_undo_brings_both_back(daemon: Daemon, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text(OLD)
    (workspace / "memory.md").write_text(OTHER)
    start(daemon)
    before = state_of(workspace)
    (told,) = fix(daemon, "--dry-run")
    assert [each["outcome"] for each in told["fixes"]] == ["planned"]
    assert state_of(workspace) == before
    (told,) = fix(daemon)
    assert [(each["repair"], each["outcome"]) for each in told["fixes"]] == [("split_files", "applied")]
    merged = (workspace / "MEMORY.md").read_text()
    assert merged.startswith(OLD)
    assert "## Imported From Legacy Root memory.md" in merged
    assert merged.count("Bob") == 1
    assert "boiler" in merged
    assert "Lisbon" in merged
    assert not (workspace / "memory.md").exists()
    (archived,) = (workspace / ".openclaw-repair" / "root-memory").rglob("memory.md")
    assert archived.read_text() == OTHER
    daemon.sync()
    assert daemon.api.get("/v1/incidents") == []  # what is moved by a fix is no loss
    undo(daemon)
    assert state_of(workspace) == before
    daemon.assert_no_traceback()


def test_a_name_in_the_wrong_case_is_renamed_and_back(daemon: Daemon, workspace: Path) -> None:
    (workspace / "agents.md").write_text("- never push without a test\n")
    (workspace / "Memory.md").write_text(OLD)
    start(daemon)
    before = state_of(workspace)
    (told,) = fix(daemon)
    assert {each["repair"] for each in told["fixes"]} == {"wrong_case"}
    after = state_of(workspace)
    assert after["AGENTS.md"] == before["agents.md"]
    assert after["MEMORY.md"] == before["Memory.md"]
    assert not {"agents.md", "Memory.md"} & set(after)
    undo(daemon)
    assert state_of(workspace) == before


@pytest.mark.parametrize("through", ["file", "directory"])
def test_nothing_is_copied_from_outside_of_the_workspace(
    daemon: Daemon, workspace: Path, tmp_path: Path, through: str
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "netrc").write_text("- machine example.org, login me\n")
    link = workspace / "memory" / "notes.md"
    if through == "directory":
        (workspace / "inner").symlink_to(tmp_path / "home")
        link.symlink_to("../inner/netrc")
    else:
        link.symlink_to(tmp_path / "home" / "netrc")
    start(daemon)
    before = state_of(workspace)
    (told,) = fix(daemon)
    assert told["fixes"] == []
    assert [each["repair"] for each in told["left"]] == ["link"]
    assert "out of the workspace" in told["left"][0]["why"]
    assert state_of(workspace) == before


def test_a_workspace_that_is_only_observed_is_not_mended(daemon: Daemon, workspace: Path, tmp_path: Path) -> None:
    (workspace / "MEMORY.md").write_text(OLD)
    os.link(workspace / "MEMORY.md", tmp_path / "backup.md")
    start(daemon)
    daemon.cli("observe", str(workspace), answer="yes\n")
    (told,) = fix(daemon)
    assert [(each["repair"], each["outcome"]) for each in told["fixes"]] == [("hard_link", "refused")], told
    assert "only observed" in told["fixes"][0]["reason"]
    assert (workspace / "MEMORY.md").stat().st_nlink == 2


def test_a_linked_file_becomes_one_of_its_own_and_a_link_again(daemon: Daemon, workspace: Path) -> None:
    elsewhere = workspace / "dotfiles" / "memory.md"
    elsewhere.parent.mkdir()
    elsewhere.write_text(OLD)
    (workspace / "MEMORY.md").symlink_to(elsewhere)
    start(daemon)
    before = state_of(workspace)
    (told,) = fix(daemon)
    assert [(each["repair"], each["outcome"]) for each in told["fixes"]] == [("link", "applied")], told
    assert not (workspace / "MEMORY.md").is_symlink()
    assert (workspace / "MEMORY.md").read_text() == OLD
    assert elsewhere.read_text() == OLD
    undo(daemon)
    assert state_of(workspace) == before
    assert elsewhere.read_text() == OLD


def test_another_spelling_that_is_a_link_goes_and_comes_back(daemon: Daemon, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text(OLD)
    (workspace / "memory.md").symlink_to("MEMORY.md")
    start(daemon)
    before = state_of(workspace)
    (told,) = fix(daemon)
    assert [(each["repair"], each["outcome"]) for each in told["fixes"]] == [("split_files", "applied")], told
    assert set(before) - set(state_of(workspace)) == {"memory.md"}
    undo(daemon)
    assert state_of(workspace) == before


def test_a_hard_link_gets_a_copy_of_its_own(daemon: Daemon, workspace: Path, tmp_path: Path) -> None:
    (workspace / "MEMORY.md").write_text(OLD)
    os.link(workspace / "MEMORY.md", tmp_path / "backup.md")
    start(daemon)
    before = state_of(workspace)
    (told,) = fix(daemon)
    assert [(each["repair"], each["outcome"]) for each in told["fixes"]] == [("hard_link", "applied")], told
    assert (workspace / "MEMORY.md").stat().st_nlink == 1
    assert (workspace / "MEMORY.md").stat().st_ino != (tmp_path / "backup.md").stat().st_ino
    assert (tmp_path / "backup.md").read_text() == OLD
    assert state_of(workspace) == before
    assert not told["undo_command"]  # its bytes are the same


def test_what_is_not_safe_is_left_and_explained(daemon: Daemon, workspace: Path) -> None:
    (workspace / "AGENTS.md").write_text("- one\n")
    (workspace / "agents.md").write_text("- two\n")
    (workspace / "USER.md").symlink_to("nowhere.md")
    start(daemon)
    before = state_of(workspace)
    (told,) = fix(daemon)
    assert told["fixes"] == []
    assert {each["repair"] for each in told["left"]} == {"split_files", "link"}
    assert all(each["why"] for each in told["left"])
    assert state_of(workspace) == before


def test_an_agent_only_asks_for_it(daemon: Daemon, workspace: Path, tmp_path: Path) -> None:
    (workspace / "MEMORY.md").write_text(OLD)
    (workspace / "memory.md").write_text(OTHER)
    start(daemon)
    before = state_of(workspace)
    agent = tmp_path / "bin" / "openclaw"
    agent.parent.mkdir()
    agent.symlink_to(sys.executable)
    run = "subprocess.run([sys.argv[1], '-m', 'conductd', 'doctor', '--fix']).returncode"
    code = f"import subprocess, sys; sys.exit({run})"
    done = subprocess.run([agent, "-c", code, sys.executable], env=daemon.environment, capture_output=True, timeout=60)
    assert done.returncode == 15, (done.stdout, done.stderr)
    assert state_of(workspace) == before
    (asked,) = daemon.api.get("/v1/requests")
    assert asked["act"] == "fix"
    assert asked["shows"]
    done_by_person = daemon.cli("confirm", str(asked["id"]), "--yes")
    assert done_by_person.exit_code == 0, done_by_person
    assert not (workspace / "memory.md").exists()
    undo(daemon)
    assert state_of(workspace) == before


def recorded(home: Path, workspace: Path, name: str, text: bytes) -> None:
    """OpenClaw knows the workspace, and wrote these bytes into the file last."""
    state = home / ".openclaw"
    (state / "state").mkdir(parents=True)
    (state / "openclaw.json").write_text(json.dumps({"agents": {"defaults": {"workspace": str(workspace)}}}))
    key = hashlib.sha256(os.fsencode(os.path.realpath(workspace))).hexdigest()
    value = {"fileHash": hashlib.sha256(text).hexdigest(), "originClass": "agent", "relativePath": name}
    value |= {"workspaceKey": key, "version": "1"}
    with closing(sqlite3.connect(state / "state" / "openclaw.sqlite")) as sql:
        sql.execute(
            "CREATE TABLE plugin_state_entries (plugin_id TEXT, namespace TEXT, entry_key TEXT, value_json TEXT,"
            " created_at INTEGER, expires_at INTEGER)"
        )
        hashed = f"{key}:{hashlib.sha256(name.encode()).hexdigest()}"
        sql.execute(
            "INSERT INTO plugin_state_entries VALUES (?, ?, ?, ?, 1, NULL)",
            (PLUGIN, NAMESPACE, hashed, json.dumps(value)),
        )
        sql.commit()


def test_what_openclaw_keeps_a_record_of_is_left(daemon: Daemon, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text(OLD)
    (workspace / "memory.md").write_text(OTHER)
    (workspace / "agents.md").write_text("- a rule\n")
    recorded(daemon.home, workspace, "MEMORY.md", OLD.encode())
    start(daemon)
    (told,) = fix(daemon)
    assert [(each["repair"], each["outcome"]) for each in told["fixes"]] == [("wrong_case", "applied")]
    (left,) = told["left"]
    assert left["repair"] == "split_files"
    assert "OpenClaw will leave it out of the prompt" in left["why"]
    assert (workspace / "MEMORY.md").read_text() == OLD
    assert (workspace / "memory.md").read_text() == OTHER
