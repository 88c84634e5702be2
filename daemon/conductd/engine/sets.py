"""Answers files that were lost together: one incident, one notice, one undo for all of them.

A mass loss, or a directory that was removed with what it held. Each file keeps its own
class and action. Judge thread only.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from conductd.core.outcome import target as target_of
from conductd.core.policy import Policy
from conductd.engine import endings, notices
from conductd.engine.answers import BUSY_RETRY_NS, STORE_RETRY_NS, Again, Answers, Judged
from conductd.engine.recorder import Recorder
from conductd.engine.repairing import Repairer, Write
from conductd.engine.state import State
from conductd.engine.tracks import FileTrack
from conductd.engine.workspaces import Workspaces
from conductd.errors import StoreUnavailable
from conductd.journal.journal import Draft
from conductd.model import Action, EventClass, Mode, Severity
from conductd.ports import Clock


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

    def give(self, members: Sequence[Judged], event_class: EventClass) -> dict[int, Again]:
        """Answer them; by file, those to come back to."""
        try:
            return self._give(members, event_class)
        except StoreUnavailable:
            due = self._clock.mono_ns() + STORE_RETRY_NS
            return {judged.file: Again(due, "store") for judged in members}

    def is_fought_over(self, judged: Judged) -> bool:
        """A file somebody destroys again and again is answered alone, with its back-off."""
        answer = self._answers.next_answer(judged, self._state.files[judged.file])
        return answer.loop or answer.stand_down or answer.wait_ns > 0

    def _give(self, members: Sequence[Judged], event_class: EventClass) -> dict[int, Again]:
        files = [self._state.files[judged.file] for judged in members]
        writes = [self._is_written(judged, file) for judged, file in zip(members, files, strict=True)]
        number = self._open(members, files, writes, event_class)
        again: dict[int, Again] = {}
        back: list[int] = []
        alone: list[int] = []  # refused: in an incident of their own
        for judged, file, is_written in zip(members, files, writes, strict=True):
            if not is_written:
                continue
            target = target_of(judged.case, judged.verdict, self._policy)
            parents = self._answers.parents(judged)
            write = Write(file.id, "repair", judged.seen.digest, target, parents, number, set_id=number)
            ended = self._repairer.carry_out(write)
            if ended.again or ended.outcome == "superseded":
                again[file.id] = Again(self._clock.mono_ns() + BUSY_RETRY_NS, ended.outcome)
            elif ended.outcome == "refused":
                self._answers.refuse(judged, file, ended.reason, alone=True)
                alone.append(file.id)
            else:
                back.append(file.id)
        self._close(files, number, back, alone, len(again))
        return again

    def _is_written(self, judged: Judged, file: FileTrack) -> bool:
        wanted = judged.verdict.action in (Action.REVERT, Action.MERGE)
        return wanted and self._workspaces.mode(file) is Mode.PROTECT

    def _open(
        self, members: Sequence[Judged], files: Sequence[FileTrack], writes: Sequence[bool], event_class: EventClass
    ) -> int:
        is_written = any(writes)

        def compose(seq: int) -> list[Draft]:
            record = msgspec.structs.replace(
                self._answers.incident(members[0], files[0], why=""),
                event_class=event_class,
                severity=Severity.ALARM if is_written else Severity.NOTICE,
                action=Action.REVERT if is_written else Action.PROPOSE,
                files=tuple(file.id for file in files),
                debt=tuple((each.file, each.case.baseline.seq) for each in members if each.case.baseline),
            )
            changes = [
                Draft(self._answers.change(judged, seq, moves=not written))
                for judged, written in zip(members, writes, strict=True)
            ]
            return [Draft(record), *changes]

        return self._recorder.compose(compose)[0].seq

    def _close(
        self, files: Sequence[FileTrack], number: int, back: Sequence[int], alone: Sequence[int], later: int
    ) -> None:
        offered = len(files) - len(back) - later
        counts = ((len(back), "put back"), (later, "to be put back"), (offered, "left as they are and offered back"))
        done = ", ".join(f"{count if count < len(files) else 'all'} {what}" for count, what in counts if count)
        known = self._state.incidents[number]
        drafts = [Draft(endings.paid(known, *back, *alone))] if back or alone else []
        paths = tuple(file.path for file in files)
        drafts.append(Draft(notices.several(known.record, paths, number, done)))
        self._recorder.write(drafts)
