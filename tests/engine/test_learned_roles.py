"""What a person said that files are for: asked once, remembered, taken back; and what status says of false alarms."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from engine.conftest import notes
from support.api import ApiError
from support.callers import CONDUCTD, called, run_detached
from support.daemon import Daemon
from support.terminal import run_in_terminal

REQUESTED = 15


def filled(file: Path) -> str:
    """What no other file holds."""
    first = 100 + zlib.crc32(file.name.encode()) % 5_000 * 30
    return notes(first, first + 20)


def lose(daemon: Daemon, file: Path, text: str = "gone\n") -> int:
    """Fill the file, overwrite it and let that be answered: the incident's number."""
    file.write_text(filled(file))
    daemon.settle()
    file.write_text(text)
    daemon.settle()
    number: int = daemon.api.get("/v1/incidents")[0]["id"]
    return number


def questions(daemon: Daemon) -> list[str]:
    told = [one["data"]["command"] for one in daemon.events(kind="notice")]
    return [command for command in told if command.startswith("conductd role ")]


def roles(daemon: Daemon) -> list[tuple[str, str]]:
    return [(one["glob"], one["role"]) for one in daemon.api.get("/v1/roles")]


def test_losses_that_were_meant_twice_are_asked_about_once(daemon: Daemon, workspace: Path) -> None:
    for day in (8, 9):
        assert not questions(daemon)
        lose(daemon, workspace / "memory" / f"handoff-2026-03-0{day}.md")
        daemon.cli("accept", "-y", str(workspace / "memory" / f"handoff-2026-03-0{day}.md"))
    assert questions(daemon) == ["conductd role 'memory/handoff-*.md' replaceable"]
    notice = next(one for one in daemon.events(kind="notice") if one["data"]["command"].startswith("conductd role"))
    assert notice["data"]["files"] == ["memory/handoff-2026-03-08.md", "memory/handoff-2026-03-09.md"]
    daemon.stop()
    daemon.start()
    lose(daemon, workspace / "memory" / "handoff-2026-03-10.md")
    daemon.cli("undo", str(daemon.api.get("/v1/incidents")[0]["id"]))
    assert len(questions(daemon)) == 1


def test_what_was_learned_holds_at_once_and_over_a_restart_and_is_taken_back(daemon: Daemon, workspace: Path) -> None:
    file = workspace / "memory" / "handoff-7.md"
    file.write_text(filled(file))
    daemon.settle()
    ran = daemon.cli("role", "memory/handoff-*.md", "replaceable")
    assert ran.exit_code == 0, ran.output
    assert "memory/handoff-7.md" in ran.output
    daemon.stop()
    daemon.start()
    assert roles(daemon) == [("memory/handoff-*.md", "replaceable")]
    assert daemon.status()["learned_roles"] == 1
    file.write_text("gone\n")
    daemon.settle()
    assert file.read_text() == "gone\n"
    assert daemon.events(kind="change")[-1]["data"]["rule"] == "replaceable"
    ran = daemon.cli("role", "memory/handoff-*.md", "--forget")
    assert ran.exit_code == 0, ran.output
    assert not roles(daemon)
    lose(daemon, file)
    assert file.read_text() == filled(file)


def test_the_configuration_wins_over_what_was_learned(tmp_path: Path, workspace: Path) -> None:
    config = f'[[workspaces]]\nroot = "{workspace}"\nroles = {{ "memory/handoff-*.md" = "topic" }}\n'
    with Daemon(tmp_path / "d", [workspace], config=config) as daemon:
        file = workspace / "memory" / "handoff-7.md"
        daemon.cli("role", "-y", "memory/handoff-*.md", "replaceable")
        lose(daemon, file)
        assert file.read_text() == filled(file)


def test_what_was_learned_wins_over_the_profile(daemon: Daemon, workspace: Path) -> None:
    daemon.api.post("/v1/roles", {"glob": "HEARTBEAT.md", "role": "topic"})
    heartbeat = workspace / "HEARTBEAT.md"
    lose(daemon, heartbeat)
    assert heartbeat.read_text() == filled(heartbeat)
    asked = daemon.api.post("/v1/roles/forget", {"glob": "HEARTBEAT.md"})
    assert asked["request"], "what it was before protects less"
    assert daemon.cli("confirm", str(asked["request"])).exit_code == 0
    assert not roles(daemon)


def test_another_role_than_replaceable_is_asked_for_too_where_it_could_protect_less(
    daemon: Daemon, workspace: Path
) -> None:
    asked = daemon.api.post("/v1/roles", {"glob": "AGENTS.md", "role": "topic"})
    assert asked["request"]
    assert not roles(daemon)
    assert daemon.cli("role", "AGENTS.md", "topic").exit_code == 0
    assert roles(daemon) == [("AGENTS.md", "topic")]


