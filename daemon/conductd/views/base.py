"""What every JSON object of the API is, and how paths and times are written in them."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

from conductd.model import Frozen


def shown(path: bytes) -> str:
    """The path as text for people: undecodable bytes become U+FFFD."""
    return path.decode("utf-8", "replace")


def b64(path: bytes) -> str:
    return base64.b64encode(path).decode("ascii")


def iso(ns: int) -> str:
    return datetime.fromtimestamp(ns / 1e9, UTC).astimezone().isoformat(timespec="milliseconds")


def iso_exactly(ns: int) -> str:
    """To be read again by the daemon: of a time in milliseconds it would make an earlier one."""
    return datetime.fromtimestamp(ns / 1e9, UTC).astimezone().isoformat(timespec="microseconds")


class View(Frozen, frozen=True, omit_defaults=False):
    """Base of the JSON objects: every field is always present."""
