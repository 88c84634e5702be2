"""Entries that are over by their own words may go; what only looks so may not."""

from __future__ import annotations

import pytest

from conductd.core.judging.judge import judge
from conductd.core.policy import Policy
from conductd.model import Action, EventClass
from support.cases import case

PATH = b"memory/projects/list.md"
DONE = [
    "- [x] mower serviced and paid",
    "- [X] Rasenmäher gewartet und bezahlt",
    "- ✅ 割り当てを全部確認した",
    "- ~~ask Jo about the boiler key~~",
    "- 完成：更新证书并通知大家",
    "- [x] تم إصلاح الباب الخلفي",
    "- until 2026-01-15: the lift is out of order, use the back stairs",
    "- bis 15.01.2026 ist der Aufzug außer Betrieb",
    "- 2026年1月15日まで裏口を使う",
    "- в отпуске до 2026-01-15, звонить Ольге",
]
STANDING = [
    "- [ ] ask the neighbour about the hedge",
    "- deliveries go to the side door in Mill Lane",
    "- 请把垃圾放在后门旁边的桶里",
]


@pytest.mark.parametrize("done", DONE)
@pytest.mark.parametrize("count", [1, 3])
def test_what_is_over_is_cleared_away_in_silence(done: str, count: int) -> None:
    gone = [f"{done} {'again ' * n}".rstrip() for n in range(count)]
    if done.endswith("~~"):
        gone = [done.replace("Jo", "Jo " + "again " * n) for n in range(count)]
    before = "# List\n\n" + "\n".join([*gone, *STANDING]) + "\n"
    verdict = judge(case(PATH, before, "# List\n\n" + "\n".join(STANDING) + "\n"), Policy())
    assert (verdict.action, verdict.event_class) == (Action.RECORD, EventClass.EDIT)


def test_a_list_that_goes_altogether_is_lost() -> None:
    before = "# List\n\n" + "\n".join(DONE) + "\n"
    assert judge(case(PATH, before, "# List\n"), Policy()).action is not Action.RECORD


def test_half_of_an_archive_of_done_tasks_is_a_loss() -> None:
    tasks = [f"- [x] task number {n} of the winter was finished by hand" for n in range(40)]
    before = "# Done\n\n" + "\n".join([*STANDING, *tasks]) + "\n"
    verdict = judge(case(PATH, before, "# Done\n\n" + "\n".join([*STANDING, *tasks[30:]]) + "\n"), Policy())
    assert verdict.action is not Action.RECORD


def test_what_goes_with_one_that_is_over_counts_like_it() -> None:
    others = [f"- the rule of the house number {n} stands for all guests" for n in range(6)]
    before = "# List\n\n" + "\n".join([DONE[0], *others, *STANDING]) + "\n"
    verdict = judge(case(PATH, before, "# List\n\n" + "\n".join(STANDING) + "\n"), Policy())
    assert verdict.event_class is EventClass.SHRINK


def test_who_decided_on_a_day_set_no_deadline() -> None:
    notes = [f"- plan {n} stays, decided by Mara on 2026-01-1{n}" for n in range(6)]
    before = "# List\n\n" + "\n".join([*notes, *STANDING]) + "\n"
    verdict = judge(case(PATH, before, "# List\n\n" + "\n".join(STANDING) + "\n"), Policy())
    assert verdict.event_class is EventClass.SHRINK
