"""What is gathered from real directories, files and databases, and what the checks make of it."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path

import pytest

from conductd.core.doctor.checks import examine_workspace
from conductd.core.doctor.facts import Kind, Leads, Workspace
from conductd.core.doctor.finding import Finding, Result
from conductd.doctor import machine
from conductd.doctor.flat_settings import values
from conductd.doctor.listing import listed
from conductd.doctor.noted import HEADER
from conductd.doctor.places import Known, Wanted, workspace_facts

KNOWN = Known(True, "protect", "ok", "events", pins=1)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "ws"
    (made / "memory").mkdir(parents=True)
    return made


def facts(root: Path, home: Path, *agents: str, known: Known = KNOWN) -> Workspace:
    env = {"HOME": str(home), "PATH": "/nowhere"}
    return workspace_facts(os.fsencode(root), env, str(home), time.time_ns(), known, Wanted(agents))


def found(of: Workspace, check: str) -> list[Finding]:
    return [each for each in examine_workspace(of) if each.check == check]


def results(of: Workspace, check: str) -> set[Result]:
    return {each.result for each in found(of, check)}


# ------------------------------------------------------------------ what stands there


def test_names_links_and_kinds_are_told_as_they_are(root: Path) -> None:
    (root / "MEMORY.md").write_text("x")
    os.link(root / "MEMORY.md", root / "memory" / "same.md")
    (root / "USER.md").symlink_to("MEMORY.md")
    (root / "out.md").symlink_to("/etc/hostname")
    (root / "AGENTS.md").symlink_to("gone")
    os.mkfifo(root / "SOUL.md")
    (root / os.fsdecode(b"caf\xe9.md")).write_text("x")
    (root / "memory" / "deep").mkdir()
    (root / "memory" / "deep" / "a.md").write_text("x")
    (root / "node_modules").mkdir()
    (root / "node_modules" / "hidden.md").write_text("x")
    entries, is_cut = listed(os.fsencode(root), (), (b"memory",))
    assert entries is not None
    assert not is_cut
    by = {each.path: each for each in entries}
    assert (by[b"MEMORY.md"].nlink, by[b"MEMORY.md"].others) == (2, (b"memory/same.md",))
    assert (by[b"USER.md"].kind, by[b"USER.md"].leads, by[b"USER.md"].inside) == (Kind.LINK, Leads.FILE, True)
    assert by[b"out.md"].inside is False
    assert by[b"AGENTS.md"].leads is Leads.NOWHERE
    assert by[b"SOUL.md"].kind is Kind.OTHER
    assert b"caf\xe9.md" in by
    assert b"memory/deep/a.md" in by
    assert b"node_modules/hidden.md" not in by


def test_what_lies_behind_a_link_is_not_looked_at(root: Path, tmp_path: Path) -> None:
    (root / "memory").rmdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.md").write_text("x")
    (root / "memory").symlink_to(elsewhere)
    entries, _ = listed(os.fsencode(root), (), (b"memory",))
    assert entries is not None
    assert {each.path for each in entries} == {b"memory"}


def test_a_loop_of_links_ends(root: Path, home: Path) -> None:
    (root / "MEMORY.md").symlink_to("MEMORY.md")
    (root / "memory" / "up").symlink_to("..")
    assert results(facts(root, home), "links") >= {Result.FAIL}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_cannot_be_read_is_unknown_or_said(root: Path, home: Path) -> None:
    (root / "MEMORY.md").write_text("x")
    (root / "MEMORY.md").chmod(0)
    assert Result.FAIL in results(facts(root, home), "writable")
    root.chmod(0)
    try:
        assert results(facts(root, home), "split_files") == {Result.UNKNOWN}
    finally:
        root.chmod(0o700)


def test_a_root_that_is_gone_or_no_directory(root: Path, home: Path) -> None:
    assert results(facts(root / "gone", home), "workspace") == {Result.FAIL}
    (root / "file").write_text("x")
    assert Result.FAIL in results(facts(root / "file", home), "workspace")


# ------------------------------------------------------------------ every agent's own names


@pytest.mark.parametrize(
    ("agent", "wrong"),
    [
        ("openclaw", "Memory.md"),
        ("openclaw@2026.3.13", "Tools.md"),
        ("claude-code", "claude.md"),
        ("claude-code", ".claude/Claude.md"),
        ("codex", "agents.md"),
        ("codex", "Agents.Override.md"),
        ("hermes", "memories/memory.md"),
        ("hermes", "Soul.md"),
        ("gemini-cli", "gemini.md"),
        ("copilot", ".github/Copilot-Instructions.md"),
        ("opencode", "Agents.MD"),
        ("windsurf", ".WindsurfRules"),
    ],
)
def test_a_wrong_case_of_every_name_an_agent_opens(root: Path, home: Path, agent: str, wrong: str) -> None:
    (root / wrong).parent.mkdir(parents=True, exist_ok=True)
    (root / wrong).write_text("- a note\n")
    told = found(facts(root, home, agent), "wrong_case")
    assert [each.files for each in told] == [(wrong.encode(),)], told


def test_codex_fallback_names_count(root: Path, home: Path) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('project_doc_fallback_filenames = ["TEAM.md"]\n')
    (root / "team.md").write_text("x")
    assert Result.FAIL in results(facts(root, home, "codex"), "wrong_case")


def test_memory_md_beside_memory_is_right_for_the_releases_that_load_both(root: Path, home: Path) -> None:
    (root / "MEMORY.md").write_text("x")
    (root / "memory.md").write_text("y")
    assert results(facts(root, home, "openclaw@2026.2.26"), "split_files") == {Result.OK}
    assert results(facts(root, home, "openclaw@2026.9.6"), "split_files") == {Result.FAIL}


# ------------------------------------------------------------------ what the loaders say


def test_what_is_cut_near_starved_and_too_large(root: Path, home: Path) -> None:
    for name in ("AGENTS.md", "SOUL.md", "IDENTITY.md"):
        (root / name).write_text("y" * 19_500)
    (root / "MEMORY.md").write_text("# Memory\n" + "- words of a note\n" * 2_000)
    seen = facts(root, home, "openclaw@2026.9.6")
    assert results(seen, "load_cut") == {Result.FAIL}
    assert "MEMORY.md" in found(seen, "load_cut")[0].what
    assert results(seen, "load_near") == {Result.WARN}
    assert results(seen, "load_total") == {Result.FAIL}
    (root / "SOUL.md").write_bytes(b"y" * (2 * 1024 * 1024 + 1))
    assert results(facts(root, home, "openclaw@2026.9.6"), "load_size") == {Result.FAIL}


def test_names_that_a_release_has_given_up(root: Path, home: Path) -> None:
    (root / "TOOLS.md").write_text("- a tool\n")
    (root / "HEARTBEAT.md").write_text("- a task\n")
    assert len(found(facts(root, home, "openclaw@2026.8.1"), "not_loaded")) == 2
    assert results(facts(root, home, "openclaw@2026.7.1"), "not_loaded") == {Result.OK}


def test_claude_code_over_its_lines(root: Path, home: Path) -> None:
    memory = home / ".claude" / "projects" / "-p" / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text("- a note\n" * 230)
    assert results(facts(memory, home), "load_cut") == {Result.FAIL}


# ------------------------------------------------------------------ settings


def test_openclaws_settings_are_read_with_those_of_its_agent(root: Path, home: Path) -> None:
    state = home / ".openclaw"
    state.mkdir()
    config = {
        "agents": {
            "defaults": {"workspace": str(root), "compaction": {"memoryFlush": {"enabled": False}}},
            "list": [{"id": "main", "default": True, "contextInjection": "never"}],
        }
    }
    (state / "openclaw.json").write_text("// a comment\n" + json.dumps(config))
    told = found(facts(root, home, "openclaw@2026.7.1"), "agent_settings")
    assert {each.result for each in told} == {Result.WARN, Result.FAIL}
    (state / "openclaw.json").write_text("{ this is no configuration")
    assert results(facts(root, home, "openclaw@2026.7.1"), "agent_settings") == {Result.UNKNOWN}


def test_settings_of_the_others(root: Path, home: Path) -> None:
    env = {"HOME": str(home), "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"cleanupPeriodDays": 3, "autoMemoryEnabled": true}')
    (root / ".claude").mkdir()
    (root / ".claude" / "settings.local.json").write_text('{"autoMemoryEnabled": false}')
    claude, _ = values("claude-code", str(root), env, str(home))
    assert claude == {
        "cleanupPeriodDays": 3,
        "autoMemoryEnabled": False,
        "env.CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    }
    (home / ".hermes").mkdir()
    (home / ".hermes" / "config.yaml").write_text(
        "model: big\nmemory:\n  memory_enabled: false  # for now\n  memory_char_limit: 900\n"
        "other:\n  memory_enabled: true\n"
    )
    hermes, _ = values("hermes", str(root), env, str(home))
    assert hermes is not None
    assert (hermes["memory.memory_enabled"], hermes["memory.memory_char_limit"]) == (False, 900)
    (home / ".claude" / "settings.json").write_text("[1, 2")
    assert values("claude-code", str(root), env, str(home))[0] is None


# ------------------------------------------------------------------ what OpenClaw noted


def test_an_attested_workspace_that_was_emptied(root: Path, home: Path) -> None:
    state = home / ".openclaw"
    (state / "workspace-attestations").mkdir(parents=True)
    (state / "openclaw.json").write_text(json.dumps({"agents": {"defaults": {"workspace": str(root)}}}))
    key = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()
    (state / "workspace-attestations" / f"{key}.attested").write_bytes(HEADER + b"{}")
    told = found(facts(root, home, "openclaw@2026.7.1"), "attested")
    assert [each.result for each in told] == [Result.FAIL]
    (root / "MEMORY.md").write_text("- a note\n")
    assert results(facts(root, home, "openclaw@2026.7.1"), "attested") == {Result.OK}
    assert Result.FAIL in results(facts(root, home, "openclaw@2026.9.6"), "attested")  # state of an older release


@pytest.fixture
def database(root: Path, home: Path) -> Path:
    state = home / ".openclaw"
    (state / "state").mkdir(parents=True)
    (state / "openclaw.json").write_text(json.dumps({"agents": {"defaults": {"workspace": str(root)}}}))
    place = state / "state" / "openclaw.sqlite"
    with closing(sqlite3.connect(place)) as sql:
        sql.execute(
            "CREATE TABLE workspace_setup_state (workspace_key TEXT, workspace_path TEXT, attested_at_ms INTEGER)"
        )
        sql.execute(
            "CREATE TABLE workspace_generated_bootstrap_hashes (workspace_key TEXT, filename TEXT, sha256 TEXT)"
        )
        now = time.time_ns() // 1_000_000
        sql.execute("INSERT INTO workspace_setup_state VALUES ('k', ?, ?)", (os.path.realpath(root), now))
        template = hashlib.sha256(b"a template\n").hexdigest()
        sql.execute("INSERT INTO workspace_generated_bootstrap_hashes VALUES ('k', 'SOUL.md', ?)", (template,))
        sql.commit()
    return place


def test_a_workspace_of_templates_alone_looks_re_seeded(root: Path, home: Path, database: Path) -> None:
    (root / "SOUL.md").write_text("a template\n")
    assert results(facts(root, home, "openclaw@2026.9.6"), "attested") == {Result.WARN}
    (root / "SOUL.md").write_text("my own words\n")
    assert results(facts(root, home, "openclaw@2026.9.6"), "attested") == {Result.OK}
    database.write_bytes(b"no database at all, although long enough to be read as one" * 100)
    assert results(facts(root, home, "openclaw@2026.9.6"), "attested") == {Result.UNKNOWN}


def test_copies_for_sandboxed_sessions(root: Path, home: Path) -> None:
    state = home / ".openclaw"
    (state / "sandboxes" / "a" / "memory").mkdir(parents=True)
    (state / "sandboxes" / "empty").mkdir()
    config = {"agents": {"defaults": {"workspace": str(root), "sandbox": {"mode": "all", "workspaceAccess": "ro"}}}}
    (state / "openclaw.json").write_text(json.dumps(config))
    told = found(facts(root, home, "openclaw@2026.7.1"), "sandboxes")
    assert [each.result for each in told] == [Result.WARN, Result.WARN]
    assert "empty" not in told[1].what


# ------------------------------------------------------------------ git and the machine


def test_memory_that_git_ignores(root: Path, home: Path) -> None:
    (root / "MEMORY.md").write_text("x")
    (root / "memory" / "2026-01-01.md").write_text("x")
    for name in ("objects", "refs"):
        (root / ".git" / name).mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (root / ".gitignore").write_text("memory/\n*.log\n")
    ignored, not_given = found(facts(root, home), "git")
    assert (ignored.result, ignored.files) == (Result.OK, (b"memory/2026-01-01.md",))
    assert (not_given.result, not_given.files) == (Result.OK, (b"MEMORY.md",))
    name = hashlib.sha1(b"blob 1\0x", usedforsecurity=False).hexdigest()
    (root / ".git" / "objects" / name[:2]).mkdir()
    (root / ".git" / "objects" / name[:2] / name[2:]).write_bytes(b"")
    assert [each.files for each in found(facts(root, home), "git")] == [(b"memory/2026-01-01.md",)]
    (root / ".gitignore").write_text("*.md\n!MEMORY.md\n")
    assert results(facts(root, home), "git") == {Result.UNKNOWN}


def test_the_state_directory_in_a_workspace_and_in_a_synced_folder(tmp_path: Path) -> None:
    state = tmp_path / "Dropbox" / "ws" / "state"
    state.mkdir(parents=True)
    state.chmod(0o755)
    seen = machine.store(str(state), b"", "", [os.fsencode(tmp_path / "Dropbox" / "ws")])
    assert seen.inside == (os.fsencode(tmp_path / "Dropbox" / "ws"),)
    assert seen.synced == os.fsencode(tmp_path / "Dropbox")
    assert seen.places is not None
    assert stat.S_IMODE(seen.places[0].mode or 0) == 0o755
    assert seen.sqlite == sqlite3.sqlite_version_info[:3]


@pytest.mark.parametrize(
    ("zone", "known"), [("", True), ("UTC", True), ("EST5EDT,M3.2.0,M11.1.0", True), (":/nowhere/at/all", False)]
)
def test_time_zones(tmp_path: Path, zone: str, known: bool) -> None:
    assert machine.clock(str(tmp_path), {"TZ": zone}).zone_known is known


def test_a_clock_behind_the_journal(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    journal.mkdir()
    (journal / "segment").write_text("x")
    later = time.time_ns() + 7_200 * 10**9
    os.utime(journal / "segment", ns=(later, later))
    seen = machine.clock(str(tmp_path), {})
    assert seen.journal_ns == later
    assert (machine.clock(str(tmp_path / "none"), {}).journal_exists, seen.journal_exists) == (False, True)
