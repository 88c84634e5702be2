"""Notes that were cut down to a part of what they said are asked about, never written over."""

from __future__ import annotations

import pytest

from conductd.model import Action
from support.cases import judged

FIRST = ("Backups go to birch with restic", "Keep quiet after ten", "Call Mira on Monday")
SECOND = {
    "zh": ("备份用 restic 存到 birch", "十点以后保持安静", "周一给 Mira 打电话"),
    "ja": ("バックアップは restic で birch へ", "十時を過ぎたら静かに", "月曜日に Mira へ電話"),
    "de": ("Sicherungen mit restic nach birch", "Ruhe nach zehn Uhr abends", "Mira am Montag anrufen"),
    "ru": ("Резервные копии на birch", "После десяти тихо", "Позвонить Мире в понедельник"),
    "ar": ("النسخ إلى birch بواسطة restic", "هدوء بعد العاشرة", "اتصل بميرا يوم الاثنين"),
}


def _text(lines: tuple[str, ...]) -> str:
    return "# Memory\n\n" + "".join(f"- {line}\n" for line in lines)


@pytest.mark.parametrize("language", SECOND)
@pytest.mark.parametrize("form", ["{} {}", "{} / {}", "{} ({})", "{1} · {0}"])
def test_a_language_left_out_of_every_note_is_never_written_over(language: str, form: str) -> None:
    both = tuple(form.format(one, two) for one, two in zip(FIRST, SECOND[language], strict=True))
    assert judged(b"MEMORY.md", _text(both), _text(FIRST)).action in (Action.PROPOSE, Action.RECORD)
    assert judged(b"MEMORY.md", _text(both), _text(SECOND[language])).action in (Action.PROPOSE, Action.RECORD)


@pytest.mark.parametrize("language", SECOND)
def test_notes_that_went_whole_come_back(language: str) -> None:
    both = tuple(f"{one} / {two}" for one, two in zip(FIRST, SECOND[language], strict=True))
    for after in (_text(()), _text(("The lamp in the hall was mended by Jonas",)), _text(("Backups", "Keep", "Call"))):
        assert judged(b"MEMORY.md", _text(both), after).action in (Action.REVERT, Action.MERGE)
