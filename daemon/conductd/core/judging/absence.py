"""The file is gone: a deletion, a move, or a rename, and whether it was meant."""

from __future__ import annotations

from conductd.core.judging.answer import act, verdict
from conductd.core.judging.finding import Evidence, Finding, figures
from conductd.core.judging.loss import effective
from conductd.core.losses.git_work import answer_to_git, git_at_work
from conductd.model import Action, EventClass, Role, Verdict


def judge_absence(e: Evidence) -> Verdict:
    case, loss = e.case, effective(e.case, e.baseline.table, e.change, e.charges)
    everything = loss.without_excuse
    facts = figures(e, loss.share)

    def recorded(event_class: EventClass, rule: str) -> Verdict:
        return verdict(event_class, Action.RECORD, rule, e.change, facts, charged_to=e.last.seq)

    if case.renamed_to is not None:
        return recorded(EventClass.RENAME, "renamed")
    if not everything.destroys:
        return recorded(EventClass.MOVE, "moved") if e.change.moved else recorded(EventClass.DELETION, "deleted-empty")
    if e.change.moved and everything.share < e.policy.thresholds.shrink_share:
        return recorded(EventClass.MOVE, "moved")
    if case.role is Role.REPLACEABLE:
        return recorded(EventClass.DELETION, "replaceable")
    if git_at_work(e):
        rule, forced = answer_to_git(e)
        return act(e, Finding(EventClass.EXTERNAL_RESET, rule, facts, charged_to=e.last.seq), forced)
    if not loss.destroys:
        return recorded(EventClass.DELETION, loss.excuse)
    if case.retention:
        return recorded(EventClass.DELETION, "deleted-by-retention")
    if case.restored_ns is not None:
        since_ms = (e.last.at_ns - case.restored_ns) // 1_000_000
        if 0 <= since_ms <= e.policy.thresholds.deleted_again_ms:
            return recorded(EventClass.DELETION, "deleted-again")
    if case.dehydrated:
        finding = Finding(EventClass.DELETION, "dehydrated", facts, charged_to=e.last.seq, softened=Action.HOLD)
        return act(e, finding)
    rule = "deleted-with-parent" if case.parent_missing else "deleted"
    return act(e, Finding(EventClass.DELETION, rule, facts, charged_to=e.last.seq))
