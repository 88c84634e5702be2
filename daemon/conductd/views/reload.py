"""What a reload of the configuration came to."""

from __future__ import annotations

import msgspec


class ReloadView(msgspec.Struct, frozen=True):
    """``applied``: what stands in the file is in force; else the one before still is, and ``faults`` say why.

    ``changed``: keys that have another value now. ``at_restart``: keys that a start takes up, and nothing else.
    """

    applied: bool
    source: str
    text: str
    changed: list[str] = []
    at_restart: list[str] = []
    faults: list[str] = []
    hint: str = ""
