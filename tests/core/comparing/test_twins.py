"""Of two notes that stood beside each other one goes: is all that it said in the other?"""

from __future__ import annotations

import pytest

from conductd.core.comparing.change import compare
from conductd.core.losses.consolidation import folded
from conductd.core.policy import Thresholds
from conductd.core.reading.entries import entry_table

REST = "# Memory\n\n- Backups go to birch with restic\n- Call Mira on Monday about the lamp\n"


def _lost(gone: str, stays: str, rest: str = REST) -> int:
    old = entry_table(f"{rest}- {stays}\n- {gone}\n".encode(), b"")
    new = entry_table(f"{rest}- {stays}\n".encode(), b"")
    return len(folded(compare(old, new), old, new, Thresholds()).lost)


FULLER = [
    (
        "Take the harbour printer for all labels",
        "Use the harbour printer for all labels, decided by Mira on 2026-03-01",
    ),
    (
        "Den Hafendrucker für alle Etiketten nehmen",
        "Den Hafendrucker für alle Etiketten nutzen, von Mira am 1.3.2026 entschieden",
    ),
    ("所有标签都使用港口打印机", "所有标签都用港口打印机打印，米拉于2026年3月1日决定"),
    (
        "Prendre l'imprimante du port pour les étiquettes",
        "Utiliser l'imprimante du port pour les étiquettes, décidé par Mira le 1 mars 2026",
    ),
    (
        "Tomar la impresora del puerto para las etiquetas, usar siempre papel A3",
        "Tomar la impresora del puerto para las etiquetas, utilizar siempre papel A3, según Mira",
    ),
    ("Run the tests before each deploy", "Always run all the tests before each deploy, also on Mondays"),
]
OTHERS = [
    ("Never deploy on Friday", "Deploy on Friday"),
    ("Deploy on Friday", "Never deploy on Friday"),
    ("Never deploy on Friday", "Never deploy on Friday without a word from Anna"),
    ("Never deploy on Friday", "Never deploy on Friday unless Anna agrees"),
    ("Never deploy on Friday", "Never deploy on Friday until Anna is back"),
    ("We must deploy on Friday", "We may deploy on Friday"),
    ("We may deploy on Friday", "We must deploy on Friday"),
    ("Labels are printed at the harbour", "Labels are only printed at the harbour"),
    ("Niemals freitags ausliefern", "Niemals freitags ausliefern, außer Anna sagt es"),
    ("Ne jamais livrer le vendredi", "Ne jamais livrer le vendredi sauf si Anna le dit"),
    ("Nunca desplegar los viernes", "Nunca desplegar los viernes hasta que vuelva Anna"),
    ("星期五不要部署", "星期五部署"),
    ("星期五不要部署服务", "星期五不要部署服务，除非安娜同意"),
    ("金曜日に本番へ出さない", "金曜日に本番へ出す"),
    ("لا تنشر يوم الجمعة أبدا", "لا تنشر يوم الجمعة أبدا إلا إذا وافقت آنا"),
    (
        "Clean the harbour printer for all labels",
        "Use the harbour printer for all labels, decided by Mira on 2026-03-01",
    ),
    (
        "Take the harbour printer for all labels",
        "Use the harbour printer for all letters, decided by Mira on 2026-03-01",
    ),
    ("Keep backups for 52 days on birch", "Keep backups for 30 days on birch, decided by Mira"),
]


@pytest.mark.parametrize(("gone", "stays"), FULLER)
def test_a_fuller_note_beside_it_says_it(gone: str, stays: str) -> None:
    assert _lost(gone, stays) == 0


@pytest.mark.parametrize(("gone", "stays"), [*OTHERS, *((fuller, gone) for gone, fuller in FULLER[:-1])])
def test_another_rule_beside_it_does_not(gone: str, stays: str) -> None:
    assert _lost(gone, stays) == 1
