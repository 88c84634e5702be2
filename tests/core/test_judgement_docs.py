"""docs/judgement.md names every rule there is, and the figures that hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conductd.core.judging.rules import RULES
from conductd.core.policy import Fights, Thresholds, Waits

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "judgement.md").read_text(encoding="utf-8")
CORE = ROOT / "daemon" / "conductd" / "core"


def test_every_rule_is_described_and_no_other() -> None:
    section = PAGE.partition("## The rules")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"^### (\S+)$", section, re.M)) == sorted(RULES)


def test_every_rule_is_a_sentence() -> None:
    for name, sentence in RULES.items():
        assert re.fullmatch(r"[a-z]+(?:-[a-z]+)*", name)
        assert sentence.endswith(".")


def test_every_rule_is_used() -> None:
    source = "".join(page.read_text(encoding="utf-8") for page in CORE.rglob("*.py") if page.name != "rules.py")
    assert [name for name in RULES if f'"{name}"' not in source] == []


@pytest.mark.parametrize(
    "figure",
    [
        f"at least {Thresholds().overwrite_share:.0%}".replace("%", " %"),
        f"at least {Thresholds().shrink_share:.0%}".replace("%", " %"),
        f"at least {Thresholds().reworded_similarity}",
        f"of {Thresholds().section_entries} or more entries",
        f"at least {Thresholds().new_entry_tokens} words or {Thresholds().new_entry_cjk} characters",
        f"at most {Thresholds().lost_update_recent_ms // 1000} s old",
        f"| {Waits().save_ms // 1000} s |",
        f"up to {Waits().cut_ms // 1000} s",
        f"| {Waits().quiet_ms} ms |",
        f"within {Thresholds().mass_window_ms // 1000} s are one `mass_loss`",
        f"After {Fights().per_day} repairs in a day",
    ],
)
def test_the_page_gives_the_default_figures(figure: str) -> None:
    assert figure in PAGE
