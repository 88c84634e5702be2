"""`conductd init` as a process, on real homes: what it finds, what it writes, and what it leaves alone."""

from __future__ import annotations

import json
import os
import stat
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from conductd.config import load
from support.terminal import run_in_terminal

from .conftest import Run

Init = Callable[..., "CompletedProcess[bytes]"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made.resolve()


@pytest.fixture
def config(home: Path) -> Path:
    return home / ".config/conductd/config.toml"


@pytest.fixture
def init(run: Run, home: Path, tmp_path: Path) -> Init:
    def go(*arguments: str, **extra: str) -> CompletedProcess[bytes]:
        extra = {"HOME": str(home), "PATH": "/usr/bin:/bin", "CONDUCTD_STATE_DIR": str(tmp_path / "state")} | extra
        return run("init", *arguments, **extra)

    return go


def write(home: Path, name: str, text: str = "# Notes\n\n- one\n") -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def tables_of(data: bytes) -> list[tuple[str, str, str]]:
    found = tomllib.loads(data.decode("utf-8-sig"))["workspaces"]
    return [(table["root"], table.get("mode", ""), table.get("profile", "")) for table in found]


def tables(config: Path) -> list[tuple[str, str, str]]:
    return tables_of(config.read_bytes())


def told(ran: CompletedProcess[bytes]) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(ran.stdout)
    return value


def test_nothing_found_is_said_and_nothing_written(init: Init, home: Path) -> None:
    ran = init()
    assert (ran.returncode, ran.stdout) == (3, b"")
    assert b"no agent's memory was found" in ran.stderr
    assert b"hint: name the directory" in ran.stderr
    assert list(home.iterdir()) == []
    as_json = init("--json")
    assert (as_json.returncode, told(as_json)["found"], told(as_json)["written"]) == (3, [], False)


def test_what_is_found_is_shown_and_written_once(init: Init, home: Path, config: Path) -> None:
    write(home, ".openclaw/workspace/MEMORY.md", "x" * 30_000)
    write(home, ".openclaw/workspace/memory/2026-03-01.md")
    write(home, ".claude/projects/-p/memory/MEMORY.md")
    ran = init()
    assert ran.returncode == 0, ran.stderr
    shown = ran.stdout.decode()
    assert "OpenClaw 2026.9.6 (newest known)" in shown
    assert "2 files: MEMORY.md (curated), memory/2026-03-01.md (daily)" in shown
    assert "20,000 UTF-16 units a file, 60,000 UTF-16 units together; set by `bootstrapMaxChars`" in shown
    assert "cut       MEMORY.md" in shown
    assert tables(config) == [
        ("~/.openclaw/workspace", "observe", "openclaw"),
        ("~/.claude/projects/-p/memory", "observe", "claude-memory"),
    ]
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert stat.S_IMODE(config.parent.stat().st_mode) == 0o700
    assert [each.name for each in config.parent.iterdir()] == ["config.toml"]
    before = config.read_bytes(), config.stat().st_ino
    again = init()
    assert (again.returncode, b"nothing new" in again.stderr) == (0, True)
    assert (config.read_bytes(), config.stat().st_ino) == before
    roots = [each.root for each in load(str(config), {"HOME": str(home)}).workspaces]
    assert roots == [str(home / ".openclaw/workspace"), str(home / ".claude/projects/-p/memory")]


def test_a_dry_run_writes_nothing(init: Init, home: Path) -> None:
    write(home, ".hermes/memories/MEMORY.md")
    ran = init("--dry-run")
    assert ran.returncode == 0
    assert b"observe (new)" in ran.stdout
    assert b"nothing is written" in ran.stderr
    assert not (home / ".config").exists()
    value = told(init("--dry-run", "--json"))
    assert (value["written"], value["exists"]) == (False, False)
    (found,) = value["found"]
    assert (found["agent"], found["profile"], found["status"], found["mode"]) == ("hermes", "hermes", "new", "observe")
    assert found["files"] == [{"path": "memories/MEMORY.md", "role": "curated", "bytes": 15}]


def test_what_a_person_wrote_is_kept(init: Init, home: Path, config: Path) -> None:
    text = "# mine\nmode = 'protect'   # a reason\nworkspaces = [\n  { root = '/srv/notes' } # ] mine\n]\n"
    write(home, ".config/conductd/config.toml", "\ufeff" + text)
    write(home, ".openclaw/workspace/MEMORY.md")
    assert init().returncode == 0
    data = config.read_bytes()
    assert data.startswith(("\ufeff" + text).encode()[:-2])
    assert [root for root, *_ in tables_of(data)] == ["/srv/notes", "~/.openclaw/workspace"]
    init()
    assert config.read_bytes() == data


def test_a_broken_file_is_told_and_not_touched(init: Init, home: Path, config: Path) -> None:
    write(home, ".openclaw/workspace/MEMORY.md")
    for text in (b"mode = 'maybe'\nx = 1\n", b"[[[\n", b"mode = '\xff'\n"):
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_bytes(text)
        ran = init()
        assert ran.returncode == 78
        assert b"fault" in ran.stderr
        assert b"Traceback" not in ran.stderr
        assert config.read_bytes() == text


def test_a_link_is_not_followed(init: Init, home: Path, config: Path, tmp_path: Path) -> None:
    write(home, ".openclaw/workspace/MEMORY.md")
    real = write(tmp_path, "dotfiles/config.toml", "# mine\n")
    config.parent.mkdir(parents=True)
    config.symlink_to(real)
    ran = init()
    assert ran.returncode == 78
    assert f"--config {real}".encode() in ran.stderr
    assert (real.read_text(), config.is_symlink()) == ("# mine\n", True)
    named = init("--config", str(real))
    assert (named.returncode, f"conductd run --config {real}".encode() in named.stderr) == (0, True)
    assert len(tables(real)) == 1


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_regular_file_is_left_alone(
    make: Callable[[Path], None], init: Init, home: Path, config: Path
) -> None:
    write(home, ".openclaw/workspace/MEMORY.md")
    config.parent.mkdir(parents=True)
    make(config)
    ran = init()
    assert (ran.returncode, b"no regular file" in ran.stderr) == (78, True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_directory_that_cannot_be_written_is_told(init: Init, home: Path, config: Path) -> None:
    write(home, ".openclaw/workspace/MEMORY.md")
    config.parent.mkdir(parents=True)
    config.parent.chmod(0o500)
    try:
        ran = init()
    finally:
        config.parent.chmod(0o700)
    assert (ran.returncode, b"cannot be written" in ran.stderr) == (78, True)


def test_what_a_person_put_into_a_comment_is_not_added_again(init: Init, home: Path, config: Path) -> None:
    write(home, ".openclaw/workspace/MEMORY.md")
    init()
    config.write_text("".join(f"# {line}\n" for line in config.read_text().splitlines()))
    before = config.read_bytes()
    ran = init()
    assert (ran.returncode, config.read_bytes()) == (0, before)
    assert b"left out: the configuration names it in a comment" in ran.stdout


def test_one_directory_by_another_name_is_configured_already(init: Init, home: Path, config: Path) -> None:
    write(home, ".openclaw/workspace/MEMORY.md")
    (home / "claw").symlink_to(home / ".openclaw/workspace")
    write(home, ".config/conductd/config.toml", '[[workspaces]]\nroot = "~/claw"\nmode = "protect"\n')
    before = config.read_bytes()
    ran = init()
    assert (ran.returncode, config.read_bytes()) == (0, before)
    assert b"mode      protect, as " in ran.stdout


def test_what_another_workspace_watches_is_left_out(init: Init, home: Path, config: Path) -> None:
    write(home, "notes/memory/claw/MEMORY.md")
    write(home, ".openclaw/openclaw.json", json.dumps({"agents": {"defaults": {"workspace": "~/notes/memory/claw"}}}))
    write(home, ".config/conductd/config.toml", '[[workspaces]]\nroot = "~/notes"\n')
    before = config.read_bytes()
    ran = init()
    assert b"files in common" in ran.stdout
    assert config.read_bytes() == before


def test_an_agents_own_directory_and_its_projects_are_workspaces_apart(init: Init, home: Path, config: Path) -> None:
    write(home, ".claude/CLAUDE.md")
    write(home, ".claude/projects/-p/memory/MEMORY.md")
    assert init().returncode == 0
    assert [profile for _, _, profile in tables(config)] == ["claude-home", "claude-memory"]


def test_names_that_do_harm_do_none(init: Init, home: Path, config: Path) -> None:
    evil = 'x"]\n[[workspaces]]\nroot = "~'
    write(home, f".claude/projects/{evil.replace('/', '')}\x1b[2J\x7f\u202e/memory/MEMORY.md")
    write(home, ".openclaw/workspace/MEMORY.md")
    os.makedirs(os.fsencode(home) + b"/.claude/projects/\xff/memory")
    ran = init()
    assert ran.returncode == 0, ran.stderr
    assert b"\x1b" not in ran.stdout
    assert b"left out: its name is no UTF-8" in ran.stdout
    assert b"\x1b" not in config.read_bytes()
    roots = [each.root for each in load(str(config), {"HOME": str(home)}).workspaces]
    assert len(roots) == 2
    assert all(os.path.isdir(root) for root in roots)
    before = config.read_bytes()
    init()
    assert config.read_bytes() == before


def test_the_state_directory_is_never_made_a_workspace(init: Init, home: Path, config: Path) -> None:
    write(home, ".openclaw/workspace/MEMORY.md")
    ran = init(CONDUCTD_STATE_DIR=str(home / ".openclaw/workspace/state"))
    assert (ran.returncode, config.exists()) == (0, False)
    assert b"left out: the state directory" in ran.stdout


def test_a_configured_agent_finds_its_own(init: Init, home: Path, config: Path) -> None:
    write(home, "work/one/.rules")
    write(home, "work/two/notes/a.md")
    agent = (
        '[[agents]]\nname = "zed"\ndisplay = "Zed"\nfind = ["~/work/*"]\ntrees = ["notes"]\n'
        'steps = [{ names = [".rules"] }]\n'
    )
    write(home, ".config/conductd/config.toml", agent)
    ran = init()
    assert ran.returncode == 0, ran.stderr
    assert [(root, profile) for root, _, profile in tables(config)] == [("~/work/one", "zed"), ("~/work/two", "zed")]
    assert b".rules (instructions)" in ran.stdout
    assert b"notes/a.md (topic)" in ran.stdout
    assert config.read_text().startswith(agent)


@pytest.mark.parametrize("text", ["{agents: {", "[]", "\0", ""])
def test_a_configuration_that_cannot_be_understood_is_said(init: Init, home: Path, text: str) -> None:
    write(home, ".openclaw/workspace/MEMORY.md")
    config = write(home, ".openclaw/openclaw.json", text)
    ran = init("--dry-run")
    assert (ran.returncode, f"warning: {config} cannot be read".encode() in ran.stderr) == (0, True)
    assert told(init("--dry-run", "--json"))["unread"] == [str(config)]
    config.write_text("// nothing set\n{}\n")
    assert b"warning" not in init("--dry-run").stderr


def test_the_installed_release_is_named(init: Init, home: Path, tmp_path: Path) -> None:
    write(home, ".openclaw/workspace/MEMORY.md")
    package = write(tmp_path, "lib/node_modules/openclaw/package.json", '{"name": "openclaw", "version": "2026.4.15"}')
    program = write(package.parent, "openclaw.mjs", "#!/usr/bin/env node\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/openclaw").symlink_to(program)
    value = told(init("--json", "--dry-run", PATH=f"{tmp_path / 'bin'}:/usr/bin"))
    (found,) = value["found"]
    assert (found["version"], found["version_from"]) == ("2026.4.15", "installed")
    table = '[[workspaces]]\nroot = "~/.openclaw/workspace"\nagent_version = "2026.2.14"\n'
    write(home, ".config/conductd/config.toml", table)
    (found,) = told(init("--json", PATH=f"{tmp_path / 'bin'}:/usr/bin"))["found"]
    assert (found["version"], found["version_from"], found["status"]) == ("2026.2.14", "configured", "configured")
    assert "24,000 UTF-16 units together" in found["limits"]["text"]


def test_on_a_terminal_it_asks_first(home: Path, config: Path, environ: dict[str, str], tmp_path: Path) -> None:
    write(home, ".openclaw/workspace/MEMORY.md")
    environment = environ | {"HOME": str(home), "CONDUCTD_STATE_DIR": str(tmp_path / "state")}
    command = [sys.executable, "-m", "conductd", "init"]
    refused = run_in_terminal(command, environment, home, "n")
    assert (refused.exit_code, config.exists()) == (1, False)
    agreed = run_in_terminal(command, environment, home, "y")
    assert (agreed.exit_code, config.exists()) == (0, True)


def test_a_home_that_is_named_as_a_workspace_is_left_out_and_said_so(run: Run, tmp_path: Path) -> None:
    home = tmp_path / "person"
    (home / ".openclaw").mkdir(parents=True)
    (home / "MEMORY.md").write_text("- one\n")
    (home / ".openclaw" / "openclaw.json").write_text('{"agents": {"defaults": {"workspace": "~"}}}')
    ran = run("init", "--dry-run", HOME=str(home), CONDUCTD_STATE_DIR=str(tmp_path / "state"))
    assert f"left out: {home}: it is your home".encode() in ran.stdout + ran.stderr
