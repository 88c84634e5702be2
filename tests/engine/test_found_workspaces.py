"""Workspaces that nobody named: found at the start, recognised when they are protected, and stable ever after."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.conftest import notes
from support.daemon import Daemon


@pytest.fixture
def found(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon that was told nothing, on a home that is made before it starts."""
    daemon = Daemon(tmp_path / "d", [], arguments=["--no-demo"])
    with daemon.ended_at_exit():
        yield daemon


def write(home: Path, *names: str, text: str = "") -> None:
    for name in names:
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text or notes())


def workspaces(daemon: Daemon, below: Path) -> dict[str, dict[str, Any]]:
    return {os.path.relpath(one["root"], below): one for one in daemon.api.get("/v1/workspaces")}


def test_every_agents_memory_is_found_and_only_observed(found: Daemon) -> None:
    home = found.home
    write(home, ".openclaw/workspace/MEMORY.md", ".claude/CLAUDE.md", ".claude/projects/-p/memory/MEMORY.md")
    write(home, ".codex/memories/MEMORY.md", ".hermes/memories/USER.md", ".hermes/profiles/w/memories/MEMORY.md")
    write(home, ".claude/projects/-p/s.jsonl", ".codex/sessions/2026/a.md", ".claude/agents/reviewer.md")
    found.start()
    seen = workspaces(found, home)
    assert {name: (one["profile"], one["mode"], one["files"]) for name, one in seen.items()} == {
        ".openclaw/workspace": ("openclaw", "observe", 1),
        ".claude": ("claude-home", "observe", 1),
        ".claude/projects/-p/memory": ("claude-memory", "observe", 1),
        ".codex": ("codex-home", "observe", 1),
        ".hermes": ("hermes", "observe", 1),
        ".hermes/profiles/w": ("hermes", "observe", 1),
    }
    write(home, ".claude/rules/new/style.md")
    found.settle()
    assert workspaces(found, home)[".claude"]["files"] == 2
    found.cli("protect", str(home / ".claude/projects/-p/memory"), directory=home)
    write(home, ".claude/projects/-p/memory/MEMORY.md", text="gone\n")
    found.settle()
    assert (home / ".claude/projects/-p/memory/MEMORY.md").read_text() == notes()


def test_a_memory_directory_that_comes_later_can_be_protected_beside_the_agents_own(found: Daemon) -> None:
    write(found.home, ".claude/CLAUDE.md")
    found.start()
    write(found.home, ".claude/projects/-new/memory/MEMORY.md", ".claude/rules/a.md")
    ran = found.cli("protect", str(found.home / ".claude/projects/-new/memory"), directory=found.home)
    assert ran.exit_code == 0, ran.output
    assert workspaces(found, found.home)[".claude/projects/-new/memory"]["profile"] == "claude-memory"
    refused = found.cli("protect", str(found.home / ".claude/rules"), directory=found.home)
    assert refused.exit_code == 2
    assert "is inside the workspace" in refused.output


def test_a_copy_among_the_transcripts_is_no_home_for_what_was_lost(found: Daemon) -> None:
    write(found.home, ".claude/CLAUDE.md")
    found.start()
    found.cli("protect", str(found.home / ".claude"), directory=found.home)
    write(found.home, ".claude/file-history/s/CLAUDE.md", ".claude/backup.jsonl", ".claude/projects/-p/notes.md")
    write(found.home, ".claude/CLAUDE.md", text="# Memory\n\n- nothing of it is left but this line of words\n")
    found.settle()
    assert (found.home / ".claude/CLAUDE.md").read_text() == notes()


def test_what_is_protected_by_hand_gets_the_profile_that_it_looks_like(daemon: Daemon, tmp_path: Path) -> None:
    write(tmp_path / "claw", "SOUL.md", "users/ana/USER.md")
    write(tmp_path / "project", "CLAUDE.md", ".claude/agent-memory/reviewer/MEMORY.md")
    write(tmp_path / "notes", "MEMORY.md")
    for name in ("claw", "project", "notes"):
        assert daemon.cli("protect", str(tmp_path / name)).exit_code == 0
    seen = workspaces(daemon, tmp_path)
    assert {name: (one["profile"], one["files"]) for name, one in seen.items() if name != "ws"} == {
        "claw": ("openclaw", 2),
        "project": ("claude-code", 2),
        "notes": ("generic", 1),
    }


def test_a_workspace_keeps_its_profile_whatever_it_looks_like_later(daemon: Daemon, workspace: Path) -> None:
    write(workspace, "memory/dreaming/light.md")
    daemon.settle()
    before = {one["path"]: one["role"] for one in daemon.api.get("/v1/files")}
    assert before["memory/dreaming/light.md"] == "topic"
    write(workspace, "SOUL.md", "HEARTBEAT.md")
    daemon.restart()
    (one,) = daemon.api.get("/v1/workspaces")
    assert one["profile"] == "generic"
    daemon.cli("protect", "--end", str(workspace))
    daemon.cli("protect", str(workspace))
    assert workspaces(daemon, workspace.parent)["ws"]["profile"] == "generic"
    after = {one["path"]: one["role"] for one in daemon.api.get("/v1/files")}
    assert {path: after[path] for path in before} == before


