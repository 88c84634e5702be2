"""Rounds answered at once, then later and later, then not at all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conductd.core.judging.fight import Round, next_answer
from conductd.core.policy import Fights

MINUTE = 60 * 1_000_000_000
HOUR = 60 * MINUTE


def rounds(*minutes: float, writer: str = "cron:consolidate", digest: bytes = b"d") -> list[Round]:
    return [Round(int(m * MINUTE), digest, writer) for m in minutes]


def test_two_rounds_are_answered_at_once() -> None:
    for count in (1, 2):
        answer = next_answer(rounds(*range(count)), (count - 1) * MINUTE)
        assert (answer.rounds, answer.wait_ns, answer.loop, answer.stand_down) == (count, 0, False, False)


def test_from_the_third_on_longer_and_longer_quiet_is_waited_for() -> None:
    waits = [next_answer(rounds(*range(n)), (n - 1) * MINUTE).wait_ns // MINUTE for n in range(3, 10)]
    assert waits == [1, 5, 10, 15, 60, 60, 60]


def test_it_is_a_loop_from_the_third_round_on() -> None:
    loops = [next_answer(rounds(*range(n)), n * MINUTE).loop for n in range(1, 8)]
    assert loops == [False, False, True, True, True, True, True]


def test_quiet_that_has_passed_already_is_not_waited_for_again() -> None:
    fight = rounds(0, 18, 36, 54)
    assert next_answer(fight, 54 * MINUTE).wait_ns == 5 * MINUTE
    assert next_answer(fight, 57 * MINUTE).wait_ns == 2 * MINUTE
    assert next_answer(fight, 60 * MINUTE).wait_ns == 0


def test_after_twelve_repairs_in_a_day_it_stands_down() -> None:
    assert not next_answer(rounds(*range(12)), 11 * MINUTE).stand_down
    assert next_answer(rounds(*range(13)), 12 * MINUTE).stand_down
    assert not next_answer(rounds(*range(13)), 12 * MINUTE + 24 * HOUR).stand_down


def test_a_round_that_was_not_answered_does_not_count_towards_the_limit() -> None:
    overtaken = [Round(n * MINUTE, b"d", "w", answered=n < 5) for n in range(30)]
    assert not next_answer(overtaken, 30 * MINUTE).stand_down


def test_a_day_without_a_round_ends_the_fight() -> None:
    fight = rounds(0, 1, 2, 2 + 24 * 60)
    assert next_answer(fight, fight[-1].at_ns).rounds == 1


def test_rounds_belong_together_by_writer_or_by_bytes() -> None:
    same_bytes = [Round(0, b"d", "agent:a"), Round(MINUTE, b"d", "agent:b"), Round(2 * MINUTE, b"d", "unknown")]
    assert next_answer(same_bytes, 2 * MINUTE).rounds == 3
    same_writer = [Round(n * MINUTE, bytes([n]), "unknown") for n in range(3)]
    assert next_answer(same_writer, 2 * MINUTE).rounds == 3
    strangers = [Round(0, b"a", "agent:a"), Round(MINUTE, b"b", "agent:b")]
    assert next_answer(strangers, MINUTE).rounds == 1


def test_without_rounds_or_back_off_steps() -> None:
    assert next_answer([], 0).wait_ns == 0
    assert next_answer(rounds(0, 1, 2), 2 * MINUTE, Fights(backoff_minutes=())).stand_down


def test_a_clock_set_back_does_not_lengthen_the_wait() -> None:
    assert next_answer(rounds(0, 1, 500_000), 0).wait_ns <= MINUTE


@given(st.lists(st.integers(0, 3_000), min_size=1, max_size=40).map(sorted))
def test_no_fight_is_endless(minutes: list[int]) -> None:
    answers = [next_answer(rounds(*minutes[: n + 1]), minutes[n] * MINUTE) for n in range(len(minutes))]
    at_once = [m for m, a in zip(minutes, answers, strict=True) if not a.stand_down]
    for first in at_once:
        assert sum(1 for m in at_once if first <= m < first + 24 * 60) <= 12
