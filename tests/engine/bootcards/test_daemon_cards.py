"""A real daemon: its card knows the pins, and it keeps a file of it where it was asked to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.daemon import Daemon
from support.until import until


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    made = tmp_path / "ws"
    (made / "memory").mkdir(parents=True)
    (made / "SOUL.md").write_text("Be calm.\n")
    (made / "MEMORY.md").write_text("# M\n\n<!-- pin -->\n- never push\n<!-- /pin -->\n- ask first\n")
    return made


def test_marks_that_the_daemon_knows_are_pins_and_others_are_not(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path, [workspace]) as daemon:
        daemon.settle()
        card = daemon.api.get("/v1/bootcard?workspace=" + str(workspace))
        assert card["pins"] == "known"
        assert card["lines"][0]["text"] == "- pinned: never push (MEMORY.md:4)"
        with (workspace / "MEMORY.md").open("a") as file:
            file.write("\n## Later\n\n<!-- pin -->\n- set by nobody knows whom\n<!-- /pin -->\n")
        daemon.settle()
        texts = [line["text"] for line in daemon.api.get("/v1/bootcard")["lines"]]
        assert texts[0] == "- pinned: never push (MEMORY.md:4)"
        assert '- pin mark: "set by nobody knows whom" (MEMORY.md:11)' in texts
        assert not (daemon.state_dir / "bootcards").exists()  # nobody asked for a file


def test_limits_and_the_day_are_parameters(tmp_path: Path, workspace: Path) -> None:
    (workspace / "memory/2026-03-07.md").write_text("- [ ] paint the door\n")
    with Daemon(tmp_path, [workspace]) as daemon:
        daemon.settle()
        card = daemon.api.get("/v1/bootcard?date=2026-03-08&lines=3&tokens=200")
        assert card["date"] == "2026-03-08"
        assert len(card["text"].splitlines()) <= 3
        assert card["tokens"]["high"] <= 200
        assert "paint the door" in daemon.api.get("/v1/bootcard?date=2026-03-08")["text"]


def test_a_file_is_kept_current_and_written_only_when_it_changed(tmp_path: Path, workspace: Path) -> None:
    config = "[bootcard]\nkeep = true\n"
    with Daemon(tmp_path, [workspace], config=config) as daemon:
        daemon.settle()
        (number,) = [each["id"] for each in daemon.api.get("/v1/workspaces")]
        card = daemon.state_dir / "bootcards" / f"{number}.md"
        until(card.exists)
        assert "- pinned: never push (MEMORY.md:4)" in card.read_text()
        assert card.stat().st_mode & 0o777 == 0o600
        assert card.parent.stat().st_mode & 0o777 == 0o700
        (workspace / "HEARTBEAT.md").write_text("- [ ] look at the mail\n")
        daemon.settle()
        until(lambda: "look at the mail" in card.read_text())
        assert os.listdir(card.parent) == [card.name]
        (card.parent / ("0" * 32 + ".md")).write_text("# Boot card 2026-03-01: of a workspace that was let go\n")
        (card.parent / "mine.md").write_text("# Boot card 2026-03-01: kept by a person\n")
        assert daemon.cli("forget", "--matching", "look at the mail").exit_code == 0
        assert "mail" not in daemon.api.get("/v1/bootcard")["text"]
        until(lambda: "mail" not in card.read_text())
        until(lambda: sorted(os.listdir(card.parent)) == sorted([card.name, "mine.md"]))
        assert not list(workspace.glob("**/*boot*"))


def test_inside_a_workspace_or_over_something_else_none_is_kept_and_that_is_said(
    tmp_path: Path, workspace: Path
) -> None:
    config = f'[[workspaces]]\nroot = "{workspace}"\nbootcard = "{workspace}/card.md"\n'
    with Daemon(tmp_path, [workspace], config=config) as daemon:
        daemon.settle()
        until(lambda: any(each["reason"] == "bootcard" for each in daemon.api.get("/v1/status")["degraded"]))
        assert not (workspace / "card.md").exists()
