"""Answers files that were lost together: one incident, one notice, one undo for all of them.

A mass loss, or a directory that was removed with what it held. Each file keeps its own
class and action. Judge thread only.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec

from conductd.core.judging.mass import is_mass
from conductd.core.losses import pins
from conductd.core.policy import Policy
from conductd.core.provenance import worst
from conductd.engine.answering import endings, notices, written
from conductd.engine.answering.answers import BUSY_RETRY_NS, STORE_RETRY_NS, Answers
from conductd.engine.answering.judged import Again, Judged
from conductd.engine.answering.repairing import Repairer, Write
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, OpenIncident
from conductd.engine.recording.recorder import Recorder
from conductd.engine.workspaces import Workspaces
from conductd.errors import StoreUnavailable
from conductd.journal.journal import Draft
from conductd.model import UNKNOWN, Action, EventClass, IncidentRecord, Mode, Severity
from conductd.ports import Clock
from conductd.views import shown


class Together(NamedTuple):
    """Losses that are one. ``before``: files of the same loss that were answered one by one, when it was
    not yet known to be one; the notice names them too. ``joins``: the incident of this loss that there is
    already, for files that had to be left alone for longer."""

    event_class: EventClass
    members: Sequence[Judged]
    before: Sequence[int] = ()
    joins: OpenIncident | None = None

    @property
    def files(self) -> set[int]:
        return {one.file for one in self.members}


class Sets:
    """See the module."""

    def __init__(
        self,
        state: State,
        recorder: Recorder,
        repairer: Repairer,
        workspaces: Workspaces,
        answers: Answers,
        policy: Policy,
        clock: Clock,
    ) -> None:
        self._state, self._recorder, self._repairer = state, recorder, repairer
        self._workspaces, self._answers = workspaces, answers
        self._policy, self._clock = policy, clock

    def take(self, policy: Policy) -> None:
        self._policy = policy

    def give(self, together: Together) -> dict[int, Again]:
        """Answer them; by file, those to come back to."""
        members = together.members
        try:
            return self._give(together)
        except StoreUnavailable:
            due = self._clock.mono_ns() + STORE_RETRY_NS
            return {judged.file: Again(due, "store") for judged in members}

    def together(self, workspace: str, losses: Sequence[Judged]) -> Together | None:
        """Those of the losses that are one."""
        by_git = [one for one in losses if one.verdict.event_class is EventClass.EXTERNAL_RESET]
        if len(by_git) > 1:
            return Together(EventClass.EXTERNAL_RESET, by_git)
        before = self._lost_before(workspace, losses)
        files = self._state.workspaces[workspace].files
        found = [(one.seen.at_ns, one.verdict) for one in losses]
        mass = [losses[n] for n in is_mass(found, files, self._policy.thresholds, [*before.values()])]
        if mass and len(mass) + len(before) > 1:
            joins = self._known(workspace, before)
            alone = tuple(file for file in before if joins is None or file not in joins.record.files)
            return Together(EventClass.MASS_LOSS, mass, alone, joins)
        with_parent = [one for one in losses if one.case.parent_missing]
        return Together(EventClass.DELETION, with_parent) if not mass and len(with_parent) > 1 else None

    def _lost_before(self, workspace: str, losses: Sequence[Judged]) -> dict[int, int]:
        """Other files of the workspace whose loss is answered already: when each was destroyed, if that was so
        lately that it may be one loss with these."""
        window = self._policy.thresholds.mass_window_ms * 1_000_000
        mine = {one.file for one in losses}
        with self._state.lock:
            answered = list(self._state.workspaces[workspace].losses)
        return {
            file: at_ns
            for at_ns, file, _ in answered
            if file not in mine and any(abs(one.seen.at_ns - at_ns) <= window for one in losses)
        }

    def _known(self, workspace: str, before: Collection[int]) -> OpenIncident | None:
        """The incident that some of the files were answered in together, unless a person has decided it since."""
        with self._state.lock:
            numbers = {number for _, file, number in self._state.workspaces[workspace].losses if file in before}
            known = [self._state.incidents[number] for number in numbers if number in self._state.incidents]
        same = [each for each in known if each.record.event_class is EventClass.MASS_LOSS and each.record.rounds == 1]
        live = [each for each in same if each.record.state in ("open", "resolved") and not each.record.why]
        return max(live, key=lambda each: each.id, default=None)

    def is_alone(self, judged: Judged) -> bool:
        """A file somebody destroys again and again is answered alone, with its back-off; so is one whose
        verdict is on record and has an incident already, and one that gets back only what is pinned."""
        file = self._state.files[judged.file]
        answer = self._answers.next_answer(judged, file)
        in_part = pins.left_over(judged.verdict)
        return (
            in_part or self._answers.is_answered(judged, file) or answer.loop or answer.stand_down or answer.wait_ns > 0
        )

    def _give(self, together: Together) -> dict[int, Again]:
        members = together.members
        files = [self._state.files[judged.file] for judged in members]
        writes = [self._is_written(judged, file) for judged, file in zip(members, files, strict=True)]
        number = self._open(together, files, writes)
        again: dict[int, Again] = {}
        back: list[int] = []
        effects: dict[int, str] = {}
        for judged, file, is_written in zip(members, files, writes, strict=True):
            if not is_written:
                continue
            target = judged.target(self._policy)
            parents = written.parents(judged)
            write = Write(file.id, "repair", judged.seen.digest, target, parents, number, set_id=number)
            ended = self._repairer.carry_out(write)
            if ended.again or ended.outcome == "superseded":
                again[file.id] = Again(self._clock.mono_ns() + BUSY_RETRY_NS, ended.outcome)
            elif ended.outcome == "refused":
                self._answers.refuse(judged, file, ended.reason)
            else:
                back.append(file.id)
                effects[file.id] = ended.provenance
        known = self._state.incidents[number]
        effect = worst(effects.values())
        paid = [Draft(msgspec.structs.replace(endings.paid(known, *back), provenance=effect))] if back else []
        told = endings.notice(self._state, known, together.before)
        harmed = (
            (self._state.files[each], self._answers.words(self._state.files[each], effects[each])) for each in back
        )
        words = "; ".join(f"{shown(file.path)}: {said}" for file, said in harmed if said)
        # Files that come later to a set of which a person knows, and are put back, are no news.
        quiet = together.joins is not None and known.told and not together.before and len(back) == len(members)
        news = [] if quiet and not words else [Draft(notices.gated(told, words))]
        self._recorder.write([*news, *paid])
        return again

    def _is_written(self, judged: Judged, file: FileTrack) -> bool:
        wanted = judged.verdict.action in (Action.REVERT, Action.MERGE)
        return wanted and self._workspaces.mode(file) is Mode.PROTECT

    def _open(self, together: Together, files: Sequence[FileTrack], writes: Sequence[bool]) -> int:
        """One incident for all of them, or the one there is, grown. Returns its number."""
        members, joins = together.members, together.joins
        is_written = any(writes)

        def compose(first: int) -> list[Draft]:
            seq = first if joins is None else joins.id
            record = msgspec.structs.replace(
                written.incident(members[0], files[0], why=""),
                event_class=together.event_class,
                writer=_common_writer(members),
                severity=_severity(members, is_written=is_written),
                action=Action.REVERT if is_written else Action.PROPOSE,
                files=tuple(file.id for file in files),
                debt=tuple((each.file, each.case.baseline.seq) for each in members if each.case.baseline),
            )
            if joins is not None:
                record = _grown(joins, record)
            changes = [
                Draft(written.change(self._state, judged, seq, moves=not one_written))
                for judged, one_written in zip(members, writes, strict=True)
            ]
            return [Draft(record), *changes]

        first = self._recorder.compose(compose)[0].seq
        return first if joins is None else joins.id


def _grown(known: OpenIncident, more: IncidentRecord) -> IncidentRecord:
    """The incident with the files that turned out to belong to it."""
    record, news = known.record, set(more.files)
    is_written = Action.REVERT in (record.action, more.action)
    return msgspec.structs.replace(
        more,
        incident=known.id,
        writer=record.writer if record.writer == more.writer else UNKNOWN.name,
        severity=Severity.ALARM if is_written else Severity.NOTICE,
        action=Action.REVERT if is_written else Action.PROPOSE,
        files=(*(file for file in record.files if file not in news), *more.files),
        debt=(*(owed for owed in record.debt if owed[0] not in news), *more.debt),
    )


def _common_writer(members: Sequence[Judged]) -> str:
    writers = {one.seen.actor.name for one in members}
    return writers.pop() if len(writers) == 1 else UNKNOWN.name


def _severity(members: Sequence[Judged], *, is_written: bool) -> Severity:
    """Quiet when each of them is."""
    if is_written:
        return Severity.ALARM
    return Severity.INFO if all(one.verdict.severity is Severity.INFO for one in members) else Severity.NOTICE
