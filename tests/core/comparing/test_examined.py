"""Which of many versions are looked at: never without the state before a great loss."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conductd.core.comparing.examined import examined, falls, unshared

GROWING = [100 + 10 * n for n in range(1_000)]


def test_few_versions_are_all_looked_at() -> None:
    assert examined(falls(GROWING[:64]), 64) == list(range(64))


def test_of_many_growing_ones_the_first_and_the_newest_are_looked_at() -> None:
    assert examined(falls(GROWING), 64) == [*range(8), *range(944, 1_000)]


def test_the_state_before_a_fall_and_the_one_after_it_are_among_them() -> None:
    for at in (1, 9, 30, 300, 943, 998):
        sizes = [*GROWING[:at], *(20 + 10 * n for n in range(1_000 - at))]
        assert {at - 1, at} <= set(examined(falls(sizes), 64))


def test_the_greatest_falls_count_when_there_are_many() -> None:
    sizes = [1_000 + n % 2 for n in range(500)]
    sizes[200], sizes[300] = 9_000, 5_000
    assert {200, 201, 300, 301} <= set(examined(falls(sizes), 64))


@given(st.lists(st.integers(0, 50), min_size=1, max_size=300), st.integers(20, 80))
def test_the_choice_is_in_order_as_large_as_may_be_and_holds_the_last_one(gone: list[int], most: int) -> None:
    chosen = examined(gone, most)
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(most, len(gone))
    assert chosen[-1] == len(gone) - 1


@given(st.binary(max_size=20), st.binary(max_size=20), st.binary(max_size=20))
def test_what_two_texts_share_at_both_ends_is_not_gone(begin: bytes, middle: bytes, end: bytes) -> None:
    assert unshared(begin + end, begin + middle + end) == 0
    assert unshared(begin + middle + end, begin + end) <= len(middle)
    assert unshared(b"a" + middle, b"b" + bytes(byte ^ 1 for byte in middle)) == len(middle) + 1
