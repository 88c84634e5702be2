"""A code page that has not all of a text's letters: what became of them is offered back; a sound conversion is none."""

from __future__ import annotations

import unicodedata

import pytest

from conductd.core.losses.encoding_damage import mended
from conductd.model import Action, EventClass
from support.cases import judged

TEXTS = {
    "cp1252": "- Die Straße nach Zürich ist gesperrt, über Győr fahren\n- Herr Dvořák prüft die Rechnungen\n"
    "- Größere Änderungen erst nach Rückfrage bei Jürgen\n- Schlüssel für das Büro liegen beim Pförtner\n",
    "cp1250": "- Wojciech pilnuje kluczy i zamków\n- Zażółć gęślą jaźń, potem do São Paulo\n- notatka o łące\n",
    "cp1254": "- Şükrü Bey anahtarı aldı\n- Çarşamba günü toplantı var, Dvořák geliyor\n- gölge ağaçları budandı\n",
    "latin-1": "- le café d'Łódź ferme à midi\n- la clé est chez Zoé, près du marché\n- répondre à Noël au plus tard\n",
}
LOST = {"ő": "o", "ř": "r", "ã": "a", "Ł": "L", "ź": "z", "ł": "l"}


def _saved(text: str, codec: str) -> bytes:
    def fit(character: str) -> bytes:
        try:
            return character.encode(codec)
        except UnicodeEncodeError:
            plain = LOST.get(character) or unicodedata.normalize("NFKD", character)[0]
            return plain.encode(codec)

    return b"".join(map(fit, text))


@pytest.mark.parametrize("codec", TEXTS)
def test_letters_that_became_others_are_offered_back(codec: str) -> None:
    text = "# Notes\n\n" + TEXTS[codec]
    now = _saved(text, codec)
    verdict = judged(b"MEMORY.md", text, now)
    assert (verdict.event_class, verdict.action) == (EventClass.ENCODING_CHANGE, Action.PROPOSE)
    assert verdict.rule == "letters-lost"
    assert mended(text.encode(), now).decode() == text
    later = now + b"- a line that came since\n"
    assert mended(text.encode(), later).decode() == text + "- a line that came since\n"


@pytest.mark.parametrize("codec", TEXTS)
def test_a_conversion_that_keeps_every_letter_is_recorded(codec: str) -> None:
    text = "# Notes\n\n" + "".join(
        line + "\n" for line in TEXTS[codec].splitlines() if line.encode(codec, "ignore").decode(codec) == line
    )
    assert judged(b"MEMORY.md", text, text.encode(codec)).action is Action.RECORD
    edited = text + "- Zürich, Café\n" if codec != "cp1254" else text
    assert judged(b"MEMORY.md", text, edited.encode(codec)).action is Action.RECORD
