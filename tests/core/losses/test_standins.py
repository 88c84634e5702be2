"""What counts as a new entry."""

from __future__ import annotations

import pytest

from conductd.core.losses.standins import counts_as_new, is_stand_in
from conductd.core.policy import Thresholds
from conductd.core.reading.entries import entries
from conductd.model import Action, EventClass
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


OLD = (
    "# Memory\n\n- Backups go to birch with restic, kept for 52 days\n"
    "- Keep quiet after ten in the evening\n- Call Mira on Monday about the lamp\n"
)
NOTHING_SAID = (
    *("Nichts Neues zu speichern.", "Keine neuen Informationen zu merken.", "nichts zu tun", "entfällt"),
    *("变更不要", "没有新的内容要保存", "無需更新", "没有需要更新的内容。", "本次没有值得保存的新信息"),
    *("変更不要", "新しく保存することはありません", "今回は特に記録することはありません"),
    *("저장할 새로운 내용이 없습니다", "변경 사항이 없습니다", "لا شيء جديد للحفظ", "Niets nieuws op te slaan"),
    *("rien de nouveau à enregistrer", "Nada nuevo que guardar", "Niente di nuovo da salvare", "ничего нового"),
    *("No new information to save", "Nothing useful found this time."),
)
NEW_HERE = (
    "（新しい項目）",
    "（新条目）",
    "(neuer Eintrag)",
    "(nouvelle entrée)",
    "(nueva entrada)",
    "(새 항목)",
    "(новая запись)",
)
SAID = (
    *("不要更新记忆", "不要保存密码", "保存する内容は三つある", "没有人知道密码", "無線は使わない", "新的内容要保存"),
    *("Neue Einträge in die Liste eintragen", "Keine Einträge in die Liste der Gäste", "Never save passwords"),
    *("Nothing goes to birch on Friday", "Nada de café para Ana", "새 서버는 birch 입니다", "ничего не говорить Анне"),
)


@pytest.mark.parametrize("text", [*NOTHING_SAID, *NEW_HERE])
def test_sentences_that_nothing_is_said_are_no_entries(text: str) -> None:
    assert is_stand_in(entries(f"- {text}\n".encode(), b"")[0])


@pytest.mark.parametrize("text", SAID)
def test_orders_and_facts_are_entries(text: str) -> None:
    assert not is_stand_in(entries(f"- {text}\n".encode(), b"")[0])


@pytest.mark.parametrize("text", NOTHING_SAID)
@pytest.mark.parametrize("form", ["{}", "{}\n", "- {}\n", "# Memory\n\n{}\n"])
def test_written_over_notes_they_are_not_merged_in(text: str, form: str) -> None:
    found = judged(b"MEMORY.md", OLD, form.format(text))
    assert (found.event_class, found.action) == (EventClass.OVERWRITE, Action.REVERT)


@pytest.mark.parametrize("text", NEW_HERE)
def test_a_place_for_the_first_entry_makes_way(text: str) -> None:
    after = "# Memory\n\n- Backups go to birch with restic\n- Call Mira on Monday about the lamp\n"
    assert judged(b"MEMORY.md", f"# Memory\n\n- {text}\n", after).action is Action.RECORD
    assert judged(b"MEMORY.md", after, f"# Memory\n\n- {text}\n").action is Action.REVERT
