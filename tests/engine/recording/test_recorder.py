"""Recording goes on whatever fails, and nobody is told that something is durable when it is not."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from conductd.engine.answering.repairing import observation
from conductd.engine.health.degraded import Degraded
from conductd.engine.recording.drafting import Observed
from conductd.engine.recording.outage import HELD_BYTES, Outage, probe
from conductd.engine.recording.room import MOST, MOST_BYTES, Room
from conductd.errors import StoreUnavailable
from conductd.model import Cause, VersionRecord
from engine.conftest import Parts
from entry.faults import Fault

PATIENCE_S = 30
DOWN = StoreUnavailable("no space", "make some")


def _seen(data: bytes, path: bytes = b"MEMORY.md", cause: Cause = Cause.CHANGE) -> Observed:
    return Observed("w", path, observation(data), cause)


def test_a_draft_that_cannot_be_made_ends_neither_the_thread_nor_the_rest(parts: Parts) -> None:
    def fail(_seq: int) -> list:  # type: ignore[type-arg]
        raise KeyError("nobody thought of this")

    bad = parts.recorder.append(fail)
    good = parts.recorder.append(lambda _seq: [probe()])
    with pytest.raises(StoreUnavailable):
        bad.result(PATIENCE_S)
    assert len(good.result(PATIENCE_S)) == 1
    assert "recorder" in parts.degraded


def test_what_is_recorded_but_cannot_be_told_is_recorded_once(tmp_path: Path) -> None:
    def fail(_batch: object) -> None:
        raise RuntimeError("nobody thought of this")

    with ExitStack() as stack:
        parts = Parts(tmp_path, stack, told=fail)
        assert parts.recorder.append(lambda _seq: [probe()]).result(PATIENCE_S)[0].seq == 1
        assert parts.recorder.append(lambda _seq: [probe()]).result(PATIENCE_S)[0].seq == 2


def _faulty(data: bytes) -> Observed:
    """One that cannot be written: no number on disk is as high."""
    return msgspec.structs.replace(_seen(data), coalesced=2**70)


def test_a_change_that_is_recorded_after_all_ends_the_reason(parts: Parts) -> None:
    asked: list[bytes] = []
    parts.recorder.reread = lambda _workspace, path, _cause: asked.append(path)
    for _ in range(2):  # read again once, not again and again
        assert not parts.recorder.keep(_faulty(b"one\n")).result(PATIENCE_S)
    assert asked == [b"MEMORY.md"]
    assert parts.recorder.keep(_seen(b"other\n", b"OTHER.md")).result(PATIENCE_S)
    parts.recorder.barrier().result(PATIENCE_S)
    assert "recorder" in parts.degraded
    assert parts.recorder.keep(_seen(b"one\n")).result(PATIENCE_S)
    parts.recorder.barrier().result(PATIENCE_S)
    assert "recorder" not in parts.degraded


def test_a_change_that_is_nowhere_any_more_does_not(parts: Parts) -> None:
    assert not parts.recorder.keep(_faulty(b"one\n")).result(PATIENCE_S)
    assert parts.recorder.keep(_seen(b"two\n")).result(PATIENCE_S)
    parts.recorder.barrier().result(PATIENCE_S)
    assert "recorder" in parts.degraded


def test_a_draft_that_could_not_be_made_lasts(parts: Parts) -> None:
    def fail(_seq: int) -> list:  # type: ignore[type-arg]
        raise KeyError("nobody thought of this")

    with pytest.raises(StoreUnavailable):
        parts.recorder.append(fail).result(PATIENCE_S)
    assert parts.recorder.keep(_seen(b"two\n")).result(PATIENCE_S)
    assert "recorder" in parts.degraded


def test_a_recorder_that_has_ended_answers_at_once(tmp_path: Path) -> None:
    """Whoever asked before it ended, is asked for by the batch that ended it, or asks later."""

    def end(_batch: object) -> None:
        raise SystemExit

    with ExitStack() as stack:
        recorder = Parts(tmp_path, stack, told=end).recorder
        lazy = recorder.append(lambda _seq: [probe()], lazy=True)
        waits = [recorder.append(lambda _seq: [probe()]), recorder.barrier()]
        for reply in (lazy, *waits, recorder.append(lambda _seq: [probe()]), recorder.barrier()):
            with pytest.raises(StoreUnavailable, match="the recorder has ended"):
                reply.result(PATIENCE_S)
        assert not recorder.keep(_seen(b"late\n")).result(PATIENCE_S)
        for number in range(MOST + 2):  # whoever reads files does not wait for room
            recorder.observe(_seen(b"%d\n" % number))
        with pytest.raises(StoreUnavailable, match="the recorder has ended"):
            list(recorder.rebuild_index())
        assert recorder.pulse.has_ended


def test_bytes_that_nobody_else_has_are_told_durable_only_when_they_are(parts: Parts) -> None:
    assert parts.recorder.keep(_seen(b"one\n")).result(PATIENCE_S)
    assert parts.recorder.keep(_seen(b"out\n", cause=Cause.SWAPPED_OUT)).result(PATIENCE_S)
    parts.faults.turn_on(Fault("readonly_fs"))
    assert not parts.recorder.keep(_seen(b"two\n", cause=Cause.SWAPPED_OUT)).result(PATIENCE_S)
    parts.faults.clear()
    assert parts.recorder.keep(_seen(b"three\n", cause=Cause.SWAPPED_OUT)).result(PATIENCE_S)
    versions = [s.seq for s in parts.journal.replay(0) if isinstance(s.record, VersionRecord)]
    kept = {parts.journal.body(seq) for seq in versions}
    assert kept == {b"one\n", b"out\n", b"two\n", b"three\n"}


def test_bytes_that_cannot_be_recorded_are_told_so(parts: Parts) -> None:
    wrong = Observed("w", b"MEMORY.md", msgspec.structs.replace(observation(b"one\n"), digest=bytes(32)))
    assert not parts.recorder.keep(wrong).result(PATIENCE_S)


def test_an_outage_holds_the_newest_of_each_file_and_each_that_was_taken_out_of_place() -> None:
    outage = Outage(Degraded(lambda: 0))
    for data in (b"1", b"2"):
        outage.hold(_seen(data))
        outage.hold(_seen(data, cause=Cause.SWAPPED_OUT))
    held = outage.held()
    assert [each.observation.data for each in held if each.cause is Cause.SWAPPED_OUT] == [b"1", b"2"]
    assert [each.observation.data for each in held if each.cause is Cause.CHANGE] == [b"2"]
    assert [each.coalesced for each in held if each.cause is Cause.CHANGE] == [1]


def test_an_outage_holds_so_many_bytes_and_has_the_rest_read_again() -> None:
    outage, again = Outage(Degraded(lambda: 0)), []
    for number in range(4):
        outage.begin(DOWN, [_seen(bytes([number]) * (HELD_BYTES // 2), b"%d.md" % number, Cause.FIRST_SIGHT)])
    assert len(outage.held()) == 2
    outage.end(lambda *what: again.append(what))
    assert again == [("w", b"2.md", Cause.FIRST_SIGHT), ("w", b"3.md", Cause.FIRST_SIGHT)]
    assert outage.held() == []
    assert not outage.down


def test_there_is_room_for_so_many_bytes_and_always_for_one() -> None:
    room, entered = Room(), threading.Event()
    room.take(2 * MOST_BYTES)

    def second() -> None:
        room.take(1)
        entered.set()

    thread = threading.Thread(target=second, daemon=True)
    thread.start()
    assert not entered.wait(0.05)
    room.give_back(1, 2 * MOST_BYTES)
    assert entered.wait(PATIENCE_S)
