"""The scenarios' word for a load becomes an agent that the product takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conductd.config.agents import AgentConfig
from conductd.config.load import parse
from scenarios import config


def made(**scenario: Any) -> tuple[AgentConfig, ...]:
    return parse(config.product_config(scenario, [Path("/w")], {"MEMORY.md", "memory/a.md"})).agents


@pytest.mark.parametrize(
    ("load", "wanted"),
    [
        ({"per_file_utf16": 12_000, "head": 0.7, "tail": 0.2}, ("utf16", 12_000, 0, 0, "head-tail", 0.7, 0.2)),
        ({"per_file_chars": 20_000}, ("characters", 20_000, 0, 0, "head", 0.0, 0.0)),
        ({"per_file_bytes": 25_000, "keep": "tail"}, ("bytes", 25_000, 0, 0, "tail", 0.0, 0.0)),
        ({"lines": 200, "bytes": 25_000, "keep": "head"}, ("bytes", 25_000, 0, 200, "head", 0.0, 0.0)),
        ({"lines": 200}, ("characters", 0, 0, 200, "head", 0.0, 0.0)),
        ({"total_bytes": 32_768, "chain": ["A.md", "b/A.md"]}, ("bytes", 0, 32_768, 0, "head", 0.0, 0.0)),
        ({"unit": "utf16", "per_file": 9, "total": 20}, ("utf16", 9, 20, 0, "head", 0.0, 0.0)),
        (
            {"per_file_utf16": 9, "keep": "head+tail", "head": 0.5, "tail": 0.5},
            ("utf16", 9, 0, 0, "head-tail", 0.5, 0.5),
        ),
    ],
)
def test_limits_and_units(load: dict[str, Any], wanted: tuple[object, ...]) -> None:
    (agent,) = made(load={"name": "Some Reader", **load})
    assert agent.name == "some-reader"
    told = (agent.unit, agent.per_file, agent.total, agent.lines, str(agent.keep), agent.head, agent.tail)
    assert told == wanted


@pytest.mark.parametrize(
    ("load", "names"),
    [
        ({"chain": ["A.md", "b/A.md"]}, ("A.md", "b/A.md")),
        ({"chain": ["A.md", "b/A.md"], "order": "nearest-first"}, ("b/A.md", "A.md")),
        ({"order": ["b.md", "a.md"]}, ("b.md", "a.md")),
        ({"name": "byte-cap"}, ("*.md", "**/*.md")),
        ({"name": "codex"}, ("*.md", "**/*.md")),  # none of the scenario's files is one of Codex's
        ({"name": "claude-memory"}, ("CLAUDE.md", "MEMORY.md", "memory/MEMORY.md", "**/MEMORY.md")),
    ],
)
def test_which_files_in_which_order(load: dict[str, Any], names: tuple[str, ...]) -> None:
    (agent,) = made(load={"per_file_bytes": 10, **load})
    assert agent.steps[0].names == names


def test_known_agents_are_named_with_their_release() -> None:
    text = config.product_config(
        {"load": {"name": "openclaw", "version": "2026.4.15", "session": "cron"}}, [Path("/w")]
    )
    table = parse(text).workspaces[0]
    assert (table.agents, table.session) == (("openclaw@2026.4.15",), "cron")


def test_what_cannot_be_said_is_refused() -> None:
    with pytest.raises(KeyError):
        made(load={"per_file_utf16": 10, "total_bytes": 20})
    with pytest.raises(KeyError):
        made(load={"per_file_furlongs": 10})
