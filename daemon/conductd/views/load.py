"""What agents see of their files, as the faces see it."""

from __future__ import annotations

import msgspec

from conductd.views.base import View


class LoadFindingView(View, frozen=True):
    """One thing that does not reach an agent as it should. ``text``: one line, with the headings that fall out."""

    event_class: str
    path: str
    text: str
    since: str
    since_ns: int
    incident: int | None
    facts: dict[str, object]  # as in the event: docs/api.md


class LoadView(View, frozen=True):
    """What one agent loads of a workspace: the object of `conductd load --json`, and what the daemon adds.

    ``state``: "ok", "unknown agent" (``agent`` is ""), "not computed yet", or why nobody knows; then nothing else is
    said, and nothing of it means that all is well.
    """

    agent: str
    version: str
    session: str
    workspace: str  # the directory
    unit: str
    files: list[dict[str, object]] = msgspec.field(default_factory=list)
    left_out: list[dict[str, object]] = msgspec.field(default_factory=list)
    totals: dict[str, object] = msgspec.field(default_factory=dict)
    fixes: list[dict[str, object]] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)
    workspace_id: str = ""
    state: str = "ok"
    at: str = ""  # when the findings were made
    at_ns: int = 0
    findings: list[LoadFindingView] = msgspec.field(default_factory=list)


class LoadLineView(View, frozen=True):
    """What `status` says of a workspace's loads. ``agents``: that read it; ``lines``: what is wrong, one each."""

    workspace: str
    root: str
    root_b64: str
    state: str
    agents: list[str]
    lines: list[str]
