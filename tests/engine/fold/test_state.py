"""The reducer: what a journal says, folded; the same from a checkpoint as from all of it."""

from __future__ import annotations

import hashlib
import zlib
from stat import S_IFLNK, S_IFREG
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.engine.fold.attribution import announced
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import SHAPE, Snapshot
from conductd.engine.fold.undo_stack import UNDO_DEPTH
from conductd.model import (
    Action,
    Actor,
    Cause,
    Change,
    ChangeRecord,
    DecisionRecord,
    EventClass,
    EvidenceRecord,
    FileStat,
    FileState,
    IncidentRecord,
    Mode,
    Record,
    RepairDoneRecord,
    RepairPlanRecord,
    Severity,
    Span,
    Stored,
    Verdict,
    VersionRecord,
    WorkspaceRecord,
)

WS = "a" * 32
SECOND = 1_000_000_000


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def workspace(**more: Any) -> WorkspaceRecord:
    return WorkspaceRecord(WS, b"/ws", Mode.PROTECT, **more)


def version(text: str | None, cause: Cause = Cause.CHANGE, file: int = 1, **more: Any) -> VersionRecord:
    state = FileState.ABSENT if text is None else FileState.FILE
    known = None if text is None else digest(text)
    return VersionRecord(WS, file, b"f%d.md" % file, state, cause, known, len(text or ""), **more)


def change(seq: int, event: EventClass, action: Action, *, moves: bool = True, **verdict: Any) -> ChangeRecord:
    return ChangeRecord(
        WS, 1, b"f1.md", seq, Verdict(event, Severity.INFO, action, "a_rule", **verdict), moves_baseline=moves
    )


def fold(*records: Record) -> State:
    return State().fold(Stored(n, n * SECOND, n * SECOND, record) for n, record in enumerate(records, 1))


def test_first_sight_is_the_baseline() -> None:
    file = fold(workspace(), version("one", Cause.FIRST_SIGHT)).files[1]
    assert file.baseline is not None
    assert (file.baseline.seq, file.since) == (2, [])


def written(*sets: int) -> State:
    """A write for each number: the set it belongs to, 0 alone."""
    records: list[Record] = [workspace(), version("one", Cause.FIRST_SIGHT)]
    for set_id in sets:
        plan = RepairPlanRecord(WS, 1, b"f1.md", "restore", digest("one"), digest("two"), b".t", set_id=set_id)
        records += [plan, RepairDoneRecord(len(records) + 1, "applied")]
    return fold(*records)


def test_the_last_acts_can_be_undone_and_what_was_written_together_counts_once() -> None:
    assert len(written(*[0] * (UNDO_DEPTH + 5)).undo) == UNDO_DEPTH
    together = written(*[0] * 5, *[7] * (2 * UNDO_DEPTH), *[0] * 3).undo
    assert len(together) == 2 * UNDO_DEPTH + 8
    kept = written(*[7] * 40, *[0] * UNDO_DEPTH).undo
    assert [one.set_id for one in kept] == [0] * UNDO_DEPTH, "a set goes as a whole"
    assert len(written(*[7] * 40, *[0] * (UNDO_DEPTH - 1)).undo) == UNDO_DEPTH + 39


def test_a_change_waits_for_its_verdict() -> None:
    file = fold(workspace(), version("one", Cause.FIRST_SIGHT), version("two")).files[1]
    assert [seen.seq for seen in file.since] == [3]


def test_a_recorded_verdict_moves_the_baseline_and_keeps_the_old_one() -> None:
    state = fold(
        workspace(),
        version("one", Cause.FIRST_SIGHT),
        version("two"),
        change(3, EventClass.EDIT, Action.RECORD),
    )
    file = state.files[1]
    assert file.baseline is not None
    assert file.baseline.seq == 3
    assert [seen.seq for seen in file.earlier] == [2]
    assert file.since == []


def test_a_verdict_that_asks_for_a_repair_keeps_the_baseline() -> None:
    state = fold(
        workspace(),
        version("one", Cause.FIRST_SIGHT),
        version("two"),
        change(3, EventClass.OVERWRITE, Action.REVERT, moves=False),
    )
    file = state.files[1]
    assert file.baseline is not None
    assert file.baseline.seq == 2
    assert file.judged == (3, 4)
    assert len(file.rounds) == 1


def test_a_repair_is_the_new_baseline_and_can_be_undone() -> None:
    plan = RepairPlanRecord(WS, 1, b"f1.md", "repair", digest("two"), digest("one"), b".tmp")
    state = fold(
        workspace(),
        version("one", Cause.FIRST_SIGHT),
        version("two"),
        change(3, EventClass.OVERWRITE, Action.REVERT, moves=False),
        plan,
        version("one", Cause.REPAIR),
        RepairDoneRecord(5, "applied"),
    )
    file = state.files[1]
    assert file.baseline is not None
    assert (file.baseline.seq, file.since, file.judged) == (6, [], None)
    assert state.plans == {}
    assert [(u.plan, u.before, u.after) for u in state.undo] == [(5, digest("two"), digest("one"))]


