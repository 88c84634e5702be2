"""`conductd memory list|get` as a process, on real workspaces and configurations. No daemon."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run


@pytest.fixture
def home(workspace: Path) -> Path:
    """The person's home, as the command has it."""
    (workspace.parent / ".openclaw").mkdir()
    return workspace.parent


def configure(home: Path, config: dict[str, Any]) -> None:
    (home / ".openclaw/openclaw.json").write_text(json.dumps(config))


def listed(run: Run, *arguments: str) -> dict[str, Any]:
    ran = run("memory", "list", "--json", *arguments)
    assert ran.returncode == 0, ran.stderr
    told: dict[str, Any] = json.loads(ran.stdout)
    return told


def paths(told: dict[str, Any]) -> list[str]:
    return [each["path"] for each in told["files"]]


def why(told: dict[str, Any]) -> dict[str, str]:
    return {each["path"]: each["why"] for each in told["not_taken"]}


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{name}\n")


def test_the_workspace_s_own_memory_in_order(run: Run, workspace: Path) -> None:
    write(workspace, "MEMORY.md", "USER.md", "AGENTS.md", "DREAMS.md", "memory/b.md", "memory/a/z.md", "memory/c.txt")
    write(workspace, "memory/.openclaw-repair/x.md", "memory/LOUD.MD", ".openclaw-repair/root-memory/1/memory.md")
    told = listed(run)
    assert paths(told) == ["MEMORY.md", "USER.md", "memory/a/z.md", "memory/b.md"]
    assert [each["path"] for each in told["review"]] == ["DREAMS.md"]
    assert why(told) == {"memory/LOUD.MD": "ends in .md in capital letters"}
    assert (told["version"], told["agent"], told["complete"]) == ("2026.9.6", "main", True)


@pytest.mark.parametrize(
    ("version", "expected", "left"),
    [
        ("2026.1.30", ["MEMORY.md", "memory.md"], {"USER.md": "no memory of this release"}),
        ("2026.4.23", ["MEMORY.md"], {"USER.md": "no memory of this release", "memory.md": "not MEMORY.md"}),
        ("2026.9.6", ["MEMORY.md", "USER.md"], {"memory.md": "not MEMORY.md"}),
    ],
)
def test_the_root_by_release(
    run: Run, workspace: Path, version: str, expected: list[str], left: dict[str, str]
) -> None:
    write(workspace, "MEMORY.md", "memory.md", "USER.md")
    told = listed(run, "--agent-version", version)
    assert paths(told) == expected
    assert why(told) == left


def test_links_are_not_followed(run: Run, workspace: Path) -> None:
    write(workspace.parent / "elsewhere", "m.md", "deep/n.md")
    (workspace / "MEMORY.md").symlink_to(workspace.parent / "elsewhere/m.md")
    (workspace / "memory").mkdir()
    (workspace / "memory/one.md").symlink_to(workspace.parent / "elsewhere/m.md")
    (workspace / "memory/deep").symlink_to(workspace.parent / "elsewhere/deep")
    told = listed(run)
    assert paths(told) == []
    assert set(why(told).values()) == {"a symbolic link"}
    (workspace / "memory/one.md").unlink()
    (workspace / "memory/deep").unlink()
    (workspace / "memory").rmdir()
    (workspace / "memory").symlink_to(workspace.parent / "elsewhere")
    assert why(listed(run))["memory"] == "a symbolic link"


def test_one_file_under_two_names_counts_once(run: Run, workspace: Path, home: Path) -> None:
    write(workspace, "MEMORY.md", "memory/a.md")
    configure(home, {"memory": {"search": {"extraPaths": [str(workspace), "memory", "MEMORY.md"]}}})
    assert paths(listed(run)) == ["MEMORY.md", "memory/a.md"]


