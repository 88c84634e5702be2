"""What became of a plan, told from what a crash left."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.model import RepairPlanRecord
from conductd.repair.recover import Found, Recovery, Step, decide, inspect, remove_leftover
from conductd.repair.temporary import new_temp_name

JUDGED = b"- stub\n" * 3
TARGET = b"- the whole text\n" * 1000


def digest(data: bytes | None) -> bytes | None:
    return None if data is None else hashlib.sha256(data).digest()


def plan(judged: bytes | None, target: bytes | None) -> RepairPlanRecord:
    return RepairPlanRecord("w" * 32, 1, b"MEMORY.md", "repair", digest(judged), digest(target), b".conductd-0.tmp")


@pytest.mark.parametrize(
    ("judged", "target", "file", "temp", "wanted"),
    [
        (JUDGED, TARGET, TARGET, None, Recovery(Step.DONE)),
        (JUDGED, TARGET, TARGET, JUDGED, Recovery(Step.DONE)),
        (JUDGED, TARGET, JUDGED, None, Recovery(Step.AGAIN, digest(JUDGED))),
        (JUDGED, TARGET, JUDGED, TARGET[:100], Recovery(Step.AGAIN, digest(JUDGED))),
        (JUDGED, TARGET, JUDGED, b"", Recovery(Step.AGAIN, digest(JUDGED))),
        (JUDGED, TARGET, JUDGED, bytes(4096) + TARGET[4096:], Recovery(Step.AGAIN, digest(JUDGED))),
        (JUDGED, TARGET, b"newer\n", TARGET, Recovery(Step.SUPERSEDED)),
        (JUDGED, TARGET, None, TARGET, Recovery(Step.SUPERSEDED)),
        # killed after the exchange, before the undo: somebody's bytes are under the temporary name
        (JUDGED, TARGET, TARGET, b"newer\n", Recovery(Step.GIVE_BACK, digest(TARGET), b"newer\n")),
        (JUDGED, TARGET, TARGET, b"", Recovery(Step.GIVE_BACK, digest(TARGET), b"")),
        (JUDGED, TARGET, TARGET, TARGET[:50], Recovery(Step.GIVE_BACK, digest(TARGET), TARGET[:50])),
        (JUDGED, TARGET, b"two\n", b"one\n", Recovery(Step.SUPERSEDED, None, b"one\n")),
        # create
        (None, TARGET, None, TARGET[:9], Recovery(Step.AGAIN, None)),
        (None, TARGET, TARGET, None, Recovery(Step.DONE)),
        (None, TARGET, b"appeared\n", TARGET, Recovery(Step.SUPERSEDED)),
        # remove
        (JUDGED, None, JUDGED, None, Recovery(Step.AGAIN, digest(JUDGED))),
        (JUDGED, None, None, JUDGED, Recovery(Step.DONE)),
        (JUDGED, None, None, b"newer\n", Recovery(Step.GIVE_BACK, None, b"newer\n")),
        # in place: new bytes, then old ones
        (JUDGED, TARGET, TARGET[:10] + JUDGED[10:], None, Recovery(Step.AGAIN, digest(TARGET[:10] + JUDGED[10:]))),
        (JUDGED, TARGET, TARGET[:8192], None, Recovery(Step.AGAIN, digest(TARGET[:8192]))),
        (TARGET, JUDGED, JUDGED + TARGET[len(JUDGED) :], None, Recovery(Step.AGAIN, digest(JUDGED + TARGET[21:]))),
        # a program cut the file: never taken for one of ours
        (TARGET, JUDGED, TARGET[:50], None, Recovery(Step.SUPERSEDED)),
        (JUDGED, TARGET, b"", None, Recovery(Step.SUPERSEDED)),
        (JUDGED, TARGET, JUDGED + b"- appended\n", None, Recovery(Step.SUPERSEDED)),
    ],
)
def test_decide(
    judged: bytes | None, target: bytes | None, file: bytes | None, temp: bytes | None, wanted: Recovery
) -> None:
    assert decide(plan(judged, target), target, judged, Found(file, temp)) == wanted


def test_what_an_exchange_took_out_is_known_by_its_digest_alone() -> None:
    assert decide(plan(JUDGED, TARGET), TARGET, None, Found(TARGET, JUDGED)) == Recovery(Step.DONE)


def test_something_that_is_no_file_is_left_alone() -> None:
    assert decide(plan(None, TARGET), TARGET, None, Found(None, None, odd=True)) == Recovery(Step.SUPERSEDED)


@pytest.mark.parametrize(
    ("file", "temp", "wanted"),
    [
        (TARGET + b"- came since\n", None, Step.WRITTEN),
        (b"all anew\n", JUDGED, Step.WRITTEN),
        (b"all anew\n", None, Step.SUPERSEDED),
        (JUDGED + b"- came since\n", None, Step.SUPERSEDED),
        (None, None, Step.SUPERSEDED),
    ],
)
def test_of_a_set_it_is_told_whether_ours_ever_stood_there(
    file: bytes | None, temp: bytes | None, wanted: Step
) -> None:
    of_set = msgspec.structs.replace(plan(JUDGED, TARGET), set_id=5, whole=2)
    assert decide(of_set, TARGET, JUDGED, Found(file, temp)).step is wanted


some = st.none() | st.binary(max_size=30) | st.sampled_from([JUDGED, TARGET, TARGET[:7], TARGET[:9000]])


@given(some, some, some, some)
@settings(max_examples=300, deadline=None)
def test_unknown_bytes_under_the_temporary_name_are_always_rescued(
    judged: bytes | None, target: bytes | None, file: bytes | None, temp: bytes | None
) -> None:
    made = decide(plan(judged, target), target, judged, Found(file, temp))
    if made.rescued is None and temp is not None:
        ours = target is not None and (target.startswith(temp) or not any(temp))
        assert temp in (judged, target) or ours
    if file not in (judged, target) and judged is not None and file is not None and len(file) < len(judged):
        assert made.step is Step.SUPERSEDED


@given(st.binary(max_size=9000), st.binary(max_size=9000), st.data())
@settings(max_examples=100, deadline=None)
def test_every_state_of_a_write_in_place_is_finished(judged: bytes, target: bytes, data: st.DataObject) -> None:
    written = data.draw(st.integers(0, len(target)))
    state = target[:written] + judged[written:]
    made = decide(plan(judged, target), target, judged, Found(state, None))
    assert made.step in ((Step.DONE,) if state == target else (Step.AGAIN,))
    if made.step is Step.AGAIN:
        assert made.expect == digest(state)


def test_inspect_reads_both_names_and_follows_nothing(tmp_path: Path) -> None:
    root = os.fsencode(tmp_path)
    temp = new_temp_name()
    assert inspect(root, b"MEMORY.md", temp) == Found(None, None)
    (tmp_path / "MEMORY.md").write_bytes(b"file")
    (tmp_path / os.fsdecode(temp)).write_bytes(b"temp")
    assert inspect(root, b"MEMORY.md", temp) == Found(b"file", b"temp")
    (tmp_path / "MEMORY.md").unlink()
    (tmp_path / "MEMORY.md").symlink_to(os.fsdecode(temp))
    assert inspect(root, b"MEMORY.md", temp) == Found(None, b"temp", odd=True, link=temp)
    assert inspect(root, b"gone/MEMORY.md", temp) == Found(None, None, odd=True)


def test_only_a_temporary_file_of_ours_is_removed(tmp_path: Path) -> None:
    root = os.fsencode(tmp_path)
    temp = new_temp_name()
    (tmp_path / os.fsdecode(temp)).write_bytes(b"temp")
    (tmp_path / "MEMORY.md").write_bytes(b"file")
    assert not remove_leftover(root, b"a.md", b"MEMORY.md")
    assert not remove_leftover(root, b"a.md", b"../" + temp)
    assert remove_leftover(root, b"a.md", temp)
    assert not remove_leftover(root, b"a.md", temp)
    (tmp_path / os.fsdecode(temp)).mkdir()
    assert not remove_leftover(root, b"a.md", temp)
    assert not remove_leftover(root, b"gone/a.md", temp)
    assert (tmp_path / "MEMORY.md").read_bytes() == b"file"
