"""What a person may ask that writes: restore, undo, accept, bringing back what an incident lost.

Called on the judge thread, so that it never races with a repair. Every write is journaled like a
repair and can itself be undone. Raises ConductdError; decides nothing about losses.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Protocol

import msgspec

from conductd.core.merge import merge_missing, three_way
from conductd.engine import notices
from conductd.engine.content import Contents
from conductd.engine.recorder import Recorder
from conductd.engine.repairing import Ended, Repairer, Write
from conductd.engine.state import State
from conductd.engine.tracks import FileTrack, OpenIncident, Seen, Undoable
from conductd.errors import ConductdError, ContentUnavailable, NotFound, Refused, StoreUnavailable
from conductd.journal.journal import Draft
from conductd.model import Action, ChangeRecord, DecisionRecord, FileState, Stored
from conductd.views import DidView, PlanView, b64, shown

_ERRORS: dict[str, type[ConductdError]] = {"store": StoreUnavailable, "no_space": StoreUnavailable}


class History(Protocol):
    """What left memory long ago, from the index."""

    def changes_of(self, incident: int) -> Sequence[Stored]:
        """The change records of an incident, newest first."""
        ...

    def version(self, seq: int) -> Seen | None: ...

    def version_with(self, file: int, digest: bytes) -> int | None:
        """The sequence of the newest version of a file with this content."""
        ...


class Commands:
    """See the module."""

    def __init__(
        self,
        state: State,
        recorder: Recorder,
        repairer: Repairer,
        contents: Contents,
        history: History,
    ) -> None:
        self._state, self._recorder, self._repairer = state, recorder, repairer
        self._contents, self._history = contents, history

    # ------------------------------------------------------------------ restore

    def restore(self, file: FileTrack, wanted: Seen, caller: tuple[str, ...], dry_run: bool) -> DidView:
        """Make the file what it was at a version (absence included)."""
        target = self._bytes(wanted)
        plan = self._write(file, "restore", target, (wanted.seq,), dry_run)
        self._decide("restore", file, None, caller, dry_run, detail=f"to {wanted.seq}")
        return DidView(
            f"{shown(file.path)} {_words(plan)} version {wanted.seq}", [plan], _undo(plan.outcome != "applied")
        )

    def bring_back(self, incident: OpenIncident, caller: tuple[str, ...], dry_run: bool) -> DidView:
        """Put back only what an incident lost, keeping everything that was written since."""
        plans: list[PlanView] = []
        failed: list[ConductdError] = []
        lost = {change.file: change for change in self._latest(incident)}
        kept = dict(incident.record.debt) or {n: c.baseline_seq for n, c in lost.items() if c.baseline_seq}
        set_id = self._new_set(len(kept))
        for number, seq in kept.items():
            file, change = self._file(number), lost.get(number)
            base, now = self._contents.get(seq), self._contents.of(file.head)
            target = base if now is None else merge_missing(base, now, change.verdict.change.lost if change else None)
            try:
                plans.append(self._write(file, "restore", target, (seq,), dry_run, incident.id, set_id=set_id))
            except ConductdError as error:
                failed.append(error)
        if failed:
            # The others are back; the same command again brings back what is left.
            raise failed[0]
        if not plans:
            raise ContentUnavailable(f"nothing of incident {incident.id} can be brought back", "conductd verify")
        if not dry_run:
            self._close(incident, "resolved")
            self._decide("restore", None, incident.id, caller, dry_run)
        back = "would be back" if dry_run else "is back"
        return DidView(f"incident {incident.id}: what was lost {back}", plans, _undo(dry_run))

    # ------------------------------------------------------------------ undo

    def undo(self, caller: tuple[str, ...], dry_run: bool) -> DidView:
        """Reverse the last write of the daemon, whatever asked for it; undoing twice is redoing.

        Files written together are reversed together. Where one of them cannot be written now the others
        are, and the same command again reverses what is left. Raises the first error then.
        """
        together, set_id = self._to_reverse()
        plans: list[PlanView] = []
        failed: list[ConductdError] = []
        for each in reversed(together):
            try:
                change = self._change_behind(each)
                plans.append(self._reverse(each, dry_run, set_id))
            except ConductdError as error:
                failed.append(error)
                continue
            if not dry_run:
                self._follow(each, change, caller)
        if failed:
            raise failed[0]
        names = ", ".join(plan.path for plan in plans)
        done = "would be undone" if dry_run else "undone"
        return DidView(f"{done}: {together[-1].purpose} of {names}", plans, _undo(dry_run))

    def _to_reverse(self) -> tuple[list[Undoable], int]:
        """The last write with those made together with it, and the set their reversal is; or what an
        unfinished undo has left."""
        with self._state.lock:
            stack = list(self._state.undo)
        if not stack:
            raise NotFound("there is nothing to undo", "conductd log")
        together = _made_with(stack[-1], stack)
        reversed_ = next((u for u in stack if u.plan == stack[-1].undoes), None)
        if reversed_ is not None:
            done = {u.undoes for u in together}
            left = [u for u in _made_with(reversed_, stack) if u.plan not in done]
            if left:
                return left, stack[-1].set_id
        return together, self._new_set(len(together))

    def _change_behind(self, done: Undoable) -> ChangeRecord | None:
        """The newest change of the file in the incident that the write belongs to."""
        with self._state.lock:
            incident = self._state.incidents.get(done.incident) if done.incident is not None else None
        return next((c for c in self._latest(incident) if c.file == done.file), None) if incident else None

    def _follow(self, done: Undoable, change: ChangeRecord | None, caller: tuple[str, ...]) -> None:
        """What was decided with a write is taken back, or stands again, with it."""
        with self._state.lock:
            known = {u.plan: u for u in self._state.undo}
            incident = self._state.incidents.get(done.incident) if done.incident is not None else None
        first, takes_back = done, True
        while first.undoes in known:
            first, takes_back = known[first.undoes], not takes_back
        file = self._file(done.file)
        lost = tuple(span.fingerprint for span in change.verdict.change.lost) if change else ()
        if first.purpose == "accept" and not takes_back:
            self._decide("accept", file, done.incident, caller, False, accepted=lost)
        else:
            uncovered = lost if first.purpose == "accept" else ()
            false_positive = first.purpose == "repair" and takes_back
            self._decide("undo", file, done.incident, caller, False, accepted=uncovered, false_positive=false_positive)
        if incident is None:
            return
        debt = dict(incident.record.debt)
        if first.purpose == "accept":
            self._close(incident, "resolved" if takes_back else "accepted")
        elif first.purpose == "restore" and takes_back and change is not None and change.baseline_seq is not None:
            debt[file.id] = change.baseline_seq
            self._write_incident(incident, state="open", debt=tuple(debt.items()))
        elif first.purpose == "restore" and not takes_back:
            debt.pop(file.id, None)
            self._write_incident(incident, state="open" if debt else "resolved", debt=tuple(debt.items()))
        elif first.purpose == "repair":
            self._write_incident(incident, why="undone: left as it was written" if takes_back else "")

    def _reverse(self, done: Undoable, dry_run: bool, set_id: int) -> PlanView:
        file = self._file(done.file)
        before = self._by_digest(file, done.before)
        now = self._contents.of(file.head)
        head = file.head.digest if file.head and file.head.state is FileState.FILE else None
        target = before
        if head != done.after and now is not None:
            # Written since: keep that, take back only our part.
            after = self._by_digest(file, done.after)
            target = three_way(after or b"", now, before or b"").data
        return self._write(file, "undo", target, (), dry_run, done.incident, undoes=done.plan, set_id=set_id)

    # ------------------------------------------------------------------ accept

    def accept(self, incident: OpenIncident, only: FileTrack | None, caller: tuple[str, ...]) -> DidView:
        """The loss was meant: put the accepted version back where it was repaired, cover its lost entries."""
        plans = []
        changes = [c for c in self._latest(incident) if only is None or c.file == only.id]
        set_id = self._new_set(len(changes))
        for change in changes:
            file = self._file(change.file)
            repaired = change.verdict.action in (Action.REVERT, Action.MERGE) and not change.moves_baseline
            lost = tuple(span.fingerprint for span in change.verdict.change.lost)
            self._decide("accept", file, incident.id, caller, False, accepted=lost, false_positive=repaired)
            accepted = self._history.version(change.version_seq)
            if not repaired or accepted is None:
                continue
            target = self._accepted_bytes(file, accepted, change)
            plans.append(self._write(file, "accept", target, (change.version_seq,), False, incident.id, set_id=set_id))
        accepted_files = {change.file for change in changes}
        debt = tuple(owed for owed in incident.record.debt if only is not None and owed[0] not in accepted_files)
        if debt:
            self._write_incident(incident, debt=debt)  # what the other files lost is still owed
        else:
            self._close(incident, "accepted")
        told = notices.weakened(f"the loss of incident {incident.id} is accepted", incident.record.workspace, caller)
        self._recorder.write([Draft(told)])
        written = any(plan.outcome == "applied" for plan in plans)
        return DidView(f"incident {incident.id} is accepted: it will not be repaired again", plans, _undo(not written))

    def _accepted_bytes(self, file: FileTrack, accepted: Seen, change: ChangeRecord) -> bytes | None:
        """The accepted version, merged with what was written after the repair."""
        wanted, now = self._bytes(accepted), self._contents.of(file.head)
        if wanted is None or now is None:
            return wanted
        with self._state.lock:
            repairs = [u for u in self._state.undo if u.incident == change.incident and u.file == file.id]
        put_back = next((u.after for u in reversed(repairs) if u.purpose == "repair"), None)
        if put_back is not None:
            repaired = self._by_digest(file, put_back)
        elif change.baseline_seq is not None:
            repaired = self._contents.get(change.baseline_seq)
        else:
            repaired = None
        return wanted if repaired is None else three_way(repaired, now, wanted).data

    # ------------------------------------------------------------------ parts

    def _latest(self, incident: OpenIncident) -> list[ChangeRecord]:
        """The newest change of each file of an incident."""
        newest: dict[int, ChangeRecord] = {}
        for stored in self._history.changes_of(incident.id):
            record = stored.record
            if isinstance(record, ChangeRecord):
                newest.setdefault(record.file, record)
        return list(newest.values())

    def _new_set(self, size: int) -> int:
        """A number for plans that are undone together; 0 for one alone."""
        with self._state.lock:
            return self._state.last_seq + 1 if size > 1 else 0

    def _file(self, number: int) -> FileTrack:
        with self._state.lock:
            return self._state.files[number]

    def _bytes(self, seen: Seen) -> bytes | None:
        if seen.state is FileState.ABSENT:
            return None
        if seen.state is not FileState.FILE:
            raise ContentUnavailable(f"version {seen.seq} is {seen.state}: it has no bytes", "conductd log FILE")
        return self._contents.get(seen.seq)

    def _by_digest(self, file: FileTrack, digest: bytes | None) -> bytes | None:
        if digest is None:
            return None
        with self._state.lock:
            known = [s for s in (file.head, file.baseline, *file.since, *file.earlier) if s and s.digest == digest]
        seq = known[0].seq if known else self._history.version_with(file.id, digest)
        if seq is None:
            raise ContentUnavailable(
                f"the earlier content of {shown(file.path)} is not in the journal", "conductd verify"
            )
        return self._contents.get(seq)

    def _write(
        self,
        file: FileTrack,
        purpose: str,
        target: bytes | None,
        parents: tuple[int, ...],
        dry_run: bool,
        incident: int | None = None,
        undoes: int | None = None,
        set_id: int = 0,
    ) -> PlanView:
        head = file.head
        judged = head.digest if head and head.state is FileState.FILE else None
        if head is not None and head.state not in (FileState.FILE, FileState.ABSENT):
            raise Refused(f"{shown(file.path)} is {head.state}: it is not written over", "look at the path yourself")
        if self._recorder.down:
            raise StoreUnavailable("the store takes no writes: what stands in the file is not known", "conductd status")
        write = Write(file.id, purpose, judged, target, parents, incident, undoes, set_id)
        if dry_run:
            return _plan(file, write, Ended("planned"), self._state)
        if target is not None:
            self._repairer.make_parents(file)
        ended = self._repairer.carry_out(write)
        if ended.outcome == "busy":
            raise Refused(f"{shown(file.path)} is open for writing: {ended.reason}", "try again in a moment")
        if ended.outcome == "refused":
            raise Refused(f"{shown(file.path)} cannot be written: {ended.reason}", "conductd show FILE@VERSION > COPY")
        if ended.outcome == "superseded":
            raise Refused(f"{shown(file.path)} changed in this moment", "look at it again, then repeat the command")
        if ended.outcome in _ERRORS:
            raise StoreUnavailable(f"nothing was written: {ended.reason}", "conductd status")
        return _plan(file, write, ended, self._state)

    def _decide(
        self,
        decision: str,
        file: FileTrack | None,
        incident: int | None,
        caller: Sequence[str],
        dry_run: bool,
        *,
        accepted: tuple[bytes, ...] = (),
        false_positive: bool = False,
        detail: str = "",
    ) -> None:
        if dry_run:
            return
        record = DecisionRecord(
            decision,
            file.workspace if file else "",
            file.id if file else None,
            incident,
            tuple(caller),
            accepted,
            detail,
            false_positive,
        )
        self._recorder.write([Draft(record)])

    def _close(self, incident: OpenIncident, state: str) -> None:
        self._write_incident(incident, state=state, debt=())

    def _write_incident(self, incident: OpenIncident, **changed: object) -> None:
        record = msgspec.structs.replace(incident.record, incident=incident.id, **changed)
        self._recorder.write([Draft(record)])


def _plan(file: FileTrack, write: Write, ended: Ended, state: State) -> PlanView:
    head = state.files[file.id].head
    target = hashlib.sha256(write.target).hexdigest() if write.target is not None else None
    return PlanView(
        plan=ended.plan,
        path=shown(file.path),
        path_b64=b64(file.path),
        from_digest=write.judged.hex() if write.judged else None,
        to_digest=target,
        outcome=ended.outcome,
        method=ended.method,
        reason=ended.reason,
        version_seq=head.seq if head and ended.outcome == "applied" else None,
    )


def _words(plan: PlanView) -> str:
    said = {"applied": "is again", "unchanged": "is already", "planned": "would be again"}
    return said.get(plan.outcome, f"is {plan.outcome}:")


def _made_with(one: Undoable, stack: Sequence[Undoable]) -> list[Undoable]:
    """Itself and the writes of its set, oldest first."""
    return [u for u in stack if one.set_id and u.set_id == one.set_id] or [one]


def _undo(nothing_written: bool) -> str:
    """Named only where something was written: else it would undo what came before."""
    return "" if nothing_written else "conductd undo"
