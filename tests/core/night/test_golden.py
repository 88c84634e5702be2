"""What the jobs of the night write for a clean, a busy, a broken, a Chinese and Japanese and an empty workspace."""

from __future__ import annotations

import pytest

from conductd.core.qc.checks import examine
from conductd.core.qc.results import Grade, QcResult
from core.night.golden import DIRECTORY, KINDS
from core.night.workspaces import NAMES, qc_facts


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_as_it_was(name: str, kind: str) -> None:
    assert KINDS[kind](name) == (DIRECTORY / f"{name}.{kind}.md").read_text(encoding="utf-8")


def test_the_workspaces_are_what_they_are_called() -> None:
    worst = {name: QcResult(findings=examine(qc_facts(name))).worst for name in NAMES}
    assert worst == {
        "clean": Grade.PASS,
        "busy": Grade.FAIL,
        "broken": Grade.FAIL,
        "cjk": Grade.WARN,
        "empty": Grade.UNKNOWN,
    }
