"""What a person may ask that writes: restore, bringing back what an incident lost, undo, accept.

Called on the judge thread, so that it never races with a repair. Every write is journaled like a
repair and can itself be undone. Raises ConductdError; decides nothing about losses.
"""

from __future__ import annotations

from collections.abc import Sequence

from conductd.core.comparing.change import compare
from conductd.core.losses.conflict_copy import merged_copy, originals
from conductd.core.merging.merge import merge_missing
from conductd.core.merging.offer import offered
from conductd.core.policy import Thresholds
from conductd.core.reading.entries import entry_table
from conductd.engine.answering import endings, eroding
from conductd.engine.answering.repairing import Repairer
from conductd.engine.answering.together import Together
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, OpenIncident, Seen, Undoable
from conductd.engine.gathering.content import Contents
from conductd.engine.people.accepting import Accepting
from conductd.engine.people.acts import Acts, History, undo_command, unjudged
from conductd.engine.people.undoing import Undoing
from conductd.engine.recording.recorder import Recorder
from conductd.errors import ConductdError, ContentUnavailable
from conductd.model import Action, ChangeRecord, EventClass, FileState, SmallLoss, Span
from conductd.views import DidView, PlanView, shown

__all__ = ["Commands", "History"]


class Commands:
    """See the module."""

    def __init__(
        self,
        state: State,
        recorder: Recorder,
        repairer: Repairer,
        contents: Contents,
        history: History,
        together: Together,
    ) -> None:
        self._acts = Acts(state, recorder, repairer, contents, history)
        self._undoing, self._accepting = Undoing(self._acts, together), Accepting(self._acts)

    def undo(
        self, incident: int | None, caller: tuple[str, ...], dry_run: bool, only: Sequence[int] | None = None
    ) -> DidView:
        return self._undoing.undo(incident, caller, dry_run, only)

    def newest_to_undo(self, incident: int | None) -> list[int]:
        """The plans that an undo would reverse now."""
        return self._undoing.newest(incident)

    def accept(
        self, incident: int | None, only: FileTrack | None, caller: tuple[str, ...], dry_run: bool = False
    ) -> DidView:
        return self._accepting.accept(incident, only, caller, dry_run)

    def accepting(self, incident: int, file: int | None) -> list[str]:
        """What accepting would do to each file, one line each. Any thread; raises Busy."""
        return self._accepting.shows(incident, file)

    def newest_to_accept(self, file: FileTrack) -> int:
        """The incident that accepting a file means. Any thread."""
        return self._accepting.newest(file)

    # ------------------------------------------------------------------ a version

    def head(self, file: FileTrack) -> Seen | None:
        """What stands in the file now: read once, before what is to become of it is decided. Any thread."""
        return self._acts.head(file)

    def takes_away(self, head: Seen | None, wanted: Seen) -> int | None:
        """How many entries that stand in the file are not in that version; None when all that stands there goes.
        Any thread."""
        now, then = self._acts.held(head), self._acts.bytes_of(wanted)
        if now is None:
            return 0
        if then is None:
            return None
        before, after = entry_table(now, b""), entry_table(then, b"")
        return len(compare(before, after, (), Thresholds()).lost)

    def restore(
        self,
        file: FileTrack,
        wanted: Seen,
        caller: tuple[str, ...],
        dry_run: bool,
        set_id: int = 0,
        *,
        head: Seen | None,
    ) -> DidView:
        """Make the file what it was at a version (absence included), whatever verdict on it waits; if it still is
        what ``head`` says."""
        target = self._acts.bytes_of(wanted)
        waited = file.judged is not None or file.stood_down
        plan = self._acts.write(file, "restore", target, (wanted.seq,), dry_run, set_id=set_id, head=head)
        if not dry_run:
            settles = unjudged(file) if plan.outcome == "unchanged" else None
            self._acts.decide("restore", file, None, caller, detail=f"to {wanted.seq}", settles=settles)
            self._settle(file, wanted, waited)
        text = f"{shown(file.path)} {_words(plan)} version {wanted.seq}"
        return DidView(text, [plan], undo_command(plan.outcome != "applied"))

    def redact(self, file: FileTrack, target: bytes, caller: tuple[str, ...], head: Seen | None) -> PlanView:
        """Take what is forgotten out of a file that holds it now, and was ``head`` when that was found. Undoing it
        brings nothing back."""
        plan = self._acts.write(file, "restore", target, (head.seq,) if head else (), False, head=head)
        self._acts.decide("forget", file, None, caller)
        return plan

    def _settle(self, file: FileTrack, wanted: Seen, waited: bool) -> None:
        """End what was open about the file and is decided with this: a repair that waits, a stand-down, a
        hold, and whatever was owed and stands there again."""
        for each in self._acts.incidents():
            if each.record.state != "open" or file.id not in each.record.files:
                continue
            owed = dict(each.record.debt).get(file.id)
            if owed is not None and self._acts.stands(file.id, owed):
                why = ""
            elif (waited and each.id == file.fight_incident) or each.record.action is Action.HOLD:
                why = f"decided by a person: version {wanted.seq} was restored"
            else:
                continue
            record = endings.paid(each, file.id)
            self._acts.change_incident(each.id, state=record.state, debt=record.debt, stood_down=False, why=why)

    # ------------------------------------------------------------------ what an incident lost

    def bring_back(self, number: int, caller: tuple[str, ...], dry_run: bool) -> DidView:
        """Put back only what an incident lost, keeping everything that was written since.

        Where a file cannot be written now the others are, and the same command again brings back what is
        left. Raises the first error then.
        """
        incident = self._acts.incident(number)
        if incident.record.event_class is EventClass.PIN_HIDDEN:
            hint = "conductd load FILE shows what its agent sees of it, and what to move"
            raise ContentUnavailable(f"nothing was lost by incident {number}: its entries are in the file", hint)
        lost = {change.file: change for change in self._acts.latest(number)}
        eroded = eroding.small_losses(self._acts.changes(number))
        kept = _owed(incident, lost)
        copies = self._aimed(kept, lost)
        set_id = self._acts.set_of(len(kept), _unfinished(self._acts.done(), incident))
        plans: list[PlanView] = []
        failed: list[ConductdError] = []
        back: list[int] = []
        for each, seq in kept.items():
            try:
                file = self._acts.file(each)
                head = self._acts.head(file)
                target = self._whole(self._acts.held(head), seq, lost.get(each), eroded.get(each))
                plan = self._acts.write(file, "restore", target, (seq,), dry_run, number, set_id=set_id, head=head)
                plans.append(plan)
            except ConductdError as error:
                failed.append(error)
                continue
            back.append(each)
            if not dry_run:
                is_whole = plans[-1].outcome == "unchanged" and file.fight_incident == number
                self._acts.decide("restore", file, number, caller, settles=unjudged(file) if is_whole else None)
        if not kept:
            raise ContentUnavailable(f"nothing of incident {number} can be brought back", "conductd verify")
        if back and not dry_run:
            ended = endings.paid(self._acts.incident(number), *back, *copies)
            state = ended.state if failed else "resolved"
            self._acts.change_incident(number, state=state, debt=ended.debt, stood_down=False, why="")
        if failed:
            raise failed[0]
        said = "would be back" if dry_run else "is back"
        written = any(plan.outcome == "applied" for plan in plans)
        return DidView(f"incident {number}: what was lost {said}", plans, undo_command(not written, number))

    def _aimed(self, kept: dict[int, int], lost: dict[int, ChangeRecord]) -> list[int]:
        """What a conflict copy has goes to the file that it is a copy of. Returns the copies."""
        copies = [change for change in lost.values() if change.verdict.event_class is EventClass.CONFLICT_COPY]
        for change in copies:
            kept.pop(change.file, None)
            tracks = (self._acts.track(change.workspace, name) for name in originals(change.path))
            original = next((track for track in tracks if track is not None), None)
            if original is not None:
                kept[original.id], lost[original.id] = change.version_seq, change
        return [change.file for change in copies]

    def _whole(self, now: bytes | None, seq: int, change: ChangeRecord | None, eroded: list[SmallLoss] | None) -> bytes:
        """What stands in the file, with what was lost back in it."""
        if now is None:
            return self._acts.content(seq)
        if eroded is not None:
            return eroding.put_back(now, eroded, self._acts.content)
        base = self._acts.content(seq)
        if change is None:
            return merge_missing(base, now)
        if change.verdict.event_class is EventClass.CONFLICT_COPY:
            return merged_copy(now, base)
        return offered(change.verdict.rule, base, now, _lost(change), self._judged(change))

    def _judged(self, change: ChangeRecord) -> bytes | None:
        seen = self._acts.version(change.version_seq)
        return self._acts.bytes_of(seen) if seen is not None and seen.state is FileState.FILE else None


def _owed(incident: OpenIncident, lost: dict[int, ChangeRecord]) -> dict[int, int]:
    """By file, the version that holds what is still lost, or was."""
    return dict(incident.record.debt) or {n: c.baseline_seq for n, c in lost.items() if c.baseline_seq is not None}


def _unfinished(done: list[Undoable], incident: OpenIncident) -> list[Undoable]:
    """What was brought back already by a command that could not write every file."""
    mine = [u for u in done if u.incident == incident.id]
    owed = {file for file, _ in incident.record.debt}
    return mine[-1:] if mine and owed and mine[-1].purpose == "restore" and mine[-1].file not in owed else []


def _words(plan: PlanView) -> str:
    said = {"applied": "is again", "unchanged": "is already", "planned": "would be again"}
    return said.get(plan.outcome, f"is {plan.outcome}:")


def _lost(change: ChangeRecord) -> tuple[Span, ...] | None:
    """The places that were lost; None, all that is not there, where the record does not name them all."""
    verdict = change.verdict
    unnamed = verdict.rule == "too-large" or verdict.facts.get("places_left_out")
    return None if unnamed else verdict.change.lost
