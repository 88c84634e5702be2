"""How long a changed file is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.core.case import Write
from conductd.core.judging.wait import Wait, wait_for
from conductd.core.policy import Policy, Waits
from conductd.model import UNKNOWN, FileState
from scenarios.texts import memory, transform
from support.cases import START_NS

TEXT = memory(6, 10, 142).encode()
SAVE, CUT, QUIET = Wait("save", 2_000), Wait("cut", 30_000), Wait("quiet", 250)


def kept(ids: str) -> bytes:
    return transform(TEXT, [{"keep_ids": ids}, {"drop_empty_sections": True}])


def line_end_after(size: int) -> bytes:
    return TEXT[: TEXT.index(b"\n", size) + 1]


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (None, SAVE),
        (b"", SAVE),
        (TEXT[:2000], SAVE),
        (TEXT[:20], SAVE),
        (b"# Memory\n", SAVE),
        (line_end_after(2000), CUT),
        (line_end_after(2000)[:-1], CUT),
        (kept("1-50"), CUT),
        (kept("1-50") + b"- details: memory/open-threads.md\n", CUT),
        (kept("1-3"), CUT),
        (kept("1-59"), CUT),
        (TEXT, QUIET),
        (TEXT + b"- one more\n", QUIET),
        (b"gone\n", QUIET),
        (kept("1-50") + memory(2, 8, 7, first_id=500).encode(), QUIET),
        (memory(6, 10, 143, first_id=100).encode(), QUIET),
        (TEXT.replace(b"\n", b"\r\n"), QUIET),
        (TEXT.rstrip(b"\n"), QUIET),
        (b"\n".join(reversed(kept("1-50").split(b"\n"))), QUIET),
    ],
)
def test_the_first_row_that_fits_counts(now: bytes | None, expected: Wait) -> None:
    assert wait_for(TEXT, now, Policy()) == expected


def test_without_a_baseline_only_emptiness_waits() -> None:
    assert wait_for(None, b"# New\n", Policy()) == QUIET
    assert wait_for(b"", b"# New\n", Policy()) == QUIET
    assert wait_for(None, None, Policy()) == SAVE


@pytest.mark.parametrize(
    ("state", "expected"), [(FileState.ABSENT, SAVE), (FileState.SYMLINK, QUIET), (FileState.OVERSIZE, QUIET)]
)
def test_other_states(state: FileState, expected: Wait) -> None:
    assert wait_for(TEXT, Write(1, state, START_NS, UNKNOWN), Policy()) == expected


def test_a_write_waits_like_its_bytes() -> None:
    assert wait_for(TEXT, Write(1, FileState.FILE, START_NS, UNKNOWN, kept("1-50")), Policy()) == CUT


def test_figures_come_from_the_policy() -> None:
    policy = Policy(waits=Waits(quiet_ms=1, save_ms=2, cut_ms=3))
    assert [wait_for(TEXT, now, policy).ms for now in (TEXT + b"x", None, kept("1-50"))] == [1, 2, 3]


@settings(deadline=None)
@given(st.binary(max_size=200), st.one_of(st.none(), st.binary(max_size=200)))
def test_any_bytes_have_a_wait(before: bytes, now: bytes | None) -> None:
    assert wait_for(before, now, Policy()) in (SAVE, CUT, QUIET)


@pytest.mark.parametrize(
    "pointer",
    [
        "- Everything about the build has its own file now: memory/build.md",
        "See [the notes on builds](memory/topics/build.md) for the caches, the parser and the nightly jobs.",
        "→ [[Build notes]] (Aufbau, Zwischenspeicher, nächtliche Läufe)",
        "- 构建相关的内容已移到 memory/build.md",
    ],
)
def test_a_line_that_says_where_the_rest_will_be_is_part_of_the_cut(pointer: str) -> None:
    few = "\n".join(TEXT.decode().split("\n")[:8])
    lines = few.split("\n")
    assert wait_for(few.encode(), ("\n".join(lines[:6]) + f"\n\n{pointer}\n").encode(), Policy()) == CUT
    other = "- a new note about the harbour, the bakery and the garden of the house"
    assert wait_for(few.encode(), ("\n".join(lines[:6]) + f"\n\n{other}\n").encode(), Policy()) == QUIET
