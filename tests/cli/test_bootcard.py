"""`conductd bootcard`: as a person runs it, with and without a daemon."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from .conftest import Run

DAY = "--date=2026-03-08"


@pytest.fixture(autouse=True)
def notes(workspace: Path) -> None:
    (workspace / "memory").mkdir()
    (workspace / "SOUL.md").write_text("Be calm.\n")
    (workspace / "MEMORY.md").write_text("# M\n\n<!-- pin -->\n- never push\n<!-- /pin -->\n")
    (workspace / "memory/2026-03-07.md").write_text("- [ ] paint \x1b[31mthe door\n")


def test_without_a_daemon_it_says_that_pins_are_unknown(run: Run) -> None:
    ran = run("bootcard", DAY)
    assert ran.returncode == 0
    lines = ran.stdout.decode().splitlines()
    assert lines[0].startswith("# Boot card 2026-03-08: ")
    assert "pins of the daemon not known" in lines[0]
    assert lines[1] == '- pin mark: "never push" (MEMORY.md:4)'
    assert '- open: "paint \\x1b[31mthe door" (memory/2026-03-07.md:1)' in lines
    said = ran.stderr.decode()
    assert "tokens, at most" in said
    assert "pins of the daemon are not known" in said


def test_the_same_day_gives_the_same_bytes(run: Run) -> None:
    assert run("bootcard", DAY).stdout == run("bootcard", DAY).stdout


def test_json_has_every_line_with_its_source(run: Run, workspace: Path) -> None:
    told = json.loads(run("bootcard", str(workspace), DAY, "--json").stdout)
    assert told["pins"] == "unknown"
    assert told["text"].splitlines()[1:] == [line["text"] for line in told["lines"]]
    first = told["lines"][0]
    assert (first["section"], first["source"], first["confirmed"]) == ("pinned", "MEMORY.md:4", False)
    assert first["quotes"] == [{"line": 4, "text": "never push", "cut": False}]
    assert told["tokens"]["low"] <= told["tokens"]["estimate"] <= told["tokens"]["high"] <= told["max_tokens"]


def test_limits_hold(run: Run) -> None:
    told = json.loads(run("bootcard", DAY, "--lines", "2", "--tokens", "90", "--json").stdout)
    assert len(told["text"].splitlines()) <= 2
    assert told["tokens"]["high"] <= 90
    assert told["left_out"] > 0


def test_into_a_file_only_when_it_changed_and_over_nothing_else(run: Run, workspace: Path, tmp_path: Path) -> None:
    card = tmp_path / "card.md"
    assert b"written: " in run("bootcard", DAY, "--output", str(card)).stderr
    assert card.read_bytes() == run("bootcard", DAY).stdout
    before = card.stat()
    again = run("bootcard", DAY, "--output", str(card))
    assert (again.returncode, again.stdout) == (0, b"")
    assert b"unchanged: " in again.stderr
    assert card.stat() == before
    memory = (workspace / "MEMORY.md").read_bytes()
    refused = run("bootcard", DAY, "--output", "MEMORY.md")
    assert refused.returncode == 8
    assert b"hint: " in refused.stderr
    assert (workspace / "MEMORY.md").read_bytes() == memory


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("/nowhere/at/all",), 3),
        (("--date", "tomorrow"), 2),
        (("--date", "2026-02-30"), 2),
        (("--agent", "nobody"), 2),
        (("--lines", "0"), 2),
        (("--tokens", "10"), 2),
        (("--output", "/nowhere/at/all/card.md"), 3),
    ],
)
def test_what_cannot_be_is_said_with_a_hint(run: Run, arguments: tuple[str, ...], code: int) -> None:
    ran = run("bootcard", *arguments)
    assert ran.returncode == code
    assert b"hint: " in ran.stderr
    assert b"Traceback" not in ran.stderr


def test_a_broken_configuration_is_told_and_passed_over(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text("nonsense = 1\n")
    ran = run("bootcard", DAY, "--config", str(tmp_path / "broken.toml"))
    assert ran.returncode == 0
    assert b"warning: " in ran.stderr


@pytest.mark.usefixtures("served")
def test_with_a_daemon_it_is_asked(run: Run) -> None:
    ran = run("bootcard", DAY)
    assert ran.returncode == 0
    assert b"not known" not in ran.stdout


@pytest.mark.usefixtures("served")
def test_of_a_directory_that_the_daemon_does_not_know_it_is_made_here(run: Run, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / os.fsdecode(b"SOUL\xff.md")).write_text("x\n")
    ran = run("bootcard", str(other), DAY)
    assert ran.returncode == 0
    assert b"pins of the daemon not known" in ran.stdout


@pytest.mark.parametrize("command", ["bootcard", "load"])
def test_a_broken_configuration_is_told_once_with_its_faults(run: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "broken.toml").write_text('mode = "maybe"\nnonsense = 1\n')
    ran = run(command, CONDUCTD_CONFIG=str(tmp_path / "broken.toml"))
    assert ran.stderr.count(b"has 2 faults") == 1
    assert ran.stderr.count(b"nonsense: unknown key") == 1


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "20260308", "\x1b[2J", "2026-W10-7"])
def test_a_day_that_is_none_is_told_in_our_own_words(run: Run, day: str) -> None:
    ran = run("bootcard", "--date", day)
    assert ran.returncode == 2
    assert b"is no day" in ran.stderr
    assert b"write it like 2026-03-08" in ran.stderr
    assert b"\x1b" not in ran.stderr
