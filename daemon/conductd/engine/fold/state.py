"""What the journal says, folded into memory: one reducer for live running and for replay.

Owns the current picture: workspaces, files with their baselines and unjudged versions, open
plans, incidents, evidence. `State.apply` is the only way anything here changes, and it reads
nothing but the record it is given, so `fold(replay)` equals the live state. The one exception is
`FileTrack.stat` (see `saw`): what the file system said last is an observation, not history. The recorder
applies records after they are durable; other threads read under `State.lock`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from stat import S_ISREG

import msgspec

from conductd.core.comparing.examined import examined, falls
from conductd.core.judging.mass import counts
from conductd.core.losses.erosion import started_anew
from conductd.engine.fold import attribution, baselines, pin_tracks, undo_stack
from conductd.engine.fold.decided import Decided
from conductd.engine.fold.forgotten import Forgotten
from conductd.engine.fold.job_runs import JobRuns
from conductd.engine.fold.loads import Loads
from conductd.engine.fold.tracks import (
    SHAPE,
    FileTrack,
    OpenIncident,
    Seen,
    Shape,
    Snapshot,
    Undoable,
    WorkspaceTrack,
    goes_on,
    is_damage,
    round_of,
    with_text,
)
from conductd.model import (
    NO_FALSE_ALARM,
    Action,
    Cause,
    ChangeRecord,
    DecisionRecord,
    EventClass,
    EventRecord,
    EvidenceRecord,
    FileStat,
    FileState,
    ForgetRecord,
    IncidentRecord,
    JobRunRecord,
    NoticeRecord,
    RepairDoneRecord,
    RepairPlanRecord,
    RequestRecord,
    Stored,
    VersionRecord,
    WorkspaceRecord,
)

ROUNDS_KEPT = 64
SINCE_KEPT = 512
INCIDENTS_KEPT = 1_000  # closed ones
DAY_NS = 86_400_000_000_000
NEVER_NS = 2**62
ASKED_FOR = frozenset({"restore", "undo", "accept"})  # purposes of a plan that a person had written

DESTRUCTIVE = frozenset(
    {
        EventClass.OVERWRITE,
        EventClass.SHRINK,
        EventClass.DELETION,
        EventClass.PARTIAL_WRITE,
        EventClass.PLACEHOLDER,
        EventClass.PINNED_LOSS,
        EventClass.LOST_UPDATE,
        EventClass.MASS_LOSS,
        EventClass.EXTERNAL_RESET,
    }
)


class State:
    """See the module. Not thread-safe by itself: hold `lock`."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.workspaces: dict[str, WorkspaceTrack] = {}
        self.files: dict[int, FileTrack] = {}
        self.by_path: dict[tuple[str, bytes], int] = {}
        self.incidents: dict[int, OpenIncident] = {}
        self.plans: dict[int, RepairPlanRecord] = {}
        self.undo: list[Undoable] = []
        self.evidence: list[EvidenceRecord] = []
        self.next_file = 1
        self.versions = 0
        self.coalesced = 0
        self.false_positives = 0
        self.decided = Decided()
        self.forgotten = Forgotten()
        self.loads = Loads()
        self.job_runs = JobRuns()
        self.last_seq = 0
        self.last_wall_ns = 0

    # ------------------------------------------------------------------ reading

    def workspace_at(self, root: bytes) -> WorkspaceTrack | None:
        return next((w for w in self.workspaces.values() if w.root == root), None)

    def track(self, workspace: str, path: bytes) -> FileTrack | None:
        number = self.by_path.get((workspace, path))
        return None if number is None else self.files[number]

    def files_of(self, workspace: str) -> list[FileTrack]:
        return [f for f in self.files.values() if f.workspace == workspace]

    def open_plan(self, file: int) -> tuple[int, RepairPlanRecord] | None:
        return next(((seq, p) for seq, p in self.plans.items() if p.file == file), None)

    # ------------------------------------------------------------------ changing

    @staticmethod
    def saw(file: FileTrack, state: FileState, stat: FileStat | None) -> None:
        """A file was read and holds what is recorded: its times and inode may be new. Not journaled; a start that
        knows an older stat only reads the file once more."""
        if state is not FileState.ABSENT:
            file.stat = stat

    def fold(self, records: Iterable[Stored]) -> State:
        for stored in records:
            self.apply(stored)
        return self

    def apply(self, stored: Stored) -> None:
        """Take one durable record into account. Order is by sequence only."""
        record = stored.record
        if isinstance(record, VersionRecord):
            self._version(stored, record)
            self.forgotten.take(stored)
        elif isinstance(record, ChangeRecord):
            self._change(stored, record)
        elif isinstance(record, IncidentRecord):
            self._incident(stored, record)
        elif isinstance(record, RepairPlanRecord):
            self.plans[stored.seq] = record
        elif isinstance(record, RepairDoneRecord):
            self._done(stored, record)
        elif isinstance(record, DecisionRecord):
            self._decision(record)
            self.decided.take(stored)
        elif isinstance(record, RequestRecord):
            self.decided.take(stored)
        elif isinstance(record, ForgetRecord | EventRecord):
            self.forgotten.take(stored)
            self.loads.take(stored)
        elif isinstance(record, EvidenceRecord):
            self.loads.take(stored)
            attribution.enter(self.evidence, record, self.track(record.workspace, record.path))
        elif isinstance(record, NoticeRecord):
            self._notice(record)
        elif isinstance(record, WorkspaceRecord):
            self._workspace(record)
            self.job_runs.take(stored)
        elif isinstance(record, JobRunRecord):
            self.job_runs.take(stored)
        self.last_seq = stored.seq
        self.last_wall_ns = stored.wall_ns

    def _workspace(self, record: WorkspaceRecord) -> None:
        track = self.workspaces.get(record.workspace)
        if track is None:
            track = WorkspaceTrack(record.workspace, record.root, record.mode)
            self.workspaces[record.workspace] = track
        track.root, track.mode, track.profile = record.root, record.mode, record.profile
        track.device, track.inode = record.device, record.inode
        track.capabilities = record.capabilities
        if record.fresh:
            for file in self.files_of(record.workspace):
                file.baseline, file.since, file.earlier, file.judged = None, [], [], None
                file.rounds, file.ledger, file.stood_down = [], [], False
                file.head, file.stat = None, None

    def _version(self, stored: Stored, record: VersionRecord) -> None:
        file = self.files.get(record.file)
        workspace = self.workspaces.get(record.workspace)
        if file is None:
            file = FileTrack(record.file, record.workspace, record.path)
            self.files[record.file] = file
            self.by_path[(record.workspace, record.path)] = record.file
            self.next_file = max(self.next_file, record.file + 1)
            if workspace:
                workspace.files += 1
        file.versions += 1
        self.versions += 1
        self.coalesced += record.coalesced
        if workspace:
            workspace.versions += 1
            workspace.last_change_ns = stored.wall_ns
        if record.cause is Cause.SWAPPED_OUT:
            return
        attribution.use_up(self.evidence, record)
        seen = Seen(
            stored.seq,
            record.state,
            stored.wall_ns,
            record.cause,
            record.digest,
            record.size,
            record.link_target,
            record.actor,
            inode=record.stat.inode if record.stat is not None else 0,
            leased=self.decided.lease(record.workspace, record.path, baselines.written_ns(stored, record)) is not None,
        )
        file.head = seen
        if record.state is not FileState.ABSENT or (file.stat is not None and not S_ISREG(file.stat.mode)):
            file.stat = record.stat
        if record.cause in (Cause.FIRST_SIGHT, Cause.REPAIR, Cause.RESTORE):
            baselines.rebase(file, seen)
        else:
            file.since.append(seen)
            if len(file.since) > SINCE_KEPT:
                file.since = with_text(file.since)  # what is not kept is in the journal
                chosen = examined(falls([s.size for s in file.since]), SINCE_KEPT // 2)
                file.since = [file.since[number] for number in chosen]

    def _change(self, stored: Stored, record: ChangeRecord) -> None:
        file = self.files.get(record.file)
        if file is None:
            return
        verdict = record.verdict
        judged = next((s for s in file.since if s.seq == record.version_seq), file.head)
        if verdict.event_class is EventClass.LOST_UPDATE:
            sides = str(verdict.facts.get("sides", "")).split(",")
            file.since = [msgspec.structs.replace(s, copied=True) if str(s.seq) in sides else s for s in file.since]
        if verdict.action in (Action.REVERT, Action.MERGE) and judged is not None:
            file.rounds.append(round_of(verdict, judged, stored.wall_ns))
            del file.rounds[:-ROUNDS_KEPT]
        if record.moves_baseline and judged is not None:
            if verdict.event_class in DESTRUCTIVE:
                judged = msgspec.structs.replace(judged, destructive=True)
            if is_damage(verdict) and not judged.actor.name.startswith("human:"):
                judged = msgspec.structs.replace(judged, damaged=True)
            if judged.cause is not Cause.REPAIR:
                baselines.learn(file, record, judged)
            baselines.rebase(file, judged)
        elif not record.moves_baseline:
            file.judged = (record.version_seq, stored.seq)
        if (known := self.incidents.get(record.incident or 0)) is not None:
            goes_on(known, verdict)
        workspace = self.workspaces.get(record.workspace)
        if workspace is not None:
            pin_tracks.changed(workspace.pins, record)
        if workspace is not None and counts(verdict):
            at = judged.at_ns if judged else stored.wall_ns
            workspace.losses = [x for x in workspace.losses if abs(at - x[0]) < 60_000_000_000][-64:]
            workspace.losses.append((at, file.id, record.incident or 0))

    def _incident(self, stored: Stored, record: IncidentRecord) -> None:
        number = stored.seq if record.incident is None else record.incident
        known = self.incidents.get(number)
        was_open = known is not None and known.record.state == "open"
        is_open = record.state == "open"
        if known is None:
            self._forget_old_incidents()
            self.incidents[number] = OpenIncident(number, stored.wall_ns, record)
        else:
            self.incidents[number] = msgspec.structs.replace(known, record=record)
        for file_id in record.files:
            file = self.files.get(file_id)
            if file is None:
                continue
            if known is None or file_id not in known.record.files:
                file.open_incidents += is_open
            else:
                file.open_incidents += int(is_open) - int(was_open)
            if record.action in (Action.REVERT, Action.MERGE):
                file.fight_incident = number
            if record.stood_down and not (known and known.record.stood_down):
                file.stood_down = True  # not again by what is told of it later: a person may have ended it

    def _forget_old_incidents(self) -> None:
        """Closed ones beyond the newest are in the index; memory keeps what can still matter."""
        if len(self.incidents) >= 2 * INCIDENTS_KEPT:
            closed = sorted(n for n, i in self.incidents.items() if i.record.state != "open")
            for number in closed[:-INCIDENTS_KEPT]:
                del self.incidents[number]

    def _done(self, stored: Stored, record: RepairDoneRecord) -> None:
        plan = self.plans.pop(record.plan, None)
        if plan is None or record.outcome != "applied":
            return
        file = self.files.get(plan.file)
        if file is not None and plan.judged_digest is None and plan.purpose == "repair":
            file.restored_ns = stored.wall_ns
        if file is not None and file.stood_down and plan.purpose in ASKED_FOR:
            file.stood_down, file.rounds = False, []
        if file is not None:
            self._rotated(stored, plan, file)
        undo_stack.enter(self.undo, record.plan, plan)

    def _rotated(self, stored: Stored, plan: RepairPlanRecord, file: FileTrack) -> None:
        """At most once a day unasked, and no more once a person undid it."""
        undone = next((u for u in reversed(self.undo) if u.plan == plan.undoes), None) if plan.undoes else None
        if undone is not None and plan.purpose == "undo" and undone.purpose == "rotate":
            file.rotate_after_ns = NEVER_NS
        elif plan.purpose == "rotate" or (undone is not None and file.rotate_after_ns == NEVER_NS):
            file.rotate_after_ns = stored.wall_ns + DAY_NS

    def _decision(self, record: DecisionRecord) -> None:
        self.false_positives += record.false_positive
        known = self.incidents.get(record.incident) if record.incident is not None else None
        if known is not None and record.false_positive:
            known.false_alarm = True
        if known is not None and known.false_alarm and record.detail == NO_FALSE_ALARM:
            known.false_alarm = False
            self.false_positives -= 1
        file = self.files.get(record.file) if record.file is not None else None
        workspace = self.workspaces.get(record.workspace)
        if workspace is not None:
            pin_tracks.decided(workspace.pins, record)
        if file is not None and record.detail == pin_tracks.FIRST_MARKS:
            file.marks_read = True
        if record.decision == "mode" and workspace is not None:
            workspace.decided = True
        if record.decision == "end" and workspace is not None:
            workspace.decided = False
        if record.decision == "undo" and file is not None:
            file.accepted -= set(record.accepted)
        if record.decision == "accept" and file is not None:
            file.accepted |= set(record.accepted)
            file.ledger = started_anew(file.ledger, frozenset(record.accepted))
            file.rounds, file.stood_down, file.judged = [], False, None
            file.fight_incident = None
        wanted = next((s for s in file.since if s.seq == record.version), None) if file is not None else None
        if file is not None and wanted is not None:
            file.rounds, file.stood_down = [], False
            baselines.rebase(file, wanted)

    def _notice(self, record: NoticeRecord) -> None:
        known = self.incidents.get(record.incident) if record.incident is not None else None
        if known is not None and record.event_class is not EventClass.DECISION:
            known.told = True

    # ------------------------------------------------------------------ checkpoints

    def dump(self) -> bytes:
        snapshot = Snapshot(
            SHAPE,
            list(self.workspaces.values()),
            list(self.files.values()),
            list(self.incidents.values()),
            list(self.plans.items()),
            self.undo,
            self.evidence,
            self.next_file,
            self.versions,
            self.coalesced,
            self.false_positives,
            self.last_seq,
            self.last_wall_ns,
            self.decided,
            self.forgotten,
            self.loads,
            self.job_runs,
        )
        return msgspec.msgpack.encode(snapshot)

    @classmethod
    def load(cls, data: bytes) -> State:
        """Raises msgspec.MsgspecError when the bytes are not a snapshot of this shape."""
        shape = msgspec.msgpack.decode(data, type=Shape).shape
        if shape != SHAPE:
            raise msgspec.ValidationError(f"a snapshot of shape {shape}, not {SHAPE}")
        snapshot = msgspec.msgpack.decode(data, type=Snapshot)
        state = cls()
        state.workspaces = {w.id: w for w in snapshot.workspaces}
        state.files = {f.id: f for f in snapshot.files}
        state.by_path = {(f.workspace, f.path): f.id for f in snapshot.files}
        state.incidents = {i.id: i for i in snapshot.incidents}
        state.plans = dict(snapshot.plans)
        state.undo, state.evidence = snapshot.undo, snapshot.evidence
        state.next_file, state.versions = snapshot.next_file, snapshot.versions
        state.coalesced, state.false_positives = snapshot.coalesced, snapshot.false_positives
        state.last_seq, state.last_wall_ns = snapshot.last_seq, snapshot.last_wall_ns
        state.decided, state.forgotten = snapshot.decided, snapshot.forgotten
        state.loads, state.job_runs = snapshot.loads, snapshot.job_runs
        return state
