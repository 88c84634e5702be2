"""The rules for a text that is no memory and took the place of one: an error message, a page, a patch, a wrapping.

Owns the decision; what such texts look like is `core.losses.shapes` and `core.losses.wrapping`. Their entries look
new, and are never merged. Called through `core.judging.classify`.
"""

from __future__ import annotations

from conductd.core.comparing.change import compare
from conductd.core.judging.finding import Evidence, Facts, Finding, figures
from conductd.core.judging.loss import Loss, silent_lines
from conductd.core.losses.shapes import Shape, shape_of
from conductd.core.losses.wrapping import Wrapped, Wrapping, unwrap
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import entry_table
from conductd.model import Action, Change, EventClass

# What such a text says is nothing for the memory: only what was written after it is kept.
NOTHING_NEW = frozenset({*map(str, Shape), "stand-in", "wrapped", "template"})
_LAYOUT = (Wrapping.FENCE, Wrapping.TAG)
_MESSAGES = (Shape.ERROR, Shape.REFUSAL, Shape.REPORT)


def foreign_text(e: Evidence, loss: Loss) -> Finding | None:
    """The whole text is something else, and what was there is lost."""
    shape = shape_of(e.last.data, e.last.table)
    if shape is None or not loss.destroys or shape_of(e.baseline.data, e.baseline.table) is shape:
        return None
    if shape in _MESSAGES and _keeps_any(e):
        return None
    if loss.share < e.policy.thresholds.shrink_share:
        return _patched(e, loss) if shape is Shape.PATCH else None
    action = Action.PROPOSE if _may_be_meant(e, shape) else Action.REVERT
    return _finding(e, str(shape), figures(e, loss.share), action)


def _may_be_meant(e: Evidence, shape: Shape) -> bool:
    """A client of a cloud store, or of large files, took the content away and may bring it back; its zeros are as
    long as the file."""
    return shape is Shape.POINTER or (shape is Shape.ZEROS and len(e.last.data) == len(e.baseline.data))


def _keeps_any(e: Evidence) -> bool:
    """Something of the old text stands there still, so the message is a part of it."""
    return any(
        entry.kind is not Kind.HEADING and entry.fingerprint in e.baseline.table.places
        for entry in e.last.table.entries
    )


def wrapped(e: Evidence, loss: Loss) -> Finding | None:
    """The whole text stands inside a wrapping that was not there before."""
    if not e.baseline.table.entries or e.last.data.startswith(e.baseline.data):
        return None
    now = unwrap(e.last.data)
    before = unwrap(e.baseline.data)
    if (now and now.wrapping) is (before and before.wrapping):
        return None
    change = _inside(e, now, before)
    silent = silent_lines(e.baseline.table)
    gone = sum(span.weight for span in change.lost if span.line not in silent)
    share = gone / change.weight_before if change.weight_before else 0.0
    is_whole = share < e.policy.thresholds.shrink_share
    facts = figures(e, share) | {"wrapping": str((now or before or Wrapped(Wrapping.FENCE, b"")).wrapping)}
    if now is None or now.wrapping in _LAYOUT:
        plain = not gone
        event_class = EventClass.EDIT if change.added else EventClass.FORMAT
        return Finding(event_class, "unwrapped" if now is None else "fenced", facts) if plain else None
    if is_whole:
        same = not gone and not change.added and not change.reworded
        return _finding(e, "wrapped", facts, Action.REVERT if same else Action.PROPOSE)
    if now.wrapping is Wrapping.NUMBERS and b"\xe2\x86\x92" not in e.last.data:
        return None  # a list that somebody numbered so
    if loss.destroys and loss.share >= e.policy.thresholds.shrink_share:
        return _finding(e, "wrapped", figures(e, loss.share) | {"wrapping": str(now.wrapping)}, Action.REVERT)
    return None


def _inside(e: Evidence, now: Wrapped | None, before: Wrapped | None) -> Change:
    old = e.baseline.table if before is None else entry_table(before.inside, e.case.key)
    new = e.last.table if now is None else entry_table(now.inside, e.case.key)
    return compare(old, new, e.elsewhere, e.policy.thresholds)


def _patched(e: Evidence, loss: Loss) -> Finding:
    """A patch with so much around it that little is missing: still no memory."""
    return _finding(e, str(Shape.PATCH), figures(e, loss.share), Action.PROPOSE)


def _finding(e: Evidence, rule: str, facts: Facts, action: Action) -> Finding:
    return Finding(EventClass.OVERWRITE, rule, facts, charged_to=e.charges.main.seq, harms=True, softened=action)
