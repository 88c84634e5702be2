"""What `conductd doctor --fix` did, or would do, as the faces see it."""

from __future__ import annotations

from conductd.views.base import View
from conductd.views.decided import SetFileView


class FixedView(View, frozen=True):
    """One fix. Those of one call are one act, that one `conductd undo` reverses."""

    repair: str  # "split_files" | "wrong_case" | "link" | "hard_link"
    what: str  # what is done, with names and counts
    outcome: str  # "planned" | "applied" | "refused"
    reason: str  # why it was refused
    files: list[SetFileView]


class NotFixedView(View, frozen=True):
    """A fault that no program mends safely, and why."""

    repair: str
    what: str
    why: str
    files: list[str]


class FixView(View, frozen=True):
    """``request``: nothing was done; it was asked for, and a person confirms it by this number."""

    text: str
    workspace: str
    root: str
    fixes: list[FixedView]
    left: list[NotFixedView]
    undo_command: str  # "" where nothing is to be brought back: copies of their own have the same bytes
    request: int | None = None
