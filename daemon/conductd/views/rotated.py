"""What `rotate` answers."""

from __future__ import annotations

from conductd.views.base import View


class AllowedView(View, frozen=True):
    """What one agent loads of the file: ``limit`` at most, in ``unit`` ("lines" among them). ``after``: at most."""

    agent: str
    unit: str
    limit: int
    before: int
    after: int
    wanted: int


class MovedView(View, frozen=True):
    """A section that moves: its lines in the file as it was. ``size`` is in characters; ``date``: ISO, or ""."""

    heading: str
    first: int
    last: int
    size: int
    date: str


class RotateView(View, frozen=True):
    """``outcome``: "fits", "cannot" (nothing moves), "planned", "moved", "asked" (``request``, for a person).
    ``to``: where the sections go, a new file where ``is_new``. ``is_enough``: no agent is over what was wished then."""

    text: str
    outcome: str
    path: str
    path_b64: str
    root: str
    to: str
    to_b64: str
    is_new: bool
    allowed: list[AllowedView]
    sections: list[MovedView]
    is_enough: bool
    notes: list[str]
    undo_command: str
    request: int | None = None
