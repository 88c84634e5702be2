"""What the rules look at, and what each of them says.

Owns the evidence of one change, worked out once, and the finding of a rule before it is asked what
the policy wants done. Called by every module of rules; decides nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from conductd.core.case import Case
from conductd.core.comparing.change import Place
from conductd.core.judging.charge import Charges, State
from conductd.core.policy import Policy
from conductd.core.reading.entries import TableSource
from conductd.model import Action, Change, EventClass, Severity, SmallLoss

Facts = dict[str, str | int | float | bool]


class Finding(NamedTuple):
    """What the content says, before it is asked who did it and what the policy wants. ``harms``: the
    class of a loss that an excuse (a person, a lease, an accepted loss) turns into a record.
    ``softened``: the most that may be done about it, where the default of its class would be too much.
    ``writes``: of an erosion, the earlier writes that belong to it. ``severity``: if not the action's."""

    event_class: EventClass
    rule: str
    facts: Facts
    base_seq: int | None = None
    charged_to: int | None = None
    harms: bool = False
    softened: Action | None = None
    writes: tuple[SmallLoss, ...] = ()
    severity: Severity | None = None


class Pinned(NamedTuple):
    """Pinned entries of the baseline by first line: all of them; of those that are still there in other words, the
    ones that may mean something else now; those that left for another file."""

    lines: frozenset[int] = frozenset()
    altered: frozenset[int] = frozenset()
    away: frozenset[int] = frozenset()


class Evidence(NamedTuple):
    """Everything that the rules look at, worked out once."""

    case: Case
    policy: Policy
    baseline: State
    states: tuple[State, ...]
    elsewhere: tuple[Place, ...]
    change: Change
    charges: Charges
    table_of: TableSource
    pinned: Pinned = Pinned()

    @property
    def last(self) -> State:
        return self.states[-1]


def figures(e: Evidence, lost_share: float) -> Facts:
    facts: Facts = {"similarity_bounded": e.change.unsearched} if e.change.unsearched else {}
    return (
        facts
        | {
            "lost_share": round(lost_share, 4),
            "weight_before": e.change.weight_before,
            "weight_lost": e.change.weight_lost,
            "lost": len(e.change.lost),
            "moved": len(e.change.moved),
            "reworded": len(e.change.reworded),
            "added": len(e.change.added),
            "new_entries": e.change.new_entries,
        }
        | _in_copies(e)
        | ({"spare_copies": len(e.case.spare)} if e.case.spare else {})
    )


def _in_copies(e: Evidence) -> Facts:
    """Lost entries that a sync client's copy of the file still holds."""
    if not e.case.copies or not e.change.lost:
        return {}
    held = [e.table_of(copy.data, e.case.key, copy.digest).places for copy in e.case.copies]
    return {"held_by_copy": sum(any(span.fingerprint in places for places in held) for span in e.change.lost)}
