"""How often each rule was wrong, as people said, and what can be done about it. Pure."""

from __future__ import annotations

from collections import Counter

from conductd.engine.fold.decided import Decided
from conductd.views import FalseAlarmView

THIRTY_DAYS_NS = 30 * 86_400_000_000_000

_LEASE = "say beforehand that you are at a file: conductd lease FILE, conductd edit FILE"
_HINTS = {
    "stale-copy": 'a writer that brings back an older text on purpose: [[rules]] with class = "lost_update"',
    "deleted": "a job that tidies up: retention_jobs in the configuration",
    "cut-off": 'a program that saves in parts: [[rules]] with class = "partial_write"',
}
_MADE_TO_BE = "files made to be replaced: conductd role GLOB replaceable; or actions in the configuration"


def false_alarms(decided: Decided, now_ns: int) -> list[FalseAlarmView]:
    """By rule, most of them first."""
    since = now_ns - THIRTY_DAYS_NS
    late = Counter(each.rule for each in decided.meant if each.wrong and each.at_ns >= since)
    ordered = sorted(decided.wrong_rules.items(), key=lambda each: (-each[1], each[0]))
    return [
        FalseAlarmView(rule, count, late[rule], f"{_HINTS.get(rule, _MADE_TO_BE)}; {_LEASE}") for rule, count in ordered
    ]
