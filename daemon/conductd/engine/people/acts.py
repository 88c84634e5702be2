"""What every act of a person is made of: finding the bytes, writing them, journaling what was decided.

Judge thread only, so that nothing here races with a repair. Used by `commands`, `undoing` and
`accepting`; decides nothing itself. Raises ConductdError.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Protocol

import msgspec

from conductd.core.reading.entries import entry_table
from conductd.engine.answering.repairing import Ended, Repairer, Write
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, OpenIncident, Seen, Undoable
from conductd.engine.gathering.content import Contents
from conductd.engine.recording.recorder import Recorder
from conductd.errors import ConductdError, ContentUnavailable, NotFound, Refused, StoreUnavailable
from conductd.journal.journal import Draft
from conductd.model import ChangeRecord, DecisionRecord, FileState, NoticeRecord, Stored
from conductd.views import PlanView, b64, shown

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


class Acts:
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

    # ------------------------------------------------------------------ finding

    def incident(self, number: int) -> OpenIncident:
        """As it is now: what was read before a write may have been overtaken by it."""
        with self._state.lock:
            known = self._state.incidents.get(number)
        if known is None:
            raise NotFound(f"no incident {number}", "conductd incidents --all")
        return known

    def known_incident(self, number: int | None) -> OpenIncident | None:
        with self._state.lock:
            return self._state.incidents.get(number) if number is not None else None

    def incidents(self) -> list[OpenIncident]:
        with self._state.lock:
            return list(self._state.incidents.values())

    def latest(self, incident: int) -> list[ChangeRecord]:
        """The newest change of each file of an incident."""
        newest: dict[int, ChangeRecord] = {}
        for record in self.changes(incident):
            newest.setdefault(record.file, record)
        return list(newest.values())

    def changes(self, incident: int) -> list[ChangeRecord]:
        """Every change of an incident, newest first."""
        records = (stored.record for stored in self._history.changes_of(incident))
        return [record for record in records if isinstance(record, ChangeRecord)]

    def done(self) -> list[Undoable]:
        """Every write that can be reversed, oldest first."""
        with self._state.lock:
            return list(self._state.undo)

    def file(self, number: int) -> FileTrack:
        with self._state.lock:
            return self._state.files[number]

    def track(self, workspace: str, path: bytes) -> FileTrack | None:
        with self._state.lock:
            return self._state.track(workspace, path)

    def version(self, seq: int) -> Seen | None:
        return self._history.version(seq)

    def content(self, seq: int) -> bytes:
        return self._contents.get(seq)

    def now(self, file: FileTrack) -> bytes | None:
        """What was last recorded of the file; None when it is absent, or not to be read."""
        return self._contents.of(self.head(file))

    def head(self, file: FileTrack) -> Seen | None:
        """What was last recorded of the file. Read once by who makes a text of it: it is another in a moment, and
        `write` is to hold for the one the text was made of."""
        with self._state.lock:
            return file.head

    def held(self, head: Seen | None) -> bytes | None:
        """The bytes of what `head` returned."""
        return self._contents.of(head)

    def bytes_of(self, seen: Seen) -> bytes | None:
        if seen.state is FileState.ABSENT:
            return None
        if seen.state is not FileState.FILE:
            raise ContentUnavailable(f"version {seen.seq} is {seen.state}: it has no bytes", "conductd log FILE")
        return self._contents.get(seen.seq)

    def by_digest(self, file: FileTrack, digest: bytes | None) -> bytes | None:
        if digest is None:
            return None
        with self._state.lock:
            known = self._contents.find(file, digest)
        seq = known.seq if known else self._history.version_with(file.id, digest)
        if seq is None:
            raise ContentUnavailable(
                f"the earlier content of {shown(file.path)} is not in the journal", "conductd verify"
            )
        return self._contents.get(seq)

    def standing(self, data: bytes | None) -> frozenset[bytes]:
        """The fingerprints of the entries of a text."""
        return frozenset() if data is None else frozenset(entry_table(data, self._repairer.key).places)

    def stands(self, number: int, seq: int) -> bool:
        """Whether the file holds what it held at that version."""
        owed, head = self._history.version(seq), self.file(number).head
        return owed is not None and head is not None and (owed.state, owed.digest) == (head.state, head.digest)

    def obstacle(self, file: FileTrack, target: bytes | None) -> ConductdError | None:
        """What forbids to write it as part of what is written all or not at all."""
        return self._repairer.obstacle(file, target)

    def set_of(self, size: int, earlier: Sequence[Undoable] = ()) -> int:
        """A number for plans that are undone together: of `earlier` ones that these complete; 0 for one alone."""
        known = next((u.set_id for u in reversed(earlier) if u.set_id), 0)
        if known or size < 2:
            return known
        with self._state.lock:
            return self._state.last_seq + 1

    # ------------------------------------------------------------------ writing

    def write(
        self,
        file: FileTrack,
        purpose: str,
        target: bytes | None,
        parents: tuple[int, ...],
        dry_run: bool,
        incident: int | None = None,
        undoes: int | None = None,
        set_id: int = 0,
        *,
        head: Seen | None,
    ) -> PlanView:
        """Make the file hold `target`, if it still is what ``head`` says: what the target was made of. The outcome is
        planned, applied or unchanged; all else is raised."""
        judged = head.digest if head and head.state is FileState.FILE else None
        if head is not None and head.state not in (FileState.FILE, FileState.ABSENT):
            raise Refused(f"{shown(file.path)} is {head.state}: it is not written over", "look at the path yourself")
        if self._recorder.down:
            raise StoreUnavailable("the store takes no writes: what stands in the file is not known", "conductd status")
        write = Write(file.id, purpose, judged, target, parents, incident, undoes, set_id)
        if dry_run:
            return self.view(file, write, Ended("planned"))
        if target is not None:
            self._repairer.make_parents(file)
        ended = self._repairer.carry_out(write)
        if ended.outcome == "busy":
            raise Refused(f"{shown(file.path)} cannot be written now: {ended.reason}", "try again in a moment")
        if ended.outcome == "refused":
            raise Refused(f"{shown(file.path)} cannot be written: {ended.reason}", "conductd show FILE@VERSION > COPY")
        if ended.outcome == "superseded":
            raise Refused(f"{shown(file.path)} changed in this moment", "look at it again, then repeat the command")
        if ended.outcome in _ERRORS:
            raise StoreUnavailable(f"nothing was written: {ended.reason}", "conductd status")
        return self.view(file, write, ended)

    def view(self, file: FileTrack, write: Write, ended: Ended) -> PlanView:
        head, gate = self.file(file.id).head, self._repairer.gate
        is_asked = gate is not None and ended.outcome in ("planned", "applied", "unchanged")
        effect = ended.provenance or (gate.effect(file, write.target).value if gate is not None and is_asked else "")
        return PlanView(
            plan=ended.plan,
            path=shown(file.path),
            path_b64=b64(file.path),
            from_digest=write.judged.hex() if write.judged else None,
            to_digest=hashlib.sha256(write.target).hexdigest() if write.target is not None else None,
            outcome=ended.outcome,
            method=ended.method,
            reason=ended.reason,
            version_seq=head.seq if head and ended.outcome == "applied" else None,
            provenance=effect,
            provenance_text=gate.words(file, effect) if gate is not None and effect else "",
        )

    # ------------------------------------------------------------------ deciding

    def decide(
        self,
        decision: str,
        file: FileTrack | None,
        incident: int | None,
        caller: Sequence[str],
        *,
        accepted: tuple[bytes, ...] = (),
        false_positive: bool = False,
        detail: str = "",
        settles: int | None = None,
        rule: str = "",
    ) -> None:
        """Journal it. `rule`: the one that was wrong, or whose loss was meant. `settles`: this version of the file is
        as it is wanted, so a verdict on it is void. An incident is a false alarm once, however often it is said."""
        known = self.known_incident(incident)
        record = DecisionRecord(
            decision,
            file.workspace if file else "",
            file.id if file else None,
            incident,
            tuple(caller),
            accepted,
            detail,
            false_positive and (known is None or not known.false_alarm),
            settles,
            file.path if file else b"",
            rule=rule,
        )
        self._recorder.write([Draft(record)])

    def change_incident(self, number: int, **changed: object) -> None:
        known = self.incident(number)
        self._recorder.write([Draft(msgspec.structs.replace(known.record, incident=number, **changed))])

    def close(self, number: int, state: str) -> None:
        """A person ended it, and with it a stand-down."""
        self.change_incident(number, state=state, debt=(), stood_down=False)

    def tell(self, notice: NoticeRecord) -> None:
        self._recorder.write([Draft(notice)])


def unjudged(file: FileTrack) -> int | None:
    """The version that stands in the file, when its judgement or its repair is still to come."""
    return file.since[-1].seq if file.since else None


def made_with(one: Undoable, done: Sequence[Undoable]) -> list[Undoable]:
    """Itself and the writes of its set, oldest first."""
    return [u for u in done if one.set_id and u.set_id == one.set_id] or [one]


def undo_command(nothing_written: bool, incident: int | None = None) -> str:
    """Named only where something was written: else it would undo what came before."""
    if nothing_written:
        return ""
    return "conductd undo" if incident is None else f"conductd undo {incident}"
