"""Which rule fits: every rule of a changed text, asked in order; the first that has something to say decides.

Owns the order (docs/judgement.md, "Precedence"). A rule is a function of the evidence and of the losses that
count, in a module of its own when it is more than a few lines. A new one is a line in `ORDER`.
"""

from __future__ import annotations

from collections.abc import Callable

from conductd.core.judging.finding import Evidence, Finding, figures
from conductd.core.judging.loss import Loss, section_lost
from conductd.core.losses.conflict_marks import conflict_left
from conductd.core.losses.cured import cured
from conductd.core.losses.cut_off import cut_sign
from conductd.core.losses.encoding_damage import converted, damaged
from conductd.core.losses.erosion import erosion
from conductd.core.losses.fields import other_sheet
from conductd.core.losses.foreign_text import foreign_text, wrapped
from conductd.core.losses.frontmatter import frontmatter_loss
from conductd.core.losses.harmless import harmless
from conductd.core.losses.lost_update import stale_copy
from conductd.core.losses.pins import pinned_loss
from conductd.core.losses.placeholder import placeholder
from conductd.core.losses.redaction import redaction
from conductd.core.losses.shortened import each_is_shortened
from conductd.core.losses.standins import says_something
from conductd.core.losses.template import template
from conductd.core.losses.withdrawn import withdrawn
from conductd.core.losses.zero_runs import zero_run
from conductd.model import Action, EventClass

Rule = Callable[[Evidence, Loss], Finding | None]


def classify(e: Evidence, loss: Loss) -> Finding:
    """The first rule that fits, with the losses that count."""
    for rule in ORDER:
        finding = rule(e, loss)
        if finding is not None:
            return finding
    charged_to = e.charges.main.seq if loss.spans else None
    return harmless(e, figures(e, loss.share))._replace(charged_to=charged_to)


def _cut_off(e: Evidence, loss: Loss) -> Finding | None:
    if loss.excuse and not loss.destroys:
        return None
    sign = cut_sign(e)
    if not sign:
        return None
    facts = figures(e, loss.share) | {"sign": sign}
    return Finding(EventClass.PARTIAL_WRITE, "cut-off", facts, charged_to=e.last.seq, harms=True)


def _stand_in(e: Evidence, loss: Loss) -> Finding | None:
    if loss.destroys and loss.share >= e.policy.thresholds.shrink_share and not says_something(e.last.table):
        return _lost(EventClass.OVERWRITE, "stand-in", e, loss)
    return None


def _mostly_lost(e: Evidence, loss: Loss) -> Finding | None:
    if loss.destroys and loss.share >= e.policy.thresholds.overwrite_share:
        finding = _lost(EventClass.OVERWRITE, "mostly-lost", e, loss)
        return finding._replace(softened=Action.PROPOSE) if each_is_shortened(e) else finding
    return None


def _large_loss(e: Evidence, loss: Loss) -> Finding | None:
    if loss.destroys and loss.share >= e.policy.thresholds.shrink_share:
        return _lost(EventClass.SHRINK, "large-loss", e, loss)
    return None


def _section_lost(e: Evidence, loss: Loss) -> Finding | None:
    if not loss.destroys:
        return None
    section = section_lost(e.baseline.table, loss.spans, e.policy.thresholds.section_entries)
    if not section:
        return None
    finding = _lost(EventClass.SHRINK, "section-lost", e, loss)
    return finding._replace(facts=finding.facts | {"section_entries": section})


def _lost(event_class: EventClass, rule: str, e: Evidence, loss: Loss) -> Finding:
    return Finding(event_class, rule, figures(e, loss.share), charged_to=e.charges.main.seq, harms=True)


ORDER: tuple[Rule, ...] = (
    cured,
    _cut_off,
    zero_run,
    damaged,
    converted,
    wrapped,
    foreign_text,
    conflict_left,
    template,
    placeholder,
    redaction,
    withdrawn,
    stale_copy,
    frontmatter_loss,
    _stand_in,
    other_sheet,
    _mostly_lost,
    pinned_loss,
    _large_loss,
    _section_lost,
    erosion,
)
