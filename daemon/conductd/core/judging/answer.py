"""From a finding to a verdict: the action table, refined by what can and may be done here."""

from __future__ import annotations

from msgspec import structs

from conductd.core.case import Case
from conductd.core.judging import actions
from conductd.core.judging.charge import added_after, is_perhaps_human, trusted_name
from conductd.core.judging.finding import Evidence, Facts, Finding
from conductd.core.losses import known_writers
from conductd.core.losses.git_work import unfinished
from conductd.core.policy import Policy
from conductd.core.provenance import is_gated
from conductd.model import UNKNOWN, Action, Change, EventClass, Role, Severity, SmallLoss, Verdict

JUDGE_VERSION = 4

_REWORDED_SAMPLE = 0.05  # of the entries that were looked for in other words
_SHRINKING = (EventClass.SHRINK, EventClass.EROSION)
_REWRITES = (EventClass.OVERWRITE, EventClass.SHRINK, EventClass.LOST_UPDATE)


def act(e: Evidence, finding: Finding, forced: Action | None = None) -> Verdict:
    """The finding with its action: the table, refined by what can and may be done here."""
    event_class = finding.event_class
    wanted = actions.wanted(event_class, e.case.role, e.case.path, trusted_name(e.charges.main.actor), e.policy)
    action = forced if forced is not None else wanted.action
    rule, facts = finding.rule, dict(finding.facts)
    configured = wanted.configured
    loud = finding.severity if forced is None else None
    if forced is None:
        if configured:
            facts["setting"] = wanted.setting
        if finding.softened is not None and not configured:
            action = finding.softened
        if e.case.consolidator and not configured and event_class in _REWRITES:
            action, rule = Action.PROPOSE, "consolidator"
            if _may_go(e, facts):
                action = Action.RECORD
        if event_class is EventClass.OVERWRITE and not configured and action in (Action.MERGE, Action.REVERT):
            action, rule = _asked_about(e, action, rule, facts)
        if event_class is EventClass.DELETION and e.case.parent_missing:
            action = Action.PROPOSE
        if event_class is EventClass.EROSION and action is Action.REVERT:
            action = Action.MERGE  # there is no one version to go back to
        if event_class in _SHRINKING and e.case.role is Role.DAILY and e.case.append_only_writer:
            action = action if configured or e.case.consolidator else Action.MERGE
        if event_class in (EventClass.OVERWRITE, EventClass.SHRINK) and action in (Action.MERGE, Action.REVERT):
            action = _merge_or_revert(e, event_class, action, facts)
        if action in (Action.MERGE, Action.REVERT) and e.charges.main.leased:
            action, facts["leased"] = Action.PROPOSE, True  # a person was at it, whoever wrote into it
        if action in (Action.MERGE, Action.REVERT) and _may_not_write(e, facts):
            action = Action.PROPOSE
        if action in (Action.MERGE, Action.REVERT):
            facts["good_seq"] = e.charges.good.seq
            if _provenance_forbids(e, action):
                action, rule, loud = Action.PROPOSE, "provenance", Severity.ALARM
                facts["found"] = finding.rule
    if event_class is EventClass.EXTERNAL_RESET and e.case.git.committed and action is Action.PROPOSE:
        loud, facts["committed"] = Severity.INFO, True  # git has it: nobody need be told now
    return verdict(
        event_class,
        action,
        rule,
        e.change,
        facts,
        base_seq=finding.base_seq,
        charged_to=finding.charged_to,
        debt=action in (Action.PROPOSE, Action.HOLD) and bool(e.change.lost),
        severity=loud,
        writes=finding.writes,
    )


def _asked_about(e: Evidence, action: Action, rule: str, facts: Facts) -> tuple[Action, str]:
    """A rewrite in the form of a known memory job, that left a text and no stub: a person is asked."""
    main = e.charges.main
    known = known_writers.recognise(e.case.path, e.charges.good.data, main.data)
    if known is None or trusted_name(main.actor) not in (UNKNOWN.name, known.name):
        return action, rule  # somebody else is known to have written it, whatever marks it holds
    if not known.rewrites or main.table.weight < known_writers.LEAST_LEFT * e.baseline.table.weight:
        return action, rule
    facts["known_writer"], facts["known_by"] = known.name, known.sign
    return Action.PROPOSE, "known-job"


def _may_go(e: Evidence, facts: Facts) -> bool:
    """So much may go without a question, the configuration says of this writer."""
    most, share = e.case.max_net_loss, facts.get("lost_share", 1.0)
    return most is not None and isinstance(share, float) and share <= most


def told(found: Verdict, case: Case, policy: Policy) -> Verdict:
    """As loud as a rule of the configuration wants it. A provenance conflict stays an alarm: the agent would silently
    go without the file."""
    if not policy.rules or found.rule == "provenance":
        return found
    actor = next((v.actor for v in case.versions if v.seq == found.charged_to), case.versions[-1].actor)
    writer = trusted_name(actor)
    wanted = actions.wanted(found.event_class, case.role, case.path, writer, policy)
    if wanted.severity is None or wanted.severity is found.severity:
        return found
    facts = {**found.facts, "loud_setting": wanted.loud_setting}
    return structs.replace(found, severity=wanted.severity, facts=facts)


def _merge_or_revert(e: Evidence, event_class: EventClass, action: Action, facts: Facts) -> Action:
    """Nothing to merge: revert. Something that a later version added: never thrown away."""
    later = added_after(e.charges, e.states, e.policy)
    if later:
        facts["added_later"] = later
        return Action.MERGE
    if action is Action.MERGE and event_class is EventClass.OVERWRITE and not e.change.new_entries:
        return Action.REVERT
    return action


def _may_not_write(e: Evidence, facts: Facts) -> bool:
    """It may be no loss at all, may be a person's doing, or git would not expect the write."""
    if unfinished(e):
        facts["git_unfinished"] = True
        return True
    if is_perhaps_human(e.charges.main.actor):
        facts["perhaps"] = e.charges.main.actor.name
        return True
    return _may_be_reworded(e.change)


def _may_be_reworded(change: Change) -> bool:
    """The search for other words ended before it was through, and the sample that it looked at had some:
    a large text that was written anew, perhaps, and no loss."""
    searched = change.entries_before - change.kept - change.unsearched
    return change.unsearched > 0 and len(change.reworded) > _REWORDED_SAMPLE * searched


def _provenance_forbids(e: Evidence, action: Action) -> bool:
    """A write out of band would make the agent drop the file from its prompt for good. A revert to
    the very bytes that the agent's record names is no such write."""
    record = e.case.provenance
    if record is None or e.policy.provenance_repair or not is_gated(e.case.path):
        return False
    return action is Action.MERGE or record.digest != e.charges.good.digest


def verdict(
    event_class: EventClass,
    action: Action,
    rule: str,
    change: Change | None = None,
    facts: Facts | None = None,
    *,
    base_seq: int | None = None,
    charged_to: int | None = None,
    debt: bool = False,
    severity: Severity | None = None,
    writes: tuple[SmallLoss, ...] = (),
) -> Verdict:
    return Verdict(
        event_class=event_class,
        severity=severity or actions.severity(event_class, action),
        action=action,
        rule=rule,
        change=change or Change(),
        facts=facts or {},
        base_seq=base_seq,
        charged_to=charged_to,
        debt=debt,
        judge_version=JUDGE_VERSION,
        writes=writes,
    )
