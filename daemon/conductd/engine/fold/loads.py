"""What was told of what agents see of their files: a part of the state, so that nothing is told twice.

Plain mutable structs that msgpack can write. Only `engine.fold.state` changes them, through `take`; it reads
nothing but the record it is given.
"""

from __future__ import annotations

import msgspec

from conductd.core.load.finding import Finding, Known
from conductd.model import EventRecord, EvidenceRecord, Stored

SESSIONS_KEPT = 512  # of a workspace; one that is forgotten and comes again is told once more


class Told(msgspec.Struct, omit_defaults=True):
    """The last that was told of a place. ``marks``: of all states told since it began, or since a session came."""

    seq: int
    at_ns: int
    finding: Finding
    marks: list[str] = msgspec.field(default_factory=list)
    incident: int | None = None

    @property
    def known(self) -> Known:
        return Known(tuple(self.marks), self.finding.lost)


class Loads(msgspec.Struct, omit_defaults=True):
    """``told``: by workspace and place. ``sessions``: by workspace, those that were seen, in order, each with the
    record it was first seen in."""

    told: dict[str, dict[str, Told]] = msgspec.field(default_factory=dict)
    sessions: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)

    def take(self, stored: Stored) -> None:
        record = stored.record
        if isinstance(record, EvidenceRecord):
            self._session(stored.seq, record)
        elif isinstance(record, EventRecord) and record.facts:
            self._event(stored, record)

    def of(self, workspace: str) -> dict[str, Told]:
        """What was told of a workspace and has not ended, by place."""
        return self.told.get(workspace, {})

    def sessions_since(self, workspace: str, seq: int) -> tuple[str, ...]:
        """Those first seen after a record, oldest first."""
        return tuple(name for name, first in self.sessions.get(workspace, {}).items() if first > seq)

    def _session(self, seq: int, record: EvidenceRecord) -> None:
        name = record.session or (record.actor if record.actor.startswith("agent:") else "")
        if not name:
            return
        seen = self.sessions.setdefault(record.workspace, {})
        seen.setdefault(name, seq)
        while len(seen) > SESSIONS_KEPT:
            del seen[next(iter(seen))]

    def _event(self, stored: Stored, record: EventRecord) -> None:
        finding = decoded(record.facts)
        if finding is None:
            return
        told = self.told.setdefault(record.workspace, {})
        if finding.over:
            told.pop(finding.place, None)
            return
        for place in finding.ends:
            told.pop(place, None)
        before = told.get(finding.place)
        marks = set(finding.marks)
        if before is not None and not finding.sessions:
            marks |= set(before.marks)  # what was told of it stays told until it is over, or told as a whole again
        incident = record.incident if record.incident is not None else before.incident if before else None
        told[finding.place] = Told(stored.seq, stored.wall_ns, finding, sorted(marks), incident)


def decoded(facts: bytes) -> Finding | None:
    """None for facts that are none of these."""
    try:
        return msgspec.msgpack.decode(facts, type=Finding)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
