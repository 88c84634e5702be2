"""Profiles are consistent data; the demo is written once and never over something."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from conductd.agents.demo import contents, create
from conductd.agents.profiles import GENERIC, PROFILES, profile_named
from conductd.core.globs import first_match
from conductd.model import Role


@pytest.mark.parametrize(
    ("profile", "path", "role"),
    [
        ("openclaw", b"MEMORY.md", Role.CURATED),
        ("openclaw", b"HEARTBEAT.md", Role.REPLACEABLE),
        ("openclaw", b"SOUL.md", Role.INSTRUCTIONS),
        ("openclaw", b"users/ana/USER.md", Role.CURATED),
        ("openclaw", b"memory/dreaming/light.md", Role.REPLACEABLE),
        ("openclaw", b"memory/2026-01-01.md", None),
        ("claude-memory", b"MEMORY.md", Role.CURATED),
        ("claude-memory", b"feedback_tests.md", Role.TOPIC),
        ("generic", b"MEMORY.md", None),
    ],
)
def test_roles_of_each_profile(profile: str, path: bytes, role: Role | None) -> None:
    assert first_match(dict(profile_named(profile).roles), path) is role


def test_each_profile_is_known_by_its_name() -> None:
    assert all(profile_named(name).name == name for name in PROFILES)
    assert profile_named("of a newer release") is GENERIC


def test_the_demo_is_written_once(tmp_path: Path) -> None:
    written = create(str(tmp_path / "demo"), date(2026, 3, 2))
    assert set(written) == {
        "MEMORY.md",
        "AGENTS.md",
        "memory/2026-03-02.md",
        "memory/2026-03-01.md",
        "memory/2026-02-28.md",
    }
    (tmp_path / "demo/MEMORY.md").write_text("mine")
    assert create(str(tmp_path / "demo"), date(2026, 3, 5)) == ()
    assert (tmp_path / "demo/MEMORY.md").read_text() == "mine"


def test_a_file_that_stands_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("mine")
    assert "AGENTS.md" not in create(str(tmp_path))
    assert (tmp_path / "AGENTS.md").read_text() == "mine"


def test_the_demo_is_worth_protecting() -> None:
    files = contents(date(2026, 3, 2))
    assert files["MEMORY.md"].count("\n- ") >= 12
    assert all(text.endswith("\n") and "\n- " in text for text in files.values())
