"""Which losses count.

Owns the excuses (a person made it, a lease, an accepted loss, an entry that said nothing) and the
two shapes of a loss that matter: its share of the weight, and a whole section gone. Pure; called
by `core.judging.judge`.
"""

from __future__ import annotations

from typing import NamedTuple

from conductd.core.case import Case
from conductd.core.comparing.change import share, spans_weight
from conductd.core.judging.charge import Charges, is_human, is_leased
from conductd.core.losses.standins import was_stand_in
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import EntryTable
from conductd.model import Change, Span


class Loss(NamedTuple):
    """The losses that count. ``excuse``: the rule that excused others, "" if none was.
    ``destroys``: at least one of them said something (is no heading and no stand-in)."""

    spans: tuple[Span, ...]
    share: float
    destroys: bool
    excuse: str
    whole: Loss | None = None

    @property
    def without_excuse(self) -> Loss:
        """The same loss, whoever made it."""
        return self.whole or self


def silent_lines(before: EntryTable) -> frozenset[int]:
    """First lines of the entries that only stand in for content: a template that is filled in loses nothing."""
    return frozenset(e.line for e in before.entries if was_stand_in(e))


def effective(
    case: Case, before: EntryTable, change: Change, charges: Charges, silent: frozenset[int] = frozenset()
) -> Loss:
    """The loss after excuses. Entries that begin on ``silent`` lines never count, excused or not."""
    inner = change.weight_lost - spans_weight(change.lost)  # what long reworded entries lost inside
    counted = [
        (span, state) for span, state in zip(change.lost, charges.by_entry, strict=True) if span.line not in silent
    ]
    whole = _loss(tuple(span for span, _ in counted), inner, before, "")
    if case.leased:
        return _loss((), 0, before, "lease", whole)
    if not counted and (is_human(charges.main.actor) or is_leased(charges.main)):
        return _loss((), 0, before, "human" if is_human(charges.main.actor) else "lease", whole)
    excuse = ""
    left: list[Span] = []
    for span, state in counted:
        if is_human(state.actor):
            excuse = "human"
        elif is_leased(state):
            excuse = excuse or "lease"
        elif span.fingerprint in case.accepted:
            excuse = excuse or "accepted"
        else:
            left.append(span)
    if not excuse:
        return whole
    meant = is_human(charges.main.actor) or is_leased(charges.main)
    return _loss(tuple(left), 0 if meant else inner, before, excuse, whole)


def entries_alone(loss: Loss) -> Loss:
    """The same without what reworded entries lost inside, where that is all: of a merge, the side not taken."""
    whole = None if loss.whole is None else entries_alone(loss.whole)
    if loss.spans:
        return loss._replace(whole=whole)
    return Loss((), 0.0, False, loss.excuse, whole)


def _loss(spans: tuple[Span, ...], inner: int, before: EntryTable, excuse: str, whole: Loss | None = None) -> Loss:
    headings = {e.line for e in before.entries if e.kind is Kind.HEADING}
    destroys = inner > 0 or any(span.line not in headings for span in spans)
    return Loss(spans, share(spans_weight(spans) + inner, len(spans), before), destroys, excuse, whole)


def section_lost(before: EntryTable, lost: tuple[Span, ...], least: int) -> int:
    """Entries of the largest section (a heading with all below it) of at least ``least`` entries of
    which not one is left; 0 when there is none."""
    gone = {span.line for span in lost}
    total: dict[tuple[str, ...], int] = {}
    missing: dict[tuple[str, ...], int] = {}
    for entry in before.entries:
        if entry.kind is Kind.HEADING or not entry.words:
            continue
        for depth in range(1, len(entry.headings) + 1):
            section = entry.headings[:depth]
            total[section] = total.get(section, 0) + 1
            if entry.line in gone:
                missing[section] = missing.get(section, 0) + 1
    return max((n for section, n in missing.items() if n == total[section] and n >= least), default=0)
