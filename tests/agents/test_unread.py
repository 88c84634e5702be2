"""A part of an agent's configuration that says nothing is named, never passed over in silence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conductd.agents.discover import unread
from conductd.agents.openclaw_settings import located
from conductd.agents.unread import unread_of


@pytest.mark.parametrize(
    ("agent", "name", "good", "bad"),
    [
        ("codex", ".codex/config.toml", "a = 1\n", "a = \n"),
        ("gemini-cli", ".gemini/settings.json", '{"a": 1, /* b */}', "{"),
        ("claude-code", ".claude/settings.json", "{}", '{"a": '),
        ("opencode", ".config/opencode/opencode.json", '{"a": []}', "nothing"),
        ("hermes", ".hermes/config.yaml", "# c\nmemory:\n  a: 1\nlist:\n- x\n", "memory:\n\ta: 1\n"),
        ("openclaw", ".openclaw/openclaw.json", "{agents: {}}", "{agents"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, agent: str, name: str, good: str, bad: str) -> None:
    env = {"HOME": str(tmp_path)}
    assert unread_of(agent, env, str(tmp_path)) == ()
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(good)
    assert unread_of(agent, env, str(tmp_path)) == ()
    path.write_text(bad)
    assert unread_of(agent, env, str(tmp_path)) == (str(path),)
    assert str(path) in unread(env, str(tmp_path))
    path.write_bytes(b"\xff\xfe\x00")
    assert unread_of(agent, env, str(tmp_path)) == (str(path),)


def test_what_openclaw_includes_and_names_is_looked_at_too(tmp_path: Path) -> None:
    place = tmp_path / ".openclaw"
    place.mkdir()
    agents = {"$include": ["./a.json", "./gone.json"], "defaults": {"workspace": "${NOT_SET_ANYWHERE}/ws"}}
    (place / "openclaw.json").write_text(json.dumps({"agents": agents, "other": "${ALSO_NOT_SET}"}))
    (place / "a.json").write_text("{ broken")
    env = {"HOME": str(tmp_path)}
    said = " ".join(unread_of("openclaw", env, str(tmp_path)))
    assert f"{place}/a.json" in said
    assert f"{place}/gone.json (included by" in said
    assert "${NOT_SET_ANYWHERE} is not set" in said
    assert "ALSO_NOT_SET" not in said
    (place / ".env").write_text("NOT_SET_ANYWHERE=/x\n")
    (place / "a.json").write_text("{}")
    (place / "gone.json").write_text("{}")
    assert unread_of("openclaw", env, str(tmp_path)) == ()


def test_a_configuration_that_is_put_away_holds_for_its_own_workspaces_only(tmp_path: Path) -> None:
    away, own, other = tmp_path / ".openclaw-off", tmp_path / "ws", tmp_path / "other"
    for each in (away, own, other):
        each.mkdir()
    (away / "openclaw.json").write_text(json.dumps({"agents": {"defaults": {"workspace": str(own)}}}))
    env = {"HOME": str(tmp_path)}
    assert located(str(other), env, str(tmp_path)) is None
    found = located(str(own), env, str(tmp_path))
    assert found is not None
    assert found.state_dir == str(away)
    away.rename(tmp_path / ".openclaw")
    assert located(str(other), env, str(tmp_path)) is not None