def test_both_sides_of_a_lost_update_can_come_again() -> None:
    stale = change(4, EventClass.LOST_UPDATE, Action.MERGE, moves=False, facts={"sides": "3,4"})
    state = fold(
        workspace(),
        version("base", Cause.FIRST_SIGHT),
        version("base one"),
        version("base two"),
        stale,
        version("base one two", Cause.REPAIR),
    )
    file = state.files[1]
    assert [(seen.seq, seen.destructive) for seen in file.earlier] == [(4, False), (3, False), (2, False)]
    assert file.baseline is not None
    assert (file.baseline.seq, file.since) == (6, [])


@pytest.mark.parametrize(
    ("mode", "kept"), [(S_IFREG | 0o640, True), (S_IFLNK | 0o777, False)], ids=["regular file", "link"]
)
def test_what_is_gone_is_put_back_as_it_was(mode: int, kept: bool) -> None:
    was = FileStat(1, 2, mode, 3, 4, 1, 3, 5, 6)
    state = fold(workspace(), version("one", Cause.FIRST_SIGHT, stat=was), version(None))
    assert state.files[1].stat == (was if kept else None)


def test_a_superseded_plan_is_not_undoable() -> None:
    plan = RepairPlanRecord(WS, 1, b"f1.md", "repair", digest("two"), digest("one"), b".tmp")
    state = fold(workspace(), version("one", Cause.FIRST_SIGHT), plan, RepairDoneRecord(3, "superseded"))
    assert (state.plans, state.undo) == ({}, [])


def test_bytes_taken_out_of_place_are_a_version_but_never_the_head() -> None:
    file = fold(workspace(), version("one", Cause.FIRST_SIGHT), version("late", Cause.SWAPPED_OUT)).files[1]
    assert file.head is not None
    assert (file.head.seq, file.versions) == (2, 2)


def test_another_directory_at_the_root_starts_anew() -> None:
    file = fold(workspace(), version("one", Cause.FIRST_SIGHT), workspace(fresh=True)).files[1]
    assert (file.baseline, file.head, file.earlier) == (None, None, [])


@pytest.mark.parametrize(("known", "fits"), [(None, True), (digest("two"), True), (digest("other"), False)])
def test_evidence_after_the_write_names_the_writer(known: bytes | None, fits: bool) -> None:
    state = fold(
        workspace(),
        version("one", Cause.FIRST_SIGHT),
        version("two"),
        EvidenceRecord(WS, b"f1.md", "agent:main", known, at_ns=3 * SECOND + 1),
    )
    assert (state.files[1].since[0].actor.name == "agent:main") is fits


def test_evidence_counts_for_ten_seconds() -> None:
    state = fold(workspace(), evidence("agent:main", 2 * SECOND))
    assert writer(state, 12 * SECOND) == "agent:main"
    assert writer(state, 13 * SECOND) == "unknown"
    assert writer(state, 3 * SECOND, path=b"f2.md") == "unknown"
    assert writer(state, 3 * SECOND, by_content_only=True) == "unknown"


def test_evidence_without_content_holds_for_the_first_change_after_it() -> None:
    records: list[Record] = [workspace(), version("one", Cause.FIRST_SIGHT), evidence("agent:main", 3 * SECOND)]
    assert writer(fold(*records), 4 * SECOND) == "agent:main"
    assert writer(fold(*records, version("two")), 5 * SECOND) == "unknown"


def test_evidence_without_content_that_comes_just_after_holds_for_the_last_change_before_it() -> None:
    records: list[Record] = [workspace(), version("one", Cause.FIRST_SIGHT), version("two"), version("three")]
    state = fold(*records, evidence("agent:main", 5 * SECOND))
    assert [seen.actor.name for seen in state.files[1].since] == ["unknown", "agent:main"]
    assert state.files[1].head == state.files[1].since[-1]
    assert writer(state, 6 * SECOND) == "unknown", "it is used up"


def test_evidence_without_content_is_not_for_what_was_written_long_before_it() -> None:
    records: list[Record] = [workspace(), version("one", Cause.FIRST_SIGHT), version("two")]
    state = fold(*records, evidence("agent:main", 7 * SECOND))
    assert state.files[1].since[-1].actor.name == "unknown"
    assert writer(state, 8 * SECOND) == "agent:main"


def test_two_writers_that_announced_themselves_are_not_told_apart_without_content() -> None:
    state = fold(workspace(), evidence("agent:one", SECOND), evidence("agent:two", SECOND))
    assert writer(state, 2 * SECOND) == "unknown"


