"""The page of the agents says what the profiles say, and its example works."""

from __future__ import annotations

import os
import re
from pathlib import Path

from conductd.agents.discover import find
from conductd.agents.homes import HOMES
from conductd.agents.loading import guessed, with_further
from conductd.agents.profiles import PROFILES, known_profiles
from conductd.agents.recognised import recognised
from conductd.config.load import parse
from conductd.core.load.known_chains import CHAINS
from conductd.core.roles import classify

from .pages import first_cells, read

PAGE = read("docs/agents.md")
(EXAMPLE,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


def test_every_profile_is_on_the_page() -> None:
    named = set(first_cells(PAGE, "## Profiles"))
    assert named <= set(PROFILES)
    assert set(PROFILES) - named == {chain.name for chain in CHAINS}


def test_every_agent_with_a_module_or_a_home_has_a_section() -> None:
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    for known in PROFILES.values():
        if known.loader and (known.home or known.loader in ("openclaw", "claude-code", "codex", "hermes")):
            display = PROFILES[known.loader].display
            assert display in headings, display
            section = PAGE.split(f"\n## {display}\n", 1)[1].split("\n## ", 1)[0]
            assert f"`{known.loader}`" in section
            assert "**Limits**" in section


def test_every_variable_that_moves_a_home_is_named() -> None:
    for home in HOMES:
        assert f"~/{home.path}" in PAGE
        for variable, _ in home.moved:
            assert f"`{variable}`" in PAGE


def test_the_example_is_ten_lines_and_works(tmp_path: Path) -> None:
    assert len(EXAMPLE.strip().splitlines()) <= 10
    (agent,) = parse(EXAMPLE).agents
    home = tmp_path.resolve()
    room = home / ".scribe/rooms/one"
    (room / "notebook").mkdir(parents=True)
    (room / "SCRIBE.md").write_text("Be brief.\n")
    chain = agent.chain()
    env = {"HOME": str(home)}
    assert [(each.root, each.profile) for each in find(env, chains=[chain])] == [(os.fsencode(room), "scribe")]
    roles = known_profiles([chain])["scribe"].roles
    assert {
        path: classify(path, profile=roles) for path in (b"SCRIBE.md", b"notebook/today.md", b"notebook/a/b.md")
    } == {
        b"SCRIBE.md": "instructions",
        b"notebook/today.md": "replaceable",
        b"notebook/a/b.md": "topic",
    }
    (home / "elsewhere").mkdir()
    (home / "elsewhere/SCRIBE.md").write_text("x")
    assert recognised(os.fsencode(home / "elsewhere"), env, [chain]) == "scribe"
    assert guessed(str(room), env, str(home), with_further([chain]))[0][0].name == "scribe"
