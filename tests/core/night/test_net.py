"""What a day brought and took, entry by entry."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.night.facts import Before
from conductd.core.night.net import Net, net

A, B, C = b"- the office is in Bern\n", b"- never deploy on Fridays\n", b"- the boiler is old\n"


@pytest.mark.parametrize(
    ("changed", "came"),
    [
        ([], Net(0, 0)),
        ([Before(b"a.md", None, after=A + B)], Net(2, 0)),
        ([Before(b"a.md", A + B)], Net(0, 2)),
        ([Before(b"a.md", A + B, after=A + B)], Net(0, 0)),
        ([Before(b"a.md", A + B, after=B + A)], Net(0, 0)),
        ([Before(b"a.md", A + B, after=A), Before(b"b.md", None, after=B)], Net(0, 0)),
        ([Before(b"a.md", A + B, after=A + C)], Net(1, 1)),
        ([Before(b"a.md", A, after=A + A)], Net(1, 0)),
        ([Before(b"a.md", A, after=A), Before(b"b.md", None, is_known=False)], Net(None, None)),
        ([Before(b"a.md", A, is_after_known=False)], Net(None, None)),
    ],
)
def test_an_entry_counts_once_wherever_it_stands(changed: list[Before], came: Net) -> None:
    assert net(changed) == came


@given(st.lists(st.tuples(st.binary(max_size=60), st.binary(max_size=60)), max_size=5))
def test_the_way_back_loses_what_the_way_there_gained(pairs: list[tuple[bytes, bytes]]) -> None:
    there = net(Before(b"%d.md" % n, one, after=other) for n, (one, other) in enumerate(pairs))
    back = net(Before(b"%d.md" % n, other, after=one) for n, (one, other) in enumerate(pairs))
    assert (there.gained, there.lost) == (back.lost, back.gained)
