"""What is remembered of versions, files, workspaces and incidents: the parts of a state.

Plain mutable structs that msgpack can write (a checkpoint is these). Only `engine.fold.state` changes them.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from conductd.core.case import LedgerLine
from conductd.core.judging.fight import Round
from conductd.engine.fold.decided import Decided
from conductd.engine.fold.forgotten import Forgotten
from conductd.engine.fold.job_runs import JobRuns
from conductd.engine.fold.loads import Loads
from conductd.engine.fold.pin_tracks import Pins
from conductd.model import (
    UNKNOWN,
    Action,
    Actor,
    Cause,
    EventClass,
    EvidenceRecord,
    FileStat,
    FileState,
    IncidentRecord,
    Mode,
    RepairPlanRecord,
    Verdict,
)


class Seen(msgspec.Struct, omit_defaults=True):
    """One version as the judge needs it: everything but the bytes."""

    seq: int
    state: FileState
    at_ns: int
    cause: Cause
    digest: bytes | None = None
    size: int = 0
    link_target: bytes | None = None
    actor: Actor = UNKNOWN
    destructive: bool = False
    leased: bool = False  # written while a lease of the file stood
    copied: bool = False  # one side of a lost update: its writer may still have it and go on from it
    inode: int = 0
    damaged: bool = False  # something was offered back, or told, when it came: what cures it is no loss

    @property
    def offline(self) -> bool:
        return self.cause is Cause.OFFLINE


def with_text(since: Sequence[Seen]) -> list[Seen]:
    """Without the versions that hold nothing, unless it is the last one: they are the middle of a save."""
    return [seen for seen in since[:-1] if seen.state is FileState.FILE and seen.size] + list(since[-1:])


def still_had(since: Sequence[Seen], now: Seen) -> list[Seen]:
    """Versions before ``now`` that somebody may still have and go on from: sides of lost updates, and what each
    named writer wrote last."""
    before = [seen for seen in since if seen.seq < now.seq]
    newest = {seen.actor.name: seen.seq for seen in (*before, now) if seen.actor != UNKNOWN}
    return [seen for seen in before if seen.copied or newest.get(seen.actor.name) == seen.seq]


def is_damage(verdict: Verdict) -> bool:
    """What came with this change is to be mended: something is offered back, or marks of a conflict were left."""
    return verdict.action is not Action.RECORD or verdict.event_class is EventClass.CONFLICT_MARKERS


def round_of(verdict: Verdict, seen: Seen, at_ns: int) -> Round:
    """The round of a fight that a repaired loss is. Sessions that race on one log are no fight: a lost
    update is one only when the same stale bytes come again, and it does not use up the day's repairs."""
    if verdict.event_class is EventClass.LOST_UPDATE and seen.digest is not None:
        return Round(at_ns, seen.digest, f"stale:{seen.digest.hex()}", answered=False)
    return Round(at_ns, seen.digest, seen.actor.name)


class Undoable(msgspec.Struct, omit_defaults=True):
    """An applied plan, newest last on the undo stack."""

    plan: int
    workspace: str
    file: int
    before: bytes | None
    after: bytes | None
    purpose: str
    set_id: int = 0
    incident: int | None = None
    undoes: int | None = None  # the plan that this one reversed
    whole: int = 0  # of so many in its set, which are carried out all, or none
    before_link: bytes | None = None  # where the symlink led that was there
    after_link: bytes | None = None
    makes: int = 0  # so many directories above the file were made with it


class FileTrack(msgspec.Struct, omit_defaults=True):
    """One protected file. ``since`` are the unjudged versions after the baseline, oldest first."""

    id: int
    workspace: str
    path: bytes
    head: Seen | None = None
    stat: FileStat | None = None  # of an absent file: what the regular file had, as the model for putting it back
    baseline: Seen | None = None
    since: list[Seen] = msgspec.field(default_factory=list)
    earlier: list[Seen] = msgspec.field(default_factory=list)  # newest first; baselines, and sides of lost updates
    versions: int = 0
    accepted: set[bytes] = msgspec.field(default_factory=set)
    rounds: list[Round] = msgspec.field(default_factory=list)
    ledger: list[LedgerLine] = msgspec.field(default_factory=list)
    fight_incident: int | None = None
    open_incidents: int = 0
    restored_ns: int | None = None  # a deletion of it was last put back
    judged: tuple[int, int] | None = None  # (version seq, change seq) of a verdict that still waits for its repair
    stood_down: bool = False
    marks_read: bool = False  # the pin marks of its first sight are on record
    rotate_after_ns: int = 0  # before that nothing of it is moved out unasked


class WorkspaceTrack(msgspec.Struct, omit_defaults=True):
    """One protected directory."""

    id: str
    root: bytes
    mode: Mode
    profile: str = "generic"
    device: int = 0
    inode: int = 0
    files: int = 0
    versions: int = 0
    last_change_ns: int | None = None
    decided: bool = False  # a person chose its mode: it is kept over restarts
    losses: list[tuple[int, int, int]] = msgspec.field(default_factory=list)  # (at_ns, file, incident) recent
    pins: Pins = msgspec.field(default_factory=dict)  # by fingerprint
    capabilities: tuple[str, ...] = ()  # of the file system, when it was bound


class OpenIncident(msgspec.Struct, omit_defaults=True):
    """The latest record of an incident, when it opened, and what must happen only once for it."""

    id: int
    opened_ns: int
    record: IncidentRecord
    told: bool = False  # a notice of it was sent
    false_alarm: bool = False  # counted as a false positive
    lost: tuple[bytes, ...] = ()  # fingerprints of what its rounds took, the first of them, in order


LOST_KEPT = 2_048  # fingerprints of an incident


def goes_on(known: OpenIncident, verdict: Verdict) -> None:
    """A round of a fight, or another accident that counts as one: a loss of other entries is told like the first."""
    if verdict.action not in (Action.REVERT, Action.MERGE):
        return
    marks = {span.fingerprint for span in verdict.change.lost}
    others = marks.difference(known.lost)
    if 2 * len(others) > len(marks):
        known.told = False
    known.lost = tuple(sorted((*known.lost, *sorted(others)[: LOST_KEPT - len(known.lost)])))


SHAPE = 9  # raise it with any change of what a snapshot holds, or of what a record does to it (a test knows the fields)


class Shape(msgspec.Struct):
    """What is read of a snapshot before the rest is believed: a field it lacks would be taken as its default."""

    shape: int = 0


class Snapshot(msgspec.Struct):
    """The serialised state: the body of a checkpoint record."""

    shape: int
    workspaces: list[WorkspaceTrack]
    files: list[FileTrack]
    incidents: list[OpenIncident]
    plans: list[tuple[int, RepairPlanRecord]]
    undo: list[Undoable]
    evidence: list[EvidenceRecord]
    next_file: int
    versions: int
    coalesced: int
    false_positives: int
    last_seq: int
    last_wall_ns: int
    decided: Decided = msgspec.field(default_factory=Decided)
    forgotten: Forgotten = msgspec.field(default_factory=Forgotten)
    loads: Loads = msgspec.field(default_factory=Loads)
    job_runs: JobRuns = msgspec.field(default_factory=JobRuns)