def test_evidence_with_content_holds_for_that_content() -> None:
    state = fold(workspace(), version("one", Cause.FIRST_SIGHT), evidence("agent:main", 2 * SECOND, digest("two")))
    assert writer(state, 3 * SECOND, content=digest("three")) == "unknown"
    assert writer(state, 3 * SECOND, content=digest("two"), by_content_only=True) == "agent:main"


def evidence(actor: str, at_ns: int, content: bytes | None = None) -> EvidenceRecord:
    return EvidenceRecord(WS, b"f1.md", actor, content, at_ns=at_ns)


def writer(
    state: State, at_ns: int, *, path: bytes = b"f1.md", content: bytes = b"", by_content_only: bool = False
) -> str:
    return announced(state.evidence, WS, path, content, at_ns, by_content_only=by_content_only).name


def test_accepted_losses_lapse_when_the_entries_come_back() -> None:
    mark = b"12345678"
    accepted = DecisionRecord("accept", WS, 1, 3, accepted=(mark,), false_positive=True)
    records: list[Record] = [workspace(), version("one", Cause.FIRST_SIGHT), accepted]
    state = fold(*records)
    assert state.files[1].accepted == {mark}
    assert state.false_positives == 1
    back = Change(added=(Span(1, 1, 3, mark),))
    records += [version("two"), change(4, EventClass.APPEND, Action.RECORD, change=back)]
    assert fold(*records).files[1].accepted == set()


def test_an_incident_counts_while_it_is_open() -> None:
    opened = IncidentRecord(WS, None, "open", EventClass.SHRINK, Severity.NOTICE, Action.PROPOSE, files=(1,))
    records: list[Record] = [workspace(), version("one", Cause.FIRST_SIGHT), opened]
    assert fold(*records).files[1].open_incidents == 1
    records.append(msgspec.structs.replace(opened, incident=3, state="resolved"))
    assert fold(*records).files[1].open_incidents == 0


def records_of() -> st.SearchStrategy[Record]:
    text = st.sampled_from(["a", "b", "c", None])
    file = st.integers(1, 3)
    cause = st.sampled_from(list(Cause))
    versions = st.builds(lambda t, c, f: version(t, c, f, actor=Actor("agent:x", 0.9)), text, cause, file)
    changes = st.builds(
        lambda seq, event, action, moves: change(seq, event, action, moves=moves),
        st.integers(1, 20),
        st.sampled_from([EventClass.EDIT, EventClass.OVERWRITE, EventClass.LOST_UPDATE]),
        st.sampled_from(list(Action)),
        st.booleans(),
    )
    plans = st.builds(
        lambda f, t: RepairPlanRecord(WS, f, b"f", "repair", digest(t), digest("z"), b".t"), file, st.text(max_size=1)
    )
    dones = st.builds(RepairDoneRecord, st.integers(1, 20), st.sampled_from(["applied", "superseded"]))
    return st.one_of(st.just(workspace()), versions, changes, plans, dones)


@settings(max_examples=150, deadline=None)
@given(st.lists(records_of(), max_size=20), st.integers(0, 20))
def test_a_checkpoint_changes_nothing(records: list[Record], cut: int) -> None:
    stored = [Stored(n, n, n, record) for n, record in enumerate(records, 1)]
    whole = State().fold(stored)
    resumed = State.load(State().fold(stored[:cut]).dump()).fold(stored[cut:])
    assert resumed.dump() == whole.dump()


def test_of_a_burst_without_end_the_state_before_a_loss_is_kept() -> None:
    texts = ["x" * (100 + n) for n in range(300)] + ["y" * (10 + n) for n in range(900)]
    file = fold(workspace(), version("x", Cause.FIRST_SIGHT), *map(version, texts)).files[1]
    sizes = [seen.size for seen in file.since]
    assert len(sizes) <= 512
    assert sizes[sizes.index(399) + 1] == 10
    assert sizes[-1] == 909


def test_a_snapshot_of_another_shape_is_not_believed() -> None:
    snapshot = msgspec.msgpack.decode(fold(workspace(), version("one")).dump())
    snapshot["shape"] += 1
    with pytest.raises(msgspec.ValidationError, match="shape"):
        State.load(msgspec.msgpack.encode(snapshot))
    del snapshot["shape"]
    with pytest.raises(msgspec.ValidationError, match="shape"):
        State.load(msgspec.msgpack.encode(snapshot))


def test_what_a_snapshot_holds_has_a_shape_number() -> None:
    """When this fails: raise `tracks.SHAPE`, then write the two numbers here."""
    _, parts = msgspec.json.schema_components([Snapshot])
    fields = {name: sorted(part.get("properties", ())) for name, part in sorted(parts.items())}
    assert (SHAPE, zlib.crc32(repr(fields).encode())) == (9, 1709616170)
