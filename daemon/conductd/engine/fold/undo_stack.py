"""The writes that can be reversed, newest last: those of a set stay, or go, together."""

from __future__ import annotations

from conductd.engine.fold.tracks import Undoable
from conductd.model import RepairPlanRecord

UNDO_DEPTH = 256  # acts: what was written together counts once
UNDO_MOST = 50_000  # writes


def enter(undo: list[Undoable], number: int, plan: RepairPlanRecord) -> None:
    """The plan with this number was carried out."""
    undo.append(
        Undoable(
            number,
            plan.workspace,
            plan.file,
            plan.judged_digest,
            plan.target_digest,
            plan.purpose,
            plan.set_id,
            plan.incident,
            plan.undoes,
            plan.whole,
            plan.judged_link,
            plan.target_link,
            plan.makes,
        )
    )
    _forget_old(undo)


def _forget_old(undo: list[Undoable]) -> None:
    """The last ones stay; what was written together stays, or goes, together."""
    last = undo[-1]
    goes_on = len(undo) > 1 and last.set_id and last.set_id == undo[-2].set_id
    if len(undo) <= UNDO_DEPTH or (goes_on and len(undo) <= UNDO_MOST):
        return
    kept: set[int] = set()
    for at in range(len(undo) - 1, -1, -1):
        one = undo[at]
        if len(kept | {one.set_id or -one.plan}) > UNDO_DEPTH or len(undo) - at > UNDO_MOST:
            cut = at + 1
            while undo[cut].whole and undo[cut].set_id == undo[at].set_id:
                cut += 1  # half of a set would look like one that was never finished
            del undo[:cut]
            return
        kept.add(one.set_id or -one.plan)
