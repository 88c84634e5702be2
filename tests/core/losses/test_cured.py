"""Who brings back what a damage took is left alone; who takes more than the damage brought is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import structs

from conductd.core.case import Text
from conductd.core.judging.judge import judge
from conductd.core.policy import Policy
from conductd.model import Action, EventClass, Verdict
from support.cases import case, held, written

PATH = b"memory/kitchen.md"
GERMAN = (
    "# Küche\n\n- Gewürze stehen über der Spüle\n- Töpfe gehören in den großen Schrank\n- Müsli ohne Nüsse kaufen\n"
)
RUSSIAN = "# Кухня\n\n- специи стоят над раковиной\n- кастрюли живут в большом шкафу\n- ключ висит у двери\n"
CHINESE = "# 厨房\n\n- 调料放在水槽上面的架子\n- 大锅放进左边的柜子\n- 钥匙挂在门口的钩子上\n"
ARABIC = "# المطبخ\n\n- التوابل فوق الحوض\n- القدور في الخزانة الكبيرة\n- المفتاح معلق قرب الباب\n"
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "4d7a2146" * 8 + "\nsize 12345\n"
DAMAGES: dict[str, Callable[[str], str]] = {
    "mojibake": lambda text: text.encode().decode("latin-1"),
    "question marks": lambda text: text.encode("ascii", "replace").decode(),
    "pointer": lambda _: POINTER,
    "redaction": lambda text: "\n".join(
        line[:-6] + "[REDACTED]" if n == 3 else line for n, line in enumerate(text.split("\n"))
    ),
    "stub": lambda _: "# Notes\n\n- everything is kept in another place now, ask there\n",
    "half": lambda text: text[: len(text) // 2].rpartition("\n")[0] + "\n",
    "conflict": lambda text: "<<<<<<< HEAD\n" + text + "=======\n- the other side knows better\n>>>>>>> other\n",
}
NEWS = "- ein Nachbar bringt am Samstag den Schlüssel zurück\n"


def damaged(seq: int, text: str, by: str = "agent:one", at_s: float = -1800) -> Text:
    return structs.replace(held(seq, text, at_s, by, destructive=True), damaged=True)


def judged_after(bad: Text, now: str, *earlier: Text, **more: Any) -> Verdict:
    return judge(case(PATH, bad, written(101, now, 0, "agent:two"), earlier=earlier, **more), Policy())


@pytest.mark.parametrize("text", [GERMAN, RUSSIAN, CHINESE, ARABIC])
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("more", ["", NEWS])
def test_a_cure_is_recorded(text: str, damage: str, more: str) -> None:
    bad = DAMAGES[damage](text)
    verdict = judged_after(damaged(90, bad), text + more, held(80, text))
    assert verdict.action is Action.RECORD
    assert verdict.event_class not in (EventClass.LOST_UPDATE, EventClass.OVERWRITE, EventClass.SHRINK)
    assert verdict.booked is None


def test_a_cure_of_two_damages_in_a_row() -> None:
    first, second = DAMAGES["mojibake"](GERMAN), POINTER
    verdict = judged_after(damaged(91, second), GERMAN, damaged(90, first), held(80, GERMAN))
    assert (verdict.rule, verdict.base_seq) == ("cured", 80)


def test_what_a_sound_version_added_before_the_damage_is_missed() -> None:
    grown = GERMAN + NEWS
    bad = DAMAGES["mojibake"](grown)
    verdict = judged_after(damaged(90, bad), GERMAN + "- ein Satz\n", held(85, grown, -7200), held(80, GERMAN, -9000))
    assert verdict.rule != "cured"


def test_an_edit_before_the_damage_that_is_undone_is_no_cure() -> None:
    edited = GERMAN.replace("über der Spüle", "unter der Spüle")
    verdict = judged_after(damaged(90, POINTER), GERMAN, held(85, edited, -7200), held(80, GERMAN, -9000))
    assert verdict.rule != "cured"


def test_a_sound_version_is_cured_of_nothing() -> None:
    verdict = judged_after(held(90, GERMAN + NEWS, -5), GERMAN, held(80, GERMAN))
    assert verdict.rule != "cured"
