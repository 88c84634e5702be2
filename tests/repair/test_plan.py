"""The table that chooses how to write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.repair.order import Method
from conductd.repair.plan import Seen, choose


@pytest.mark.parametrize(
    ("seen", "method", "why"),
    [
        (Seen(wanted=True), Method.SWAP, "default"),
        (Seen(wanted=True, same=True, links=2), Method.NOTHING, "already as wanted"),
        (Seen(wanted=False), Method.REMOVE, "the target is absence"),
        (Seen(wanted=False, links=2, foreign=True), Method.REMOVE, "the target is absence"),
        (Seen(wanted=False, mounted=True), None, "a mount point cannot be removed"),
        (Seen(wanted=True, configured=True), Method.IN_PLACE, "configured"),
        (Seen(wanted=True, links=2), Method.IN_PLACE, "several hard links"),
        (Seen(wanted=True, foreign=True), Method.IN_PLACE, "owned by another user"),
        (Seen(wanted=True, same=True, links=2, break_links=True), Method.SWAP, "becomes a file of its own"),
        (Seen(wanted=True, same=True, break_links=True), Method.NOTHING, "already as wanted"),
        (Seen(wanted=True, links=2, break_links=True, mounted=True), None, "mounted as a single file"),
        (Seen(wanted=True, links=2, break_links=True, configured=True), None, "the config says to write it in place"),
        (Seen(wanted=True, mounted=True), Method.IN_PLACE, "mounted as a single file"),
        (Seen(wanted=True, swap_refused="EBUSY"), Method.IN_PLACE, "swap refused: EBUSY"),
    ],
)
def test_the_first_row_that_fits_decides(seen: Seen, method: Method | None, why: str) -> None:
    choice = choose(seen)
    assert (choice.method, choice.why) == (method, why)


seen_anyhow = st.builds(
    Seen,
    wanted=st.booleans(),
    same=st.booleans(),
    links=st.integers(1, 3),
    foreign=st.booleans(),
    mounted=st.booleans(),
    configured=st.booleans(),
    swap_refused=st.sampled_from(["", "EBUSY"]),
)


@given(seen_anyhow)
def test_a_swap_is_chosen_only_where_it_does_no_harm(seen: Seen) -> None:
    if choose(seen).method is Method.SWAP:
        assert seen == Seen(wanted=True, links=1)
