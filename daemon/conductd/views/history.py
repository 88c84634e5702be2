"""Versions, events and incidents as the faces see them."""

from __future__ import annotations

import msgspec

from conductd.views.base import View


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
    erased: str = ""  # "forget" | "gc": what took its content away
    purpose: str = ""  # of a `restore`: what wrote it ("restore", "undo", "rotate", "checkpoint", ...)


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
    provenance: str = (
        ""  # of what was written, or is offered: "neutral" | "taints" | "untrusted_already" | "unknown" | …
    )
    provenance_text: str = ""  # one phrase, or ""


class ExplainView(View, frozen=True):
    """``incident`` is null for a verdict that nobody had to be told of. ``notes``: what several files, or several
    rounds, have to do with it."""

    incident: IncidentView | None
    changes: list[ExplainChangeView]
    history: list[EventView]
    notes: list[str] = msgspec.field(default_factory=list)
    commands: list[str] = msgspec.field(default_factory=list)  # what can be done now


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
    writes: list[SmallLossView] = msgspec.field(
        default_factory=list
    )  # of an erosion: the earlier writes that belong to it
    at: str = ""
    at_ns: int = 0
    judge_version: int = 0
    writer: str = "unknown"  # of the version that the loss is charged to
    confidence: float = 0.0
    evidence: list[str] = msgspec.field(default_factory=list)
    charged_to: int | None = None
    base_seq: int | None = None  # of a lost update: the version that its writer had
    signs: list[EntryView] = msgspec.field(
        default_factory=list
    )  # lines of the new text that the rule saw: stand-ins, conflict marks, where it was cut
    otherwise: list[OtherwiseView] = msgspec.field(default_factory=list)
    tried: bool = False  # whether `otherwise` was tried out; it is empty too when nothing changes the decision
    untried: int = 0  # variations that were left out of it: judging this change again takes too long


class SmallLossView(View, frozen=True):
    """One earlier write of an erosion, and what of its loss is still lost (places in version ``base_seq``)."""

    path: str
    version_seq: int
    base_seq: int
    at: str
    at_ns: int
    writer: str
    lost: list[EntryView]
