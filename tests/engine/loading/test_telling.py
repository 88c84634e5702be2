"""From what is found, and what was told, to records: nothing twice, nothing of the content."""

from __future__ import annotations

from collections.abc import Sequence

import hypothesis.strategies as st
import msgspec
from hypothesis import given, settings

from conductd.core.load.finding import Finding, Gap, Gone, mark
from conductd.engine.fold.loads import Loads
from conductd.engine.loading import telling, words
from conductd.engine.loading.telling import Before, Found
from conductd.model import (
    EventClass,
    EventRecord,
    EvidenceRecord,
    IncidentRecord,
    NoticeRecord,
    Record,
    Severity,
    Stored,
)

WS = "a" * 32
NEAR, CUT, PIN = EventClass.NEAR_LIMIT, EventClass.LOAD_TRUNCATION, EventClass.PIN_HIDDEN


def cut(name: str = "MEMORY.md", *headings: str, agent: str = "openclaw", reason: str = "per-file") -> Finding:
    marks = (f"because:{reason}", *(mark("section", each) for each in headings))
    gone = tuple(Gone(each, 10 * n, 10 * n + 9, whole=True) for n, each in enumerate(headings, 1))
    return Finding(
        CUT, agent, name, reason, unit="characters", limit=100, size=200, holes=(Gap(10, 19, 100, 90, 190),),
        sections=gone, marks=marks, lost_lines=10,
    )  # fmt: skip


def near(name: str = "MEMORY.md") -> Finding:
    return Finding(
        NEAR, "openclaw", name, "per-file", unit="characters", limit=100, size=90, share=0.9, marks=("near",)
    )


def pinned(name: str = "MEMORY.md", *lines: int) -> Finding:
    return Finding(PIN, "openclaw", name, "per-file", pinned=lines, marks=tuple(f"pin:{line}" for line in lines))


class Journal:
    """Folds what is told, as the state does."""

    def __init__(self) -> None:
        self.loads, self.seq = Loads(), 0
        self.incidents: dict[int, IncidentRecord] = {}

    def write(self, records: Sequence[Record]) -> Sequence[Record]:
        for record in records:
            self.seq += 1
            self.loads.take(Stored(self.seq, self.seq, self.seq, record))
            if isinstance(record, IncidentRecord):
                self.incidents[record.incident or self.seq] = record
        # A snapshot changes nothing.
        self.loads = msgspec.msgpack.decode(msgspec.msgpack.encode(self.loads), type=Loads)
        return records

    def session(self, name: str) -> None:
        self.write([EvidenceRecord(WS, b"MEMORY.md", f"agent:{name}")])

    def find(self, *findings: Finding, unknown: frozenset[str] = frozenset()) -> Sequence[Record]:
        found = [Found(each, each.name.encode(), 1) for each in findings]
        told = self.loads.of(WS)
        since = {place: self.loads.sessions_since(WS, each.seq) for place, each in told.items()}
        still = {number: each for number, each in self.incidents.items() if each.state == "open"}
        before = Before(WS, b"/ws", told, since, still, unknown)
        return self.write(telling.records(found, telling.news(found, before), before, self.seq + 1))


def kinds(records: Sequence[Record]) -> list[str]:
    return [record.kind for record in records]


def test_the_same_is_told_once() -> None:
    journal = Journal()
    assert kinds(journal.find(cut("MEMORY.md", "One"))) == ["event", "notice"]
    assert journal.find(cut("MEMORY.md", "One")) == []
    assert kinds(journal.find(cut("MEMORY.md", "One", "Two"))) == ["event", "notice"]
    assert journal.find(cut("MEMORY.md", "One")) == []
    assert journal.find(cut("MEMORY.md", "Two")) == []


def test_what_is_found_together_is_one_notice() -> None:
    records = Journal().find(cut("A.md", "One"), cut("B.md", "Two"), near("C.md"))
    assert kinds(records) == ["event", "event", "event", "notice", "notice"]
    notice = records[3]
    assert isinstance(notice, NoticeRecord)
    assert notice.files == (b"A.md", b"B.md")
    assert notice.command == "conductd load /ws --agent openclaw"


def test_it_ends_with_an_event_and_begins_anew() -> None:
    journal = Journal()
    journal.find(cut("MEMORY.md", "One"))
    (over,) = journal.find()
    assert isinstance(over, EventRecord)
    assert (over.severity, over.reason) == (Severity.INFO, "cured")
    assert journal.find() == []
    assert kinds(journal.find(cut("MEMORY.md", "One"))) == ["event", "notice"]


def together() -> Finding:
    return Finding(NEAR, "openclaw", "", "total", unit="characters", limit=100, size=90, share=0.9, marks=("near",))


def test_a_cut_that_loses_one_of_its_reasons_leaves_what_is_close_quiet() -> None:
    journal = Journal()
    both = msgspec.structs.replace(
        cut("MEMORY.md", "One", reason="per-file and total"), marks=("because:per-file", "because:total")
    )
    journal.find(both)
    own = msgspec.structs.replace(both, reason="per-file", marks=("because:per-file",))
    (close,) = journal.find(own, together())
    assert isinstance(close, EventRecord)
    assert (close.event_class, close.severity) == (NEAR, Severity.INFO)


def test_what_comes_close_beside_a_cut_of_another_reason_is_told() -> None:
    journal = Journal()
    journal.find(cut("MEMORY.md", "One"))
    assert kinds(journal.find(cut("MEMORY.md", "One"), together())) == ["event", "notice"]


def test_what_nobody_knows_has_not_ended() -> None:
    journal = Journal()
    journal.find(cut("MEMORY.md", "One"))
    assert journal.find(unknown=frozenset({"openclaw"})) == []
    assert kinds(journal.find()) == ["event"]