def test_extra_paths_in_every_form(run: Run, workspace: Path, home: Path) -> None:
    outside = workspace.parent / "outside"
    write(outside, "x.md", "sub/y.md", "sub/.openclaw-repair/no.md")
    write(home, "notes/h.md")
    write(workspace, "docs/d.md", "docs/e.txt", "one.md", "two.md", "run/a.md", "run/b/c.md", "run/skip.txt")
    (workspace / "linked").symlink_to(outside)
    extra: list[object] = [
        str(outside),
        "~/notes",
        "${NOTES}",
        "docs",
        "one.md",
        {"path": "run", "pattern": "*/*.md"},
        "linked",
    ]
    extra += ["missing", " ", 3, "${NOBODY_SET_THIS}/x"]
    configure(home, {"memory": {"search": {"extraPaths": extra}}})
    told = json.loads(run("memory", "list", "--json", NOTES=str(home / "notes")).stdout)
    expected = ["../outside/sub/y.md", "../outside/x.md", "../notes/h.md", "docs/d.md", "one.md", "run/b/c.md"]
    assert paths(told) == expected
    assert why(told)["linked"] == "an extra path that is a symbolic link"
    assert why(told)["missing"] == "not there"
    assert len(told["notes"]) == 3  # the release, a number, a variable


def test_the_key_of_the_era_and_the_agent_s_own(run: Run, workspace: Path, home: Path) -> None:
    write(workspace, "old.md", "new.md", "mine.md")
    configure(
        home,
        {
            "memory": {"search": {"extraPaths": ["new.md"]}},
            "agents": {
                "defaults": {"memorySearch": {"extraPaths": ["old.md"]}},
                "list": [{"id": "ana", "workspace": str(workspace), "memorySearch": {"extraPaths": ["mine.md"]}}],
                "entries": {"ben": {"workspace": str(workspace), "memory": {"search": {"extraPaths": ["mine.md"]}}}},
            },
        },
    )
    assert paths(listed(run, "--agent-version", "2026.7.35", "--agent-id", "ana")) == ["old.md", "mine.md"]
    assert paths(listed(run, "--agent-version", "2026.8.1", "--agent-id", "Ben")) == ["new.md", "mine.md"]
    assert paths(listed(run, "--agent-version", "2026.8.1", "--agent-id", "ana")) == ["new.md"]


def test_an_agent_s_workspace_is_found_by_its_name(run: Run, workspace: Path, home: Path) -> None:
    write(home / ".openclaw/workspace", "MEMORY.md")
    write(home / ".openclaw/workspace-work", "memory/w.md")
    configure(home, {"agents": {"entries": {"main": {}, "work": {}}}})
    assert paths(listed(run, "--agent-id", "work")) == ["memory/w.md"]
    assert paths(listed(run, "--agent-id", "main")) == ["MEMORY.md"]
    assert listed(run, "--agent-id", "work")["workspace"] == str(home / ".openclaw/workspace-work")


def test_media_in_extra_paths_alone(run: Run, workspace: Path, home: Path) -> None:
    write(workspace, "memory/a.png", "pics/a.PNG", "pics/b.mp3", "pics/c.md", "pics/d.pdf")
    (workspace / "pics/big.jpg").write_bytes(b"x" * 2_000)
    multimodal = {"enabled": True, "modalities": ["image"], "maxFileBytes": 1_000}
    configure(home, {"memory": {"search": {"extraPaths": ["pics"], "multimodal": multimodal}}})
    told = listed(run)
    assert [(each["path"], each["kind"]) for each in told["files"]] == [
        ("pics/a.PNG", "image"),
        ("pics/c.md", "markdown"),
    ]
    assert why(told) == {"pics/big.jpg": "larger than 1,000 bytes"}


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system of macOS allows only names that are UTF-8")
def test_names_of_any_bytes(run: Run, workspace: Path) -> None:
    (workspace / "memory").mkdir()
    with open(os.fsencode(workspace) + b"/memory/caf\xe9.md", "wb"):
        pass
    write(workspace, "memory/\x1b[2Jred\n.md", "memory/ü.md")
    told = listed(run)
    assert paths(told) == ["memory/\x1b[2Jred\n.md", "memory/ü.md"]
    assert why(told) == {"memory/caf\ufffd.md": "its name is no UTF-8: OpenClaw cannot open it"}
    shown = run("memory", "list").stdout
    assert b"\x1b" not in shown
    assert b"caf\xe9.md" in shown


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_cannot_be_read_is_said(run: Run, workspace: Path) -> None:
    write(workspace, "MEMORY.md", "memory/closed/a.md", "memory/b.md")
    (workspace / "MEMORY.md").chmod(0)
    (workspace / "memory/closed").chmod(0)
    told = listed(run)
    assert [(each["path"], each["readable"]) for each in told["files"]] == [("MEMORY.md", False), ("memory/b.md", True)]
    assert why(told)["memory/closed"].startswith("cannot be read")
    assert run("memory", "get", "MEMORY.md").returncode == 12
    (workspace / "memory/closed").chmod(0o755)


