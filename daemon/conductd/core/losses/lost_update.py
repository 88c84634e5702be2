"""The rule of the stale copy: whether a change is a lost update, and of which versions it should have been made.

Owns the order in which the readings are tried: versions of several named writers one after the other, an older
baseline that the text goes back to, sides that were each made from the baseline. Called by `core.judging.classify`.
"""

from __future__ import annotations

from conductd.core.judging.charge import is_human, is_leased, known
from conductd.core.judging.finding import Evidence, Finding, figures
from conductd.core.judging.loss import Loss
from conductd.core.losses.interleaved import interleaved
from conductd.core.losses.older_base import Writing, from_older
from conductd.core.losses.stale import Stale, from_sibling
from conductd.model import Action, EventClass, Span


def stale_copy(e: Evidence, loss: Loss) -> Finding | None:
    """A writer with an older copy brought it back; what was written since is merged with it, or offered
    where it may have been meant."""
    if (loss.excuse and is_human(e.last.actor)) or is_leased(e.last) or e.case.leased:
        return None
    old = _stale(e, loss)
    if old is None:
        return None
    facts = figures(e, loss.share) | {
        "base_distance": old.distance,
        "dropped_entries": old.dropped,
        "sides": ",".join(map(str, old.sides)),
    }
    if old.bases:
        facts["side_bases"] = ",".join(map(str, old.bases))
    age_ns = _age_ns(e, old)
    if age_ns is not None:
        facts["base_age_s"] = max(0, age_ns // 1_000_000_000)
    softened = None if old.sure else Action.PROPOSE
    return Finding(
        EventClass.LOST_UPDATE, "stale-copy", facts, old.base_seq, old.charged_to, harms=True, softened=softened
    )


def _stale(e: Evidence, loss: Loss) -> Stale | None:
    if not loss.excuse and (reading := interleaved(e)) is not None:
        return reading.found
    charges, lost = e.charges, _missed(e, loss)
    share = loss.share if lost else 0.0
    now = Writing(charges.good, charges.main, e.last, e.change, lost, share, e.case.rolled_back)
    older = from_older(e.case.earlier, e.case.key, now, e.policy, e.table_of)
    if older is not None and older.dropped == 1 and _is_again(e):
        return older._replace(sure=False)
    if older is not None or loss.share >= e.policy.thresholds.shrink_share:
        return older
    return from_sibling(e.baseline, e.states, e.elsewhere, e.policy, e.case.told)


def _missed(e: Evidence, loss: Loss) -> tuple[Span, ...]:
    """Without what was told as a secret or as an order from outside: whoever takes that out means it."""
    if not loss.destroys:
        return ()
    return tuple(span for span in loss.spans if span.fingerprint not in e.case.told)


def _is_again(e: Evidence) -> bool:
    """The same named writer wrote these very bytes before, and they were merged: it has seen what came of it."""
    last = e.last
    return known(last.actor) and any(
        text.copied and text.digest == last.digest and text.actor.name == last.actor.name for text in e.case.earlier
    )


def _age_ns(e: Evidence, old: Stale) -> int | None:
    """How long before the write its base was written."""
    at = {text.seq: text.at_ns for text in e.case.earlier} | {
        state.seq: state.at_ns for state in (e.baseline, *e.states)
    }
    base, charged = at.get(old.base_seq), at.get(old.charged_to)
    return None if base is None or charged is None else charged - base
