"""What can be asked, and what comes back."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

import pytest

from conductd.errors import StoreUnavailable
from conductd.index.reader import IndexReader
from conductd.index.writer import IndexWriter
from conductd.model import (
    Action,
    Actor,
    Cause,
    ChangeRecord,
    DecisionRecord,
    ErasureRecord,
    EventClass,
    EventRecord,
    EvidenceRecord,
    FileState,
    Mode,
    NoticeRecord,
    Severity,
)
from index.journals import SECOND, START_NS, WORKSPACES, Journal, random_journal


@pytest.fixture
def journal() -> Journal:
    journal = Journal()
    journal.workspace()
    return journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.sqlite"


def index(path: Path, journal: Journal) -> IndexReader:
    writer = IndexWriter(path)
    writer.apply(journal.records)
    writer.close()
    return IndexReader(path)


def digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def test_a_file_is_what_its_newest_version_says(path: Path, journal: Journal) -> None:
    journal.version(text=b"one", cause=Cause.FIRST_SIGHT)
    last = journal.version(text=b"three")
    journal.version(text=b"taken out", cause=Cause.SWAPPED_OUT)
    (file,) = index(path, journal).files()
    assert (file.path, file.versions, file.size, file.last_seq, file.state) == (
        b"MEMORY.md",
        3,
        5,
        last,
        FileState.FILE,
    )
    assert file.root == b"/ws/a"


def test_files_and_workspaces_count_open_incidents(path: Path, journal: Journal) -> None:
    change = journal.change(journal.version())
    open_one = journal.incident(change)
    closed = journal.incident()
    journal.incident(incident=closed, state="resolved")
    reader = index(path, journal)
    assert [row.open_incidents for row in reader.files(WORKSPACES[0])] == [1]
    (workspace,) = reader.workspaces()
    assert (workspace.files, workspace.versions, workspace.open_incidents) == (1, 1, 1)
    assert [row.incident for row in reader.incidents("open")] == [open_one]
    assert [row.incident for row in reader.incidents()] == [closed, open_one]


def test_a_name_finds_the_exact_path_before_longer_ones(path: Path, journal: Journal) -> None:
    journal.version(1, b"MEMORY.md")
    journal.version(2, b"sub/MEMORY.md")
    journal.version(3, b"sub/NOTMEMORY.md")
    journal.version(4, b"caf\xe9.md")
    reader = index(path, journal)
    assert [row.file for row in reader.find(b"MEMORY.md")] == [1]
    assert [row.file for row in reader.find(b"sub/MEMORY.md")] == [2]
    assert [row.file for row in reader.find(b"NOTMEMORY.md")] == [3]
    assert [row.file for row in reader.find(b"caf\xe9.md")] == [4]
    assert reader.find(b"b/MEMORY.md") == []
    assert reader.find(b"MEMORY.md", "no such workspace") == []


def test_versions_are_paged_newest_first_with_their_verdict(path: Path, journal: Journal) -> None:
    seqs = [journal.version(text=b"%d" % number) for number in range(10)]
    change = journal.change(seqs[4])
    incident = journal.incident(change)
    reader = index(path, journal)
    first = reader.versions([1], limit=4)
    assert [view.seq for view in first] == seqs[:5:-1]
    second = reader.versions([1], limit=4, before=first[-1].seq)
    assert [view.seq for view in second] == seqs[5:1:-1]
    judged = next(view for view in second if view.seq == seqs[4])
    assert (judged.event_class, judged.severity, judged.action) == ("overwrite", "alarm", "revert")
    assert (judged.lost, judged.added, judged.lost_share, judged.incident) == (8, 0, 0.8, incident)
    assert judged.outcome is None
    assert first[0].event_class is None
    assert reader.versions([], limit=4) == []


def test_versions_of_several_files_and_of_a_workspace(path: Path, journal: Journal) -> None:
    seqs = [journal.version(number % 3 + 1, b"f%d.md" % (number % 3)) for number in range(9)]
    other = journal.version(9, b"other.md", workspace=WORKSPACES[1])
    reader = index(path, journal)
    assert [view.seq for view in reader.versions([1, 3], limit=3)] == [seqs[8], seqs[6], seqs[5]]
    assert [view.seq for view in reader.versions(limit=2)] == [other, seqs[8]]
    assert [view.seq for view in reader.versions(workspace=WORKSPACES[0], limit=2)] == [seqs[8], seqs[7]]
    assert reader.versions(workspace="none") == []


def test_only_whole_contents_that_still_exist_are_restorable(path: Path, journal: Journal) -> None:
    kept = journal.version(text=b"kept")
    gone = journal.version(text=b"gone")
    absent = journal.version(text=None)
    journal.add(ErasureRecord("gc", (gone,)))
    reader = index(path, journal)
    assert [(view.seq, view.restorable) for view in reader.versions()] == [(absent, False), (gone, False), (kept, True)]


@pytest.mark.parametrize(
    ("action", "outcome", "expected"),
    [
        (Action.REVERT, "applied", "reverted"),
        (Action.MERGE, "applied", "merged"),
        (Action.REVERT, "refused", "refused"),
        (Action.REVERT, "", None),
        (Action.PROPOSE, "", "proposed"),
        (Action.HOLD, "", "held"),
        (Action.RECORD, "", None),
    ],
)
def test_a_version_tells_what_became_of_it(
    path: Path, journal: Journal, action: Action, outcome: str, expected: str | None
) -> None:
    version = journal.version()
    journal.change(version, action)
    journal.repair(outcome=outcome)
    view = index(path, journal).version(version)
    assert view is not None
    assert view.outcome == expected


def test_an_undo_and_its_undo_are_told_at_the_version(path: Path, journal: Journal) -> None:
    version = journal.version()
    journal.change(version)
    plan = journal.repair()
    seen = []
    for number in range(3):
        plan = journal.repair(purpose="undo", undoes=plan)
        view = index(path.with_suffix(f".{number}"), journal).version(version)
        assert view is not None
        seen.append(view.outcome)
    assert seen == ["undone", "reverted", "undone"]


@pytest.mark.parametrize(
    ("action", "state", "expected"),
    [
        (Action.PROPOSE, "accepted", "accepted"),
        (Action.PROPOSE, "resolved", "resolved"),
        (Action.PROPOSE, "open", "proposed"),
        (Action.REVERT, "accepted", "accepted"),
        (Action.REVERT, "resolved", "reverted"),
    ],
)
def test_the_end_of_an_incident_is_told_at_its_versions(
    path: Path, journal: Journal, action: Action, state: str, expected: str
) -> None:
    version = journal.version()
    incident = journal.incident(journal.change(version, action))
    if action is Action.REVERT:
        journal.repair(incident=incident)
    journal.incident(incident=incident, state=state)
    view = index(path, journal).version(version)
    assert view is not None
    assert view.outcome == expected


def test_a_version_is_found_by_sequence_digest_and_time(path: Path, journal: Journal) -> None:
    one = journal.version(text=b"one")
    journal.version(text=b"two")
    again = journal.version(text=b"one")
    other = journal.version(2, b"other.md", text=b"one")
    reader = index(path, journal)
    assert reader.resolve_seq(one) == [one]
    assert reader.resolve_seq(one, [2]) == []
    assert reader.resolve_seq(1) == []  # the workspace record
    prefix = digest(b"one")
    for length in (1, 4, 5, 63, 64):
        assert again in reader.resolve_digest(prefix[:length], [1])
    assert reader.resolve_digest(prefix[:8], [1]) == [again]
    assert reader.resolve_digest(prefix[:8].upper()) == [other, again]
    at = START_NS + 3 * SECOND
    assert reader.resolve_time(at, [1]) == [one + 1]
    assert reader.resolve_time(at + 10 * SECOND, [1, 2]) == [other, again]
    assert reader.resolve_time(START_NS, [1]) == []


def test_how_large_a_file_was_at_the_end_of_each_day(path: Path, journal: Journal) -> None:
    journal.version(text=b"one")
    journal.version(text=b"longer")
    last = journal.records[-1].wall_ns
    ends = [START_NS, last, last + 1, last + SECOND]
    assert index(path, journal).sizes(ends, [1, 9]) == {1: (None, 3, 6, 6), 9: (None,) * 4}


@pytest.mark.parametrize("prefix", ["", "xyz", "12 3", "-1", "f" * 65, "é"])
def test_what_is_no_digest_finds_nothing(path: Path, journal: Journal, prefix: str) -> None:
    journal.version()
    assert index(path, journal).resolve_digest(prefix) == []


def test_an_ambiguous_prefix_gives_every_candidate(path: Path, journal: Journal) -> None:
    texts = [b"%d" % number for number in range(40)]
    seqs = {digest(text): journal.version(text=text) for text in texts}
    reader = index(path, journal)
    expected = sorted((seq for name, seq in seqs.items() if name.startswith("3")), reverse=True)
    assert len(expected) > 1
    assert reader.resolve_digest("3", [1]) == expected


def test_events_are_every_told_record_in_order_without_content(path: Path, journal: Journal) -> None:
    version = journal.version(cause=Cause.OFFLINE)
    change = journal.change(version)
    incident = journal.incident(change, writer="agent:main")
    plan = journal.repair(incident=incident)
    journal.add(NoticeRecord(EventClass.OVERWRITE, Severity.ALARM, "a title", files=(b"MEMORY.md",), command="undo"))
    journal.add(EventRecord(EventClass.CLOCK_JUMP, Severity.NOTICE, reason="back", detail="a day"))
    journal.add(DecisionRecord("accept", WORKSPACES[0], 1, incident, ("1 zsh",), detail="meant"))
    journal.add(EvidenceRecord(WORKSPACES[0], b"MEMORY.md", "agent:x"))
    reader = index(path, journal)
    events = reader.events(0, 100)
    assert [event.kind for event in events] == [
        "workspace",
        "version",
        "change",
        "incident",
        "repair_done",
        "notice",
        "event",
        "decision",
    ]
    assert [event.text for event in events] == [
        "workspace /ws/a: protect (generic)",
        "MEMORY.md: 4 bytes by agent:main, changed while conductd was not running",
        "MEMORY.md: overwrite, 8 of 10 entries lost (80 %): revert",
        f"incident {incident} open: overwrite of MEMORY.md by agent:main",
        "MEMORY.md: repair applied",
        "a title",
        "clock_jump: back: a day",
        "accept MEMORY.md: meant",
    ]
    assert events[2].by == "agent:main"
    assert events[2].data["lost_lines"] == [[line, line] for line in range(1, 9)]
    assert events[4].data["plan"] == plan
    assert events[4].incident == incident
    assert {event.path for event in events[1:6]} == {"MEMORY.md"}
    assert [event.seq for event in reader.events(version, 2)] == [change, incident]
    assert [event.kind for event in reader.incident_events(incident)] == [
        "change",
        "incident",
        "repair_done",
        "decision",
    ]


def test_events_paged_are_the_events_at_once(path: Path, journal: Journal) -> None:
    journal.records = random_journal(11, 300)
    reader = index(path, journal)
    paged = []
    since = 0
    while page := reader.events(since, 7):
        paged += page
        since = page[-1].seq
    assert paged == reader.events(0, 1000)


def test_changes_come_back_whole(path: Path, journal: Journal) -> None:
    first = journal.version()
    second = journal.version()
    changes = [journal.change(first), journal.change(second, Action.PROPOSE)]
    incident = journal.incident(changes[1])
    written = {stored.seq: stored for stored in journal.records if isinstance(stored.record, ChangeRecord)}
    reader = index(path, journal)
    assert reader.changes(1) == [written[changes[1]], written[changes[0]]]
    assert reader.incident_changes(incident) == [written[changes[1]]]
    assert reader.change_of(first) == written[changes[0]]
    assert reader.change_of(999) is None
    found = reader.incident(incident)
    assert found is not None
    assert found.files == (1,)
    assert reader.incident(1) is None


def test_later_evidence_relabels_only_what_nobody_is_named_for(path: Path, journal: Journal) -> None:
    unknown = journal.version(text=b"one", actor=Actor())
    known = journal.version(text=b"one")
    other = journal.version(text=b"two", actor=Actor())
    sha = hashlib.sha256(b"one").digest()
    journal.add(EvidenceRecord(WORKSPACES[0], b"MEMORY.md", "agent:late", sha, at_ns=journal.at_ns))
    late = journal.version(text=b"one", actor=Actor(), after_s=60)
    reader = index(path, journal)
    actors = {view.seq: view.actor for view in reader.versions()}
    assert actors == {unknown: "agent:late", known: "agent:main", other: "unknown", late: "unknown"}


def test_counts(path: Path, journal: Journal) -> None:
    journal.version(coalesced=3)
    journal.add(DecisionRecord("accept", false_positive=True))
    journal.add(DecisionRecord("accept"))
    counts = index(path, journal).counts()
    assert (counts.versions, counts.coalesced, counts.false_positives) == (1, 3, 1)
    assert counts.position == journal.seq


def test_a_later_workspace_record_changes_mode_and_root(path: Path, journal: Journal) -> None:
    journal.workspace(root=b"/elsewhere", mode=Mode.OBSERVE)
    (row,) = index(path, journal).workspaces()
    assert (row.root, row.mode, row.last_ns) == (b"/elsewhere", "observe", None)


def test_many_threads_may_ask_while_the_writer_writes(path: Path) -> None:
    records = random_journal(4, 2000)
    writer = IndexWriter(path)
    reader = IndexReader(path)
    done = threading.Event()
    faults: list[Exception] = []

    def ask() -> None:
        while not done.is_set():
            try:
                counts = reader.counts()
                assert len(reader.events(0, 5000)) <= counts.position + 5000
                reader.versions(limit=5)
            except Exception as error:
                faults.append(error)
                return

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    for at in range(0, len(records), 50):
        assert writer.apply(records[at : at + 50])
    done.set()
    for thread in threads:
        thread.join()
    assert faults == []
    reader.close()
    writer.close()


def test_a_missing_index_is_said(path: Path) -> None:
    with pytest.raises(StoreUnavailable):
        IndexReader(path).counts()
    assert not path.exists()


def test_a_closed_reader_answers_nothing(path: Path, journal: Journal) -> None:
    reader = index(path, journal)
    reader.counts()
    reader.close()
    with pytest.raises(StoreUnavailable):
        reader.counts()
