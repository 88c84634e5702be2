"""Which agents read a workspace: names that are known, or described in the same file."""

from __future__ import annotations

import pytest

from conductd.agents import loading
from conductd.config.load import parse
from conductd.config.schema import LOADED_AGENTS
from conductd.errors import ConfigError


def test_the_known_agents_are_those_that_can_be_loaded() -> None:
    assert sorted(LOADED_AGENTS) == sorted(each.name for each in loading.LOADERS)


def test_names_with_and_without_a_version() -> None:
    agents = '[[agents]]\nname = "mine"\nsteps = [{ names = ["MINE.md"] }]\n'
    config = parse(f'{agents}[[workspaces]]\nroot = "/w"\nagents = ["openclaw@2026.4.15", "codex", "mine"]\n')
    assert config.workspaces[0].agents == ("openclaw@2026.4.15", "codex", "mine")
    assert (config.workspaces[0].agent_version, config.workspaces[0].session) == ("", "main")


@pytest.mark.parametrize("name", ["opencow", "mine", "openclaw@", "Open Claw", "@1.0", ""])
def test_a_name_that_nobody_knows_is_a_fault(name: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse(f'[[workspaces]]\nroot = "/w"\nagents = ["codex", "{name}"]\n')
    assert "workspaces[0].agents[1]" in error.value.faults[0]


def test_a_kind_of_session_that_there_is_not_is_a_fault() -> None:
    with pytest.raises(ConfigError):
        parse('[[workspaces]]\nroot = "/w"\nsession = "evening"\n')
