"""The running daemon as the faces see it: status, workspaces, files, what waits, its store."""

from __future__ import annotations

import msgspec

from conductd.views.base import View
from conductd.views.decided import FalseAlarmView, ForgottenView, LeaseView
from conductd.views.jobs import JobView
from conductd.views.load import LoadLineView


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
    what: str  # "judgement" | "repair" | "late_writer_watch" | "load"
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
    device: int = 0  # of the directory that is recorded; 0: none was seen yet
    inode: int = 0
    capabilities: list[str] = msgspec.field(default_factory=list)  # of its file system: docs/platforms.md


class DegradedView(View, frozen=True):
    reason: str  # stable word: "watch_limit", "store_full", "polling", …
    message: str
    hint: str
    since_ns: int


class LeftOutView(View, frozen=True):
    """A file that its agent leaves out of the prompt for who wrote it, or will; or of which that is not known."""

    workspace: str
    root: str
    path: str
    path_b64: str
    provenance: str  # "untrusted_already" | "taints" | "unknown"
    since: str  # of the agent's record, "" where it does not tell
    since_ns: int
    session: str  # the agent's own name for it, "" where the record does not tell
    text: str


class ChannelView(View, frozen=True):
    """One way to a person. ``to``: the kind of place, never a URL. ``dead``: notices that were given up."""

    name: str
    to: str
    waiting: int
    sent: int
    dead: int
    last_sent_ns: int | None
    error: str = ""


class HeartbeatView(View, frozen=True):
    """The ping that says that the daemon lives. ``error``: why it does not get out, "" where it does."""

    every_minutes: int
    last_ns: int | None  # when one was taken
    error: str = ""
    tried_ns: int | None = None  # when it was last due, also where silence was all there was to say


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
    provenance: list[LeftOutView] = msgspec.field(default_factory=list)  # what an agent leaves out for who wrote it
    loads: list[LoadLineView] = msgspec.field(default_factory=list)  # what agents see, by workspace
    channels: list[ChannelView] = msgspec.field(default_factory=list)  # where notices go
    open_by_severity: dict[str, int] = msgspec.field(default_factory=dict)  # open incidents
    grown_bytes: int | None = None  # of the journal, in the last `grown_s`; None: it cannot be told
    grown_s: float = 0.0  # 7 days, or the age of the journal where it is younger
    service: str = ""  # "systemd" | "launchd": what runs the daemon; "": neither does
    heartbeat: HeartbeatView | None = None  # None: none is configured
    jobs: list[JobView] = msgspec.field(default_factory=list)  # of the night, by workspace


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


class DamageView(View, frozen=True):
    segment: str
    offset: int
    seq: int | None
    what: str
    path: str
    lost_versions: list[int]


class VerifyView(View, frozen=True):
    """``versions`` had content when written: ``restorable``, ``not_restorable`` for damage, and ``erased`` on purpose
    (forgotten, or thinned out) are all of them."""

    ok: bool
    segments: int
    records: int
    versions: int
    bytes: int
    damage: list[DamageView]
    restorable: int
    not_restorable: int
    seconds: float
    erased: int = 0
