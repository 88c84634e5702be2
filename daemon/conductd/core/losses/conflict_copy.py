"""Copies that sync clients make of a file when two devices changed it: which file a name is a copy of, and what the
copy has that the file lacks.

Owns the names, the judgement of such a copy and its merge into the file. A name alone decides nothing: the file must
be there, or have been, and the texts must be related. Pure; called by `core.judging.judge` and
the engine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import structs

from conductd.core.case import Case
from conductd.core.comparing.change import Place, compare
from conductd.core.judging import actions
from conductd.core.judging.answer import verdict
from conductd.core.judging.finding import Facts
from conductd.core.losses.standins import is_stand_in
from conductd.core.merging.merge import merge_missing
from conductd.core.policy import Policy
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import EntryTable, TableSource, entry_table
from conductd.model import Action, EventClass, FileState, Severity, Span, Verdict

_RELATED = 0.3  # of the entries of the smaller text
_FEW = 2  # entries of a text of which half must be the same

_CONFLICT = (
    r"(?:conflict|konflikt|conflit|conflitto|konfliktn|конфликт|конфлікт|競合|冲突|衝突|충돌|çakış|تعارض|متعارض|סתירה"
    r"|ristiriita|σύγκρουση|विरोध)"
)
_IN = r"[^()（）\[\]]*"
# Names that only sync clients give: Dropbox, Nextcloud, ownCloud, Seafile, Obsidian Sync, Unison in their languages;
# Syncthing; Resilio; git-annex; Synology Drive; Google Drive.
_CERTAIN = (
    re.compile(
        rf"^(?P<stem>.+?) ?[(（\[](?={_IN}{_CONFLICT}){_IN}(?:\([^()]*\){_IN})?[)）\]](?: \(\d+\))?$",
        re.I,
    ),
    re.compile(rf"^[\[(](?=[^()\[\]]*{_CONFLICT})[^()\[\]]*[)\]] ?(?P<stem>.+)$", re.I),
    re.compile(r"^(?P<stem>.+?)[.~]sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{4,8})?$", re.I),
    re.compile(r"^(?P<stem>.+?)\.variant-[0-9a-f]{3,8}(?:\.variant-[0-9a-f]{3,8})*$", re.I),
    re.compile(r"^(?P<stem>.+?)[._-]conflict(?:ed)?(?:[._-]?(?:copy|\d[\d_-]*))*(?:\(\d+\))?$", re.I),
    re.compile(r"^(?P<stem>.+?)_[^/]{1,60}_conflict$", re.I),
    re.compile(r"^(?P<stem>.+?)_conf\(\d+\)$", re.I),
)
# Names that people give as well: OneDrive, Google Drive, iCloud, and copies in general.
_POSSIBLE = (
    re.compile(r"^(?P<stem>.+?) ?\(\d{1,2}\)$"),
    re.compile(r"^(?P<stem>.+?) (?:[2-9]|[1-9]\d)$"),
    re.compile(
        r"^(?P<stem>.+?)-(?:(?:DESKTOP|LAPTOP|WIN|PC|SURFACE|WORKSTATION|NOTEBOOK)(?:-[A-Z0-9]{2,15})?)(?:-\d+)?$", re.I
    ),
    re.compile(
        r"^(?P<stem>.+?)-[\w’']{1,30}[- ](?:MacBook(?:[- ](?:Air|Pro))?|iMac|iPad|iPhone|Mac[- ]mini|PC"
        r"|Laptop)(?:-\d+)?$",
        re.I,
    ),
)


def originals(path: bytes) -> tuple[bytes, ...]:
    """The files in the same directory that this may be a copy of, by its name."""
    return tuple(dict.fromkeys((*_named(path, _CERTAIN), *_named(path, _POSSIBLE))))


def is_certain(path: bytes) -> bool:
    """Nobody but a sync client gives such a name."""
    return bool(_named(path, _CERTAIN))


def _named(path: bytes, patterns: Sequence[re.Pattern[str]]) -> list[bytes]:
    folder, slash, name = path.decode("utf-8", "surrogateescape").rpartition("/")
    stem, dot, extension = name.rpartition(".")
    if not stem:
        return []
    found = []
    for pattern in patterns:
        match = pattern.match(stem)
        if match and match["stem"].strip():
            found.append(f"{folder}{slash}{match['stem'].rstrip()}{dot}{extension}".encode("utf-8", "surrogateescape"))
    if patterns is _CERTAIN and re.fullmatch(rf"{_CONFLICT}\w*", extension, re.I):
        found.append(f"{folder}{slash}{stem}".encode("utf-8", "surrogateescape"))
    return found


# --------------------------------------------------------------------------- judging


def judge_copy(case: Case, policy: Policy, table_of: TableSource) -> Verdict | None:
    """The verdict on a conflict copy that came, or changed; None when it is none, or is gone."""
    now = case.versions[-1]
    if not case.copy_of or now.state is not FileState.FILE or now.data is None:
        return None
    copy = table_of(now.data, case.key, now.digest)
    if not _is_copy(case, copy, table_of):
        return None
    original = case.copy_of[0]
    places: tuple[Place, ...] = tuple(
        Place(e.path, table_of(e.data, case.key, e.digest), e.stood) for e in case.elsewhere
    )
    change = compare(copy, table_of(original.data, case.key, original.digest), places, policy.thresholds)
    telling = _telling(copy)
    extra = sum(1 for span in change.lost if span.line in telling)
    facts: Facts = {"original": original.path.decode("utf-8", "backslashreplace"), "extra": extra}
    if extra <= _asked_before(case, policy, table_of):
        return verdict(EventClass.CONFLICT_COPY, Action.RECORD, "copy-without-news", change, facts)
    action = actions.wanted(EventClass.CONFLICT_COPY, case.role, case.path, now.actor.name, policy).action
    action = action if action in (Action.RECORD, Action.HOLD) else Action.PROPOSE
    return verdict(EventClass.CONFLICT_COPY, action, "copy-with-news", change, facts, debt=True)


def not_fought(found: Verdict, case: Case, table_of: TableSource) -> Verdict:
    """Whoever removes a copy tidies up: it is offered at most."""
    if not case.copy_of or case.baseline is None or found.action not in (Action.REVERT, Action.MERGE):
        return found
    if not _is_copy(case, table_of(case.baseline.data, case.key, case.baseline.digest), table_of):
        return found
    facts = {**found.facts, "conflict_copy": True}
    return structs.replace(found, action=Action.PROPOSE, severity=Severity.NOTICE, facts=facts, debt=True)


def _is_copy(case: Case, copy: EntryTable, table_of: TableSource) -> bool:
    """A name that only sync clients give may be a copy of what the file was before."""
    texts = case.copy_of if is_certain(case.path) else case.copy_of[:1]
    return any(is_related(copy, table_of(text.data, case.key, text.digest)) for text in texts)


def _asked_before(case: Case, policy: Policy, table_of: TableSource) -> int:
    """How many entries the original lacks of the copy as it was judged before."""
    if case.baseline is None:
        return 0
    before = table_of(case.baseline.data, case.key, case.baseline.digest)
    original = case.copy_of[0]
    lost = compare(before, table_of(original.data, case.key, original.digest), (), policy.thresholds).lost
    telling = _telling(before)
    return sum(1 for span in lost if span.line in telling)


def _telling(table: EntryTable) -> frozenset[int]:
    return frozenset(e.line for e in table.entries if e.kind is not Kind.HEADING and e.words and not is_stand_in(e))


def is_copy_beside(path: bytes, now: bytes, other: bytes, data: bytes) -> bool:
    """The other file is a copy of this one, or of the same one: no home for what was moved. A name that people give as
    well counts when the copy holds what stands here too; what was moved there stands here no more."""
    names = originals(other)
    if path not in names and not (is_certain(other) and set(names) & set(originals(path))):
        return False
    if is_certain(other):
        return True
    sides = [_fingerprints(entry_table(text, b"")) for text in (now, data)]
    return len(sides[0] & sides[1]) >= max(2, len(sides[0]) / 2)


def _fingerprints(table: EntryTable) -> frozenset[bytes]:
    return frozenset(e.fingerprint for e in table.entries if e.kind is not Kind.HEADING and e.words)


def is_related(one: EntryTable, two: EntryTable) -> bool:
    """Enough of the smaller text stands in the other, word for word."""
    sides = [_fingerprints(table) for table in (one, two)]
    least = min(map(len, sides))
    shared = len(sides[0] & sides[1])
    if not shared:
        return False
    return 2 * shared >= least if least <= _FEW else shared >= max(2, _RELATED * least)


# --------------------------------------------------------------------------- merging


def merged_copy(original: bytes, copy: bytes) -> bytes:
    """The original whole, and what only the copy says where it stands there."""
    before, now = entry_table(copy, b""), entry_table(original, b"")
    lost: tuple[Span, ...] = compare(before, now).lost
    return merge_missing(copy, original, lost)
