"""When several losses are one."""

from __future__ import annotations

import pytest

from conductd.core.judging.mass import is_mass
from conductd.model import Action, EventClass, Severity, Verdict

SECOND = 1_000_000_000


def loss(event: EventClass = EventClass.DELETION, action: Action = Action.REVERT) -> Verdict:
    return Verdict(event, Severity.ALARM, action, "deleted")


@pytest.mark.parametrize(
    ("seconds", "files", "expected"),
    [
        ([0, 5, 10], 100, (0, 1, 2)),
        ([0, 5, 11], 100, ()),
        ([0, 5, 11, 12], 100, (1, 2, 3)),
        ([30, 2, 1, 0], 100, (1, 2, 3)),
        ([0, 8, 9, 17, 18], 100, (0, 1, 2, 3, 4)),
        ([0, 1], 5, (0, 1)),
        ([0, 1], 6, (0, 1)),
        ([0, 1], 7, ()),
        ([0, 1], 4, ()),
        ([0], 1, ()),
        ([], 10, ()),
    ],
)
def test_grouping(seconds: list[int], files: int, expected: tuple[int, ...]) -> None:
    assert is_mass([(s * SECOND, loss()) for s in seconds], files) == expected


def test_what_was_meant_or_moved_does_not_count() -> None:
    losses = [
        (0, loss()),
        (0, loss(EventClass.OVERWRITE)),
        (0, loss(EventClass.DELETION, Action.RECORD)),
        (0, loss(EventClass.MOVE, Action.RECORD)),
        (0, loss(EventClass.LOST_UPDATE, Action.MERGE)),
        (0, loss(EventClass.EXTERNAL_RESET, Action.PROPOSE)),
    ]
    assert is_mass(losses, 100) == ()
    assert is_mass([*losses, (1, loss(EventClass.SHRINK, Action.PROPOSE))], 100) == (0, 1, 6)


@pytest.mark.parametrize(
    ("answered", "seconds", "files", "expected"),
    [
        ([0, 4], [8], 100, (0,)),
        ([0, 4], [11], 100, ()),
        ([0], [9], 5, (0,)),
        ([0], [9], 100, ()),
        ([0], [5, 9, 30], 100, (0, 1)),
    ],
)
def test_losses_that_were_answered_count(
    answered: list[int], seconds: list[int], files: int, expected: tuple[int, ...]
) -> None:
    losses = [(s * SECOND, loss()) for s in seconds]
    assert is_mass(losses, files, answered=[s * SECOND for s in answered]) == expected
