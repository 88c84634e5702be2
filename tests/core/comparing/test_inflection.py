"""Another form of the same words is no loss; another word is."""

from __future__ import annotations

import pytest

from conductd.core.comparing.change import compare
from conductd.core.reading.entries import entry_table
from support.cases import KEY


def lost(old: str, new: str) -> int:
    change = compare(entry_table(f"- {old}\n".encode(), KEY), entry_table(f"- {new}\n".encode(), KEY))
    assert change.kept + len(change.reworded) + len(change.moved) + len(change.lost) == change.entries_before
    return len(change.lost) or change.weight_lost


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Kunden immer siezen", "Kunden werden immer gesiezt"),
        ("Frau Weber siezen, Jonas duzen", "Frau Weber wird gesiezt, Jonas geduzt"),
        ("Sie möchte geduzt werden", "sie möchte, dass man sie duzt"),
        ("Bitte die Rechnungen monatlich ablegen", "Die Rechnungen werden monatlich abgelegt"),
        ("Den Keller vor Weihnachten aufräumen", "Der Keller ist vor Weihnachten aufzuräumen"),
        ("Schreibe Mails auf Deutsch", "Mails werden auf Deutsch geschrieben"),
        ("Du sollst kurze Antworten geben", "Bitte geben Sie kurze Antworten"),
        ("De rekening maandelijks betalen", "De rekening wordt maandelijks betaald"),
        ("prefers dark mode", "preferred dark mode"),
        ("prefiere respuestas cortas", "preferir respuestas cortas"),
        ("Répondez toujours brièvement", "Réponds toujours brièvement"),
        ("Vouvoyer les clients", "Les clients sont vouvoyés"),
        ("Отвечай кратко и по делу", "Отвечайте кратко и по делу"),
        ("短く答える", "短く答えてください"),
        ("顧客には敬語を使う", "顧客には敬語をお使いください"),
        ("짧게 대답한다", "짧게 대답하세요"),
        ("用简短的句子回答", "请用简短的句子回答您"),
        ("رد بجمل قصيرة", "ردوا بجمل قصيرة"),
        ("يفضل الردود القصيرة", "تفضل الردود القصيرة"),
        ("svara kort på svenska", "svarar kort på svenska"),
        ("kısa cevap ver", "kısa cevap veriniz"),
    ],
)
def test_other_forms(old: str, new: str) -> None:
    assert not lost(old, new)
    assert not lost(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Kunden immer siezen", "Kunden immer duzen"),
        ("Call Anna first", "Call Anne first"),
        ("Peter fragen", "Petra fragen"),
        ("pay the gas bill", "pay the water bill"),
        ("restart the server", "restart the service"),
        ("restart at 14:00", "restarted at 15:00"),
        ("短く答える", "長く答える"),
        ("Chef siezen", "Chef wird nicht gesiezt"),
        ("昼はすしを食べる", "昼はそばを食べる"),
        ("用简短的句子回答", "用英文的句子回答"),
        ("يفضل الشاي", "يفضل القهوة"),
        ("prefiere el té negro", "prefiere el té verde"),
    ],
)
def test_other_words(old: str, new: str) -> None:
    assert lost(old, new)