def test_no_regular_files_hold_nobody_up(run: Run, workspace: Path) -> None:
    (workspace / "memory").mkdir()
    os.mkfifo(workspace / "memory/pipe.md")
    os.mkfifo(workspace / "MEMORY.md")
    told = listed(run)
    assert paths(told) == []
    assert set(why(told).values()) == {"no regular file"}
    assert run("memory", "get", "memory/pipe.md").returncode == 12


def test_collections(run: Run, workspace: Path, home: Path) -> None:
    memory = {
        "backend": "qmd",
        "qmd": {"paths": [{"path": "~/n", "name": "Notes", "pattern": "*.txt"}, {"path": "docs"}]},
    }
    configure(home, {"memory": memory, "agents": {"list": [{"id": "ana", "workspace": str(workspace)}]}})
    ran = run("memory", "list", "--qmd", "--json", "--agent-version", "2026.7.35")
    told = json.loads(ran.stdout)
    assert told["backend"] == "qmd"
    assert [(each["name"], each["path"], each["pattern"]) for each in told["collections"]] == [
        ("memory-root-ana", str(workspace), "MEMORY.md"),
        ("memory-dir-ana", str(workspace / "memory"), "**/*.md"),
        ("notes", str(home / "n"), "*.txt"),
        ("custom-2-ana", str(workspace / "docs"), "**/*.md"),
    ]
    shown = run("memory", "list", "--qmd").stdout.decode()
    assert "the QMD backend was removed in 2026.8.1" in shown
    assert "memory-root-ana" in shown


# ------------------------------------------------------------------ memory get


def got(run: Run, *arguments: str) -> dict[str, Any]:
    ran = run("memory", "get", "--json", *arguments)
    assert ran.returncode == 0, ran.stderr
    told: dict[str, Any] = json.loads(ran.stdout)
    return told


def test_a_file_page_by_page(run: Run, workspace: Path) -> None:
    (workspace / "memory").mkdir()
    (workspace / "memory/long.md").write_text("".join(f"line {n}\n" for n in range(1, 301)))
    told = got(run, "memory/long.md")
    assert (told["from"], told["lines"], told["truncated"], told["nextFrom"], told["status"]) == (
        1,
        120,
        True,
        121,
        "ok",
    )
    assert told["text"].endswith("line 120\n\n[More content available. Use from=121 to continue.]")
    assert run("memory", "get", "memory/long.md", "--from", "299").stdout == b"line 299\nline 300"
    assert run("memory", "get", "memory/long.md", "--agent-version", "2026.4.14").stdout.count(b"\n") == 300
    told = got(run, "./memory/long.md", "--lines", "2", "--agent-version", "2026.5.28")
    assert told == {
        "text": "line 1\nline 2\n\n[More content available. Use from=3 to continue.]",
        "path": "memory/long.md",
        "from": 1,
        "lines": 2,
        "truncated": True,
        "nextFrom": 3,
    }


