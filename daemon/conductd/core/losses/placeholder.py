"""The rule for a line that stands for the rest of the text ("[rest unchanged]") while the rest is gone.

Owns the decision alone: what such lines look like is `core.losses.elision`, where they are and what they stood for
`core.merging.fill_in`. Called through `core.judging.classify`.
"""

from __future__ import annotations

from conductd.core.judging.finding import Evidence, Finding, figures
from conductd.core.judging.loss import Loss
from conductd.core.losses.elision import names_it
from conductd.core.losses.standins import says_something
from conductd.core.merging.fill_in import Filled, Hole, fill_in, holes
from conductd.core.reading.text import decode
from conductd.model import Action, EventClass


def placeholder(e: Evidence, loss: Loss) -> Finding | None:
    """A young stand-in beside something that is said, and entries that are nowhere any more."""
    if not loss.destroys or not says_something(e.last.table):
        return None
    found = holes(e.baseline.data, e.baseline.table, e.last.data, e.last.table)
    if not found:
        return None
    away = frozenset(place.old.fingerprint for place in e.change.moved)
    filled = fill_in(e.baseline.data, e.last.data, found, away, e.case.key, e.policy.thresholds, e.table_of)
    if not filled.stood_for and loss.share < e.policy.thresholds.shrink_share:
        return None
    facts = figures(e, loss.share) | {"placeholders": len(found), "stood_for": filled.stood_for}
    softened = Action.PROPOSE if _may_be_a_note(e, found, filled) else None
    return Finding(
        EventClass.PLACEHOLDER,
        "elision",
        facts,
        charged_to=e.charges.main.seq,
        harms=True,
        softened=softened,
    )


def _may_be_a_note(e: Evidence, found: tuple[Hole, ...], filled: Filled) -> bool:
    """Dots, or "etc.", where one entry went, or while more went elsewhere: somebody's "to be written" beside a
    clean-up."""
    if filled.stood_for > 1 and filled.beside <= filled.stood_for:
        return False
    lines = decode(e.last.data).text.split("\n")
    return not any(hole.instead or names_it(" ".join(lines[hole.first : hole.last + 1])) for hole in found)
