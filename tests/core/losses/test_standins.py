"""What counts as a new entry."""

from __future__ import annotations

import pytest

from conductd.core.losses.standins import counts_as_new, is_stand_in
from conductd.core.policy import Thresholds
from conductd.core.reading.entries import entries
from conductd.model import EventClass
from support.cases import judged


@pytest.mark.parametrize(
    "text",
    [
        *("(new entry)", "unchanged", "gone", "NO_REPLY", "HEARTBEAT_OK", "null", "None", "x", "...", "[]"),
        *("N/A", "TBD", "TODO", "No changes needed.", "Nothing to add to memory.", "[file content unchanged]"),
        *("the rest of the file remains the same", "keine Änderung", "[m-0900] unchanged"),
        *("无变化", "没有变化。", "変更なし", "以下同じ", "변경 없음"),
    ],
)
def test_stand_ins_are_no_entries(text: str) -> None:
    entry = entries(f"- {text}\n".encode(), b"")[0]
    assert is_stand_in(entry)
    assert not counts_as_new(entry, Thresholds())


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("- use the cache", True),
        ("- [m-0900] typed by a person just now", True),
        ("- [m-0900] stub", False),
        ("- two words", False),
        ("- two (three four five) words", False),
        ("- [Deployment guide](docs/x.md) has moved", True),
        ("- 部署完成", True),
        ("- 部署完", False),
        ("- 设置 port 8080", True),
        ("# A heading with many words", False),
        ("| host | port | owner |\n|---|---|---|", True),
        ("```\nmake all the things\n```", True),
        ("- the file was not changed by hand", True),
        ("- Frühstück ab acht", True),
        ("- يجب تشغيل الاختبارات", True),
    ],
)
def test_new_entries(text: str, new: bool) -> None:
    assert counts_as_new(entries(text.encode(), b"")[0], Thresholds()) is new


def test_notes_that_sound_like_a_stand_in_are_lost_like_others() -> None:
    verdict = judged(b"MEMORY.md", "- rule stays as it was\n" * 60, "- rule is gone by now\n\n" * 60)
    assert verdict.event_class is EventClass.OVERWRITE
