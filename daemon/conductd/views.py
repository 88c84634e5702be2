"""What the faces see: the JSON shapes of the API, and the service that answers them.

`Service` is implemented by the engine and called by `api` (and, in process, by nobody else).
Every struct here is one JSON object of the API, field for field; docs/api.md and the OpenAPI
document are held to it by tests. Times are ISO 8601 with offset (`at`) plus `at_ns`. A path is
given twice: `path` (UTF-8, undecodable bytes as U+FFFD) for people, `path_b64` for programs.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Protocol

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


class DegradedView(View, frozen=True):
    reason: str  # stable word: "watch_limit", "store_full", "polling", …
    message: str
    hint: str
    since_ns: int


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
    incident: IncidentView
    changes: list[ExplainChangeView]
    history: list[EventView]


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
    lost: list[EntryView]
    added: int
    lost_share: float


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
    text: str
    plans: list[PlanView]
    undo_command: str


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


class Events(Protocol):
    """A subscription: a bounded queue of events. After an overflow the next item is a `gap`."""

    def get(self, timeout_s: float) -> EventView | None: ...

    def drain(self) -> list[EventView]: ...

    def set_wakeup(self, wake: object) -> None:
        """`wake` is a callable without arguments, called from the recorder thread on each event."""
        ...

    def close(self) -> None: ...


class Service(Protocol):
    """Everything the API can ask. Thread-safe; may block on I/O (call from a worker thread),
    except `hello`, `counters` and `pending`, which only read memory.

    `path` arguments: absolute, or relative to a workspace; `workspace` (id or root) narrows.
    Raise `ConductdError` subclasses only.
    """

    def hello(self) -> HelloView: ...
    def sync(self) -> SyncView: ...
    def status(self) -> StatusView: ...
    def workspaces(self) -> list[WorkspaceView]: ...
    def set_mode(self, root: bytes, mode: str, caller: tuple[str, ...]) -> WorkspaceView: ...
    def files(self, workspace: str | None) -> list[FileView]: ...
    def versions(self, path: bytes | None, workspace: str | None, limit: int, before: int | None) -> list[VersionView]:
        """Newest first; `path` None: all files."""
        ...

    def content(self, path: bytes | None, version: str, workspace: str | None) -> tuple[VersionView, bytes]:
        """`version`: sequence, digest prefix (≥ 4 hex), time expression, or "" for the newest."""
        ...

    def diff(self, path: bytes, old: str, new: str, workspace: str | None) -> str:
        """Unified diff; `old` "" = baseline before the newest change, `new` "" = newest version."""
        ...

    def restore(
        self, path: bytes, version: str, workspace: str | None, dry_run: bool, caller: tuple[str, ...]
    ) -> DidView: ...
    def bring_back(self, incident: int, dry_run: bool, caller: tuple[str, ...]) -> DidView:
        """Put back only what an incident lost; what was written since is kept (`POST /v1/restore {incident}`)."""
        ...

    def undo(self, incident: int | None, caller: tuple[str, ...], dry_run: bool) -> DidView:
        """Reverse the newest write that still has an effect: of an incident, or (None) of all."""
        ...

    def incidents(self, state: str | None) -> list[IncidentView]: ...
    def explain(self, incident: int) -> ExplainView: ...
    def accept(
        self, incident: int | None, path: bytes | None, workspace: str | None, caller: tuple[str, ...], terminal: bool
    ) -> DidView: ...
    def pending(self) -> list[PendingView]: ...
    def evidence(
        self,
        path: bytes,
        workspace: str | None,
        actor: str,
        digest: bytes | None,
        session: str,
        tool_call: str,
    ) -> int:
        """Journal sequence of the evidence. Actors `human:*`, `conductd` are refused."""
        ...

    def events(self) -> Events:
        """Live events from now on; what came before is in `log`."""
        ...

    def log(self, since: int, limit: int) -> list[EventView]:
        """Events with seq > since, oldest first."""
        ...

    def verify(self) -> Iterator[VerifyView | float]:
        """Progress (0..1) while it works, the result last."""
        ...

    def rebuild_index(self) -> Iterator[int | float]:
        """Progress (0..1), then the number of records indexed."""
        ...

    def counters(self) -> dict[str, int]: ...