def test_half_a_character_of_an_older_release(run: Run, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text("x" * 11_999 + "😀" * 3)
    assert got(run, "MEMORY.md", "--agent-version", "2026.5.28")["text"][11_999] == "\ud83d"
    assert b"x\xef\xbf\xbd\n" in run("memory", "get", "MEMORY.md", "--agent-version", "2026.5.28").stdout


def test_the_configured_limit(run: Run, workspace: Path, home: Path) -> None:
    (workspace / "MEMORY.md").write_text("x" * 3_000)
    limits = {"defaults": {"contextLimits": {"memoryGetMaxChars": 2_000}}}
    entries = {"a": {"workspace": str(workspace), "contextLimits": {"memoryGetMaxChars": 1_000}}}
    configure(home, {"agents": limits})
    assert got(run, "MEMORY.md")["text"].startswith("x" * 2_000 + "\n")
    configure(home, {"agents": limits | {"entries": entries}})
    assert got(run, "MEMORY.md")["text"].startswith("x" * 1_000 + "\n")


def test_what_is_not_there_is_empty(run: Run, workspace: Path) -> None:
    assert got(run, "memory/none.md") == {"text": "", "path": "memory/none.md", "status": "not_found"}
    ran = run("memory", "get", "MEMORY.md")
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert b"is not there" in ran.stderr


@pytest.mark.parametrize(
    "path",
    [
        "AGENTS.md",
        "memory/a.txt",
        "../x.md",
        "/etc/passwd",
        "memory",
        "memory/link.md",
        "memory/out/x.md",
        " ",
        "memory.md",
    ],
)
def test_what_is_no_memory_is_refused(run: Run, workspace: Path, path: str) -> None:
    write(workspace, "AGENTS.md", "memory/a.txt", "memory.md")
    write(workspace.parent / "elsewhere", "x.md")
    (workspace / "memory/link.md").symlink_to("../AGENTS.md")
    (workspace / "memory/out").symlink_to(workspace.parent / "elsewhere")
    ran = run("memory", "get", path, "--json")
    assert ran.returncode == 8
    error = json.loads(ran.stdout)["error"]
    assert error["code"] == "memory_path_not_allowed"
    assert error["message"].startswith("MEMORY_PATH_NOT_ALLOWED")


def test_extra_paths_are_allowed_as_they_are_configured(run: Run, workspace: Path, home: Path) -> None:
    write(workspace, "run/a.md", "run/b/c.md", "one.md", "two.md")
    (workspace / "run/in").symlink_to(workspace / "run/b")
    configure(home, {"memory": {"search": {"extraPaths": [{"path": "run", "pattern": "*.md"}, "one.md"]}}})
    assert got(run, "run/a.md")["text"] == "run/a.md"
    assert got(run, str(workspace / "one.md"))["path"] == "one.md"
    assert got(run, "run/none.md")["status"] == "not_found"
    (workspace / "one.md").unlink()
    assert (got(run, "one.md")["status"], got(run, "one.md")["text"]) == ("not_found", "")
    for refused in ("run/b/c.md", "two.md", "run/in/c.md"):
        assert run("memory", "get", refused).returncode == 8
    assert run("memory", "get", "run/a.md", "--agent-version", "2026.8.1").returncode == 8  # no tables yet


def test_a_directory_within_the_workspace_may_be_a_link(run: Run, workspace: Path) -> None:
    write(workspace, "notes/n.md", "memory/a.md")
    (workspace / "memory/alias").symlink_to("../notes")
    assert got(run, "memory/alias/n.md")["text"] == "notes/n.md"
    assert paths(listed(run)) == ["memory/a.md"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("memory", "list", "--agent-id", "nobody"), 3, b"has an agent nobody"),
        (("memory", "list", "--workspace", "nowhere"), 3, b"there is no directory"),
        (("memory", "list", "--agent-version", "new"), 2, b"is no version of OpenClaw"),
        (("memory", "get"), 2, b"PATH"),
        (("memory", "nothing"), 2, b"No such command"),
    ],
)
def test_mistakes(run: Run, workspace: Path, home: Path, arguments: tuple[str, ...], code: int, words: bytes) -> None:
    ran = run(*arguments)
    assert ran.returncode == code
    assert words in ran.stderr
    assert b"Traceback" not in ran.stderr


def test_a_broken_configuration_is_none(run: Run, workspace: Path, home: Path) -> None:
    write(workspace, "MEMORY.md")
    (home / ".openclaw/openclaw.json").write_text('{"memory": {"search": {"extraPaths": {"a": 1}}}, "agents": [')
    assert paths(listed(run)) == ["MEMORY.md"]
    configure(home, {"memory": {"search": {"extraPaths": {"a": 1}, "multimodal": [], "enabled": False}}})
    told = listed(run)
    assert not told["search"]
    assert any("switched off" in note for note in told["notes"])


def test_an_agent_s_directory_has_its_plain_name(run: Run, workspace: Path, home: Path) -> None:
    write(home / ".openclaw/workspace-my-work", "MEMORY.md")
    configure(home, {"agents": {"entries": {"main": {}, "My Work": {}}}})
    told = listed(run, "--agent-id", "my work")
    assert (paths(told), told["agent"]) == (["MEMORY.md"], "my-work")
