"""Which release is installed is read from the package that a program belongs to, wherever installers put it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from conductd.agents import loading
from conductd.agents.installed import installed


def package(directory: Path, name: str, version: object) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "package.json").write_text(json.dumps({"name": name, "version": version}))
    (directory / "cli.js").write_text("#!/usr/bin/env node\n")
    return directory / "cli.js"


def link(program: Path, target: Path) -> Path:
    program.parent.mkdir(parents=True, exist_ok=True)
    program.symlink_to(target)
    return program.parent


def test_an_npm_package_behind_a_link(tmp_path: Path) -> None:
    target = package(tmp_path / "lib/node_modules/@openai/codex", "@openai/codex", "0.42.0")
    directory = link(tmp_path / "bin/codex", target)
    assert installed("codex", ("@openai/codex",), {"PATH": f"/nowhere:{directory}"}) == "0.42.0"
    assert installed("codex", ("other",), {"PATH": str(directory)}) is None


@pytest.mark.parametrize("place", [".local/bin", ".npm-global/bin", ".bun/bin", ".nvm/versions/node/v22.1.0/bin"])
def test_where_installers_put_it_below_the_home(tmp_path: Path, place: str) -> None:
    target = package(tmp_path / "pkg", "openclaw", "2026.8.1")
    link(tmp_path / place / "openclaw", target)
    assert installed("openclaw", ("openclaw",), {"HOME": str(tmp_path), "PATH": "/nowhere"}) == "2026.8.1"


def test_the_path_comes_first(tmp_path: Path) -> None:
    link(tmp_path / ".local/bin/openclaw", package(tmp_path / "old", "openclaw", "2026.1.30"))
    directory = link(tmp_path / "bin/openclaw", package(tmp_path / "new", "openclaw", "2026.9.6"))
    assert installed("openclaw", ("openclaw",), {"HOME": str(tmp_path), "PATH": str(directory)}) == "2026.9.6"


def test_a_python_package_by_its_metadata(tmp_path: Path) -> None:
    (tmp_path / "venv/lib/python3.12/site-packages/hermes_agent-0.22.1.dist-info").mkdir(parents=True)
    (tmp_path / "venv/bin").mkdir()
    (tmp_path / "venv/bin/hermes").write_text("#!python\n")
    directory = link(tmp_path / "bin/hermes", tmp_path / "venv/bin/hermes")
    env = {"PATH": str(directory)}
    assert installed("hermes", ("hermes-agent",), env) == "0.22.1"
    assert loading.version_of(loading.named("hermes"), env) == ("0.22.1", True)


def test_claudes_own_installer_names_the_release(tmp_path: Path) -> None:
    target = tmp_path / ".local/share/claude/versions/2.1.250"
    target.parent.mkdir(parents=True)
    target.write_text("")
    link(tmp_path / ".local/bin/claude", target)
    assert installed("claude", ("@anthropic-ai/claude-code",), {"HOME": str(tmp_path)}) == "2.1.250"


@pytest.mark.parametrize("version", [None, 3, "", "latest", "1", "1.2.3\n\x1b[2J", ["1.2.3"], "x" * 300])
def test_what_is_no_release_is_none(tmp_path: Path, version: object) -> None:
    directory = link(tmp_path / "bin/openclaw", package(tmp_path / "pkg", "openclaw", version))
    assert installed("openclaw", ("openclaw",), {"PATH": str(directory)}) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, "\0"])
def test_garbage_is_none(tmp_path: Path, text: str) -> None:
    target = package(tmp_path / "pkg", "openclaw", "1.2.3")
    (tmp_path / "pkg/package.json").write_text(text)
    assert installed("openclaw", ("openclaw",), {"PATH": str(link(tmp_path / "bin/openclaw", target))}) is None
    os.unlink(tmp_path / "pkg/package.json")
    os.mkfifo(tmp_path / "pkg/package.json")
    assert installed("openclaw", ("openclaw",), {"PATH": str(tmp_path / "bin")}) is None


@pytest.mark.parametrize("env", [{}, {"PATH": ""}, {"PATH": "relative:."}, {"HOME": "relative"}, {"PATH": "\0"}])
def test_without_a_place_to_look_there_is_none(env: dict[str, str]) -> None:
    assert installed("openclaw", ("openclaw",), env) is None
    assert loading.version_of(loading.named("openclaw"), env) == (loading.named("openclaw").newest, False)
