"""`conductd load` as a process: no daemon, any directory."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from .conftest import Run

SECTION = "\n".join("- words of an entry that say something" for _ in range(60))


def long_memory(sections: int = 12) -> str:
    return "# Memory\n\n" + "\n".join(f"## 2026-03-{day:02} day\n\n{SECTION}\n" for day in range(1, sections + 1))


def test_a_whole_workspace(run: Run, workspace: Path) -> None:
    (workspace / "SOUL.md").write_text("Be kind.\n")
    (workspace / "MEMORY.md").write_text(long_memory())
    (workspace / "TOOLS.md").write_text("old")
    ran = run("load")
    assert ran.returncode == 0, ran.stderr
    told = ran.stdout.decode()
    assert told.startswith("OpenClaw 2026.9.6, main session: ")
    assert "taken for OpenClaw by its SOUL.md" in told
    assert "limits are set by `bootstrapMaxChars` and `bootstrapTotalMaxChars` in openclaw.json" in told
    assert "cut: per-file limit" in told
    assert "2026-03-08 day" in told
    assert "TOOLS.md: not loaded by this version" in told
    assert "MEMORY.md:3-65  2026-03-01 day" in told
    assert ran.stderr == b""


def test_one_file_as_the_model_gets_it(run: Run, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_bytes("\ufeff- café 😀 \u00a0\n\n".encode())
    assert run("load", "MEMORY.md", "--text").stdout == "\ufeff- café 😀".encode()
    assert run("load", "MEMORY.md", "--text", "--session", "subagent").stdout == b""


def test_json_has_the_numbers_and_the_text_when_asked(run: Run, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text("y" * 14_296)
    (workspace / "AGENTS.md").write_text("short")
    told = json.loads(run("load", "--json", "--agent", "openclaw", "--agent-version", "2026.4.15").stdout)
    assert [each["name"] for each in told["files"]][:2] == ["AGENTS.md", "SOUL.md"]
    memory = told["files"][-1]
    assert (memory["path"], memory["raw"], memory["injected"]) == (str(workspace / "MEMORY.md"), 14_296, 10_909)
    assert (memory["truncated"], memory["causes"]) == (True, ["per-file"])
    assert "text" not in memory
    assert [(hole["start"], hole["end"]) for hole in memory["holes"]] == [(8_400, 11_896)]
    assert told["totals"]["limit"] == 60_000
    assert told["totals"]["injected"] == sum(each["injected"] for each in told["files"])
    texts = json.loads(run("load", "--json", "--text", "--agent-version", "2026.4.15").stdout)["files"]
    assert len(texts[-1]["text"]) == 10_909


def test_half_a_character_reaches_the_reader_of_json(run: Run, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text("x" * 13_999 + "😀" * 4_000)
    told = json.loads(run("load", "--json", "--text", "--agent-version", "2026.1.30").stdout)
    assert told["files"][-1]["text"][13_999] == "\ud83d"
    assert told["files"][-1]["splits_character"]
    assert b"\xef\xbf\xbd" in run("load", "MEMORY.md", "--text", "--agent-version", "2026.1.30").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("load",), 3, b"nothing in "),
        (("load", "--workspace", "nowhere"), 3, b"there is no directory"),
        (("load", "--agent", "nobody"), 2, b"no agent is called nobody"),
        (("load", "--agent", "openclaw", "--agent-version", "new"), 2, b"is no version of OpenClaw"),
        (("load", "notes.txt", "--agent", "openclaw"), 3, b"is not among the files"),
        (("load", "--svg", "--json", "--agent", "openclaw"), 2, b"--svg is a picture"),
        (("load", "--session", "dream"), 2, b"dream"),
    ],
)
def test_what_cannot_be_answered_is_said(run: Run, arguments: tuple[str, ...], code: int, words: bytes) -> None:
    ran = run(*arguments)
    assert (ran.returncode, words in ran.stderr) == (code, True), ran.stderr


def test_an_installed_release_is_found(run: Run, workspace: Path, tmp_path: Path) -> None:
    (workspace / "SOUL.md").write_text("x")
    package = tmp_path / "lib" / "node_modules" / "openclaw"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "openclaw", "version": "2026.3.24"}')
    (package / "openclaw.mjs").write_text("")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "openclaw").symlink_to(package / "openclaw.mjs")
    told = run("load", PATH=f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}").stdout.decode()
    assert told.startswith("OpenClaw 2026.3.24, main session")
    assert "version 2026.3.24 is installed" in told


def test_names_and_headings_do_not_steer_a_terminal(run: Run, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text(long_memory().replace("08 day", "08 \x1b[31mred"))
    told = run("load").stdout
    assert b"\x1b" not in told
    assert b"08 \\x1b[31mred" in told


def test_a_workspace_of_bytes(run: Run, workspace: Path) -> None:
    odd = os.path.join(os.fsencode(workspace), b"caf\xe9")
    os.mkdir(odd)
    with open(os.path.join(odd, b"MEMORY.md"), "wb") as file:
        file.write(b"notes")
    ran = run("load", "--json", "--workspace", odd)
    assert json.loads(ran.stdout)["workspace"].endswith("caf\ufffd")
    assert b"caf\xe9" in run("load", "--workspace", odd).stdout


def test_twenty_files_are_quick(run: Run, workspace: Path) -> None:
    for name in ("AGENTS", "SOUL", "IDENTITY", "USER", "MEMORY", "TOOLS", "HEARTBEAT"):
        (workspace / f"{name}.md").write_text(long_memory(10))
    (workspace / "memory").mkdir()
    for day in range(13):
        (workspace / "memory" / f"2026-03-{day + 1:02}.md").write_text(SECTION)
    took = []
    for _ in range(5):
        start = time.perf_counter()
        assert run("load").returncode == 0
        took.append(time.perf_counter() - start)
    assert min(took) < 1  # the target is 150 ms; a busy machine is given time


def test_the_picture_is_one_and_marks_the_hole(run: Run, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text(long_memory())
    (workspace / "SOUL.md").write_text("<&>\x00")
    first = run("load", "--svg")
    picture = ElementTree.fromstring(first.stdout)
    assert picture.tag.endswith("svg")
    assert b'fill="url(#hole)"' in first.stdout
    assert b"cut (per-file)</text>" in first.stdout
    assert b">2026-03-0" in first.stdout
    assert run("load", "--svg").stdout == first.stdout


ZED = """
[[agents]]
name = "zed"
display = "Zed"
marks = [".rules"]

