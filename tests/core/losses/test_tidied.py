"""A small file that somebody tidies is no stale copy: nothing is written over it, in whatever language and layout."""

from __future__ import annotations

import pytest

from conductd.core.losses.bookkeeping import Books
from conductd.core.reading.entries import entries
from conductd.model import Action, EventClass
from scenarios.texts import memory
from support.cases import KEY, held, judged, written

DAY = 86_400.0
WRITES = (Action.MERGE, Action.REVERT)

# How a file was, the lines that it had besides when it was grown, and what a tidier leaves. A head with "{}" counts.
TIDIED = {
    "two notes and their count": (
        "# Open ({})\n\n- renew the passport in spring\n",
        ("- call the dentist about the crown", "- return the drill to Femi"),
        "# Open (1)\n\n- renew the passport in spring\n",
    ),
    "a count in words": (
        "{} sind offen.\n\n- Reifen wechseln lassen\n- Steuer abgeben\n- Keller räumen\n",
        ("- Zaun streichen lassen", "- Leiter an Jonas zurückgeben"),
        "zwei sind offen.\n\n- Reifen wechseln lassen\n- Steuer abgeben\n- Keller räumen\n",
    ),
    "a line of its own in their place": (
        "- 会議は火曜の朝にする\n- 鍵は受付にある\n- 請求は月末に送る\n",
        ("- 猫の餌を注文した", "- 仮の電話番号を使う"),
        "- 会議は火曜の朝にする\n- 鍵は受付にある\n- 請求は月末に送る\n- 猫はもう食べている\n",
    ),
    "another pointer": (
        "详见 [三月](notes/2026-03.md)\n\n- 部署主机和端口\n- 和同事约好的命名规则\n",
        ("- 临时的测试账号", "- 今天的会议取消了"),
        "详见 [四月](notes/2026-04.md)\n\n- 部署主机和端口\n- 和同事约好的命名规则\n",
    ),
    "a newer date": (
        "آخر تحديث: 2026-03-0{}\n\n- مفاتيح المخزن عند الحارس\n- الاجتماع يوم الأحد صباحا\n",
        ("- سيارة الشركة في الورشة اليوم", "- رقم مؤقت للسائق"),
        "آخر تحديث: 2026-04-07\n\n- مفاتيح المخزن عند الحارس\n- الاجتماع يوم الأحد صباحا\n",
    ),
    "rows of a table": (
        "| what | where |\n|---|---|\n| spare keys | with the porter |\n| meter | in the cellar |\n",
        ("| ladder | lent to Ines |", "| tent | drying in the attic |"),
        "| what | where |\n|---|---|\n| spare keys | with the porter |\n| meter | in the cellar |\n| bikes | shed |\n",
    ),
    "a younger note in other words": (
        "- стройка идёт по четвергам\n- ключи у вахтёра\n",
        ("- Ольга проверяет каждый счёт перед отправкой", "- временный пароль у Пети", "- кофе кончился"),
        "- стройка идёт по четвергам\n- ключи у вахтёра\n- каждый счёт проверяет Ольга перед отправкой\n- не спешить\n",
    ),
}


def tidied(name: str) -> tuple[str, str, str]:
    old, came, now = TIDIED[name]
    return old.format(1), old.format(1 + len(came)) + "".join(f"{line}\n" for line in came), now


@pytest.mark.parametrize("age_s", [30.0, 3_600.0, 40 * DAY])
@pytest.mark.parametrize("name", TIDIED)
def test_nothing_is_written_over_a_small_file_that_nobody_known_tidied(name: str, age_s: float) -> None:
    old, grown, now = tidied(name)
    verdict = judged(b"MEMORY.md", held(2, grown, -age_s), written(3, now), earlier=[held(1, old, -age_s - 600)])
    assert verdict.action not in WRITES


@pytest.mark.parametrize("name", ["two notes and their count", "a count in words", "another pointer", "a newer date"])
def test_a_count_a_date_or_a_pointer_is_no_news_within_seconds_either(name: str) -> None:
    old, grown, now = tidied(name)
    verdict = judged(b"MEMORY.md", held(2, grown, -4.0), written(3, now), earlier=[held(1, old, -600.0)])
    assert verdict.action not in WRITES


def test_a_named_writer_that_counts_again_after_it_took_a_note_out_has_read_it() -> None:
    old = "# Plan\n\n4 jobs are open\n\n" + memory(2, 6, 3)
    grown = old.replace("4 jobs", "5 jobs") + "- the fence needs a second coat of paint\n"
    for now in (old, old.replace("4 jobs are", "3 jobs are")):
        verdict = judged(
            b"MEMORY.md",
            held(2, grown, -DAY, "agent:one"),
            written(3, now, 0, "agent:two"),
            earlier=[held(1, old, -2 * DAY)],
        )
        assert verdict.action is Action.RECORD


def test_a_stale_copy_is_merged_where_it_cannot_be_a_tidying() -> None:
    base, own = memory(3, 6, 1), "- the canary runs for one hour\n"
    grown = base + memory(1, 4, 9, first_id=500)
    verdict = judged(b"MEMORY.md", held(2, grown, -DAY), written(3, base + own), earlier=[held(1, base, -2 * DAY)])
    assert (verdict.event_class, verdict.action) == (EventClass.LOST_UPDATE, Action.MERGE)


def test_very_old_bytes_that_drop_several_writes_are_merged_in_a_small_file_too() -> None:
    one = "- 会議は火曜の朝にする\n- 鍵は受付にある\n"
    two = one + "- 監査の資料は奥にある\n- 駐車場は三台まで\n"
    three = two + "- 冬は配送が遅れる\n"
    earlier = [held(2, two, -20 * DAY), held(1, one, -40 * DAY)]
    verdict = judged(b"MEMORY.md", held(3, three, -DAY), written(4, one), earlier=earlier)
    assert (verdict.event_class, verdict.action) == (EventClass.LOST_UPDATE, Action.MERGE)


@pytest.mark.parametrize(
    ("went", "came", "keeps"),
    [
        ("3 open", "2 open", True),
        ("Total: 12 notes", "Total: 11 notes", True),
        ("Total: 12 notes", "Total: 40 notes", False),
        ("two jobs left", "one job left", True),
        ("待办三件", "待办两件", True),
        ("updated 2026-03-01", "updated on 4 May 2026", True),
        ("the port of the nas is 5000", "the port of the nas is 5055", False),
        ("see [March](a/2026-03.md)", "see [April](a/2026-04.md)", True),
        ("- [Deploy](deploy.md) hosts and ports", "- [Deploy](deploy.md) how it is done", True),
        ("- [Deploy](deploy.md) hosts and ports", "- [Review](review.md) naming rules", False),
        ("siehe [[alt/plan]]", "siehe [[neu/plan]]", True),
        ("the fence needs paint", "the gate needs oil", False),
    ],
)
def test_a_line_keeps_books_when_it_is_one_that_went_with_another_count_date_or_file(
    went: str, came: str, keeps: bool
) -> None:
    (old,), (new,) = entries(went.encode(), KEY), entries(came.encode(), KEY)
    assert Books([old], 2).keeps(new) is keeps
    assert not Books([old], 0).keeps(new)