def test_what_hovers_is_neither_told_nor_ended() -> None:
    journal = Journal()
    journal.find(cut("MEMORY.md", "One"))
    assert journal.find(msgspec.structs.replace(cut("MEMORY.md"), hidden=True)) == []
    assert journal.find(cut("MEMORY.md", "One")) == []


def test_a_cut_ends_what_was_near_and_what_is_left_of_it_is_quiet() -> None:
    journal = Journal()
    assert kinds(journal.find(near())) == ["event", "notice"]
    assert kinds(journal.find(cut("MEMORY.md", "One"))) == ["event", "notice"]
    records = journal.find(near())
    assert kinds(records) == ["event", "event"]
    assert all(isinstance(each, EventRecord) and each.severity is Severity.INFO for each in records)
    assert journal.find(near()) == []


def test_a_new_session_is_told_once_what_still_stands() -> None:
    journal = Journal()
    journal.session("one")
    journal.find(cut("MEMORY.md", "One"), near("USER.md"))
    assert journal.find(cut("MEMORY.md", "One"), near("USER.md")) == []
    journal.session("one")
    assert journal.find(cut("MEMORY.md", "One"), near("USER.md")) == []
    journal.session("two")
    journal.session("three")
    assert kinds(journal.find(cut("MEMORY.md", "One"), near("USER.md"))) == ["event", "event", "notice"]
    assert journal.find(cut("MEMORY.md", "One"), near("USER.md")) == []


def test_a_session_that_was_told_of_fewer_headings_hears_of_the_rest_again() -> None:
    journal = Journal()
    journal.find(cut("MEMORY.md", "One", "Two"))
    journal.session("next")
    assert kinds(journal.find(cut("MEMORY.md", "One"))) == ["event", "notice"]
    assert kinds(journal.find(cut("MEMORY.md", "One", "Two"))) == ["event", "notice"]


def test_hidden_pins_are_one_incident_that_grows_and_ends() -> None:
    journal = Journal()
    assert kinds(journal.find(pinned("MEMORY.md", 5))) == ["incident", "event", "notice"]
    (number,) = journal.incidents
    assert journal.find(pinned("MEMORY.md", 5)) == []
    assert kinds(journal.find(pinned("MEMORY.md", 5, 9))) == ["incident", "event", "notice"]
    assert set(journal.incidents) == {number}
    assert kinds(journal.find()) == ["incident", "event"]
    assert journal.incidents[number].state == "resolved"
    journal.find(pinned("MEMORY.md", 5))
    assert len(journal.incidents) == 2


def test_accepted_pins_stay_accepted_until_another_is_hidden() -> None:
    journal = Journal()
    journal.find(pinned("MEMORY.md", 5))
    ((number, record),) = journal.incidents.items()
    journal.incidents[number] = msgspec.structs.replace(record, state="accepted")
    assert journal.find(pinned("MEMORY.md", 5)) == []
    journal.find(pinned("MEMORY.md", 5, 9))
    assert len(journal.incidents) == 2


def test_two_agents_are_told_of_apart() -> None:
    journal = Journal()
    journal.find(cut("MEMORY.md", "One"))
    assert kinds(journal.find(cut("MEMORY.md", "One"), cut("MEMORY.md", "One", agent="codex"))) == ["event", "notice"]
    (over,) = journal.find(cut("MEMORY.md", "One"))
    assert isinstance(over, EventRecord)
    assert "codex" in over.detail


def test_a_notice_holds_no_heading() -> None:
    records = Journal().find(cut("MEMORY.md", "The affair"), pinned("USER.md", 3))
    notices = [each for each in records if isinstance(each, NoticeRecord)]
    assert notices
    assert not any("affair" in str(each) for each in notices)
    assert "The affair" in words.with_headings(cut("MEMORY.md", "The affair"))


def test_a_command_can_be_pasted() -> None:
    odd = msgspec.structs.replace(cut("my notes/MEM ORY.md"), session="cron")
    assert words.command(odd, "/w s") == "conductd load '/w s/my notes/MEM ORY.md' --agent openclaw --session cron"
    outside = cut("/home/p/.claude/CLAUDE.md")
    assert words.command(outside, "/ws") == "conductd load /home/p/.claude/CLAUDE.md --workspace /ws --agent openclaw"


HEADINGS = st.lists(st.sampled_from("abc"), max_size=3, unique=True)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["cut", "near", "none", "hidden", "session"]), HEADINGS), max_size=25))
def test_whatever_happens_nothing_is_told_twice_in_a_row(steps: list[tuple[str, list[str]]]) -> None:
    journal = Journal()
    for number, (what, headings) in enumerate(steps):
        if what == "session":
            journal.session(str(number))
            continue
        made = {
            "cut": [cut("MEMORY.md", *headings)],
            "near": [near()],
            "none": [],
            "hidden": [msgspec.structs.replace(cut("MEMORY.md"), hidden=True)],
        }[what]
        journal.find(*made)
        assert journal.find(*made) == []


def test_what_is_still_so_for_a_session_is_a_sentence() -> None:
    one = words.again([cut()], "/ws", ["s1"])
    assert one == f"{words.said(cut())} in /ws; still so for the new session s1"
    two = words.again([cut("SOUL.md"), cut()], "/ws", ["s1", "s2"])
    assert two == "2 files do not reach their agent whole in /ws: SOUL.md, MEMORY.md; still so for 2 new sessions"
    mixed = words.again([cut("SOUL.md"), near()], "/ws", ["s1"])
    assert mixed == "SOUL.md, MEMORY.md in /ws: what was told of them is still so for the new session s1"
