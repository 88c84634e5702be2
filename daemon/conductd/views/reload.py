"""What a reload of the configuration came to."""

from __future__ import annotations

import msgspec

from conductd.views.base import View


class ReloadView(View, frozen=True):
    """``applied``: what stands in the file is in force; else ``faults`` say why, and ``text`` what is in force: the one
    before, or where that could not be put back, some of both.

    ``changed``: keys that have another value now. ``at_restart``: keys that a start takes up, and nothing else.
    """

    applied: bool
    source: str
    text: str
    changed: list[str] = msgspec.field(default_factory=list)
    at_restart: list[str] = msgspec.field(default_factory=list)
    faults: list[str] = msgspec.field(default_factory=list)
    hint: str = ""
