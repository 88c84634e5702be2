"""docs/load.md says what each agent loads."""

from __future__ import annotations

from pathlib import Path

import pytest

from conductd.agents.loading import LOADERS
from conductd.core.load.known_chains import CHAINS
from conductd.core.load.openclaw_versions import Session

DOCS = (Path(__file__).parents[2] / "docs/load.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [each.name for each in LOADERS if each.name != "openclaw"])
def test_every_agent_has_a_row(name: str) -> None:
    assert f"(`{name}`) |" in DOCS


def test_every_kind_of_session_is_named() -> None:
    assert f"# {', '.join(Session)}".replace(", light", " or light") in DOCS


def test_the_number_of_those_that_are_data_is_said() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert (len(CHAINS), "sixteen others" in readme) == (16, True)
