"""What a configuration says of protection, flattened, and which of its changes protect less.

Pure. Numbers and words are kept as they are; what names files or writers is kept as keyed digests, so that
what was added or taken away can be told and nothing else. Called at every start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conductd.model import Action, Frozen, Mode, Role, Severity

Value = str | int | float | bool | tuple[str, ...]
Settings = dict[str, Value]

# A larger figure lets more go, or answers later.
_UP = frozenset(
    {
        *(f"thresholds.{name}" for name in ("overwrite_share", "shrink_share", "section_entries", "lost_update_share")),
        *(f"thresholds.{name}" for name in ("erosion_entries", "erosion_share", "erosion_writes", "deleted_again_ms")),
        *(f"thresholds.{name}" for name in ("mass_files", "mass_small_files", "mass_small_share")),
        *(f"thresholds.{name}" for name in ("mass_small_workspace", "new_entry_tokens", "new_entry_cjk")),
        *("waits.quiet_ms", "waits.longest_quiet_ms", "waits.save_ms", "waits.cut_ms", "waits.git_ms"),
        *(
            "rescan_seconds",
            "poll_ms",
            "people.lease_minutes",
            "rotate.automatic",
            "retention.automatic",
            "jobs.qc_fix",
        ),
    }
)
# A smaller one does.
_DOWN = frozenset(
    {
        *("thresholds.reworded_similarity", "thresholds.lost_update_recent_ms", "thresholds.mass_window_ms"),
        *("fights.at_once", "fights.per_day", "max_file_bytes", "secrets.scan", "forget.erase_after_hours"),
        *("rotate.until_percent", "rotate.quiet_minutes", "heartbeat"),
        *(f"jobs.{name}" for name in ("checkpoint", "continuity", "qc", "report", "recap")),
        *(f"retention.{name}" for name in ("keep_days", "hourly_days", "daily_days", "keep_last", "incident_days")),
    }
)
# The same of what stands once a workspace or channel: by the last word of the key.
_UP_LAST = frozenset({"loudness", "rotate", "qc_fix"})
_DOWN_LAST = frozenset({"urgent", "an_hour", "checkpoint", "continuity", "qc", "report", "recap"})
# Lists where what is added lets more go; in the others what is taken away does.
_ADDED = ("replaceable", "retention_jobs", "consolidators", "secrets.ignore", "rotate.files")

_STRENGTH = {Action.RECORD: 0, Action.PROPOSE: 1, Action.HOLD: 1, Action.MERGE: 2, Action.REVERT: 2}
_WEAK, _STRONG = "-", "+"  # how an item of a list begins that protects less, or more, than its absence


class Difference(Frozen, frozen=True):
    """``key`` of the configuration, and in words what became of it. ``weakens``: it protects less than before."""

    key: str
    words: str
    weakens: bool


def item(digest: str, value: object = None) -> str:
    """An item of a list: a digest of what it names, marked when its value is the weak or the strong one."""
    weak = value in (Mode.OBSERVE, Role.REPLACEABLE, Action.RECORD, Action.PROPOSE, Severity.INFO)
    strong = value is not None and not weak
    return (_WEAK if weak else _STRONG if strong else "") + digest


def differences(
    before: Mapping[str, Any], after: Mapping[str, Any], default_action: Callable[[str], str]
) -> list[Difference]:
    """What changed, by key. `default_action(key)`: what "actions.KEY" is where nobody sets it."""
    found = []
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key), after.get(key)
        if key.startswith("actions."):
            old, new = old or default_action(key), new or default_action(key)
        if _plain(old) != _plain(new):
            found.append(Difference(key, _words(old, new), _weakens(key, old, new)))
    return found


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, list | tuple) else value


def _weakens(key: str, old: Any, new: Any) -> bool:
    if key.startswith("agents.") and old is None:
        return False  # a new one protects nothing less until a workspace is said to be its
    if key.startswith("workspaces.") and key.endswith(".profile"):
        return old is not None and new is not None  # other files are protected then: a person looks which
    if isinstance(old, list | tuple) or isinstance(new, list | tuple):
        added, gone = set(new or ()) - set(old or ()), set(old or ()) - set(new or ())
        if any(each.startswith(_WEAK) for each in added) or any(each.startswith(_STRONG) for each in gone):
            return True
        loose = {each for each in (added if key in _ADDED else gone) if each[:1] not in (_WEAK, _STRONG)}
        return bool(loose)
    if key.startswith("actions."):
        return _STRENGTH.get(new, 0) < _STRENGTH.get(old, 0)
    if key.endswith("mode"):
        return bool(new == Mode.OBSERVE and old != Mode.OBSERVE)
    if key == "run.observe":
        return bool(new) and not old
    if old is None or new is None:
        return False  # a key that a release added or dropped
    last = key.rpartition(".")[2] if key.startswith(("workspaces.", "channels.")) else ""
    up, down = key in _UP or last in _UP_LAST, key in _DOWN or last in _DOWN_LAST
    return bool((up and new > old) or (down and new < old))


def _words(old: Any, new: Any) -> str:
    if not isinstance(old, list | tuple) and not isinstance(new, list | tuple):
        return f"{'not set' if old is None else old} -> {'not set' if new is None else new}"
    added, gone = len(set(new or ()) - set(old or ())), len(set(old or ()) - set(new or ()))
    parts = [f"{added} added"] if added else []
    return ", ".join([*parts, f"{gone} taken away"] if gone else parts)