def test_an_agent_only_asks_for_a_role(daemon: Daemon, workspace: Path) -> None:
    (workspace / "memory" / "handoff-7.md").write_text(notes(1, 20))
    daemon.settle()
    command = called("claude", [*CONDUCTD, "role", "memory/*.md", "replaceable", "--yes"])
    ran = run_in_terminal(command, daemon.environment, workspace)
    assert ran.exit_code == REQUESTED, ran.output
    assert not roles(daemon)
    (request,) = daemon.api.get("/v1/requests")
    assert request["shows"] == ["be so for memory/handoff-7.md"]
    daemon.cli("confirm", str(request["id"]))
    assert roles(daemon) == [("memory/*.md", "replaceable")]


@pytest.mark.parametrize("glob", ["*", "**", "/", "**/*", " "])
def test_a_glob_that_fits_everything_is_not_taken(daemon: Daemon, glob: str) -> None:
    with pytest.raises(ApiError, match="fit too much"):
        daemon.api.post("/v1/roles", {"glob": glob, "role": "topic"})


def test_the_memory_itself_is_never_suggested_to_be_replaceable(daemon: Daemon, workspace: Path) -> None:
    for name in ("MEMORY.md", "memory/2026-03-08.md"):
        for _ in range(2):
            lose(daemon, workspace / name)
            daemon.cli("accept", "-y", str(workspace / name))
    assert not questions(daemon)


def test_a_false_alarm_counts_once_for_its_rule(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    number = lose(daemon, memory)
    for _ in range(3):
        daemon.cli("undo", str(number))
    daemon.cli("accept", "-y", str(number))
    status = daemon.status()
    assert status["false_positives"] == 1
    (alarm,) = status["false_alarms"]
    assert (alarm["rule"], alarm["count"], alarm["last_30_days"]) == ("mostly-lost", 1, 1) or alarm["count"] == 1
    assert "conductd lease" in alarm["hint"]
    daemon.advance(31 * 86_400_000)
    (alarm,) = daemon.status()["false_alarms"]
    assert (alarm["count"], alarm["last_30_days"]) == (1, 0)


def test_status_shows_what_people_decided(daemon: Daemon, workspace: Path) -> None:
    number = lose(daemon, workspace / "MEMORY.md")
    daemon.api.post("/v1/accept", {"incident": number})
    daemon.cli("lease", "memory")
    daemon.cli("role", "-y", "memory/handoff-*.md", "replaceable")
    output = daemon.cli("status").output
    for words in ("1 request waits", "is left alone until", "1 learned role"):
        assert words in output, output


# --------------------------------------------------------------------------- agents that undo and restore


def test_an_agent_may_bring_back_but_not_take_away(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    whole = daemon.versions(memory)[0]["seq"]
    memory.write_text(notes() + "- one more line about the harbour\n")
    daemon.settle()
    ran = run_detached(called("claude", [*CONDUCTD, "restore", f"MEMORY.md@{whole}"]), daemon.environment, workspace)
    assert ran.returncode == REQUESTED, ran.stdout
    assert memory.read_text().endswith("harbour\n")
    memory.write_text(notes(1, 36))
    daemon.settle()
    assert memory.read_text() == notes(1, 36)
    ran = run_detached(called("claude", [*CONDUCTD, "restore", f"MEMORY.md@{whole}"]), daemon.environment, workspace)
    assert ran.returncode == 0, ran.stderr
    assert memory.read_text() == notes()
    daemon.cli("confirm", str(daemon.api.get("/v1/requests")[0]["id"]))


def test_an_agent_only_asks_to_undo_a_repair(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "memory" / "tea.md"
    number = lose(daemon, memory)
    ran = run_detached(called("codex", [*CONDUCTD, "undo", str(number)]), daemon.environment, workspace)
    assert ran.returncode == REQUESTED, ran.stdout
    assert memory.read_text() == filled(memory)
    dry = run_detached(called("codex", [*CONDUCTD, "undo", "--dry-run"]), daemon.environment, workspace)
    assert dry.returncode == 0
    daemon.cli("confirm", str(daemon.api.get("/v1/requests")[0]["id"]))
    assert memory.read_text() == "gone\n"


def test_an_agent_only_asks_to_restore_a_directory_to_a_time(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    daemon.advance(3_600_000)
    memory.write_text(notes() + "- one more line about the harbour\n")
    daemon.settle()
    command = called("claude", [*CONDUCTD, "restore", "--at", "30m ago", "."])
    ran = run_detached(command, daemon.environment, workspace)
    assert ran.returncode == REQUESTED, ran.stderr
    assert memory.read_text().endswith("harbour\n")
    daemon.advance(3_600_000)
    assert daemon.cli("confirm", str(daemon.api.get("/v1/requests")[0]["id"])).exit_code == 0
    assert memory.read_text() == notes()
