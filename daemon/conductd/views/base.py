"""What every JSON object of the API is, and how paths and times are written in them."""

from __future__ import annotations

import base64
import re
from datetime import UTC, datetime
from typing import Any

import msgspec

from conductd.model import Frozen

_SURROGATE = re.compile("[\ud800-\udfff]")


def shown(path: bytes) -> str:
    """The path as text for people: undecodable bytes become U+FFFD."""
    return path.decode("utf-8", "replace")


def encoded(view: object) -> bytes:
    """A view as JSON. A name of the machine's own that is no UTF-8 (a state directory, a home) is as `shown`."""
    try:
        return msgspec.json.encode(view)
    except UnicodeEncodeError:
        return msgspec.json.encode(_readable(msgspec.to_builtins(view)))


def _readable(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, dict):
        return {_readable(key): _readable(each) for key, each in value.items()}
    return [_readable(each) for each in value] if isinstance(value, list | tuple) else value


def b64(path: bytes) -> str:
    return base64.b64encode(path).decode("ascii")


def iso(ns: int) -> str:
    return datetime.fromtimestamp(ns / 1e9, UTC).astimezone().isoformat(timespec="milliseconds")


def iso_exactly(ns: int) -> str:
    """To be read again by the daemon: of a time in milliseconds it would make an earlier one."""
    return datetime.fromtimestamp(ns / 1e9, UTC).astimezone().isoformat(timespec="microseconds")


class View(Frozen, frozen=True, omit_defaults=False):
    """Base of the JSON objects: every field is always present."""
