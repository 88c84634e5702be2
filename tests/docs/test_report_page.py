"""The examples of docs/report.md are what the code makes."""

from __future__ import annotations

import pytest

from conductd.core.report.chat import chat, title
from conductd.core.report.facts import Facts
from conductd.core.report.markdown import markdown
from core.report.days import BROKEN, BUSY, CLEAN

from .pages import read

PAGE = read("docs/report.md")


@pytest.mark.parametrize("facts", [CLEAN, BUSY, BROKEN], ids=["clean", "busy", "broken"])
def test_the_words_of_a_chat(facts: Facts) -> None:
    assert f"```\n{title(facts)}\n{chat(facts)}\n```" in PAGE


def test_the_page() -> None:
    assert f"```markdown\n{markdown(BUSY)}```" in PAGE
