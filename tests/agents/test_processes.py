"""An agent's process is known by its program; an everyday program is not taken for one."""

from __future__ import annotations

import pytest

from conductd.agents.processes import is_agent, package_of, program_of


@pytest.mark.parametrize(
    "name",
    [
        "claude",
        "node claude",
        "node openclaw.mjs",
        "openclaw-gateway",
        "openclaw",
        "clawdbot-gateway",
        "codex",
        "codex-x86_64-unknown-linux-musl",
        "python3 aider",
        "python3.12 -m aider",
        "python -m hermes_cli.main",
        "hermes",
        "gemini",
        "node gemini",
        "opencode",
        "bun opencode.ts",
        "cursor-agent",
        "goose",
        "goosed",
        "Goose.AppImage",
        "droid",
        "copilot",
        "kiro-cli",
        "zeroclaw",
        "node qwen",
    ],
)
def test_a_known_agent_is_known_by_its_program(name: str) -> None:
    assert is_agent(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "bash",
        "zsh",
        "vim",
        "nvim",
        "nano",
        "emacs",
        "code",
        "codelite",
        "node",
        "node server.js",
        "python3 -m http.server",
        "python3 claudette.py",
        "ssh",
        "sshd",
        "tmux: server",
        "systemd",
        "git",
        "ampersand",
        "mongoose",
        "piper",
        "linux",
        "agent",
        "gateway",
        "ssh-agent",
        "gpg-agent",
        "cursor",
    ],
)
def test_other_programs_are_no_agents(name: str) -> None:
    assert not is_agent(name)


def test_a_script_with_an_everyday_name_is_known_by_its_package() -> None:
    assert package_of("/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js") == "claude-code"
    assert package_of("/opt/lib/node_modules/openclaw/dist/entry.js") == "openclaw"
    assert package_of("/home/pat/projects/codex/notes.js") == ""
    assert package_of("cli.js") == ""


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/me/.local/share/claude/versions/2.1.3", "claude"),
        ("/opt/codex/releases/v0.9.1-beta.2/bin/codex", "codex"),
        ("/usr/lib/gemini-cli/1.0", "gemini-cli"),
        ("/usr/bin/python3.11", "python3.11"),
        ("-bash", "-bash"),
        ("", ""),
    ],
)
def test_a_program_that_is_called_by_its_version_has_the_name_of_what_it_is_a_version_of(path: str, name: str) -> None:
    assert program_of(path) == name


@pytest.mark.parametrize("name", ["python3 cn.py", "node amp.js", "bash crush-server.sh", "python goose.py"])
def test_a_script_of_a_person_is_not_taken_for_an_agent_of_that_name(name: str) -> None:
    assert not is_agent(name)


@pytest.mark.parametrize("name", ["cn", "node cn", "amp", "python3 aider.py", "node claude-code", "goosed"])
def test_a_program_of_that_name_is(name: str) -> None:
    assert is_agent(name)
