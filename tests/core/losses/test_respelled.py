"""Mended spelling loses nothing; letters that were damaged, and other notes, still do."""

from __future__ import annotations

import pytest

from conductd.core.judging.judge import judge
from conductd.core.policy import Policy
from conductd.model import Action
from support.cases import case

PATH = b"memory/notes.md"
MENDED = {
    "de": [
        ("Der Liferant kommt am Mitwoch mit dem grossen Wagen", "Der Lieferant kommt am Mittwoch mit dem großen Wagen"),
        ("Die Rechnug muss vor dem Montsende bezalt werden", "Die Rechnung muss vor dem Monatsende bezahlt werden"),
        ("Der Schlüsel fürs Archiv ligt beim Portier", "Der Schlüssel fürs Archiv liegt beim Portier"),
        ("Am Dinstag ist Begehung mit dem Architeckten", "Am Dienstag ist Begehung mit dem Architekten"),
    ],
    "en": [
        ("The suplier comes on Wensday with the bigg truk", "The supplier comes on Wednesday with the big truck"),
        ("Teh invoise must be payed befor month's end", "The invoice must be paid before month's end"),
        ("Recieve parcells at teh back dor onyl", "Receive parcels at the back door only"),
    ],
    "ru": [
        ("Паставщик преезжает в среду на бальшой машыне", "Поставщик приезжает в среду на большой машине"),
        ("Счот нужно аплатить до канца месеца", "Счёт нужно оплатить до конца месяца"),
    ],
    "es": [
        ("El provedor biene el miercoles con el camion grande", "El proveedor viene el miércoles con el camión grande"),
        ("La factura se paga antes del fin de mez", "La factura se paga antes del fin de mes"),
    ],
}


def text(lines: list[str]) -> str:
    return "# Notes\n\n" + "".join(f"- {line}\n" for line in lines)


@pytest.mark.parametrize("language", MENDED)
def test_mended_spelling_is_recorded(language: str) -> None:
    old, new = ([pair[n] for pair in MENDED[language]] for n in (0, 1))
    assert judge(case(PATH, text(old), text(new)), Policy()).action is Action.RECORD
    more = text([new[0], "eine ganz andere Zeile", *new[1:]])
    assert judge(case(PATH, text(old), more), Policy()).action is Action.RECORD


def test_dropped_letters_are_damage() -> None:
    old = text([new for _, new in MENDED["de"]] * 1)
    lost = old.encode("ascii", "replace").decode()
    assert judge(case(PATH, old, lost), Policy()).event_class.value in ("overwrite", "encoding_change")


def test_another_number_is_another_note() -> None:
    old = text([f"Maschine {n} leuft nachts unbeobachdet im Keler" for n in range(100, 106)])
    new = text([f"Maschine {n} läuft nachts unbeobachtet im Keller" for n in range(300, 306)])
    assert judge(case(PATH, old, new), Policy()).action is not Action.RECORD


def test_what_was_cut_from_between_is_lost() -> None:
    old, new = ([pair[n] for pair in MENDED["de"]] for n in (0, 1))
    assert judge(case(PATH, text(old), text([new[0], new[3]])), Policy()).action is not Action.RECORD
