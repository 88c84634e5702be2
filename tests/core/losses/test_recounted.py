"""A short line with other numbers is the same line, where there is only one that it can be."""

from __future__ import annotations

import pytest

from support.cases import judged

LIST = "- 2026: the lease of the flat ends in autumn\n- heron is the staging host and egret the other\n"


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ("- 5 jobs are open\n", "- 4 jobs are open\n", False),
        ("- noch 12 offen\n", "- noch 3 offen\n", False),
        ("- drei Aufgaben offen\n", "- eine Aufgabe offen\n", False),
        ("- 待办三件\n", "- 待办两件\n", False),
        ("| apples | 5 |\n", "| apples | 8 |\n", False),
        ("- apples 5\n- apples 7\n", "- apples 8\n", True),  # which of them?
        ("- apples 5\n- pears 7\n", "- pears 7\n- plums 5\n", True),
        ("- INC-17 closed\n", "- INC-18 closed\n", True),  # numbers that name
        ("- apples 5\n- apples 9\n", "- apples 9\n- apples\n", True),
    ],
)
def test_numbers_alone(old: str, new: str, lost: bool) -> None:
    assert (judged(b"MEMORY.md", LIST + old, LIST + new).facts["lost_share"] != 0) is lost
