"""What stands in the file after a verdict was carried out."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.core.judging.judge import judge
from conductd.core.merging.outcome import target
from conductd.core.policy import Policy
from conductd.model import Action
from scenarios.texts import ids_of, memory
from support.cases import Bytes, Text, Write, case, held, written


def carried_out(path: bytes, before: Bytes | Text, *versions: Bytes | Write | None, **more: Any) -> bytes:
    the_case = case(path, before, *versions, **more)
    verdict = judge(the_case, Policy())
    data = target(the_case, verdict, Policy())
    assert data is not None, verdict
    return data


def ids(first: int, last: int, *more: int) -> set[int]:
    return {*range(first, last + 1), *more}


def test_two_appends_are_both_there() -> None:
    base = memory(2, 8, 71)
    data = carried_out(
        b"memory/2026-08-02.md",
        base,
        written(101, base + "- [m-0401] session one saw the quota change.\n", 0.0),
        written(102, base + "- [m-0402] session two fixed the retry.\n", 0.04),
        written(103, base + "- [m-0403] session three wrote a note as well.\n", 0.08),
    )
    assert ids_of(data) == ids(1, 16, 401, 402, 403)


def test_a_stale_copy_keeps_its_rewording_and_loses_nothing() -> None:
    first = "- [m-0001] only entry known to session two.\n" + "x" * 1316 + "\n"
    grown = first + memory(6, 11, 72, first_id=100, title="Standing orders")
    data = carried_out(b"MEMORY.md", grown, "- [m-0001] only entry known to session two, reworded.\n", earlier=[first])
    assert ids_of(data) == ids(100, 165, 1)
    assert b"two, reworded" in data


def test_a_daily_log_is_the_old_text_then_the_new() -> None:
    old = memory(5, 12, 8, title="2026-03-08")
    data = carried_out(b"memory/2026-03-08.md", old, memory(1, 18, 9, first_id=500, title="Price watch"))
    assert data.startswith(old.rstrip().encode())
    assert ids_of(data) == {*range(1, 61), *range(500, 518)}


def test_what_a_person_typed_after_the_loss_is_kept_in_every_role() -> None:
    stub = "# Memory\n\n- [m-0900] stub\n"
    for path in (b"MEMORY.md", b"AGENTS.md", b"memory/2026-03-08.md"):
        for line in ("- [m-0901] typed by a person just now\n", "- [m-0901] ok then\n"):
            data = carried_out(
                path,
                memory(5, 8, 159),
                written(101, stub, 0.0, "agent:main"),
                written(102, stub + line, 0.2, "human:vim"),
            )
            assert ids_of(data) >= ids(1, 40, 901)


def test_what_was_written_just_before_the_loss_comes_back_too() -> None:
    old = memory(5, 8, 159)
    added = old + "- [m-0500] a note that was never judged alone\n"
    data = carried_out(b"MEMORY.md", old, written(101, added, 0.0, "agent:a"), written(102, "gone\n", 0.1, "agent:b"))
    assert data == added.encode()


def test_a_revert_is_the_baseline_byte_for_byte() -> None:
    old = b"\xef\xbb\xbf" + memory(5, 8, 159).replace("\n", "\r\n").encode()
    assert carried_out(b"MEMORY.md", old, "unchanged") == old
    assert carried_out(b"MEMORY.md", old, None) == old
    assert carried_out(b"MEMORY.md", old, old[:1001]) == old


def test_an_append_only_writer_gets_its_log_back_and_keeps_what_it_wrote() -> None:
    old = memory(2, 10, 8)
    kept = "".join(line for line in old.splitlines(keepends=True) if "m-0003" not in line and "m-001" not in line)
    data = carried_out(
        b"memory/2026-03-08.md", old, kept + "- [m-0300] flushed now with the rest\n", append_only_writer=True
    )
    assert ids_of(data) == ids(1, 20, 300)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200), st.sampled_from([b"MEMORY.md", b"memory/2026-01-01.md", b"SOUL.md"]))
def test_carrying_out_never_fails_and_a_merge_loses_nothing_old(data: bytes, path: bytes) -> None:
    old = held(90, memory(2, 6, 4))
    the_case = case(path, old, data)
    verdict = judge(the_case, Policy())
    after = target(the_case, verdict, Policy())
    if verdict.action in (Action.MERGE, Action.REVERT):
        assert after is not None
        assert ids_of(after) >= ids(1, 12)
