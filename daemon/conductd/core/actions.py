"""From a class to what is done and how loud: the action table, its overrides, the severities.

Owns the default actions as applied to one finding. Knows nothing of texts. Called by `core.judge`.
"""

from __future__ import annotations

from conductd.core.policy import DEFAULT_ACTIONS, Policy
from conductd.model import Action, EventClass, Role, Severity

_LOUD = {
    Action.MERGE: Severity.ALARM,
    Action.REVERT: Severity.ALARM,
    Action.PROPOSE: Severity.NOTICE,
    Action.HOLD: Severity.NOTICE,
    Action.RECORD: Severity.INFO,
}


def default_action(event_class: EventClass, role: Role, policy: Policy) -> Action:
    """The configured action: "overwrite.daily" before "overwrite" before the table."""
    for name in (f"{event_class}.{role}", str(event_class)):
        if name in policy.actions:
            return Action(policy.actions[name])
    row = DEFAULT_ACTIONS.get(event_class)
    return row[role] if row else Action.RECORD


def configured(event_class: EventClass, role: Role, policy: Policy) -> bool:
    """A person set the action of this class, so no refinement softens or hardens it."""
    return f"{event_class}.{role}" in policy.actions or str(event_class) in policy.actions


def severity(event_class: EventClass, action: Action) -> Severity:
    """Alarm for merge and revert (a lost update is told quietly), notice for propose and hold."""
    if event_class is EventClass.LOST_UPDATE and action is Action.MERGE:
        return Severity.INFO
    if event_class is EventClass.OVERSIZE:
        return Severity.NOTICE
    return _LOUD[action]
