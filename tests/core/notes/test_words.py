"""The examples on the page are words that are known; what is said of headings holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conductd.core.bootcard import finding
from conductd.core.notes import telling

PAGE = (Path(__file__).parents[3] / "docs" / "bootcard.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (active|open|over|who|a finding) \| (.*) \|$", PAGE, re.MULTILINE))
KNOWN = {
    "active": lambda text: telling.is_active([text]),
    "open": lambda text: telling.is_open([text]),
    "over": lambda text: telling.is_done([text]),
    "who": finding._is_identity,
    "a finding": telling.is_finding,
}


@pytest.mark.parametrize("row", sorted(KNOWN))
def test_every_example_is_known(row: str) -> None:
    words = [word.strip() for word in re.split(r"[,;]", ROWS[row]) if word.strip()]
    assert len(words) > 8
    for word in words:
        for each in word.split() if row == "a finding" else [word]:
            assert KNOWN[row](each), each


def test_the_boxes_on_the_page_are_told() -> None:
    (line,) = re.findall(r"^Boxes: (.*)$", PAGE, re.MULTILINE)
    still_open, over = line.split(" are open; ")
    for box in re.findall(r"`(\[.\])`|([☐⬜☑✅✔])", still_open):
        assert telling.box(f"- {box[0] or box[1]} x") is True, box
    for box in re.findall(r"`(\[.\])`|([☐⬜☑✅✔])", over):
        assert telling.box(f"- {box[0] or box[1]} x") is False, box


@pytest.mark.parametrize("heading", ["Not in progress", "We were active in many of these things", "Inactive", "Opener"])
def test_some_headings_say_nothing(heading: str) -> None:
    assert not telling.is_active([heading])
    assert not telling.is_open([heading])


@pytest.mark.parametrize(
    "heading",
    [
        *(
            "Not open",
            "No open items",
            "Nothing open",
            "No longer open",
            "Nothing to do",
            "Open: none",
            "Open (nothing)",
        ),
        *("0 open items", "Aren't pending", "No next steps", "Nicht offen", "Keine offenen Punkte", "Offen: keine"),
        *("Nichts offen", "Offen ist nichts", "Nicht mehr blockiert", "Ohne offene Punkte", "Pas en attente"),
        *("Aucun point ouvert", "Rien à faire", "Plus en attente", "No pendiente", "Sin pendientes", "Nada por hacer"),
        *("Nenhuma tarefas", "Não aguardando", "Niet open", "Geen volgende stappen", "Niets te doen"),
        *("Nessun punto aperto", "Niente da fare", "Nie czeka na", "Не ожидает", "Açık değil", "Bekleyen yok"),
        *(
            "没有待办",
            "无待办",
            "待办：无",
            "没有未完成",
            "不再等待",
            "未完了なし",
            "やることなし",
            "未解決はない",
            "할 일 없음",
        ),
        *("미완료 없음", "لا توجد مهام مفتوحة", "ليس معلق", "غير معلق", "אין משימות", "לא פתוח", "लंबित नहीं"),
    ],
)
def test_what_is_said_to_be_not_open_is_not(heading: str) -> None:
    assert not telling.is_open([heading])


@pytest.mark.parametrize(
    "heading",
    [
        *("Not done", "Not yet done", "Nicht erledigt", "Noch nicht erledigt", "Pas fait", "No hecho", "Niet klaar"),
        *("Не сделано", "未完成", "未完了", "没完成", "Open, not urgent", "Not urgent, open", "Next (no meetings)"),
        *("Open – nothing urgent", "Noch offen", "待办", "할 일"),
    ],
)
def test_what_is_not_done_is_open(heading: str) -> None:
    assert telling.is_open([heading])
    assert not telling.is_done([heading])


def test_nothing_takes_long_on_hostile_headings() -> None:
    for text in ("a" * 50_000, "next " * 10_000, "**" * 20_000, "- [ ] " * 10_000, ":" * 50_000):
        assert telling.is_open([text]) is False
        telling.label(text)
        telling.box(text)
        telling.is_struck(text)
        telling.is_finding(text)
