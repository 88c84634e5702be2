"""What the faces see: the JSON shapes of the API.

Every struct here is one JSON object of the API, field for field; docs/api.md and the OpenAPI
document are held to it by tests. Times are ISO 8601 with offset (`at`) plus `at_ns`. A path is
given twice: `path` (UTF-8, undecodable bytes as U+FFFD) for people, `path_b64` for programs.
"""

from __future__ import annotations

import base64
from datetime import UTC, datetime

import msgspec

from conductd.model import Frozen


def shown(path: bytes) -> str:
    """The path as text for people: undecodable bytes become U+FFFD."""
    return path.decode("utf-8", "replace")


def b64(path: bytes) -> str:
    return base64.b64encode(path).decode("ascii")


def iso(ns: int) -> str:
    return datetime.fromtimestamp(ns / 1e9, UTC).astimezone().isoformat(timespec="milliseconds")


class View(Frozen, frozen=True, omit_defaults=False):
    """Base of the JSON objects: every field is always present."""


class HelloView(View, frozen=True):
    daemon: str  # version
    api: int
    journal: str  # format "major.minor"
    pid: int
    instance: str  # journal UUID
    state_dir: str
    started_ns: int
    mode: str  # "run" | "observe"


class PendingView(View, frozen=True):
    workspace: str
    path: str
    path_b64: str
    what: str  # "judgement" | "repair" | "late_writer_watch"
    why: str  # "quiet" | "save" | "cut" | "git" | "backoff" | "store" | "busy" …
    due_in_ms: int
    due_mono_ns: int


class SyncView(View, frozen=True):
    recorded_seq: int  # everything up to here is durable
    judged: bool  # nothing waits
    pending: list[PendingView]


class WorkspaceView(View, frozen=True):
    id: str
    root: str
    root_b64: str
    mode: str
    profile: str
    state: str  # "ok" | "missing" | "locked by another daemon"
    watched: str  # "events" | "polling"
    files: int
    versions: int
    open_incidents: int
    last_change_ns: int | None
    request: int | None = None  # the change of mode was only asked for


class DegradedView(View, frozen=True):
    reason: str  # stable word: "watch_limit", "store_full", "polling", …
    message: str
    hint: str
    since_ns: int


class ForgottenView(View, frozen=True):
    """Something that is hidden and waits to be erased."""

    id: int
    since: str
    since_ns: int
    due: str
    due_ns: int
    records: int


class StatusView(View, frozen=True):
    health: str  # "ok" | "degraded"
    degraded: list[DegradedView]
    daemon: str
    pid: int
    uptime_s: float
    state_dir: str
    socket: str
    workspaces: list[WorkspaceView]
    files: int
    versions: int
    open_incidents: int
    false_positives: int
    last_change_ns: int | None
    journal_bytes: int
    journal_segments: int
    last_seq: int
    coalesced: int  # states known to have been missed
    pending: int
    forgotten: list[ForgottenView] = msgspec.field(default_factory=list)  # hidden, to be erased
    leases: list[LeaseView] = msgspec.field(default_factory=list)  # that stand
    requests: int = 0  # that wait for a person
    learned_roles: int = 0
    false_alarms: list[FalseAlarmView] = msgspec.field(default_factory=list)  # by rule, most of them first


class FileView(View, frozen=True):
    workspace: str
    root: str
    path: str
    path_b64: str
    role: str
    mode: str
    state: str
    versions: int
    size: int
    digest: str | None
    last_seq: int
    last_change_ns: int
    open_incidents: int
    baseline_seq: int | None
    stood_down: bool


class VersionView(View, frozen=True):
    seq: int
    at: str
    at_ns: int
    workspace: str
    path: str
    path_b64: str
    state: str
    cause: str
    digest: str | None
    size: int
    actor: str
    confidence: float
    evidence: list[str]
    restorable: bool
    offline: bool
    event_class: str | None  # of the verdict, once judged
    severity: str | None
    action: str | None
    lost: int | None  # entries
    added: int | None
    lost_share: float | None
    incident: int | None
    outcome: str | None  # what the daemon did: "reverted", "merged", "proposed", …


