"""What is said to have changed a decision does change it, and alone."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from conductd.core.case import Case, Git
from conductd.core.judging.judge import judge
from conductd.core.judging.otherwise import Other, otherwise, tried_out
from conductd.core.policy import ActionRule, Policy
from conductd.core.reading.entries import EntryTable, entry_table
from conductd.model import Action, EventClass, Role
from scenarios.texts import memory, transform
from support.cases import case, written

OLD = memory(6, 8, 3)
SHRUNK = transform(OLD.encode(), [{"keep_ids": "1-32"}, {"drop_empty_sections": True}])
STUB = "# Memory\n\n- (new entry)\n"


def told(one: Case, policy: Policy | None = None) -> dict[str, Other]:
    return {other.words: other for other in otherwise(one, policy or Policy(), entry_table)}


def shrunk(by: str = "unknown", **more: Any) -> Case:
    return case(b"MEMORY.md", OLD, written(101, SHRUNK, by=by), **more)


def answers(words: dict[str, Other], part: str) -> list[tuple[EventClass, Action]]:
    return [(o.verdict.event_class, o.verdict.action) for text, o in words.items() if part in text]


def test_the_nearest_figure_comes_first_and_turns_the_decision_there() -> None:
    others = otherwise(shrunk(), Policy(), entry_table)
    first = others[0]
    assert first.setting.startswith("thresholds.")
    name = first.setting.removeprefix("thresholds.")
    limits = Policy().thresholds
    lost = float(str(judge(shrunk(), Policy()).facts["lost_share"]))
    for value, turned in ((lost - 0.01, True), (lost + 0.01, False)):
        policy = Policy(thresholds=msgspec.structs.replace(limits, **{name: value}))
        found = judge(shrunk(), policy)
        assert ((found.event_class, found.action) == (first.verdict.event_class, first.verdict.action)) is turned
    distances = [other.distance for other in others if other.distance is not None]
    assert distances == sorted(distances)


@pytest.mark.parametrize(
    "one",
    [
        shrunk(),
        shrunk("agent:one"),
        shrunk("human:vim"),
        shrunk(role=Role.REPLACEABLE),
        shrunk(consolidator=True),
        shrunk(git=Git(index_lock=True)),
        case(b"MEMORY.md", OLD, STUB),
        case(b"MEMORY.md", OLD, None),
        case(b"MEMORY.md", OLD, OLD + "- one more thing that is new\n"),
        case(b"AGENTS.md", OLD, STUB),
        case(b"memory/2026-01-05.md", OLD, SHRUNK),
    ],
    ids=lambda one: f"{one.path.decode()}",
)
def test_everything_that_is_told_differs_from_what_was_decided(one: Case) -> None:
    now = judge(one, Policy())
    for other in otherwise(one, Policy(), entry_table):
        assert (other.verdict.event_class, other.verdict.action) != (now.event_class, now.action)
        assert other.words


def test_excuses_are_named_with_what_was_without_them() -> None:
    assert answers(told(shrunk("human:vim")), "nobody been known") == [(EventClass.SHRINK, Action.PROPOSE)]
    assert answers(told(shrunk(role=Role.REPLACEABLE)), "were it not a file made") == [
        (EventClass.SHRINK, Action.PROPOSE)
    ]
    assert answers(told(shrunk(git=Git(index_lock=True))), "had git not been at work") == [
        (EventClass.SHRINK, Action.PROPOSE)
    ]
    deleted = case(b"MEMORY.md", OLD, None, parent_missing=True)
    assert answers(told(deleted), "directory still there") == [(EventClass.DELETION, Action.REVERT)]


def test_a_setting_that_decided_is_named_with_what_was_without_it() -> None:
    policy = Policy(rules=(ActionRule(match="MEMORY.md", action=Action.MERGE),))
    assert answers(told(shrunk(), policy), "without your setting rules[0]") == [(EventClass.SHRINK, Action.PROPOSE)]


def test_a_large_text_is_tried_less() -> None:
    """What judges again is bounded by the bytes it reads."""
    judged = 0

    def counted(data: bytes, key: bytes, digest: bytes | None = None, /) -> Any:
        nonlocal judged
        judged += 1
        return tables.setdefault(data, entry_table(data, key))

    tables: dict[bytes, Any] = {}
    big = memory(20, 60, 5)
    otherwise(case(b"MEMORY.md", big, big[: len(big) // 2] + "\n- and one more\n"), Policy(), counted)
    assert judged < 100


def test_of_many_lines_alike_little_is_tried_and_that_is_said() -> None:
    old = "".join(f"- AGENTS line {n} says something of medium length for the budget\n" for n in range(330))
    new = "".join(
        f"## Section {k}\n"
        + "".join(f"- AGENTS {k}.{n} says something of length about the budget\n" for n in range(30))
        for k in range(12)
    )
    judged = 0

    def counting(*args: Any) -> EntryTable:
        nonlocal judged
        judged += args[0] == old.encode()
        return entry_table(*args)

    found = tried_out(case(b"AGENTS.md", old, new), Policy(), counting)
    assert found.left_out > 5
    assert judged < 10
    assert found == tried_out(case(b"AGENTS.md", old, new), Policy(), entry_table)


def test_nothing_more_is_tried_for_nobody() -> None:
    found = tried_out(shrunk(), Policy(), entry_table, lambda: False)
    assert not found.others
    assert found.left_out
