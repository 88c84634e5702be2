"""A writer takes back what it wrote itself a moment ago: no loss, for nobody else had a hand in it.

Owns that decision. Called through `core.judging.classify`.
"""

from __future__ import annotations

from conductd.core.case import Text
from conductd.core.comparing.change import compare
from conductd.core.judging.charge import State, trusted_name
from conductd.core.judging.finding import Evidence, Finding, figures
from conductd.core.judging.loss import Loss
from conductd.core.reading.blocks import Kind
from conductd.model import UNKNOWN, EventClass

_WITHIN_NS = 60 * 1_000_000_000


def withdrawn(e: Evidence, loss: Loss) -> Finding | None:
    """Everything that went came from the same named writer within the last minute, nothing came in its place, and
    nothing is lost of what stood there before. With news of its own it may be a session of that name which never saw
    what it drops."""
    if not loss.destroys or e.change.added or {span.line for span in e.change.lost} & e.pinned.lines:
        return None
    writer = trusted_name(e.last.actor)
    if writer == UNKNOWN.name or any(trusted_name(state.actor) != writer for state in e.states):
        return None
    base = _before(e, writer)
    if base is None or base.destructive:
        return None
    before = e.table_of(base.data, e.case.key, base.digest)
    if any(span.fingerprint in before.places for span in e.change.lost):
        return None
    lines = {span.line for span in compare(before, e.last.table, e.elsewhere, e.policy.thresholds).lost}
    if any(entry.line in lines and entry.kind is not Kind.HEADING for entry in before.entries):
        return None
    return Finding(EventClass.EDIT, "withdrawn", figures(e, loss.share), base_seq=base.seq)


def _before(e: Evidence, writer: str) -> Text | None:
    """The newest text that is not the writer's work of the last minute; None when the baseline is not."""
    steps: list[State | Text] = [e.baseline, *e.case.earlier]
    own = 0
    while own < len(steps) and _is_own(steps[own], writer, e.last.at_ns):
        own += 1
    found = steps[own] if 0 < own < len(steps) else None
    return found if isinstance(found, Text) else None


def _is_own(text: State | Text, writer: str, at_ns: int) -> bool:
    return trusted_name(text.actor) == writer and at_ns - text.at_ns <= _WITHIN_NS
