"""Nothing about what any agent is said to load changes unseen; kept anew with `python -m loads`."""

from __future__ import annotations

from pathlib import Path

import pytest

from loads.golden import GOLDEN, kept, measured
from loads.workspaces import WORKSPACES


@pytest.mark.parametrize("name", WORKSPACES)
def test_what_is_loaded_is_what_was_kept(name: str, tmp_path: Path) -> None:
    assert measured(name, tmp_path / "here") == kept(name)


def test_every_workspace_is_kept_and_no_other() -> None:
    assert {each.stem for each in GOLDEN.glob("*.json")} == set(WORKSPACES)
