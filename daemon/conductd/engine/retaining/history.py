"""What the journal holds of each file, how old it is, and what is still needed of it.

One walk over the whole journal, for `core.retention` to decide on. Reads; changes nothing. Any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec

from conductd.core.reading.entries import entry_table
from conductd.core.retention import DAY_NS, Kept, Moment, Schedule, beside, first, going
from conductd.engine.fold.state import DESTRUCTIVE, State
from conductd.engine.fold.tracks import is_damage
from conductd.errors import ConductdError
from conductd.journal.journal import Journal
from conductd.model import (
    ChangeRecord,
    CheckpointRecord,
    ErasureRecord,
    EventRecord,
    FileState,
    IncidentRecord,
    JobRunRecord,
    NoticeRecord,
    RepairPlanRecord,
    Stored,
    VersionRecord,
)

PURPOSE = "gc"
CHECKPOINTS_KEPT = 2
FEW = 1_000  # records that are looked at where everything is recorded

Judged = tuple[int | None, int]
"""The baseline and the version of a verdict."""


class Gone(NamedTuple):
    """What goes of one file, out of how many versions that have content. ``stored``: bytes it takes on disk."""

    file: int
    versions: int
    going: list[int]
    stored: int


class Plan(NamedTuple):
    """``files``: those of which something goes. ``checkpoints``: old snapshots of the state, which go as well.
    ``unfinished``: what an erasure that was interrupted has left, although it is on record as erased."""

    files: list[Gone]
    checkpoints: list[int]
    unfinished: list[int]
    versions: int  # of all files, with content

    @property
    def sequences(self) -> list[int]:
        return sorted([*(seq for file in self.files for seq in file.going), *self.checkpoints])

    @property
    def goes(self) -> int:
        return sum(len(file.going) for file in self.files)

    @property
    def stored(self) -> int:
        return sum(file.stored for file in self.files)


class _Version(NamedTuple):
    file: int
    workspace: str
    digest: bytes
    moment: Moment


class _Incident(NamedTuple):
    record: IncidentRecord
    moment: Moment


class History:
    """The walk. ``go_on`` is called for each record, and may raise."""

    def __init__(self, journal: Journal, go_on: Callable[[], None]) -> None:
        self._journal = journal
        self._moment: Moment | None = None
        self._versions: dict[int, _Version] = {}
        self._damaging: dict[int, list[Judged]] = {}
        self._changes: dict[int, Judged] = {}  # of incidents, by the sequence of the verdict
        self._of_incident: dict[int, list[int]] = {}
        self._incidents: dict[int, _Incident] = {}
        self._parents: dict[int, tuple[int, ...]] = {}  # of plans
        self._checkpoints: list[int] = []
        self._erased: set[int] = set()
        self._by_file: dict[int, list[int]] = {}
        self._upto = 0
        self._go_on = go_on
        self.read_on()
        # What was rewritten has no digest any more; a snapshot of the state never had one in its record.
        named = (self._versions.keys() | set(self._checkpoints)) & self._erased
        self._unfinished = sorted(seq for seq in named if self._has(seq))

    def read_on(self) -> None:
        """Take what was recorded since."""
        for stored in self._journal.replay(self._upto):
            self._go_on()
            self._take(stored)
            self._upto = stored.seq
        self._by_file.clear()
        for seq, version in self._versions.items():
            if seq not in self._erased:
                self._by_file.setdefault(version.file, []).append(seq)

    def is_up_to_date(self, seq: int) -> bool:
        """Whether a plan still holds for who writes the record ``seq`` now: nothing stands before it that was not
        looked at and may need an old version. On the thread that writes."""
        last = self._journal.last_seq
        if seq != last + 1 or last - self._upto > FEW:
            return False
        return all(_needs_nothing_old(stored) for stored in self._journal.replay(self._upto))

    def _has(self, seq: int) -> bool:
        return self._journal.stored_size(seq) is not None

    def _take(self, stored: Stored) -> None:
        before, record = self._moment, stored.record
        at = before.then(stored.wall_ns, stored.mono_ns) if before else first(stored.wall_ns, stored.mono_ns)
        self._moment = at
        if isinstance(record, VersionRecord):
            if record.state is FileState.FILE and record.digest is not None and record.size:
                self._versions[stored.seq] = _Version(record.file, record.workspace, record.digest, at)
        elif isinstance(record, ChangeRecord):
            judged = (record.baseline_seq, record.version_seq)
            if _is_damaging(record):
                self._damaging.setdefault(record.file, []).append(judged)
            if record.incident is not None:
                self._changes[stored.seq] = judged
                self._of_incident.setdefault(record.incident, []).append(stored.seq)
        elif isinstance(record, IncidentRecord):
            self._incidents[record.incident or stored.seq] = _Incident(record, at)
        elif isinstance(record, RepairPlanRecord):
            self._parents[stored.seq] = record.parents
        elif isinstance(record, CheckpointRecord):
            self._checkpoints.append(stored.seq)
        elif isinstance(record, ErasureRecord) and record.purpose == PURPOSE:
            self._erased.update(record.sequences)

    # ------------------------------------------------------------------ what is needed

    def plan(self, state: State, schedule: Schedule, wall_ns: int, mono_ns: int, key: bytes) -> Plan:
        """What goes now."""
        now = self._moment.then(wall_ns, mono_ns) if self._moment else first(wall_ns, mono_ns)
        needed = self._needed_by(state) | self._needed_by_incidents(schedule, now)
        for file, judged in self._damaging.items():
            needed |= beside(self._by_file.get(file, []), judged)
        needed |= self._last_of_pins(state, key)
        files = []
        for file, seqs in sorted(self._by_file.items()):
            kept = [Kept(seq, self._versions[seq].moment.wall_ns, self._age(seq, now)) for seq in seqs]
            gone = [seq for seq in going(kept, needed, schedule) if self._has(seq)]
            if gone:
                stored = sum(self._journal.stored_size(seq) or 0 for seq in gone)
                files.append(Gone(file, len(seqs), gone, stored))
        old = [seq for seq in self._checkpoints[:-CHECKPOINTS_KEPT] if seq not in self._erased and self._has(seq)]
        versions = sum(len(seqs) for seqs in self._by_file.values())
        return Plan(files, old if files else [], self._unfinished, versions)

    def _age(self, seq: int, now: Moment) -> int:
        return self._versions[seq].moment.age_ns(now)

    def _needed_by(self, state: State) -> set[int]:
        """What the daemon may still compare with, write back, or be asked to write."""
        needed: set[int] = set()
        with state.lock:
            for file in state.files.values():
                needed.update(s.seq for s in (file.head, file.baseline, *file.since, *file.earlier) if s is not None)
                needed.update(seq for line in file.ledger for seq in (line.seq, line.base_seq))
                needed.update(file.judged or ())
            for workspace in state.workspaces.values():
                needed.update(pin.seq for pin in workspace.pins.values())
            undoable = {(each.file, digest) for each in state.undo for digest in (each.before, each.after) if digest}
            plans = [*(each.plan for each in state.undo), *state.plans]
            for plan in state.plans.values():
                needed.update(plan.parents)
                undoable |= {(plan.file, each) for each in (plan.judged_digest, plan.target_digest) if each}
            for asked in state.decided.requests.values():
                needed |= _named_in(asked.record.arguments) if asked.record.state == "open" else set()
            for forget in state.forgotten.pending():
                needed.update(forget.versions)  # it can still be called off
        for number in plans:
            needed.update(self._parents.get(number, ()))
        return needed | {seq for seq, each in self._versions.items() if (each.file, each.digest) in undoable}

    def _needed_by_incidents(self, schedule: Schedule, now: Moment) -> set[int]:
        """Of open ones, and of those that ended within the time: what they compare, and what is still owed."""
        needed: set[int] = set()
        for number, (record, moment) in self._incidents.items():
            if record.state != "open" and moment.age_ns(now) >= schedule.incident_days * DAY_NS:
                continue
            needed.update(baseline for _, baseline in record.debt)
            for change in (*record.changes, *self._of_incident.get(number, ())):
                needed.update(seq for seq in self._changes.get(change, ()) if seq is not None)
        return needed

    def _last_of_pins(self, state: State, key: bytes) -> set[int]:
        """The last version that has each pinned entry, in whichever file of its workspace. Those that stand in a file
        now are found at once; for one that is missing the history is read backwards until it is met."""
        with state.lock:
            pins = {each.id: set(each.pins) for each in state.workspaces.values() if each.pins}
        found: set[int] = set()
        for workspace, missing in pins.items():
            last = [seqs[-1] for seqs in self._by_file.values() if self._versions[seqs[-1]].workspace == workspace]
            held = [seq for seq, each in self._versions.items() if each.workspace == workspace]
            found |= self._holding(last, missing, key)
            found |= self._holding((seq for seq in reversed(held) if seq not in self._erased), missing, key)
        return found

    def _holding(self, versions: Iterable[int], missing: set[bytes], key: bytes) -> set[int]:
        """Those that have one of them first; what is found is missing no more."""
        found: set[int] = set()
        looked: set[bytes] = set()
        for seq in versions:
            if not missing:
                break
            digest = self._versions[seq].digest
            if digest in looked:
                continue
            looked.add(digest)
            try:
                table = entry_table(self._journal.body(seq), key)
            except ConductdError:
                continue
            there = missing & {entry.fingerprint for entry in table.entries}
            if there:
                found.add(seq)
                missing -= there
        return found


def _needs_nothing_old(stored: Stored) -> bool:
    """A version, and a verdict that nothing is wrong with it, are about what the state needs anyway. What people decide
    or ask for, incidents and repairs may be about any version."""
    record = stored.record
    if isinstance(record, ChangeRecord):
        return record.incident is None and not _is_damaging(record)
    return isinstance(record, VersionRecord | EventRecord | NoticeRecord | CheckpointRecord | JobRunRecord)


def _is_damaging(record: ChangeRecord) -> bool:
    return is_damage(record.verdict) or record.verdict.event_class in DESTRUCTIVE


def _named_in(arguments: bytes) -> set[int]:
    """The versions that an open request names."""
    try:
        asked: Any = msgspec.msgpack.decode(arguments)
    except msgspec.MsgspecError:
        return set()
    named = asked.get("version") if isinstance(asked, dict) else None
    return {named} if isinstance(named, int) else set()
