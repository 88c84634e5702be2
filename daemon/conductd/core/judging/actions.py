"""From a class to what is done and how loud: a person's rules, the action table with its overrides, the severities.

Owns the actions as applied to one finding. Knows nothing of texts. Called by `core.judging.answer`,
`core.merging.outcome` and whoever explains a verdict.
"""

from __future__ import annotations

from typing import NamedTuple

from conductd.core.globs import actor_matches, matches
from conductd.core.policy import DEFAULT_ACTIONS, ActionRule, Policy
from conductd.model import Action, EventClass, Role, Severity

_LOUD = {
    Action.MERGE: Severity.ALARM,
    Action.REVERT: Severity.ALARM,
    Action.PROPOSE: Severity.NOTICE,
    Action.HOLD: Severity.NOTICE,
    Action.RECORD: Severity.INFO,
}

# While another program is in the middle of something: whatever is configured, nothing is written into it.
NEVER_WRITTEN = {EventClass.EXTERNAL_RESET: Action.PROPOSE, EventClass.CONFLICT_MARKERS: Action.HOLD}


class Wanted(NamedTuple):
    """What is to be done about a finding. ``setting`` names the key of the configuration that says so
    ("rules[0]", "actions.shrink"), "" the table of defaults; ``severity`` is None where no rule says how loud."""

    action: Action
    setting: str = ""
    severity: Severity | None = None
    loud_setting: str = ""

    @property
    def configured(self) -> bool:
        """A person set the action, so no refinement softens or hardens it."""
        return bool(self.setting)


def wanted(event_class: EventClass, role: Role, path: bytes, actor: str, policy: Policy) -> Wanted:
    """The first rule that fits, before "class.role", before "class", before the table. ``actor``: who wrote the version
    that the finding is charged to."""
    action, setting = _tabled(event_class, role, policy)
    fitting = [(n, rule) for n, rule in enumerate(policy.rules) if fits(rule, event_class, role, path, actor)]
    if event_class in DEFAULT_ACTIONS:
        chosen = next(((n, rule.action) for n, rule in fitting if rule.action is not None), None)
        if chosen is not None:
            action, setting = chosen[1], f"rules[{chosen[0]}]"
    loud = next(((n, rule.severity) for n, rule in fitting if rule.severity is not None), None)
    if action in (Action.MERGE, Action.REVERT):
        action = NEVER_WRITTEN.get(event_class, action)
    return Wanted(action, setting, loud[1] if loud else None, f"rules[{loud[0]}]" if loud else "")


def fits(rule: ActionRule, event_class: EventClass, role: Role, path: bytes, actor: str) -> bool:
    if rule.event_class not in (None, event_class) or rule.role not in (None, role):
        return False
    if rule.action is Action.HOLD and event_class is not EventClass.CONFLICT_MARKERS:
        return False
    if rule.match and not matches(rule.match, path):
        return False
    return not rule.actor or actor_matches(rule.actor, actor)


def _tabled(event_class: EventClass, role: Role, policy: Policy) -> tuple[Action, str]:
    for name in (f"{event_class}.{role}", str(event_class)):
        if name in policy.actions:
            return Action(policy.actions[name]), f"actions.{name}"
    row = DEFAULT_ACTIONS.get(event_class)
    return (row[role] if row else Action.RECORD), ""


def severity(event_class: EventClass, action: Action) -> Severity:
    """Alarm for merge and revert (a lost update is told quietly), notice for propose and hold."""
    if event_class is EventClass.LOST_UPDATE and action is Action.MERGE:
        return Severity.INFO
    if event_class is EventClass.OVERSIZE:
        return Severity.NOTICE
    return _LOUD[action]
