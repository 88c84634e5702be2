"""Ledgers and pins as the journal tells them: the same from a checkpoint as from all of it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.engine.fold.pin_tracks import FIRST_MARKS, PinTrack
from conductd.engine.fold.state import State
from conductd.model import (
    Action,
    Actor,
    Booking,
    Cause,
    Change,
    ChangeRecord,
    DecisionRecord,
    EventClass,
    FileState,
    Mode,
    PinSet,
    Record,
    Severity,
    Span,
    Stored,
    Verdict,
    VersionRecord,
    WorkspaceRecord,
)

WS = "b" * 32
HOUR = 3_600_000_000_000


def span(number: int, line: int = 1) -> Span:
    return Span(line, line, 7, bytes([number]) * 8)


def version(number: int, cause: Cause = Cause.CHANGE, by: str = "agent:a") -> VersionRecord:
    actor = Actor(by, 0.9, ("announced",))
    return VersionRecord(WS, 1, b"a.md", FileState.FILE, cause, bytes([number % 256]) * 32, 9, actor=actor)


def change(
    seq: int, base: int, event: EventClass = EventClass.EDIT, *, moves: bool = True, **of: object
) -> ChangeRecord:
    action = Action.RECORD if moves else Action.MERGE
    verdict = Verdict(event, Severity.INFO, action, "edited", Change(9, 8, weight_before=70), **of)  # type: ignore[arg-type]
    return ChangeRecord(WS, 1, b"a.md", seq, verdict, base, moves_baseline=moves)


def fold(records: list[Record]) -> State:
    return State().fold(Stored(n, n * HOUR, n * HOUR, record) for n, record in enumerate(records, 1))


START: list[Record] = [WorkspaceRecord(WS, b"/ws", Mode.PROTECT), version(0, Cause.FIRST_SIGHT)]


def test_a_booked_change_is_a_line_of_the_ledger() -> None:
    booked = Booking((span(1), span(2)), (b"g" * 8,), 1, 5, 9)
    state = fold([*START, version(1), change(3, 2, booked=booked)])
    (line,) = state.files[1].ledger
    assert (line.actor, line.lost, line.added, line.weight_lost, line.base_seq, line.seq) == ("agent:a", 2, 1, 14, 2, 3)
    assert (line.spans, line.gained, line.weight_gained, line.entries_before) == (booked.lost, booked.gained, 5, 9)


def test_what_is_not_booked_or_moves_no_baseline_is_none() -> None:
    booked = Booking((span(1),), (), 0, 0, 9)
    state = fold([*START, version(1), change(3, 2), version(2), change(5, 3, moves=False, booked=booked)])
    assert state.files[1].ledger == []


def test_an_accepted_loss_takes_its_writes_out_of_the_ledger() -> None:
    records = [*START, version(1), change(3, 2, booked=Booking((span(1),), (), 0, 0, 9))]
    records += [version(2), change(5, 3, booked=Booking((span(2),), (), 0, 0, 8))]
    accept = DecisionRecord("accept", WS, 1, 9, accepted=(span(1).fingerprint,))
    assert [line.spans for line in fold([*records, accept]).files[1].ledger] == [(span(2),)]


def test_pins_come_with_verdicts_and_decisions_and_go_with_them() -> None:
    pins = PinSet(pinned=(span(1, 4),), before=(span(2, 5),), unpinned=(span(9).fingerprint,))
    records = [*START, DecisionRecord("pin", WS, 1, entries=(span(9, 2), span(3, 3)), entries_in=2)]
    records += [version(1), change(4, 2, pins=pins)]
    state = fold(records)
    assert state.workspaces[WS].pins == {
        span(3).fingerprint: PinTrack(1, 2, 3),
        span(2).fingerprint: PinTrack(1, 2, 5),
        span(1).fingerprint: PinTrack(1, 4, 4),
    }
    records += [
        DecisionRecord("unpin", WS, 1, entries=(span(3),)),
        DecisionRecord("accept", WS, 1, accepted=(b"\x02" * 8,)),
    ]
    assert set(fold(records).workspaces[WS].pins) == {span(1).fingerprint}


def test_marks_of_first_sight_are_read_once() -> None:
    decision = DecisionRecord("pin", WS, 1, detail=FIRST_MARKS, entries=(span(1),), entries_in=2)
    assert fold([*START, decision]).files[1].marks_read
    assert not fold([*START, DecisionRecord("pin", WS, 1, entries=(span(1),), entries_in=2)]).files[1].marks_read


_STEP = st.one_of(
    st.tuples(st.just("change"), st.lists(st.integers(1, 40), max_size=3, unique=True), st.integers(0, 3)),
    st.tuples(st.just("pin"), st.lists(st.integers(1, 40), min_size=1, max_size=3, unique=True), st.just(0)),
    st.tuples(st.just("unpin"), st.lists(st.integers(1, 40), min_size=1, max_size=3, unique=True), st.just(0)),
    st.tuples(st.just("accept"), st.lists(st.integers(1, 40), min_size=1, max_size=3, unique=True), st.just(0)),
)


def records_of(steps: list[tuple[str, list[int], int]]) -> list[Record]:
    records = list(START)
    for kind, numbers, gains in steps:
        spans = tuple(span(number, number) for number in numbers)
        if kind == "change":
            seq = len(records) + 1
            records.append(version(seq))
            booked = Booking(spans, tuple(bytes([99, k]) * 4 for k in range(gains)), gains, 4 * gains, 30)
            records.append(change(seq, 2, booked=booked, pins=PinSet(pinned=spans[:1])))
        elif kind == "accept":
            records.append(DecisionRecord("accept", WS, 1, accepted=tuple(each.fingerprint for each in spans)))
        else:
            records.append(DecisionRecord(kind, WS, 1, entries=spans, entries_in=2))
    return records


@settings(max_examples=60, deadline=None)
@given(st.lists(_STEP, max_size=25), st.integers(0, 25))
def test_from_a_checkpoint_it_is_the_same(steps: list[tuple[str, list[int], int]], cut: int) -> None:
    records = records_of(steps)
    stored = [Stored(n, n * HOUR, n * HOUR, record) for n, record in enumerate(records, 1)]
    at = min(len(START) + cut, len(stored))
    live = State().fold(stored)
    again = State.load(State().fold(stored[:at]).dump()).fold(stored[at:])
    assert again.files[1].ledger == live.files[1].ledger
    assert again.workspaces[WS].pins == live.workspaces[WS].pins
    assert again.files[1].accepted == live.files[1].accepted
