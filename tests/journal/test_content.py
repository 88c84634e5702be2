"""Bodies survive their delta form, whatever they are and whatever they are based on."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.journal import content
from conductd.journal.bodies import next_place
from support.journals import growing, noise


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=3000), st.none() | st.binary(max_size=3000))
def test_any_body_comes_back(body: bytes, base: bytes | None) -> None:
    how, data = content.encode(body, base, 5)
    assert len(data) <= len(body)
    if how == content.RAW:
        assert data == body
    else:
        assert content.decompress(data, len(body), base if how > 0 else None) == body


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 255_000, 300_000, 3_000_000])
def test_a_large_body_against_a_similar_one_is_small(size: int) -> None:
    base = noise(size)
    body = base[: size // 2] + b"an insertion" + base[size // 2 :]
    how, data = content.encode(body, base, 1)
    if size > 1000:
        assert how == 1
        assert len(data) < 200 + size // 500
    if how >= 0:
        assert content.decompress(data, len(body), base if how else None) == body


def test_wrong_data_is_an_error_not_wrong_bytes() -> None:
    body = growing(20)[-1]
    data = content.compress(body)
    for broken in (data[:-1], b"", b"\0" * len(data), data[3:]):
        with pytest.raises(ValueError, match="content"):
            content.decompress(broken, len(body))
    with pytest.raises(ValueError, match="content"):
        content.decompress(data, len(body) + 1)


@pytest.mark.parametrize("size", [20_000, 200_000])
def test_every_base_is_in_the_line_and_no_chain_is_long(size: int) -> None:
    line: tuple[tuple[int, int], ...] = ()
    depth: dict[int, int] = {}
    for seq in range(1, 9000):
        place, base, kept = next_place(line, size)
        assert place == seq - 1
        wanted = content.base_index(place, size)
        assert base == (None if wanted is None else wanted + 1)
        depth[seq] = 0 if base is None else depth[base] + 1
        line = (*kept, (place, seq))
        assert len(line) <= 40
    assert max(depth.values()) <= 36
