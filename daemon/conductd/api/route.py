"""What a route is: one row of the table, and the call its handler is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conductd.api import requests as ask
from conductd.api.lanes import Lane
from conductd.api.peer import Peer
from conductd.faces import Caller, Service

MIB = 1024 * 1024
BODY_LIMIT = MIB
# 16 MiB of content (the default size limit of a protected file) in base64, and some room.
EVIDENCE_LIMIT = 24 * MIB


@dataclass(frozen=True)
class Call:
    """One request, checked: what it asks and who asks."""

    query: Any
    body: Any
    number: int  # the {id} of the path, else 0
    peer: Peer
    service: Service
    who: Callable[[int], Caller]

    def caller(self) -> Caller:
        """Who asks, looked up in the process table."""
        return self.who(self.peer.pid)


@dataclass(frozen=True)
class Raw:
    """An answer that is not JSON."""

    data: bytes
    media: str
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Route:
    """`stream` names how a long answer comes: "" (at once), "events" or "job" (lines of JSON)."""

    method: str
    path: str
    summary: str
    answer: Any
    lane: Lane
    handle: Callable[[Call], Any]
    query: type[ask.Ask] = ask.NoQuery
    body: type[ask.Ask] | None = None
    limit: int = BODY_LIMIT
    stream: str = ""
    media: str = "application/json"