def test_another_profile_in_the_configuration_leaves_the_history(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    write(root, "MEMORY.md", "feedback_tests.md")
    table = f'[[workspaces]]\nroot = "{root}"\nprofile = '
    with Daemon(tmp_path / "d", [], config=table + '"claude-memory"\n') as daemon:
        daemon.settle()
        assert {one["path"] for one in daemon.api.get("/v1/files")} == {"MEMORY.md", "feedback_tests.md"}
        daemon.stop()
        daemon.config_path.write_text(table + '"openclaw"\n')
        daemon.start()
        assert workspaces(daemon, tmp_path)["ws"]["profile"] == "openclaw"
        assert not daemon.api.get("/v1/incidents?state=open")
        shown = daemon.cli("show", str(root / "feedback_tests.md"), directory=root)
        assert (shown.exit_code, "note 1" in shown.output) == (0, True)
        first = daemon.versions(root / "feedback_tests.md")[-1]["digest"]
        (root / "feedback_tests.md").unlink()
        daemon.settle()
        ran = daemon.cli("restore", f"{root / 'feedback_tests.md'}@{first}", directory=root)
        assert ran.exit_code == 0, ran.output
        assert (root / "feedback_tests.md").read_text() == notes()


def test_a_workspace_that_was_moved_keeps_its_profile(daemon: Daemon, workspace: Path, tmp_path: Path) -> None:
    write(workspace, "AGENTS.md", text=notes(50, 70))
    daemon.settle()
    daemon.stop()
    workspace.rename(tmp_path / "elsewhere")
    write(tmp_path / "elsewhere", "SOUL.md", text=notes(90, 110))
    daemon.start()
    daemon.cli("protect", str(tmp_path / "elsewhere"), directory=tmp_path)
    seen = workspaces(daemon, tmp_path)
    assert seen["elsewhere"]["profile"] == "generic"


def test_init_writes_what_holds_already(found: Daemon) -> None:
    write(found.home, ".openclaw/workspace/MEMORY.md", ".hermes/SOUL.md", ".codex/AGENTS.md")
    found.start()
    for name in (".openclaw/workspace", ".hermes"):
        assert found.cli("protect", str(found.home / name), directory=found.home).exit_code == 0
    found.cli("protect", "--end", str(found.home / ".hermes"), directory=found.home)
    ran = found.cli("init", "--yes", directory=found.home)
    assert ran.exit_code == 0, ran.output
    found.restart()
    modes = {name: one["mode"] for name, one in workspaces(found, found.home).items()}
    assert modes == {".openclaw/workspace": "protect", ".hermes": "observe", ".codex": "observe"}
    written = tomllib.loads(found.config_path.read_text())["workspaces"]
    assert [(table["root"], table["mode"]) for table in written] == [
        ("~/.openclaw/workspace", "protect"),
        ("~/.codex", "observe"),
        ("~/.hermes", "observe"),
    ]
    assert found.cli("init", "--yes", directory=found.home).exit_code == 0
    assert tomllib.loads(found.config_path.read_text())["workspaces"] == written


def test_init_keeps_the_profile_that_a_workspace_has(tmp_path: Path) -> None:
    root = tmp_path / "d/home/.openclaw/workspace"
    write(root, "MEMORY.md", "memory/dreaming/light.md")
    with Daemon(tmp_path / "d", [], config=f'[[workspaces]]\nroot = "{root}"\nprofile = "generic"\n') as daemon:
        daemon.stop()
        daemon.config_path.write_text("")
        assert daemon.cli("init", "--yes", directory=root).exit_code == 0
        (table,) = tomllib.loads(daemon.config_path.read_text())["workspaces"]
        assert (table["profile"], table["mode"]) == ("generic", "protect")


def test_a_directory_that_comes_later_is_recognised_when_it_comes(tmp_path: Path) -> None:
    other, root = tmp_path / "project", tmp_path / "claw"
    other.mkdir()
    config = "".join(f'[[workspaces]]\nroot = "{each}"\n' for each in (root, other))
    with Daemon(tmp_path / "d", [], config=config) as daemon:
        assert workspaces(daemon, tmp_path)["claw"]["profile"] == "generic"
        write(tmp_path / "made", "SOUL.md", "users/ana/USER.md")
        (tmp_path / "made").rename(root)
        daemon.settle()
        seen = workspaces(daemon, tmp_path)["claw"]
        assert (seen["profile"], seen["files"], seen["state"]) == ("openclaw", 2, "ok")
        write(root, "users/bo/USER.md")
        daemon.settle()
        assert workspaces(daemon, tmp_path)["claw"]["files"] == 3
        daemon.restart()
        assert workspaces(daemon, tmp_path)["claw"]["profile"] == "openclaw"
