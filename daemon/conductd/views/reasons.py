"""Every reason for which the daemon is degraded, by the word before the colon (`missing:WORKSPACE` is a `missing`).

docs/health.md says of each what it means, what still works and what to do; a test holds page, table and code together.
"""

from __future__ import annotations

from enum import StrEnum


class Weight(StrEnum):
    """How much of what is promised does not hold."""

    LESS = "less"  # something is recorded or told later, or not by every way
    GRAVE = "grave"  # something is not recorded, not guarded, or not there


REASONS: dict[str, Weight] = {
    "store": Weight.GRAVE,
    "store_damage": Weight.GRAVE,
    "recorder": Weight.GRAVE,
    "intake": Weight.GRAVE,
    "judge": Weight.GRAVE,
    "stuck": Weight.GRAVE,
    "missing": Weight.GRAVE,
    "unseen": Weight.GRAVE,
    "unreadable": Weight.GRAVE,
    "stood_down": Weight.GRAVE,
    "half_done": Weight.GRAVE,
    "closed_off": Weight.GRAVE,
    "disk_slow": Weight.LESS,
    "watch_limit": Weight.LESS,
    "instance_limit": Weight.LESS,
    "no_backend": Weight.LESS,
    "no_events": Weight.LESS,
    "watcher_failed": Weight.LESS,
    "watcher_stopped": Weight.LESS,
    "overflow": Weight.LESS,
    "large_file": Weight.LESS,
    "index": Weight.LESS,
    "index_behind": Weight.LESS,
    "loads": Weight.LESS,
    "secrets": Weight.LESS,
    "forget": Weight.LESS,
    "bootcard": Weight.LESS,
    "channel": Weight.LESS,
    "notice_spool": Weight.LESS,
    "journal_size": Weight.LESS,
    "jobs": Weight.LESS,
    "gc": Weight.LESS,
    "heartbeat": Weight.LESS,
    "config": Weight.LESS,
    "config_restart": Weight.LESS,
}
# While one of these stands, something that happens now may not be recorded.
NOT_RECORDING = frozenset({"store", "recorder", "intake"})


def kind_of(reason: str) -> str:
    """The word of the table, without what it is about."""
    return reason.partition(":")[0]


def weight_of(reason: str) -> Weight:
    """What is not known here may be anything."""
    return REASONS.get(kind_of(reason), Weight.GRAVE)
