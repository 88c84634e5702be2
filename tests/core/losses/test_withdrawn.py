"""A writer takes back what it wrote itself a moment ago."""

from __future__ import annotations

import pytest

from conductd.model import Action
from support.cases import held, judged, written

BASE = "# Memory\n\n- Backups go to birch with restic\n- Keep quiet after ten in the evening please\n"
MORE = {
    "en": "- Call Mira on Monday about the lamp\n- The harbour printer takes A3 paper only\n",
    "de": "- Mira am Montag wegen der Lampe anrufen\n- Der Drucker am Hafen nimmt nur A3\n",
    "zh": "- 周一给米拉打电话问台灯的事\n- 港口的打印机只能用 A3 纸\n",
    "ja": "- 月曜日にミラへ電灯のことを電話する\n- 港のプリンターは A3 だけ使える\n",
    "ar": "- اتصل بميرا يوم الاثنين بخصوص المصباح\n- طابعة الميناء تقبل ورق A3 فقط\n",
}


def _judged(more: str, after: str, *, at: float = -20.0, first: str = "agent:main", second: str = "agent:main"):  # type: ignore[no-untyped-def]
    newer, older = held(90, BASE + more, at, first), held(80, BASE, -86_400)
    return judged(b"MEMORY.md", newer, written(100, after, 0, second), earlier=(older,))


@pytest.mark.parametrize("language", MORE)
def test_what_was_just_added_may_go(language: str) -> None:
    found = _judged(MORE[language], BASE)
    assert (found.action, found.rule) == (Action.RECORD, "withdrawn")


@pytest.mark.parametrize("language", MORE)
@pytest.mark.parametrize(
    "how", [{"at": -3600.0}, {"second": "agent:other"}, {"first": "unknown"}, {"first": "unknown", "second": "unknown"}]
)
def test_long_ago_or_by_another_it_is_a_loss(language: str, how: dict[str, object]) -> None:
    assert _judged(MORE[language], BASE, **how).rule != "withdrawn"  # type: ignore[arg-type]


@pytest.mark.parametrize("language", MORE)
def test_with_what_stood_there_before_it_is_a_loss(language: str) -> None:
    assert _judged(MORE[language], BASE.replace("- Backups go to birch with restic\n", "")).action is not Action.RECORD


@pytest.mark.parametrize("language", MORE)
def test_with_news_it_may_be_another_session(language: str) -> None:
    assert _judged(MORE[language], BASE + "- The lamp in the hall was mended today\n").rule != "withdrawn"


def test_a_rewording_taken_away_is_a_loss_of_what_it_was() -> None:
    reworded = BASE.replace("Backups go to birch with restic", "All backups go to birch with restic, each night")
    newer, older = held(90, reworded, -20.0, "agent:main"), held(80, BASE, -86_400)
    after = "# Memory\n\n- Keep quiet after ten in the evening please\n"
    found = judged(b"MEMORY.md", newer, written(100, after, 0, "agent:main"), earlier=(older,))
    assert found.action is not Action.RECORD
