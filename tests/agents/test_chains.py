"""What agents load that are described as a chain of files: those known, and those of the configuration."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from conductd.agents import loading
from conductd.config.load import parse
from conductd.core.load.loaded import Cause, Load, Why
from conductd.core.load.openclaw_versions import Session


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


@pytest.fixture
def root(home: Path) -> Path:
    made = home / "code" / "app"
    made.mkdir(parents=True)
    (home / "code" / ".git").mkdir()
    return made


def asked(agent: str, root: Path, home: Path, config: str = "", **env: str) -> Load:
    loader = loading.named(agent, loading.with_further(each.chain() for each in parse(config).agents))
    return loader.load(loading.Asked(str(root), "", Session.MAIN, {"HOME": str(home), **env}, str(home)))


def put(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def names(found: Load, home: Path) -> list[str]:
    return [each.name.replace(str(home), "~") for each in found.files]


def left(found: Load, home: Path) -> dict[str, Why]:
    return {each.name.replace(str(home), "~"): each.why for each in found.left_out}


# ------------------------------------------------------------------ those known


@pytest.mark.parametrize(
    ("agent", "files", "expected", "out"),
    [
        ("qwen-code", "QWEN.md ~/.qwen/QWEN.md GEMINI.md", "~/.qwen/QWEN.md QWEN.md", {}),
        ("antigravity", ".agents/rules/a.md ~/.gemini/GEMINI.md", "~/.gemini/GEMINI.md .agents/rules/a.md", {}),
        ("cline", ".clinerules/b.txt .clinerules/a.md .clinerules/hooks/x", ".clinerules/a.md .clinerules/b.txt", {}),
        ("cline", ".clinerules ~/.agents/AGENTS.md AGENTS.md", "~/.agents/AGENTS.md .clinerules AGENTS.md", {}),
        ("goose", ".goosehints ../AGENTS.md ~/.config/goose/x", "~/code/AGENTS.md .goosehints", {}),
        ("goose", "AGENTS.md ~/.config/goose/.goosehints", "~/.config/goose/.goosehints AGENTS.md", {}),
        ("amp", "AGENTS.md CLAUDE.md ~/CLAUDE.md", "~/CLAUDE.md AGENTS.md", {"CLAUDE.md": Why.OTHER_FILE}),
        ("zed", ".cursorrules AGENTS.md", ".cursorrules", {"AGENTS.md": Why.OTHER_FILE}),
        ("letta-code", "system/human.md system/deep/x.md reference/y.md", "system/deep/x.md system/human.md", {}),
        ("nanobot", "SOUL.md memory/MEMORY.md TOOLS.md", "SOUL.md memory/MEMORY.md", {}),
        ("picoclaw", "AGENT.md AGENTS.md USER.md", "AGENT.md USER.md", {"AGENTS.md": Why.OTHER_FILE}),
        ("zeroclaw", "MEMORY.md AGENTS.md SOUL.md", "SOUL.md AGENTS.md MEMORY.md", {}),
    ],
)
def test_each_loads_what_is_documented(
    home: Path, root: Path, agent: str, files: str, expected: str, out: dict[str, Why]
) -> None:
    for name in files.split():
        put(home / name[2:] if name.startswith("~/") else root / name, "text")
    found = asked(agent, root, home)
    assert names(found, home) == expected.split()
    assert left(found, home) == out


def test_zeroclaw_says_where_it_cut(home: Path, root: Path) -> None:
    put(root / "SOUL.md", "\n " + "é" * 20_001 + " \n")
    (found,) = asked("zeroclaw", root, home).files
    note = "\n\n[... SOUL.md truncated at 20000 chars — use `read SOUL.md` for full file]\n\n"
    assert (found.text, found.raw) == ("é" * 20_000 + note, 20_001)


def test_rules_of_cline_with_paths_are_for_those_files(home: Path, root: Path) -> None:
    put(root / ".clinerules/a.md", "---\npaths:\n  - src/**\n---\nx")
    put(root / ".clinerules/b.md", "---\ndescription: x\n---\nx")
    found = asked("cline", root, home)
    assert (names(found, home), left(found, home)) == ([".clinerules/b.md"], {".clinerules/a.md": Why.SCOPED})


def test_imports_are_followed_so_many_hops(home: Path, root: Path) -> None:
    put(root / "GEMINI.md", "see @docs/1.md and @../../secret.md and @missing.md `@docs/code.md`")
    put(home / "secret.md", "secret")
    put(root / "docs" / "code.md", "x")
    for number in range(1, 8):
        put(root / "docs" / f"{number}.md", f"@{number + 1}.md @../GEMINI.md")
    found = asked("gemini-cli", root, home)
    assert names(found, home) == ["GEMINI.md", *(f"docs/{number}.md" for number in range(1, 6))]
    assert found.files[1].note == "imported by GEMINI.md"
    assert left(found, home) == {"~/secret.md": Why.OUTSIDE}
    put(root / ".goosehints", "@docs/1.md")
    assert len(asked("goose", root, home).files) == 5


def test_the_names_of_gemini_are_configured(home: Path, root: Path) -> None:
    for name in ("GEMINI.md", "AGENTS.md", "CONTEXT.md", "../AGENTS.md", "~/.gemini/AGENTS.md"):
        put(home / name[2:] if name.startswith("~/") else root / name, "text")
    put(home / ".gemini/settings.json", '{"context": {"fileName": ["AGENTS.md", "CONTEXT.md"]}}')
    expected = ["~/.gemini/AGENTS.md", "~/code/AGENTS.md", "AGENTS.md", "CONTEXT.md"]
    assert names(asked("gemini-cli", root, home), home) == expected
    put(root / ".gemini/settings.json", '{"context": {"fileName": "GEMINI.md", /* nearer */ },}')
    assert names(asked("gemini-cli", root, home), home) == ["GEMINI.md"]
    put(root / ".gemini/settings.json", b"\xff{")
    assert names(asked("gemini-cli", root, home), home) == expected


def test_the_names_of_goose_are_a_variable(home: Path, root: Path) -> None:
    put(root / "CLAUDE.md", "text")
    put(root / "AGENTS.md", "text")
    moved = put(home / "xdg" / "goose" / "CLAUDE.md", "text")
    env = {"CONTEXT_FILE_NAMES": '["CLAUDE.md"]', "XDG_CONFIG_HOME": str(home / "xdg")}
    assert [each.path for each in asked("goose", root, home, **env).files] == [str(moved), str(root / "CLAUDE.md")]
    assert names(asked("goose", root, home, CONTEXT_FILE_NAMES="{"), home) == ["AGENTS.md"]


def test_the_instructions_of_opencode_are_followed(home: Path, root: Path) -> None:
    for name in ("AGENTS.md", "docs/a.md", "docs/b.md", "docs/c.txt", "../team.md", "~/own.md", "~/.config/opencode/x"):
        put(home / name[2:] if name.startswith("~/") else root / name, "text")
    put(
        root / "opencode.jsonc", '// ours\n{"instructions": ["docs/*.md", "team.md", "https://example.org/rules.md",],}'
    )
    put(home / ".config/opencode/opencode.json", json.dumps({"instructions": ["~/own.md", 7, ""]}))
    found = asked("opencode", root, home)
    expected = ["AGENTS.md", "~/own.md", "docs/a.md", "docs/b.md", "~/code/team.md"]
    assert names(found, home) == expected
    (home / ".config").rename(home / "xdg")
    assert names(asked("opencode", root, home, XDG_CONFIG_HOME=str(home / "xdg")), home) == expected
    assert any("address on the network" in note for note in found.notes)


def test_a_variable_moves_the_directory_of_copilot(home: Path, root: Path) -> None:
    put(home / ".copilot/copilot-instructions.md", "no")
    put(home / "elsewhere/copilot-instructions.md", "yes")
    (found,) = asked("copilot", root, home, COPILOT_HOME=str(home / "elsewhere")).files
    assert found.text == "yes"


def test_the_private_memory_of_gemini_is_loaded_where_it_lies(home: Path, root: Path) -> None:
    memory = put(home / ".gemini/tmp/a1/memory/MEMORY.md", "index").parent
    put(home / ".gemini/GEMINI.md", "own")
    assert names(asked("gemini-cli", memory, home), home) == ["~/.gemini/GEMINI.md", "MEMORY.md"]
    put(root / "MEMORY.md", "of another agent")
    assert names(asked("gemini-cli", root, home), home) == ["~/.gemini/GEMINI.md"]


def test_a_variable_may_name_a_second_place(home: Path, root: Path) -> None:
    put(home / ".config/opencode/AGENTS.md", "usual")
    own = put(home / "own/AGENTS.md", "own")
    assert [each.text for each in asked("opencode", root, home, OPENCODE_CONFIG_DIR=str(own.parent)).files] == ["own"]
    own.unlink()
    assert [each.text for each in asked("opencode", root, home, OPENCODE_CONFIG_DIR=str(own.parent)).files] == ["usual"]
    put(home / "gem/.gemini/GEMINI.md", "gem")
    assert [each.text for each in asked("gemini-cli", root, home, GEMINI_CLI_HOME=str(home / "gem")).files] == ["gem"]


@pytest.mark.parametrize(
    ("place", "agent"),
    [
        (".nanobot/workspace", "nanobot"),
        (".picoclaw/workspace", "picoclaw"),
        (".zeroclaw/workspace", "zeroclaw"),
        (".letta/agents/agent-7/memory", "letta-code"),
        (".gemini/tmp/a1/memory", "gemini-cli"),
    ],
)
def test_a_workspace_is_told_by_its_place(home: Path, place: str, agent: str) -> None:
    put(home / place / "SOUL.md", "x")
    found = loading.guessed(str(home / place), {}, str(home))
    assert [(each.name, by) for each, by in found[:1]] == [(agent, "place")]


# ------------------------------------------------------------------ those of the configuration

ROBIN = """
[[agents]]
name = "robin"
unit = "bytes"
per_file = 20
total = 30
marker = "…"
find = ["~/nests/*"]
[[agents.steps]]
names = ["ROBIN.md", "notes/**/*.md"]
"""


def test_ten_lines_are_enough(home: Path, root: Path) -> None:
    put(root / "ROBIN.md", "r" * 25)
    put(root / "notes/a.md", "a" * 6)
    put(root / "notes/deep/b.md", "b" * 9)
    found = asked("robin", root, home, ROBIN)
    assert [each.text for each in found.files] == ["r" * 20 + "…", "a" * 6, "b"]
    assert [each.causes for each in found.files] == [(Cause.PER_FILE,), (), (Cause.TOTAL,)]
    assert (found.spent, found.limit) == (30, 30)
    nest = put(home / "nests" / "one" / "ROBIN.md", "x").parent
    loaders = loading.with_further(each.chain() for each in parse(ROBIN).agents)
    assert [each.name for each, _ in loading.guessed(str(nest), {}, str(home), loaders)] == ["robin"]


def test_a_file_that_is_too_large_is_skipped(home: Path, root: Path) -> None:
    put(root / "ROBIN.md", "r" * 25)
    found = asked("robin", root, home, ROBIN + "skip_over = 24\nper_file = 0\n")
    assert (names(found, home), left(found, home)) == ([], {"ROBIN.md": Why.TOO_LARGE})
    assert len(asked("robin", root, home, ROBIN + "skip_over = 25\n").files) == 1


def test_names_of_any_bytes_and_links_in_circles_end(home: Path, root: Path) -> None:
    put(root / "notes" / "plain.md", "x")
    with open(os.path.join(os.fsencode(root), b"notes", b"caf\xe9.md"), "wb") as file:
        file.write(b"y" * 25)
    for name in ("one", "two", "three"):
        (root / "notes" / name).symlink_to("..")
    os.mkfifo(root / "notes" / "pipe.md")
    found = asked("robin", root, home, ROBIN)
    assert [os.fsencode(each.name) for each in found.files] == [b"notes/caf\xe9.md", b"notes/plain.md"]
    assert all((each.text or "").encode() for each in found.files)
