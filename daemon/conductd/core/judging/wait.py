"""How long a changed file must be left alone before it is judged.

Owns the table of waits: the middle of a save, a cut whose rest may turn up elsewhere, or the
quiet window. Pure; called by the engine at each version. A shorter wait never replaces the check
of the bytes before a repair.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from conductd.core.case import Write
from conductd.core.policy import Policy
from conductd.core.reading.entries import Entry, EntryTable, TableSource, entry_table
from conductd.model import FileState

_POINTER = 24  # words
_TARGET = re.compile(r"\.(?:md|mdx|markdown|mdc|txt|rst|org|adoc)\b|\[\[[^\[\]]+\]\]", re.I)


class Wait(NamedTuple):
    """``kind``: "save", "cut" or "quiet". ``ms`` counts from the last version or write hint; for a
    cut it is the longest wait, and the engine may judge earlier when what is missing turns up."""

    kind: str
    ms: int


def wait_for(
    baseline: bytes | None,
    now: Write | bytes | None,
    policy: Policy,
    key: bytes = b"",
    table_of: TableSource = entry_table,
) -> Wait:
    """The wait for what stands there ``now`` (None: absent)."""
    waits, limits = policy.waits, policy.thresholds
    quiet, save = Wait("quiet", waits.quiet_ms), Wait("save", waits.save_ms)
    digest = None
    if isinstance(now, Write):
        if now.state not in (FileState.FILE, FileState.ABSENT):
            return quiet
        digest = now.digest
        now = now.data if now.state is FileState.FILE else None
    if not now:
        return save
    if not baseline or now.startswith(baseline):
        return quiet
    after = table_of(now, key, digest)
    if baseline.startswith(now):
        rest = baseline[len(now) :]
        if not rest.strip():
            return quiet
        inside_line = now[-1:] not in (b"\n", b"\r") and rest[:1] not in (b"\n", b"\r")
        if inside_line or len(after.entries) < limits.cut_keep_entries:
            return save
    before = table_of(baseline, key)
    if is_cut(before, after, limits.cut_keep_entries, limits.cut_keep_share, limits.cut_added_share):
        return Wait("cut", waits.cut_ms)
    return quiet


def is_cut(before: EntryTable, after: EntryTable, keep_entries: int, keep_share: float, added_share: float) -> bool:
    """Entries went and next to nothing came: at least ``keep_entries`` and ``keep_share`` of the weight
    remain, in order, and what was added is at most ``added_share`` of the old text. A line that says where
    the rest will be ("see memory/build.md") is nothing that came."""
    if all(entry.fingerprint in after.places for entry in before.entries):
        return False
    remaining = [entry for entry in after.entries if entry.fingerprint in before.places]
    if len(remaining) < keep_entries:
        return False
    if sum(entry.weight for entry in remaining) < keep_share * before.weight:
        return False
    came = [entry for entry in after.entries if entry.fingerprint not in before.places]
    gone = sum(entry.fingerprint not in after.places for entry in before.entries)
    pointers = [entry for entry in came if _points_elsewhere(entry)][:gone]
    added = sum(len(entry.text) for entry in came) - sum(len(entry.text) for entry in pointers)
    if added > added_share * sum(len(entry.text) for entry in before.entries):
        return False
    return _in_order([entry.fingerprint for entry in remaining], before)


def _points_elsewhere(entry: Entry) -> bool:
    return entry.weight <= _POINTER and _TARGET.search(entry.text) is not None


def _in_order(marks: list[bytes], before: EntryTable) -> bool:
    where: dict[bytes, list[int]] = {}
    for index, entry in enumerate(before.entries):
        where.setdefault(entry.fingerprint, []).append(index)
    last = -1
    for mark in marks:
        places = where[mark]
        after = bisect_right(places, last)
        if after == len(places):
            return False
        last = places[after]
    return True
