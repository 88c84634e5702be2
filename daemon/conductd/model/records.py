"""The payload of every kind of journal record, and the position that is its number on disk. Values that do nothing."""

from __future__ import annotations

from typing import ClassVar

from conductd.model.verdicts import Span, Verdict
from conductd.model.vocabulary import (
    UNKNOWN,
    Action,
    Actor,
    Cause,
    EventClass,
    FileStat,
    FileState,
    Frozen,
    Mode,
    Severity,
)


class Record(Frozen, frozen=True):
    """Base of what the journal stores. ``kind`` is the name on disk and in the docs."""

    kind: ClassVar[str] = ""


class WorkspaceRecord(Record, frozen=True):
    """A workspace was bound to a path, or its mode, root inode or profile changed."""

    kind: ClassVar[str] = "workspace"
    workspace: str  # UUID, 32 hex digits
    root: bytes  # absolute path
    mode: Mode
    profile: str = "generic"
    device: int = 0
    inode: int = 0
    fresh: bool = False  # a new inode stands at the path: baselines start anew
    capabilities: tuple[str, ...] = ()  # of the file system it is on: `watch.capabilities`


class VersionRecord(Record, frozen=True):
    """One content state of one file. The body (bytes of the file) travels beside it."""

    kind: ClassVar[str] = "version"
    workspace: str
    file: int  # file id: one per (workspace, path), starts at 1
    path: bytes
    state: FileState
    cause: Cause
    digest: bytes | None = None
    size: int = 0
    stat: FileStat | None = None
    link_target: bytes | None = None
    reason: str = ""  # errno name when unreadable
    actor: Actor = UNKNOWN
    parents: tuple[int, ...] = ()  # version sequences this one was made from
    coalesced: int = 0  # states known to have been missed just before this one
    renamed_from: int | None = None  # file id
    swept: bool = False  # found by a rescan, not announced by a hint


class ChangeRecord(Record, frozen=True):
    """The judge's verdict on the versions ``baseline_seq`` → ``version_seq`` of a file."""

    kind: ClassVar[str] = "change"
    workspace: str
    file: int
    path: bytes
    version_seq: int
    verdict: Verdict
    baseline_seq: int | None = None
    incident: int | None = None  # sequence of the incident record it belongs to
    moves_baseline: bool = True  # the judged version becomes the baseline
    elsewhere: tuple[tuple[bytes, bytes], ...] = ()  # (path, digest) of the files that were searched and matched
    inputs: bytes = b""  # msgpack: what the judge was given that the history does not tell (see core/judging/inputs.py)


class RepairPlanRecord(Record, frozen=True):
    """A write the daemon is about to do. Durable before the first byte changes.

    The body is the target content (None in ``target_digest``: the target is absence).
    """

    kind: ClassVar[str] = "repair_plan"
    workspace: str
    file: int
    path: bytes
    purpose: str  # "repair" | "restore" | "undo" | "accept"
    judged_digest: bytes | None  # what must be there now; None: nothing
    target_digest: bytes | None
    temp_name: bytes
    parents: tuple[int, ...] = ()
    incident: int | None = None
    undoes: int | None = None  # sequence of the plan that this one reverses
    set_id: int = 0  # plans restored together share a number
    whole: int = 0  # so many plans of the set are carried out all, or none; 0: each by itself
    judged_link: bytes | None = None  # a symlink with this target must be there now
    target_link: bytes | None = None  # a symlink with this target is wanted
    break_links: bool = False  # a file of several hard links becomes one of its own
    provenance: str = ""  # what it means to the agent that keeps a record of who wrote: `core.provenance.Effect`
    makes: int = 0  # so many directories above the file were not there: made with it, and gone with it


class RepairDoneRecord(Record, frozen=True):
    """How a plan ended."""

    kind: ClassVar[str] = "repair_done"
    plan: int
    outcome: str  # "applied" | "superseded" | "refused" | "abandoned"
    reason: str = ""
    method: str = ""  # "swap" | "in_place" | "create" | "remove"
    version_seq: int | None = None


class IncidentRecord(Record, frozen=True):
    """An incident opened, grew, or ended. The first record's sequence is the incident's id."""

    kind: ClassVar[str] = "incident"
    workspace: str
    incident: int | None  # None: this record opens it
    state: str  # "open" | "resolved" | "accepted" | "expired"
    event_class: EventClass
    severity: Severity
    action: Action
    files: tuple[int, ...] = ()
    changes: tuple[int, ...] = ()  # change record sequences
    rounds: int = 1
    writer: str = "unknown"
    loop: bool = False
    stood_down: bool = False
    debt: tuple[tuple[int, int], ...] = ()  # (file id, baseline version seq) holding what is still lost
    why: str = ""
    provenance: str = ""  # of what was written, or is offered: as in a plan, the worst of several files


UNDONE = "undone"  # how the reason of an incident begins whose repair was taken back
NO_FALSE_ALARM = "no false alarm"  # the detail of an "undo" that takes a counted false alarm back


class DecisionRecord(Record, frozen=True):
    """A person's (or a request's) decision."""

    kind: ClassVar[str] = "decision"
    decision: str  # "accept" | "mode" | "undo" | "restore" | ...
    workspace: str = ""
    file: int | None = None
    incident: int | None = None
    caller: tuple[str, ...] = ()  # process ancestry, nearest first: "pid name"
    accepted: tuple[bytes, ...] = ()  # fingerprints of entries whose loss is accepted, or by "undo" no longer
    detail: str = ""
    false_positive: bool = False
    version: int | None = None  # what stands in the file is as was asked for: this version is the baseline now
    path: bytes = b""  # of the file; "lease": the file or directory; "role": the glob
    until_ns: int = 0  # "lease": when it ends by itself
    of: int | None = None  # the decision that this one renews or ends
    rule: str = ""  # of a false positive: the rule that was wrong
    entries: tuple[Span, ...] = ()  # of "pin" and "unpin": the entries, by place in version `entries_in`
    entries_in: int | None = None
    settings: bytes = b""  # of "settings": JSON of what the configuration says of protection (`core.protection`)


