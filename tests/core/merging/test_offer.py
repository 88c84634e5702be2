"""What a proposal's command writes: whatever the bytes, and nothing of either side lost that says something."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.core.judging.rules import RULES
from conductd.core.losses.conflict_copy import merged_copy
from conductd.core.merging.offer import offered
from conductd.core.reading.entries import entries

PIECES = st.sampled_from(
    [
        "# Memory",
        "## People",
        "- Mara leads the team in Zürich",
        "- Omar owns billing",
        "- 用户喜欢绿茶",
        "a paragraph of plain words",
        "| a | b |",
        "|---|---|",
        "| c | d |",
        "```\ncode here\n```",
        "---\nname: x\n---",
        "[rest unchanged]",
        "- password: [REDACTED]",
        "- password: hunter2",
        "    1→# Memory",
        "Gr??e",
        "",
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=12).map(lambda parts: "\n".join(parts).encode()), st.binary(max_size=120))
BACK = [
    "elision",
    "redaction",
    "front-matter",
    "mojibake",
    "letters-lost",
    "zero-run",
    "wrapped",
    "large-loss",
    "error-text",
]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(BACK), TEXTS, TEXTS)
def test_any_bytes_can_be_offered_back(rule: str, old: bytes, now: bytes) -> None:
    assert rule in RULES
    assert isinstance(offered(rule, old, now, None, now), bytes)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=12), st.lists(PIECES, max_size=12))
def test_a_conflict_copy_adds_and_takes_nothing(mine: list[str], copied: list[str]) -> None:
    original, copy = ("\n\n".join(parts).encode() for parts in (mine, copied))
    merged = merged_copy(original, copy)
    there = {entry.text for entry in entries(merged, b"")}
    assert {entry.text for entry in entries(original, b"")} <= there
    assert there <= {entry.text for entry in entries(merged_copy(merged, copy), b"")}


@pytest.mark.parametrize("rule", ["error-text", "html-page", "pointer-file", "zero-filled", "stand-in", "template"])
def test_a_text_that_is_no_memory_is_taken_back_and_what_came_since_is_kept(rule: str) -> None:
    old, page = b"- Mara leads the team\n", b"<html>\n\nlog in\n\n</html>\n"
    assert offered(rule, old, page, None, page) == old
    later = page + b"\n- somebody wrote on\n"
    assert offered(rule, old, later, None, page) == old + b"\n- somebody wrote on\n"
