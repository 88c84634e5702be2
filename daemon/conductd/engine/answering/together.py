"""Writes into one workspace that are carried out all, or none: a set.

Every plan is in the journal, in one append with the decision behind it, before the first byte changes; then
each is written by compare-then-swap. What cannot be written any more takes back what the set wrote before it. A crash
leaves open plans, which `engine.recording.recovery` ends by the same rule. Judge thread only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

import msgspec
import structlog

from conductd.core.merging.standing import Taken, adds, is_safe, loses
from conductd.core.merging.taken_back import without
from conductd.engine.answering import notices
from conductd.engine.answering.repairing import Ended, Repairer, Write
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, Undoable
from conductd.engine.gathering.content import Contents
from conductd.engine.recording.recorder import Recorder
from conductd.errors import ConductdError, ContentUnavailable, StoreUnavailable
from conductd.journal.journal import Draft
from conductd.model import FileState, Record, RepairPlanRecord
from conductd.repair.killpoints import at as kill_point
from conductd.repair.temporary import new_temp_name
from conductd.views import shown

log = structlog.get_logger("sets")

ROLLBACK = "rollback"  # purpose of a write that takes back what a set could not finish; nobody undoes it


class SetEnded(NamedTuple):
    """How a set ended: one end for each write, in order. ``why``: nothing of it stands, and why; "" when all is done.
    ``left``: files where what the set wrote could not be taken back."""

    ends: list[Ended]
    why: str = ""
    left: tuple[FileTrack, ...] = ()
    again: bool = False  # trying later is right
    set_id: int = 0


class Together:
    """See the module."""

    def __init__(
        self,
        state: State,
        recorder: Recorder,
        repairer: Repairer,
        contents: Contents,
        version_with: Callable[[int, bytes], int | None],
    ) -> None:
        """`version_with(file, digest)`: a version of a file that memory may have forgotten, from the index."""
        self._state, self._recorder, self._repairer, self._contents = state, recorder, repairer, contents
        self._version_with = version_with

    def carry_out(self, writes: Sequence[Write], decision: Record) -> SetEnded:
        """Journal the decision and all plans, then write. Raises StoreUnavailable: nothing was begun."""
        prepared = [self._repairer.prepare(write) for write in writes]
        ends = [each if isinstance(each, Ended) else Ended("planned") for each in prepared]
        for write, end in zip(writes, ends, strict=True):
            if end.outcome not in ("planned", "unchanged"):
                return SetEnded(ends, f"{self._name(write.file)}: {end.reason}", again=end.again)
        todo = [(at, each) for at, each in enumerate(prepared) if not isinstance(each, Ended)]
        if not todo:
            return SetEnded(ends)
        planned = self._journal([each for _, each in todo], decision)
        kill_point("planned")
        for (at, _), (seq, plan, target) in zip(todo, planned, strict=True):
            if plan.judged_digest is None and plan.judged_link is None:
                self._repairer.make_parents(self._state.files[plan.file])
            ends[at] = self._repairer.carry_out_plan(seq, plan, target)
            kill_point("between")
            if ends[at].outcome != "applied":
                why = f"{self._name(plan.file)}: {ends[at].reason}"
                left = self.give_up(plan.set_id, why, [plan for _, plan, _ in planned])
                return SetEnded(ends, why, left, ends[at].again, plan.set_id)
        return SetEnded(ends, set_id=planned[0][1].set_id)

    def _journal(
        self, plans: Sequence[tuple[RepairPlanRecord, bytes | None]], decision: Record
    ) -> list[tuple[int, RepairPlanRecord, bytes | None]]:
        """Decision and plans in one append; the decision's sequence is the number of the set."""
        numbered: list[tuple[RepairPlanRecord, bytes | None]] = []

        def drafts(seq: int) -> list[Draft]:
            for plan, target in plans:
                makes = self._repairer.missing_parents(plan)
                given = msgspec.structs.replace(plan, set_id=plan.set_id or seq, whole=len(plans), makes=makes)
                numbered.append((given, target))
            return [Draft(decision), *(self._repairer.draft(plan, target) for plan, target in numbered)]

        stored = self._recorder.compose(drafts)[1:]
        return [(each.seq, plan, target) for each, (plan, target) in zip(stored, numbered, strict=True)]

    # ------------------------------------------------------------------ how far a set is

    def is_whole(self, set_id: int, with_open: int = 0) -> bool:
        """Whether all of it was written; `with_open`: or is, once so many plans that are open yet are."""
        with self._state.lock:
            wrote = [each for each in self._state.undo if each.set_id == set_id and each.whole]
            whole = {each.whole for each in wrote}
            whole |= {plan.whole for plan in self._state.plans.values() if plan.set_id == set_id}
        return len(wrote) + with_open >= max(whole, default=0)

    def half_done(self) -> dict[int, str]:
        """Sets of which something stands that was never made whole, by number; with the workspace."""
        with self._state.lock:
            undone = {each.undoes for each in self._state.undo}
            wrote = Counter(each.set_id for each in self._state.undo if each.whole)
            return {
                each.set_id: each.workspace
                for each in self._state.undo
                if each.whole > wrote[each.set_id] and each.plan not in undone
            }

    # ------------------------------------------------------------------ taking back

    def stuck(self) -> dict[int, str]:
        """Those that are half done and that nobody is at work on: to be taken back when that can be done."""
        with self._state.lock:
            at_work = {plan.set_id for plan in self._state.plans.values()}
        return {set_id: workspace for set_id, workspace in self.half_done().items() if set_id not in at_work}

    def try_again(self) -> None:
        """Take back what could not be taken back before; nobody is told again."""
        for set_id in self.stuck():
            self.give_up(set_id, "it was not finished", quiet=True)

    def give_up(
        self, set_id: int, why: str, plans: Sequence[RepairPlanRecord] = (), *, quiet: bool = False
    ) -> tuple[FileTrack, ...]:
        """End the plans of a set that are still open, and take back what it wrote; ``plans``: those of the set that
        are known, open or not. Returns the files where what it wrote stands still.

        What was added is taken away only where all of it stands elsewhere on disk: that a plan was superseded does
        not say that it was never written. Where that is not so the addition stays, and the set has ended in part.
        """
        ended = self._repairer.ends_in_hand()
        with self._state.lock:
            still_open = {seq: plan for seq, plan in self._state.plans.items() if plan.set_id == set_id}
            undone = {each.undoes for each in self._state.undo}
            of_set = [u for u in self._state.undo if u.set_id == set_id and u.whole]
        wrote = [each for each in of_set if each.plan not in undone]
        steps = {(plan.file, plan.judged_digest) for plan in (*plans, *still_open.values())}
        steps |= {(each.file, each.before) for each in of_set}
        for seq in sorted(still_open.keys() - ended.keys()):
            self._repairer.close_plan(seq, "abandoned", f"the set is not carried out: {why}")
        is_all = len(steps) >= max((each.whole for each in of_set), default=0)
        before = self._texts(steps) if is_all else None
        # Written, and no record says so yet: nothing can be planned against it, so it stands.
        stands = [seq for seq in still_open if ended.get(seq) == "applied"]
        left = [self._state.files[still_open[seq].file] for seq in sorted(stands)]
        kept: list[FileTrack] = []
        only_less: list[tuple[Undoable, Taken]] = []
        for each in reversed(wrote):
            file = self._state.files[each.file]
            taken = self._taken(each)
            if taken is None:
                left.append(file)
            elif each.before_link is not None:  # the text behind a link was never touched, what came since is only here
                if taken.target is not None:
                    kept.append(self._keep(each))
                elif not self._take_back(each):
                    left.append(file)
            elif not adds(taken) and loses(taken):
                only_less.append((each, taken))
            elif loses(taken) and not is_safe([taken], before, self._on_disk(each.workspace, {each.file})):
                kept.append(self._keep(each))
            elif not self._take_back(each):
                left.append(file)
        files = {each.file for each, _ in only_less}
        goes = [taken for _, taken in only_less]
        is_proven = not goes or is_safe(goes, before, self._on_disk(only_less[0][0].workspace, files))
        for each, _ in only_less:
            if not is_proven:
                kept.append(self._keep(each))
            elif not self._take_back(each):
                left.append(self._state.files[each.file])
        self._tell(set_id, kept, [] if quiet else left, why)
        log.info("a set of writes is given up", set=set_id, of=len(wrote), left=len(left), kept=len(kept), why=why)
        return tuple(kept + left)

    def _tell(self, set_id: int, kept: Sequence[FileTrack], left: Sequence[FileTrack], why: str) -> None:
        told = []
        if kept:
            told.append(notices.kept_in_part(kept[0].workspace, [file.path for file in kept], why))
        if left:
            gone = [each.path for each in left if each.head is None or each.head.state is FileState.ABSENT]
            stand = [each.path for each in left if each.path not in gone]
            told.append(notices.half_done(left[0].workspace, gone, stand, set_id, why))
        if told:
            with suppress(StoreUnavailable):
                self._recorder.write([Draft(each) for each in told])

    def _taken(self, each: Undoable) -> Taken | None:
        """What taking that write back makes of the file; None: that is not known."""
        file = self._state.files[each.file]
        with self._state.lock:
            head = file.head
        try:
            now, target, after = self._contents.of(head), self._bytes(file, each.before), self._bytes(file, each.after)
        except ConductdError:
            return None
        if now is not None and head is not None and head.digest != each.after:
            target = without(now, after, target)
        return Taken(now, target, after)

    def _texts(self, steps: set[tuple[int, bytes | None]]) -> list[bytes] | None:
        """What the files of a set held before it; None where that is not at hand."""
        try:
            found = [self._bytes(self._state.files[file], digest) for file, digest in sorted(steps, key=str)]
        except ConductdError:
            return None
        return [data for data in found if data is not None]

    def _on_disk(self, workspace: str, but: set[int]) -> Iterator[bytes]:
        """What the other files of the workspace hold now, as far as they can be read."""
        with self._state.lock:
            files = [each for each in self._state.files.values() if each.workspace == workspace and each.id not in but]
        for file in sorted(files, key=lambda each: each.head.at_ns if each.head is not None else 0, reverse=True):
            data = self._repairer.on_disk(file)
            if data is not None:
                yield data

    def _keep(self, each: Undoable) -> FileTrack:
        """Say of a write that it stays, though its set was not finished: nobody takes it back any more."""
        file = self._state.files[each.file]
        with self._state.lock:
            head = file.head
        digest = head.digest if head is not None and head.state is FileState.FILE else None
        plan = RepairPlanRecord(
            file.workspace, file.id, file.path, ROLLBACK, digest, digest, new_temp_name(), undoes=each.plan
        )
        with suppress(StoreUnavailable):  # the next start finds the same
            seq = self._recorder.write([Draft(plan)])[0].seq
            self._repairer.close_plan(seq, "applied", "kept: what it holds stands nowhere else on disk", "nothing")
        return file

    def _take_back(self, each: Undoable) -> bool:
        """Whether nothing of that write stands any more."""
        file = self._state.files[each.file]
        with self._state.lock:
            head = file.head
        stands = head.digest if head is not None and head.state is FileState.FILE else None
        link = head.link_target if head is not None and head.state is FileState.SYMLINK else None
        try:
            target = self._bytes(file, each.before)
            if (stands, link) != (each.after, each.after_link):
                now = self._contents.of(head)
                if now is None:
                    return True  # whoever came after it took it away, or put something else there
                if each.before_link is not None:
                    return False  # a link stood there: what was written since would be nowhere
                target = without(now, self._bytes(file, each.after), target)
        except ConductdError:
            return False
        taken_back = Write(
            file.id,
            ROLLBACK,
            stands,
            target,
            undoes=each.plan,
            judged_link=link,
            target_link=each.before_link if target is None else None,
        )
        return self._repairer.carry_out(taken_back).outcome in ("applied", "unchanged")

    def _bytes(self, file: FileTrack, digest: bytes | None) -> bytes | None:
        if digest is None:
            return None
        known = self._contents.find(file, digest)
        seq = known.seq if known is not None else self._version_with(file.id, digest)
        if seq is None:
            raise ContentUnavailable(f"the earlier content of {shown(file.path)} is not in the journal", "")
        return self._contents.get(seq)

    def _name(self, file: int) -> str:
        return shown(self._state.files[file].path)