[[agents.steps]]
names = [".rules", "AGENTS.md"]
first = true
per_file = 5
"""


def test_a_further_agent_is_ten_lines_of_the_configuration(run: Run, workspace: Path, tmp_path: Path) -> None:
    (workspace / ".rules").write_text("1234567")
    (workspace / "AGENTS.md").write_text("x")
    (tmp_path / "config.toml").write_text(ZED)
    told = run("load", "--config", str(tmp_path / "config.toml")).stdout.decode()
    assert told.startswith("Zed, main session: ")
    assert "AGENTS.md: another file is loaded in its place (.rules)" in told
    ran = run("load", "--json", "--text", "--agent", "zed", CONDUCTD_CONFIG=str(tmp_path / "config.toml"))
    assert [each["text"] for each in json.loads(ran.stdout)["files"]] == ["12345"]
    (tmp_path / "config.toml").write_text(ZED.replace("per_file = 5", "per_file = -1"))
    ran = run("load", "--agent", "agents-md", "--config", str(tmp_path / "config.toml"))
    assert (ran.returncode, ran.stderr.startswith(b"warning: ")) == (0, True)
    assert b"line 10: agents[0].steps[0].per_file: must be 0 or more, is -1" in ran.stderr


def test_an_agent_that_counts_bytes_never_gets_half_a_character(run: Run, workspace: Path, tmp_path: Path) -> None:
    (workspace / ".rules").write_text("\u7f51\u5173 \U0001f680", encoding="utf-8")
    config = tmp_path / "config.toml"
    config.write_text(ZED.replace('display = "Zed"', 'unit = "bytes"\nkeep = "head-tail"\nhead = 0.5\ntail = 0.5'))
    ran = run("load", "--json", "--text", "--agent", "zed", CONDUCTD_CONFIG=str(config))
    config.write_text(config.read_text().replace("per_file = 5", "per_file = 8"))
    answer = json.loads(run("load", "--json", "--text", "--agent", "zed", CONDUCTD_CONFIG=str(config)).stdout)
    (file,) = answer["files"]
    assert (answer["unit"], file["text"], file["splits_character"]) == ("bytes", "\u7f51\U0001f680", True)
    assert (file["raw"], file["injected"]) == (11, 7)
    (file,) = json.loads(ran.stdout)["files"]
    assert (file["text"], file["splits_character"], file["causes"]) == (None, True, ["per-file"])


def test_a_file_is_asked_of_the_agent_that_loads_it(run: Run, workspace: Path) -> None:
    (workspace / "SOUL.md").write_text("x")
    (workspace / "CLAUDE.md").write_text("claude")
    below = workspace / "deep" / "pkg"
    below.mkdir(parents=True)
    (below / "AGENTS.md").write_text("pkg")
    assert run("load").stdout.startswith(b"OpenClaw ")
    assert run("load", "CLAUDE.md").stdout.startswith(b"Claude Code ")
    assert run("load", "deep/pkg/AGENTS.md", "--text", "--agent", "codex").stdout == b"pkg"
    assert run("load", "deep/pkg/AGENTS.md", "--text").stdout == b"pkg"
    assert run("load", "deep", "--agent", "openclaw").returncode == 0


def test_it_reads_as_the_configuration_says(run: Run, workspace: Path, tmp_path: Path) -> None:
    """Its profile, agents, release and kind of session come first, `--agent` and the like before them."""
    (workspace / "SOUL.md").write_text("# Soul\n")
    (workspace / "AGENTS.md").write_text("# Rules\n")
    config = tmp_path / "c.toml"

    def told(tables: str, *arguments: str) -> dict[str, Any]:
        config.write_text(f'[[workspaces]]\nroot = "{workspace}"\n{tables}')
        ran = run("load", "--json", *arguments, CONDUCTD_CONFIG=str(config), CONDUCTD_STATE_DIR=str(tmp_path / "state"))
        assert ran.returncode == 0, ran.stderr
        made: dict[str, Any] = json.loads(ran.stdout)
        return made

    assert told("")["agent"] == "openclaw"
    assert told('profile = "codex"')["agent"] == "codex"
    found = told('agents = ["codex", "openclaw@2026.3.7"]')
    assert found["agent"] == "codex"
    assert any("openclaw" in each and "--agent" in each for each in found["notes"])
    assert told('agents = ["codex", "openclaw@2026.3.7"]', "--agent", "openclaw")["version"] == "2026.3.7"
    assert told('agent_version = "2026.3.7"\nsession = "subagent"\nprofile = "openclaw"')["session"] == "subagent"
    found = told('agent_version = "2026.3.7"\nsession = "subagent"', "--agent-version", "2026.9.6", "--session", "main")
    assert (found["version"], found["session"]) == ("2026.9.6", "main")


def test_a_file_that_many_agents_read_raises_no_doubt(run: Run, workspace: Path) -> None:
    (workspace / "SOUL.md").write_text("# Soul\n")
    (workspace / "AGENTS.md").write_text("# Rules\n")
    assert b"as well" not in run("load").stdout
    (workspace / "GEMINI.md").write_text("# Rules\n")
    assert b"looks like gemini-cli as well" in run("load").stdout


@pytest.mark.parametrize(
    ("folder", "is_given"), [(b"plain folder", True), (b"two\nlines", False), (b"\x1b[31mred", False), (b"\xff", False)]
)
def test_a_command_is_given_where_it_works_as_it_is_printed(
    run: Run, workspace: Path, folder: bytes, is_given: bool
) -> None:
    place = workspace / os.fsdecode(folder)
    place.mkdir()
    (place / "SOUL.md").write_text("Be kind.\n")
    (place / "MEMORY.md").write_text(long_memory())
    told = run("load", str(place), "--agent", "openclaw").stdout
    assert b"too much" in told
    assert (b"conductd rotate " in told) is is_given


def test_no_agents_usual_limit_is_told_as_the_one_that_holds(run: Run, workspace: Path) -> None:
    (workspace / "AGENTS.md").write_text("# Rules\n")
    assert b"or what its config.toml says" in run("load", "--agent", "agents-md").stdout