class EventView(View, frozen=True):
    """One line of the event stream. `seq` is the journal sequence (the SSE id)."""

    seq: int
    at: str
    at_ns: int
    kind: str  # record kind
    workspace: str
    path: str
    path_b64: str
    event_class: str
    severity: str
    action: str
    by: str
    incident: int | None
    text: str  # one readable line, no file content
    data: dict[str, object]  # kind-specific facts: see docs/api.md


class EntryView(View, frozen=True):
    """An entry named by place; `text` is cut to 200 characters and only sent over the own socket."""

    line: int
    last_line: int
    weight: int
    text: str
    to_path: str
    to_line: int
    similarity: float
    to_text: str = ""  # of a reworded entry: what it says now


class IncidentView(View, frozen=True):
    id: int
    state: str
    event_class: str
    severity: str
    action: str
    workspace: str
    root: str
    files: list[str]
    opened: str
    opened_ns: int
    rounds: int
    writer: str
    loop: bool
    stood_down: bool
    lost: int
    lost_share: float
    done: str  # what was done, one phrase
    command: str  # brings back what is lost, or undoes what was done
    accept_command: str


class ExplainView(View, frozen=True):
    """``incident`` is null for a verdict that nobody had to be told of. ``notes``: what several files, or several
    rounds, have to do with it."""

    incident: IncidentView | None
    changes: list[ExplainChangeView]
    history: list[EventView]
    notes: list[str] = []
    commands: list[str] = []  # what can be done now


class OtherwiseView(View, frozen=True):
    """What would have changed the decision, alone and by itself, and to which. ``setting``: a key of the
    configuration, or ""."""

    words: str
    setting: str
    event_class: str
    action: str
    severity: str


class ExplainChangeView(View, frozen=True):
    path: str
    path_b64: str
    version_seq: int
    baseline_seq: int | None
    event_class: str
    severity: str
    action: str
    rule: str
    rule_text: str
    facts: dict[str, object]
    entries_before: int
    kept: int
    reworded: list[EntryView]
    moved: list[EntryView]
    lost: list[EntryView]  # of an erosion those of the earlier writes as well
    added: int
    lost_share: float
    writes: list[SmallLossView] = []  # of an erosion: the earlier writes that belong to it
    at: str = ""
    at_ns: int = 0
    judge_version: int = 0
    writer: str = "unknown"  # of the version that the loss is charged to
    confidence: float = 0.0
    evidence: list[str] = []
    charged_to: int | None = None
    base_seq: int | None = None  # of a lost update: the version that its writer had
    signs: list[EntryView] = []  # lines of the new text that the rule saw: stand-ins, conflict marks, where it was cut
    otherwise: list[OtherwiseView] = []
    tried: bool = False  # whether `otherwise` was tried out; it is empty too when nothing changes the decision


class SmallLossView(View, frozen=True):
    """One earlier write of an erosion, and what of its loss is still lost (places in version ``base_seq``)."""

    path: str
    version_seq: int
    base_seq: int
    at: str
    at_ns: int
    writer: str
    lost: list[EntryView]


class PlanView(View, frozen=True):
    """What a restore, undo or accept did (or, with ``dry_run``, would do) to one file."""

    plan: int | None
    path: str
    path_b64: str
    from_digest: str | None
    to_digest: str | None
    outcome: str  # "applied" | "unchanged" | "planned" | "waiting" | "refused" | "superseded"
    method: str
    reason: str
    version_seq: int | None


class DidView(View, frozen=True):
    """``request``: nothing was done; it was asked for, and a person confirms it by this number."""

    text: str
    plans: list[PlanView]
    undo_command: str
    request: int | None = None


class ForgetView(View, frozen=True):
    """``standing``: files that hold it still; ``cancel_command``: as long as it is only hidden."""

    text: str
    versions: int
    records: int  # all that hold it, versions included
    files: list[str]
    standing: list[str]
    plans: list[PlanView]
    cancel_command: str
    request: int | None
    out_of_reach: list[str]  # where else it may be, which conductd cannot reach


