"""A conflict that is settled loses nothing, whichever side is taken, however long it stood."""

from __future__ import annotations

import pytest
from msgspec import structs

from conductd.core.judging.judge import judge
from conductd.core.losses.conflict_marks import open_conflicts
from conductd.core.policy import Policy
from conductd.model import Action
from support.cases import case, held, written

TEXTS = {
    "en": (
        "# Memory\n\n- the harbour office opens at eight\n{}- tickets are with Solveig\n",
        "- the ferry to the island leaves at half past eight\n",
        "- the ferry to the island leaves at ten now\n",
        "- the ferry to the island leaves at half past eight, in summer at ten\n",
    ),
    "de": (
        "# Notizen\n\n- Das Büro öffnet um acht\n{}- Karten hat Solveig\n",
        "- Die Fähre zur Insel fährt um halb neun\n",
        "- Kurt holt die Gäste am Bahnhof ab\n",
        "- Die Fähre zur Insel fährt um halb neun, Kurt holt die Gäste am Bahnhof ab\n",
    ),
    "zh": (
        "# 记忆\n\n- 港口办公室八点开门\n{}- 船票在林小姐那里\n",
        "- 去岛上的渡轮八点半出发\n",
        "- 去岛上的渡轮现在十点出发\n",
        "- 去岛上的渡轮八点半出发，夏天十点\n",
    ),
}
STYLES = {
    "git": "<<<<<<< Updated upstream\n{0}=======\n{1}>>>>>>> Stashed changes\n",
    "diff3": "<<<<<<< HEAD\n{0}||||||| merged common ancestors\n- an older note about it\n=======\n{1}>>>>>>> other\n",
    "crlf": "<<<<<<< HEAD\r\n{0}=======\r\n{1}>>>>>>> other\r\n",
    "jj": "<<<<<<< Conflict 1 of 1\n+++++++ Contents of side #1\n{0}%%%%%%% Changes to side #2\n-- an older note\n"
    "+{1}>>>>>>> end\n",
}


@pytest.mark.parametrize("by", ["unknown", "agent:main"])
@pytest.mark.parametrize("settled", ["ours", "theirs", "joined", "both"])
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("language", TEXTS)
def test_a_settled_conflict_is_recorded(language: str, style: str, settled: str, by: str) -> None:
    frame, ours, theirs, joined = TEXTS[language]
    result = {"ours": ours, "theirs": theirs, "joined": joined, "both": ours + theirs}[settled]
    before, marked, after = frame.format(ours), frame.format(STYLES[style].format(ours, theirs)), frame.format(result)
    in_one_go = case(b"MEMORY.md", before, written(100, marked, 0, "git"), written(101, after, 1, by))
    assert judge(in_one_go, Policy()).action is Action.RECORD
    bad = structs.replace(held(90, marked, -600, "git"), damaged=True)
    later = case(b"MEMORY.md", bad, written(101, after, 0, by), earlier=[held(80, before, -7200)])
    assert judge(later, Policy()).action is Action.RECORD
    first = case(b"MEMORY.md", held(90, marked, -600), written(101, after, 0, by))
    assert judge(first, Policy()).action is Action.RECORD


def test_what_goes_with_the_marks_and_stood_beside_them_is_lost() -> None:
    frame, ours, theirs, _ = TEXTS["en"]
    rules = "".join(f"- rule {n} of the house stands for every guest of ours\n" for n in range(12))
    marked = frame.format(STYLES["git"].format(ours, theirs)) + "\n## Rules\n\n" + rules
    verdict = judge(case(b"MEMORY.md", held(90, marked), frame.format(ours)), Policy())
    assert verdict.action is not Action.RECORD


def test_marks_in_a_block_of_code_are_shown() -> None:
    example = "# Git\n\n```\n" + STYLES["git"].format("a\n", "b\n") + "```\n"
    assert open_conflicts(example.encode()) == 0
    assert open_conflicts(STYLES["git"].format("a\n", "b\n").encode()) == 1
