"""What is known of a workspace's loads at the moment, for those who ask: a value that is replaced, never changed."""

from __future__ import annotations

from conductd.core.load.finding import Finding
from conductd.model import Frozen

UNKNOWN_AGENT = "unknown agent"
NOT_YET = "not computed yet"
OK = "ok"


class Seen(Frozen, frozen=True):
    """What is wrong with what one agent loads; ``state``: "ok", or why nobody knows."""

    agent: str
    state: str
    findings: tuple[Finding, ...] = ()


class Picture(Frozen, frozen=True):
    """``state``: "ok", `UNKNOWN_AGENT`, `NOT_YET`, or why it cannot be looked at. ``findings``: of the workspace as
    such. ``names``: of the files whose change means another load, as raw paths."""

    state: str = NOT_YET
    at_ns: int = 0
    seen: tuple[Seen, ...] = ()
    findings: tuple[Finding, ...] = ()
    names: frozenset[bytes] = frozenset()
    known: frozenset[bytes] = frozenset()