class LeftView(View, frozen=True):
    """A place in the store where something is that should be forgotten."""

    where: str  # a file below the state directory, or of conductd's own in a workspace
    what: str  # what in it: "version 12", "page 3", "byte 4096"


class ForgetCheckView(View, frozen=True):
    """``clean``: nothing is left of what was looked for, in any of the places looked at."""

    clean: bool
    left: list[LeftView]
    looked_for: str
    records: int
    files: list[str]  # looked at
    unreadable: list[str]
    out_of_reach: list[str]
    seconds: float


class PinView(View, frozen=True):
    """A pinned entry. ``line`` and ``text`` are where it stands, or stood when it was pinned."""

    workspace: str
    root: str
    path: str
    path_b64: str
    line: int
    text: str  # cut to 200 characters, secrets masked, and only sent over the own socket
    state: str  # "held" | "missing"
    by: str  # "person" | "mark" (in the file when it was seen first) | "config"


class LeaseView(View, frozen=True):
    """Somebody is at a file or directory; what is written to it until then is recorded and left."""

    id: int  # 0: it was only asked for
    workspace: str
    root: str
    path: str  # "" is the whole workspace
    path_b64: str
    holder: str  # "human:vim" of `conductd edit`, else ""
    caller: list[str]  # who took it, nearest first
    since: str
    since_ns: int
    until: str
    until_ns: int
    request: int | None = None


class SetFileView(View, frozen=True):
    """One file of a restore to a time. ``then``: what it was; ``now``: what it is before the restore."""

    workspace: str
    path: str
    path_b64: str
    what: str  # "created" | "changed" | "removed" | "unchanged" | "left" | "unknown"
    outcome: str  # "planned" | "applied" | "unchanged" | "left" | "refused"
    reason: str  # why it is left or refused
    version_seq: int | None  # that holds what it was
    then_state: str
    then_size: int
    then_entries: int | None  # None: not counted
    now_state: str
    now_size: int
    now_entries: int | None
    newer_entries: int | None  # entries of now that it did not hold then: what the restore takes away


class SetView(View, frozen=True):
    """A restore to a time, planned (``dry_run``) or done. One `conductd undo` reverses all of it."""

    text: str
    at: str
    at_ns: int
    note: str  # what is odd about that time, or ""
    roots: list[str]
    files: list[SetFileView]
    counts: dict[str, int]  # by `what`, and "refused"
    undo_command: str
    again_command: str  # does the rest, when a file could not be written
    request: int | None = None  # nothing was done: it was asked for


class RoleView(View, frozen=True):
    """What a person said that files like these are for."""

    id: int  # 0: not learned (yet)
    workspace: str
    root: str
    glob: str
    role: str
    files: int  # that fit now
    examples: list[str]  # the first of them
    request: int | None = None


class FalseAlarmView(View, frozen=True):
    """How often a rule was wrong: a person undid the repair, or said that the loss was meant."""

    rule: str
    count: int
    last_30_days: int
    hint: str  # how to say beforehand what is meant


class RequestView(View, frozen=True):
    """An act that weakens protection and waits for a person: `conductd confirm ID`, `conductd refuse ID`."""

    id: int
    state: str  # "open" | "confirmed" | "refused" | "expired"
    act: str
    words: str  # what would be done; names files and counts, never content
    workspace: str
    path: str
    path_b64: str
    caller: list[str]  # who asked, nearest first
    asked: str
    asked_ns: int
    expires_ns: int
    shows: list[str]  # what would change, for whoever confirms it


class DamageView(View, frozen=True):
    segment: str
    offset: int
    seq: int | None
    what: str
    path: str
    lost_versions: list[int]


class VerifyView(View, frozen=True):
    ok: bool
    segments: int
    records: int
    versions: int
    bytes: int
    damage: list[DamageView]
    restorable: int
    not_restorable: int
    seconds: float