class EvidenceRecord(Record, frozen=True):
    """Somebody announced a write; or the daemon found out who made a version (then ``version`` is its
    sequence, and ``confidence`` and ``evidence`` say how)."""

    kind: ClassVar[str] = "evidence"
    workspace: str
    path: bytes
    actor: str
    digest: bytes | None = None
    session: str = ""
    tool_call: str = ""
    at_ns: int = 0
    version: int | None = None
    confidence: float | None = None
    evidence: tuple[str, ...] = ()


class NoticeRecord(Record, frozen=True):
    """Something a person should be able to read later; channels carry it out."""

    kind: ClassVar[str] = "notice"
    event_class: EventClass
    severity: Severity
    title: str
    workspace: str = ""
    files: tuple[bytes, ...] = ()
    incident: int | None = None
    command: str = ""  # the one command to undo, accept or fix
    writer: str = ""
    detail: str = ""
    attachment: str = ""  # a file of the workspace's reports that goes with it


class EventRecord(Record, frozen=True):
    """Something that happened to the daemon itself (watcher_degraded, clock_jump, …), or that it saw of a file."""

    kind: ClassVar[str] = "event"
    event_class: EventClass
    severity: Severity
    workspace: str = ""
    path: bytes = b""
    reason: str = ""
    detail: str = ""
    marks: tuple[bytes, ...] = ()  # fingerprints of the entries it is about
    facts: bytes = b""  # msgpack: what an agent does not see, as numbers, headings, lines (`core.load.findings`)
    incident: int | None = None


class CheckpointRecord(Record, frozen=True):
    """A snapshot of the replayed state, so that a start need not read everything.

    The body is the state itself (see engine/fold/state.py).
    """

    kind: ClassVar[str] = "checkpoint"
    upto: int  # state after this sequence


class ErasureRecord(Record, frozen=True):
    """What `forget` or `gc` removed: sequences and counts, never content."""

    kind: ClassVar[str] = "erasure"
    purpose: str
    sequences: tuple[int, ...] = ()
    detail: str = ""


class JobRunRecord(Record, frozen=True):
    """A job ran, begins a run, or is switched on or off (``result``: "started", "on", "off"). ``day``: the local day it
    ran for, ISO; ``asleep``: earlier days without a run that this one covers, ISO, or "first..last". ``cause``:
    "timed", "late", "manual"; "" of a job that has no day.
    """

    kind: ClassVar[str] = "job_run"
    job: str
    result: str
    started_ns: int = 0
    ended_ns: int = 0
    detail: str = ""  # one sentence: names and counts, never content
    workspace: str = ""
    day: str = ""
    asleep: tuple[str, ...] = ()
    cause: str = ""
    data: bytes = b""  # msgpack: what later jobs and the report take up
    plan: int | None = None  # what was written into the workspace can be undone by it


class RequestRecord(Record, frozen=True):
    """An act that weakens protection was asked for by somebody who may not decide it (promise P8), or a
    person answered such a request. The first record's sequence is the request's number."""

    kind: ClassVar[str] = "request"
    request: int | None  # None: this record opens it
    state: str  # "open" | "confirmed" | "refused" | "withdrawn" | "expired"
    act: str  # "accept" | "lease" | "unpin" | "forget" | "observe" | ...
    arguments: bytes = b""  # msgpack: what the act is called with; never a secret
    words: str = ""  # one sentence that a person confirms; names files and counts, never content
    workspace: str = ""
    file: int | None = None
    caller: tuple[str, ...] = ()  # process ancestry of who asked, nearest first


class Literal(Frozen, frozen=True):
    """A stretch of text that is forgotten: how many characters, and 8 keyed bytes that stand for them."""

    length: int
    mark: bytes


class ForgetRecord(Record, frozen=True):
    """Something is forgotten: hidden from now on, erased when its time comes. Never says what it is.

    The first record's sequence is its number; a later one replaces what it says. ``entries``, ``exact`` and
    ``guards`` are keyed fingerprints (see core/forget.py), ``versions`` the records that hold it, as
    differences; ``whole`` those of them that go as a whole. ``standing``: (file id, keyed digest) of files that still
    hold it, so that they are not taken for changed.
    """

    kind: ClassVar[str] = "forget"
    forget: int | None  # None: this record begins it
    state: str  # "hidden" | "erased" | "cancelled"
    due_ns: int = 0
    entries: tuple[bytes, ...] = ()
    exact: tuple[Literal, ...] = ()
    guards: tuple[Literal, ...] = ()
    versions: tuple[int, ...] = ()
    whole: tuple[int, ...] = ()
    standing: tuple[tuple[int, bytes], ...] = ()
    files: tuple[int, ...] = ()
    caller: tuple[str, ...] = ()


RECORD_TYPES: tuple[type[Record], ...] = (
    WorkspaceRecord,
    VersionRecord,
    ChangeRecord,
    RepairPlanRecord,
    RepairDoneRecord,
    IncidentRecord,
    DecisionRecord,
    EvidenceRecord,
    NoticeRecord,
    EventRecord,
    CheckpointRecord,
    ErasureRecord,
    JobRunRecord,
    RequestRecord,
    ForgetRecord,
)


class Stored(Frozen, frozen=True):
    """A record with its place in the journal. ``seq`` orders everything; clocks never do."""

    seq: int
    wall_ns: int
    mono_ns: int
    record: Record
