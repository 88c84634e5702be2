"""What a program writes beside an entry for itself weighs nothing; what a person writes in brackets does."""

from __future__ import annotations

import pytest

from conductd.core.reading.metadata import memory_alone
from conductd.core.reading.text import ids, words
from conductd.model import Action, EventClass
from support.cases import judged

BOOKS = [
    "[score=0.913 recalls=4 avg=0.871 source=memory/2026-04-01.md:3-3]",
    "[score=0.84]",
    "(last used: 2026-03-04)",
    "(last_used=2026-03-04T10:22:00Z, hits: 12)",
    "{id: 9f3a, confidence: 0.8}",
    "score=0.91 recalls=3",
    "(added: 2026-03-01)",
    "(updated 2026-03-01)",
    "(zuletzt verwendet: 2026-03-04, Abrufe: 7)",
    "（最后使用：2026-03-04，召回次数：3）",
    "【スコア: 0.8、参照回数: 4】",
    "(последнее использование: 2026-03-04)",
    "(آخر استخدام: 2026-03-04)",
    "(dernière utilisation : 2026-03-04 10:00)",
    "[confidence: high] (accessed: 2026-03-04)",
    "<!-- openclaw-memory-promotion:memory:memory/2026-04-01.md:3:3 -->",
    "<!-- score=0.9 recalls=3 -->",
    "<!-- openclaw:dreaming:light:start -->",
]

SAID = [
    "(port=5000)",
    "[ip=10.0.0.5 port=5000]",
    "(due: 2026-03-04)",
    "(expires: 2026-05-01, renew early)",
    "(source: the landlord)",
    "(date: 2026-03-04)",
    "(Anna: 2 keys, Bob: none)",
    "(score 3 to 1 against Lyon)",
    "(used: the blue one in the cellar, not the green)",
    "<!-- never delete this -->",
    "<!-- owner: Anna -->",
    "<!-- do-not-delete:prod-db -->",
    "retries=3",
    "(added: salt)",
    "(stored: cellar)",
    "(saved: 200)",
    "(score: low)",
    "(created by Anna on 2026-03-01)",
    "[see the other list]",
]


@pytest.mark.parametrize("tail", BOOKS)
@pytest.mark.parametrize("text", ["The NAS is in the cellar", "备用钥匙在门卫那里", "مفاتيح المخزن عند الحارس"])
def test_bookkeeping_weighs_nothing(text: str, tail: str) -> None:
    assert words(f"{text} {tail}") == words(text)
    assert not ids(f"{text} {tail}")


@pytest.mark.parametrize("tail", SAID)
def test_what_is_said_in_brackets_is_kept(tail: str) -> None:
    assert memory_alone(f"The NAS is in the cellar {tail}") == f"The NAS is in the cellar {tail}"


def test_a_long_end_is_looked_at_in_a_moment() -> None:
    for end in ("(score=" * 400, "[" + "source=a " * 4_000 + "]", "score=1 " * 4_000, "(" + "used " * 4_000 + ")"):
        memory_alone("The NAS is in the cellar " + end)


def test_promotions_whose_bookkeeping_goes_lose_nothing() -> None:
    notes = ["The NAS is in the cellar", "Bea signs the invoices", "La clé est chez Femi", "备用钥匙在门卫那里"]
    old = "## Promoted From Short-Term Memory (2026-04-02)\n\n" + "".join(
        f"<!-- openclaw-memory-promotion:memory:a.md:{n}:{n} -->\n- {note} [score=0.8{n} recalls={n}]\n"
        for n, note in enumerate(notes)
    )
    new = "## Promoted From Short-Term Memory (2026-04-02)\n\n" + "".join(f"- {note}\n" for note in notes)
    verdict = judged(b"MEMORY.md", old, new)
    assert verdict.action is Action.RECORD
    assert verdict.facts["lost_share"] == 0
    renewed = judged(b"MEMORY.md", old, old.replace("score=0.8", "score=0.7"))
    assert (renewed.action, renewed.facts["lost_share"]) == (Action.RECORD, 0)
    shorter = judged(
        b"MEMORY.md", old, new.replace("- Bea signs the invoices\n", "").replace("- The NAS is in the cellar\n", "")
    )
    assert (shorter.event_class, shorter.action) == (EventClass.SHRINK, Action.PROPOSE)
