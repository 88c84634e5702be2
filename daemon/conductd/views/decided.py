"""What people asked for and decided, as the faces see it: writes, pins, leases, roles, requests, what is forgotten."""

from __future__ import annotations

from conductd.views.base import View


class ForgottenView(View, frozen=True):
    """Something that is hidden and waits to be erased."""

    id: int
    since: str
    since_ns: int
    due: str
    due_ns: int
    records: int


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
    provenance: str = ""  # "neutral" | "taints" | "untrusted_already" | "unknown" | "no_gate"; "": nothing is written
    provenance_text: str = ""  # one phrase, or ""


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
    erased_ns: int = 0  # it is hidden already, and erased then


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
    provenance: str = ""  # as in a plan
    provenance_text: str = ""


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
    state: str  # "open" | "confirmed" | "refused" | "withdrawn" | "expired"
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
    root: str = ""  # of the workspace; "": it is about none, or several
