"""Names that an agent would load, spelt otherwise."""

from __future__ import annotations

import pytest

from conductd.core.load.known_chains import CHAINS
from conductd.core.load.other_case import looked_for, other_case


@pytest.mark.parametrize(
    ("agent", "there", "found"),
    [
        ("claude-code", ["claude.md", "README.md"], [("claude.md", "CLAUDE.md")]),
        ("codex", ["Agents.md"], [("Agents.md", "AGENTS.md")]),
        ("hermes", ["soul.MD"], [("soul.MD", "SOUL.md")]),
        ("gemini-cli", ["gemini.md"], [("gemini.md", "GEMINI.md")]),
        ("claude-code", ["claude.md", "CLAUDE.md"], []),
        ("codex", ["claude.md"], []),
        ("nobody", ["claude.md"], []),
    ],
)
def test_what_is_spelt_otherwise_is_named(agent: str, there: list[str], found: list[tuple[str, str]]) -> None:
    told = other_case(looked_for(agent, CHAINS), there, ())
    assert [(each.name, each.note) for each in told] == found


def test_where_case_is_not_told_apart_it_is_loaded() -> None:
    assert other_case(["CLAUDE.md"], ["claude.md"], ["CLAUDE.md"]) == ()
