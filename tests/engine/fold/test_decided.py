"""What people decided is a fold of the journal: a checkpoint changes nothing, and it means what it says."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from conductd.engine.fold.decided import RUN_OUT_KEPT_NS, Decided
from conductd.engine.fold.state import State
from conductd.model import (
    NO_FALSE_ALARM,
    Cause,
    DecisionRecord,
    FileStat,
    FileState,
    Mode,
    Record,
    RequestRecord,
    Role,
    Stored,
    VersionRecord,
    WorkspaceRecord,
)

WS = "a" * 32
SECOND = 1_000_000_000


def fold(*records: Record, at_s: int = 0) -> State:
    return State().fold(Stored(n, (at_s + n) * SECOND, n, record) for n, record in enumerate(records, 1))


def lease(path: bytes = b"a.md", until_s: int = 100, *, of: int | None = None, holder: str = "") -> DecisionRecord:
    return DecisionRecord("lease", WS, path=path, until_ns=until_s * SECOND, of=of, detail=holder)


def version(path: bytes, cause: Cause = Cause.CHANGE, ctime_s: int = 0) -> VersionRecord:
    stat = FileStat(1, 2, 0o100644, 0, 0, 1, 1, ctime_s * SECOND, ctime_s * SECOND)
    return VersionRecord(WS, 1, path, FileState.FILE, cause, b"d" * 32, 1, stat)


def decisions() -> st.SearchStrategy[Record]:
    path = st.sampled_from([b"a.md", b"memory", b"memory/b-*.md", b""])
    number = st.integers(1, 15) | st.none()
    decision = st.sampled_from(
        [
            "lease",
            "lease_end",
            "role",
            "role_forgotten",
            "role_asked",
            "settings",
            "accept",
            "undo",
            "mode",
            "restore_at",
            "restore_at_end",
        ]
    )
    detail = st.sampled_from(["", "human:vim", "replaceable", "topic"])
    made = st.builds(
        lambda what, path, of, until, detail, wrong: DecisionRecord(
            what, WS, path=path, of=of, until_ns=until, detail=detail, incident=of, false_positive=wrong,
            rule="deleted" if wrong else "", settings=detail.encode(),
        ),
        decision, path, number, st.integers(0, 40), detail, st.booleans(),
    )  # fmt: skip
    asked = st.builds(
        lambda number, state: RequestRecord(number, state, "accept", caller=("7 claude",)),
        number,
        st.sampled_from(["open", "confirmed", "refused", "withdrawn", "expired"]),
    )
    return st.one_of(made, asked, st.just(version(b"a.md")), st.just(WorkspaceRecord(WS, b"/ws", Mode.PROTECT)))


@settings(max_examples=150, deadline=None)
@given(st.lists(decisions(), max_size=20), st.integers(0, 20))
def test_a_checkpoint_changes_nothing(records: list[Record], cut: int) -> None:
    stored = [Stored(n, n, n, record) for n, record in enumerate(records, 1)]
    whole = State().fold(stored)
    resumed = State.load(State().fold(stored[:cut]).dump()).fold(stored[cut:])
    assert resumed.dump() == whole.dump()


def test_a_version_is_leased_when_it_came_while_one_stood() -> None:
    state = fold(lease(until_s=4), version(b"a.md"), version(b"b.md"), version(b"a.md"))
    assert [seen.leased for seen in state.files[1].since] == [True, False, False]


def test_what_a_start_finds_counts_by_when_it_was_written() -> None:
    late = [lease(until_s=50), version(b"a.md", Cause.OFFLINE, ctime_s=20), version(b"a.md", Cause.OFFLINE, ctime_s=60)]
    stored = [Stored(n, (1 if n == 1 else 1_000) * SECOND, n, record) for n, record in enumerate(late, 1)]
    assert [seen.leased for seen in State().fold(stored).files[1].since] == [True, False]


@pytest.mark.parametrize(
    ("path", "covered"),
    [
        (b"memory", [b"memory/a.md", b"memory/x/b.md"]),
        (b"memory/a.md", [b"memory/a.md"]),
        (b"", [b"MEMORY.md", b"memory/a.md", b"memory/x/b.md", b"memory2/a.md"]),
    ],
)
def test_a_lease_is_for_a_file_or_for_all_below_a_directory(path: bytes, covered: list[bytes]) -> None:
    every = [b"MEMORY.md", b"memory/a.md", b"memory/x/b.md", b"memory2/a.md"]
    decided = fold(lease(path)).decided
    assert [each for each in every if decided.lease(WS, each, 0)] == covered
    assert not decided.lease("another", b"memory/a.md", 0)


def test_a_lease_is_renewed_ended_and_forgotten_long_after() -> None:
    assert fold(lease(until_s=10), lease(until_s=99, of=1)).decided.leases[1].until_ns == 99 * SECOND
    assert not fold(lease(), DecisionRecord("lease_end", WS, of=1)).decided.leases
    after = RUN_OUT_KEPT_NS // SECOND + 200
    stored = [Stored(1, 0, 1, lease()), Stored(2, after * SECOND, 2, lease(b"b.md", after + 100))]
    assert list(State().fold(stored).decided.leases) == [2]


def test_an_editors_lease_names_its_holder_over_others() -> None:
    found = fold(lease(b"", 500), lease(b"a.md", 100, holder="human:vim")).decided.lease(WS, b"a.md", 0)
    assert found is not None
    assert found.holder == "human:vim"


def test_the_newest_role_that_fits_decides_until_it_is_forgotten() -> None:
    def role(glob: bytes, what: str) -> DecisionRecord:
        return DecisionRecord("role", WS, path=glob, detail=what)

    both = [role(b"memory/*.md", "replaceable"), role(b"memory/plan.md", "topic")]
    assert fold(*both).decided.role(WS, b"memory/plan.md") is Role.TOPIC
    assert fold(*both).decided.role(WS, b"memory/other.md") is Role.REPLACEABLE
    forgotten = DecisionRecord("role_forgotten", WS, path=b"memory/plan.md")
    assert fold(*both, forgotten).decided.role(WS, b"memory/plan.md") is Role.REPLACEABLE
    assert fold(*both, role(b"memory/*.md", "daily")).decided.role(WS, b"memory/plan.md") is Role.DAILY
    assert fold(*both).decided.role("another", b"memory/plan.md") is None
    assert fold(role(b"memory/*.md", "of a later release")).decided.roles == []


def test_an_incident_is_meant_once_and_no_more_when_that_is_taken_back() -> None:
    accept = DecisionRecord("accept", WS, incident=7, path=b"a.md", rule="deleted", false_positive=True)
    again = DecisionRecord("accept", WS, incident=7, path=b"a.md", rule="deleted")
    decided = fold(accept, again).decided
    assert [(each.path, each.wrong) for each in decided.meant] == [(b"a.md", True)]
    assert decided.wrong_rules == {"deleted": 1}
    taken_back = fold(accept, DecisionRecord("undo", WS, incident=7, path=b"a.md", accepted=(b"12345678",))).decided
    assert taken_back.meant == []
    assert taken_back.wrong_rules == {"deleted": 1}


@pytest.mark.parametrize("redone", [b"a.md", b"b.md"])
def test_a_false_alarm_that_is_taken_back_counts_no_more(redone: bytes) -> None:
    wrong = DecisionRecord("undo", WS, incident=7, path=b"a.md", rule="deleted", false_positive=True)
    also = DecisionRecord("undo", WS, incident=7, path=b"b.md", rule="deleted")
    other = DecisionRecord("undo", WS, incident=8, path=b"a.md", rule="deleted", false_positive=True)
    right = DecisionRecord("undo", WS, incident=7, path=redone, detail=NO_FALSE_ALARM)
    decided = fold(wrong, also, other, right).decided
    assert decided.wrong_rules == {"deleted": 1}
    assert [each.incident for each in decided.meant if each.wrong] == [8]
    assert fold(wrong, right, right).decided.wrong_rules == {}
    assert fold(right).decided.wrong_rules == {}


def test_of_requests_those_that_wait_and_those_refused_are_known() -> None:
    asked = RequestRecord(None, "open", "accept", caller=("7 claude",))
    decided: Decided = fold(
        asked, asked, asked, RequestRecord(1, "refused", "accept"), RequestRecord(2, "confirmed", "x")
    ).decided
    assert {number: each.record.state for number, each in decided.requests.items()} == {1: "refused", 3: "open"}
    assert decided.requests[1].asked_by == ("7 claude",)
