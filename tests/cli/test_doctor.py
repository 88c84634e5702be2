"""`conductd doctor` as a process: without a daemon, with a broken configuration, on hostile names; its exit codes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run


def told(run: Run, *arguments: str) -> tuple[int, dict[str, Any]]:
    ran = run("doctor", "--json", *arguments)
    return ran.returncode, json.loads(ran.stdout)


def of(answer: dict[str, Any], check: str) -> list[dict[str, Any]]:
    return [each for each in answer["checks"] if each["check"] == check]


def test_without_a_daemon_it_says_so_and_looks_all_the_same(run: Run, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text("- a note\n")
    (workspace / "memory.md").write_text("- another\n")
    code, answer = told(run, "--workspace", str(workspace))
    assert code == 17
    assert answer["result"] == "fail"
    assert [each["result"] for each in of(answer, "daemon")] == ["fail"]
    assert [each["result"] for each in of(answer, "daemon_health")] == ["unknown"]
    (split,) = of(answer, "split_files")
    assert (split["result"], split["files"], split["repair"]) == ("fail", ["MEMORY.md", "memory.md"], "split_files")
    assert split["why"]
    assert split["fix"]
    assert answer["counts"]["fail"] >= 2


def test_for_people_every_fault_has_why_and_fix(run: Run, workspace: Path) -> None:
    (workspace / "agents.md").write_text("- a rule\n")
    ran = run("doctor", "--workspace", str(workspace))
    out = ran.stdout.decode()
    assert ran.returncode == 17
    assert "fail    wrong_case: agents.md is not loaded: the name is AGENTS.md" in out
    assert "why: A file of another name is not loaded" in out
    assert "fix: conductd doctor --fix renames it" in out
    assert "conductd doctor --fix --dry-run" in out
    assert ran.stderr == b""


def test_fixing_needs_a_daemon(run: Run, workspace: Path) -> None:
    ran = run("doctor", "--fix", "--workspace", str(workspace))
    assert ran.returncode == 5
    assert b"conductd run" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--dry-run",), 2),
        (("--only", "split_files"), 2),
        (("--agent", "nobody"), 2),
        (("--workspace",), 2),
    ],
)
def test_what_is_not_understood(run: Run, workspace: Path, arguments: tuple[str, ...], code: int) -> None:
    more = () if "--workspace" in arguments else ("--workspace", str(workspace))
    ran = run("doctor", *arguments, *more)
    assert ran.returncode == code, ran.stdout
    assert b"hint:" in ran.stderr
    assert b"Traceback" not in ran.stderr


def test_a_fix_that_nobody_knows_is_told_with_those_known(run: Run, workspace: Path) -> None:
    ran = run("doctor", "--fix", "--only", "nosuch", "--workspace", str(workspace))
    assert ran.returncode == 2
    assert b"there is no fix nosuch" in ran.stderr
    assert b"hint: known are: split_files, wrong_case, link, hard_link" in ran.stderr


def test_every_fault_of_a_configuration_is_in_the_json(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text('mode = "maybe"\nnonsense = 1\n')
    ran = run("init", "--json", "--config", str(broken))
    assert ran.returncode == 78
    error = json.loads(ran.stdout)["error"]
    assert len(error["faults"]) == 2
    assert "conductd help config" in error["hint"]


def test_a_channel_that_leads_to_no_service_is_a_finding(run: Run, workspace: Path, tmp_path: Path) -> None:
    config = tmp_path / "channels.toml"
    urls = {
        "desk": "desktop",
        "chat": "slack://S3~CR3T",
        "phone": "ntfys://$NOBODY_SET_THIS",
        "hook": "webhook+http://x",
    }
    config.write_text("".join(f"[[channels]]\nname = '{name}'\nurl = '{url}'\n" for name, url in urls.items()))
    code, answer = told(run, "--config", str(config), "--workspace", str(workspace))
    assert code == 17
    found = {each["result"]: each["what"] for each in of(answer, "channels")}
    assert set(found) == {"fail", "unknown"}
    assert "the channel chat cannot be used: apprise knows no such service" in found["fail"]
    assert "NOBODY_SET_THIS" in found["unknown"]
    assert "S3~CR3T" not in str(answer)


def test_a_broken_configuration_is_a_finding(run: Run, workspace: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text('mode = "maybe"\nnonsense = 1\n')
    code, answer = told(run, "--config", str(broken), "--workspace", str(workspace))
    assert code == 17
    assert len(of(answer, "config")) == 2
    assert [each["result"] for each in of(answer, "config_weak")] == ["unknown"]


def test_a_weak_configuration_and_a_root_that_is_not_there(run: Run, workspace: Path, tmp_path: Path) -> None:
    weak = tmp_path / "weak.toml"
    weak.write_text('mode = "observe"\n[secrets]\nscan = false\n[[workspaces]]\nroot = "/nowhere/at/all"\n')
    _, answer = told(run, "--config", str(weak), "--workspace", str(workspace))
    said = " ".join(each["what"] for each in of(answer, "config_weak"))
    assert "mode" in said
    assert "secrets.scan" in said
    assert [each["result"] for each in of(answer, "config_workspaces")] == ["fail"]


def test_hostile_names_reach_no_terminal(run: Run, workspace: Path) -> None:
    (workspace / "memory").mkdir()
    for name in (b"memory/\x1b[2J.md", b"memory/caf\xe9.md", b"memory/a\nb.md"):
        Path(os.fsdecode(os.path.join(os.fsencode(workspace), name))).write_text("x")
    ran = run("doctor", "--workspace", str(workspace))
    assert ran.returncode in (17, 18)
    assert b"\x1b" not in ran.stdout
    _, answer = told(run, "--workspace", str(workspace))
    assert {len(each["files"]) for each in of(answer, "file_names")} == {1, 2}


def test_an_installed_agent_without_memory_is_named(run: Run, workspace: Path, tmp_path: Path) -> None:
    package = tmp_path / "lib" / "node_modules" / "openclaw"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"name": "openclaw", "version": "2026.9.6"}')
    (package / "openclaw.mjs").write_text("#!/usr/bin/env node\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "openclaw").symlink_to(package / "openclaw.mjs")
    ran = run("doctor", "--json", "--workspace", str(workspace), PATH=str(tmp_path / "bin"))
    (told_of,) = of(json.loads(ran.stdout), "unprotected")
    assert told_of["result"] == "unknown"
    assert "OpenClaw 2026.9.6 is installed" in told_of["what"]


def test_a_workspace_that_is_not_there(run: Run, workspace: Path) -> None:
    code, answer = told(run, "--workspace", str(workspace / "gone"))
    assert code == 17
    assert "is not there" in of(answer, "workspace")[0]["what"]


def test_only_the_general_checks_without_an_agent(run: Run, workspace: Path) -> None:
    (workspace / "notes.txt").write_text("x")
    _, answer = told(run, "--workspace", str(workspace))
    assert answer["workspaces"][0]["agents"] == []
    assert not [each for each in answer["checks"] if each["agent"]]


def test_with_verbose_what_is_well_is_told_too(run: Run, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text("- a note\n")
    assert b"ok      split_files" in run("doctor", "--workspace", str(workspace), "-v").stdout
    assert b"split_files" not in run("doctor", "--workspace", str(workspace)).stdout


def test_a_pipe_in_the_place_of_a_file_holds_nobody_up(run: Run, workspace: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    os.mkfifo(workspace / "MEMORY.md")
    code, answer = told(run, "--config", str(tmp_path / "pipe.toml"), "--workspace", str(workspace))
    assert code == 17
    assert [each["result"] for each in of(answer, "config")] == ["fail"]


def test_what_init_wrote_is_no_fault(run: Run, tmp_path: Path) -> None:
    """Workspaces that lie in one another and have no file in common, in the agents' own layout; all only observed."""
    home = tmp_path / "home"
    for place in ("claw", "claw/helper", ".hermes/memories", ".hermes/profiles/work/memories", ".gemini/tmp/a/memory"):
        (home / place).mkdir(parents=True)
        (home / place / "MEMORY.md").write_text("- one\n")
    (home / ".gemini/GEMINI.md").write_text("- one\n")
    (home / ".openclaw").mkdir()
    agents = {"defaults": {"workspace": "~/claw"}, "entries": {"main": {"default": True}, "helper": {}}}
    (home / ".openclaw/openclaw.json").write_text(json.dumps({"agents": agents}))
    config = tmp_path / "made.toml"
    env = {"HOME": str(home), "CONDUCTD_CONFIG": str(config), "CONDUCTD_STATE_DIR": str(tmp_path / "state")}
    assert run("init", "--yes", **env).returncode == 0
    assert config.read_text().count("[[workspaces]]") == 6
    answer = json.loads(run("doctor", "--json", **env).stdout)
    assert [each for each in of(answer, "config_workspaces") if each["result"] == "fail"] == []
    (weak,) = of(answer, "config_weak")
    assert f"{home}/claw," in weak["what"]
    assert "and 1 more" in weak["what"]
    assert "None" not in weak["what"]
    text = config.read_text().replace('root = "~/claw"\n', 'root = "~/claw"\nextra = ["helper/*.md"]\n')
    config.write_text(text)
    answer = json.loads(run("doctor", "--json", **env).stdout)
    (shared,) = [each for each in of(answer, "config_workspaces") if each["result"] == "fail"]
    assert f"{home}/claw/helper and {home}/claw have files in common" in shared["what"]
