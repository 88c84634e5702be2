"""Who wrote a version, as far as somebody announced it or it was found out. Called by the state alone; pure but
for what it is handed.

An announcement that names the content holds for that content. One that does not holds for a single
version: the first change after it, or, when it comes just after the write, the one before it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from conductd.engine.fold.tracks import FileTrack
from conductd.model import UNKNOWN, Actor, Cause, EvidenceRecord, VersionRecord

WINDOW_NS = 10_000_000_000
JUST_AFTER_NS = 2_000_000_000
RECENT = 512
ANNOUNCED_EXACTLY, ANNOUNCED_ONCE = 0.9, 0.7
ANNOUNCED = ("announced",)


def announced(
    evidence: Sequence[EvidenceRecord],
    workspace: str,
    path: bytes,
    digest: bytes | None,
    at_ns: int,
    *,
    by_content_only: bool,
) -> Actor:
    """The writer of a new version, `unknown` where nothing fits or several writers do."""
    near = [e for e in evidence if e.path == path and e.workspace == workspace and abs(at_ns - e.at_ns) <= WINDOW_NS]
    exact = next((e for e in reversed(near) if e.digest is not None and e.digest == digest), None)
    if exact is not None:
        return _actor(exact)
    waiting = [] if by_content_only else [e for e in near if e.digest is None]
    return _actor(waiting[-1]) if len({e.actor for e in waiting}) == 1 else UNKNOWN


def use_up(evidence: list[EvidenceRecord], record: VersionRecord) -> None:
    """A change was recorded: what was announced of this file without naming its content meant this one."""
    if record.cause is Cause.CHANGE and evidence:
        evidence[:] = [
            e for e in evidence if e.digest is not None or e.path != record.path or e.workspace != record.workspace
        ]


def enter(evidence: list[EvidenceRecord], record: EvidenceRecord, file: FileTrack | None) -> None:
    """Name the writer of versions that were recorded before their announcement; else it waits for the next."""
    if record.version is not None:
        if file is not None:
            _found_out(file, record, record.version)
        return
    if file is not None and record.digest is None and _names_last(file, record):
        return
    evidence.append(record)
    del evidence[:-RECENT]
    if file is None or record.digest is None:
        return
    for number, seen in enumerate(file.since):
        if _gives_way(seen.actor) and seen.digest == record.digest and abs(seen.at_ns - record.at_ns) <= WINDOW_NS:
            _name(file, number, record)


def _found_out(file: FileTrack, record: EvidenceRecord, version: int) -> None:
    """What was found out names one version, and gives way to nobody who is better known."""
    for number, seen in enumerate(file.since):
        if seen.seq == version and seen.actor.confidence <= (record.confidence or 0):
            _name(file, number, record)


def _names_last(file: FileTrack, record: EvidenceRecord) -> bool:
    last = file.since[-1] if file.since else None
    if last is None or last.cause is not Cause.CHANGE or not _gives_way(last.actor):
        return False
    if not 0 <= record.at_ns - last.at_ns <= JUST_AFTER_NS:
        return False
    _name(file, len(file.since) - 1, record)
    return True


def _gives_way(actor: Actor) -> bool:
    """Nobody is known, or only guessed at from traces: what is announced is better."""
    return actor.confidence < ANNOUNCED_EXACTLY and actor.evidence != ANNOUNCED


def _name(file: FileTrack, number: int, record: EvidenceRecord) -> None:
    seen = file.since[number] = msgspec.structs.replace(file.since[number], actor=_actor(record))
    if file.head is not None and file.head.seq == seen.seq:
        file.head = seen


def _actor(record: EvidenceRecord) -> Actor:
    if record.version is not None:
        return Actor(record.actor, record.confidence or 0.0, record.evidence)
    return Actor(record.actor, ANNOUNCED_EXACTLY if record.digest else ANNOUNCED_ONCE, ANNOUNCED)
