"""What a start does before anything is watched: fold the journal into a state, end open plans.

A plan without an end means that the daemon died in the middle of a repair. What stands on disk
tells how far it came: it is done, done again, or given up, and the end is journaled. Plans that belong
together are all done, or what was done of them is taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import structlog

from conductd.engine.answering.repairing import Repairer, Write
from conductd.engine.answering.together import Together
from conductd.engine.fold.state import State
from conductd.engine.gathering.content import Contents
from conductd.engine.recording.drafting import Observed
from conductd.engine.recording.recorder import Recorder
from conductd.engine.workspaces import Handle, Workspaces
from conductd.errors import ConductdError
from conductd.journal.journal import Journal
from conductd.model import Cause, RepairPlanRecord, Stored
from conductd.repair.recover import Recovery, Step, decide, inspect, remove_leftover
from conductd.watch.reader import observe

log = structlog.get_logger("recovery")


LOOK_EVERY = 1_000  # records, between two looks whether to go on


def open_state(journal: Journal, go_on: Callable[[], None] = lambda: None) -> State:
    """The state after the last durable record: newest checkpoint, then what came after it. `go_on` is called now and
    then; it raises to end this."""
    state = State()
    found = journal.latest_checkpoint()
    if found is not None:
        try:
            state = State.load(found[1])
        except msgspec.MsgspecError as error:
            # Another shape (older or newer): the journal is the truth, reading all of it only takes longer.
            log.warning("the checkpoint cannot be read; reading the whole journal", error=str(error))
            state = State()
    return state.fold(_with_looks(journal.replay(state.last_seq), go_on))


def _with_looks(records: Iterator[Stored], go_on: Callable[[], None]) -> Iterator[Stored]:
    for number, record in enumerate(records):
        if number % LOOK_EVERY == 0:
            go_on()
        yield record


class PlanEnder:
    """Ends the plans that a crash left open: at start on the main thread, before the judge runs; later on the judge's,
    when a workspace that was away is back."""

    def __init__(
        self,
        state: State,
        journal: Journal,
        contents: Contents,
        recorder: Recorder,
        workspaces: Workspaces,
        repairer: Repairer,
        together: Together,
    ) -> None:
        self._state, self._journal, self._contents = state, journal, contents
        self._recorder, self._workspaces, self._repairer = recorder, workspaces, repairer
        self._together = together

    def end_all(self) -> None:
        """All but those of a root that is away: what they left there can only be looked at when it is back."""
        for seq, plan in self._open():
            handle = self._workspaces.handle(plan.workspace)
            if handle is None:
                self._repairer.close_plan(seq, "superseded", "the workspace is not watched any more")
                continue
            with handle.opened() as root:
                if root is not None and not plan.whole:
                    self._end(seq, plan, handle, root)
        for set_id, workspace in self._unfinished_sets():
            handle = self._workspaces.handle(workspace)
            if handle is not None:
                self._end_set(set_id, handle, carry_out=True)

    def end_late(self, handle: Handle, begun_before: int) -> None:
        """The plans of a root that was away, up to this sequence. None of them is carried out: they were made for
        another day, and what stands there is judged anew."""
        with handle.opened() as root:
            for seq, plan in self._open():
                if plan.workspace == handle.id and seq <= begun_before and root is not None and not plan.whole:
                    self._end(seq, plan, handle, root, carry_out=False)
        for set_id, workspace in self._unfinished_sets():
            if workspace == handle.id and set_id <= begun_before:
                self._end_set(set_id, handle, carry_out=False)

    # ------------------------------------------------------------------ sets

    def _unfinished_sets(self) -> list[tuple[int, str]]:
        """Number and workspace of those that are neither wholly carried out nor wholly taken back."""
        with self._state.lock:
            found = {plan.set_id: plan.workspace for plan in self._state.plans.values() if plan.whole}
            found.update(self._together.half_done())
        return sorted(found.items())

    def _end_set(self, set_id: int, handle: Handle, *, carry_out: bool) -> None:
        """All of it, where every part can be done still; else nothing."""
        with handle.opened() as root:
            if root is None:
                return
            still_open = [(seq, plan) for seq, plan in self._open() if plan.set_id == set_id and plan.whole]
            if carry_out and self._can_go_on(set_id, still_open, root):
                for seq, plan in still_open:
                    if plan.judged_digest is None and plan.judged_link is None:
                        self._repairer.make_parents(self._state.files[plan.file])
                    self._end(seq, plan, handle, root)
            else:
                for seq, plan in still_open:
                    self._end(seq, plan, handle, root, carry_out=False)
        self._recorder.barrier().result()
        if not self._together.is_whole(set_id):
            self._together.give_up(set_id, "it was interrupted", [plan for _, plan in still_open])

    def _can_go_on(self, set_id: int, still_open: list[tuple[int, RepairPlanRecord]], root: int) -> bool:
        """Every plan of the set was journaled, and what is open yet finds what it was made for."""
        if not still_open or not self._together.is_whole(set_id, with_open=len(still_open)):
            return False
        for seq, plan in still_open:
            try:
                if self._found(seq, plan, root).step not in (Step.DONE, Step.AGAIN, Step.WRITTEN):
                    return False
            except (ConductdError, OSError):
                return False
        return True

    # ------------------------------------------------------------------ one plan

    def _open(self) -> list[tuple[int, RepairPlanRecord]]:
        with self._state.lock:
            return sorted(self._state.plans.items())

    def _end(self, seq: int, plan: RepairPlanRecord, handle: Handle, root: int, *, carry_out: bool = True) -> None:
        try:
            found = self._found(seq, plan, root)
        except (ConductdError, OSError) as error:
            log.warning("an interrupted repair cannot be looked at", plan=seq, error=str(error))
            self._repairer.close_plan(seq, "superseded", str(error))
            return
        log.info("a repair was interrupted", plan=seq, path=plan.path, step=found.step)
        if found.rescued is not None:
            durable = self._repairer.keep(self._state.files[plan.file], found.rescued)
            if not durable.result():
                return  # the plan stays open: the next start finds the same
        target = self._target(seq, plan) if found.step is Step.WRITTEN else None
        # Only the plan holds what we wrote then, and an undo asks for it.
        if target is not None and not self._repairer.keep(self._state.files[plan.file], target).result():
            return
        remove_leftover(root, plan.path, plan.temp_name)
        if found.step is Step.AGAIN and carry_out:
            self._repairer.resume(seq, plan, self._target(seq, plan), found.expect)
            return
        self._recorder.observe(Observed(handle.id, plan.path, observe(root, plan.path), Cause.OFFLINE))
        done = found.step in (Step.DONE, Step.GIVE_BACK, Step.WRITTEN)
        self._repairer.close_plan(seq, "applied" if done else "superseded", "found after a crash")
        if found.step is Step.GIVE_BACK:
            self._give_back(plan, found)

    def _found(self, seq: int, plan: RepairPlanRecord, root: int) -> Recovery:
        target, judged = self._target(seq, plan), self._known(plan, plan.judged_digest)
        return decide(plan, target, judged, inspect(root, plan.path, plan.temp_name))

    def _give_back(self, plan: RepairPlanRecord, found: Recovery) -> None:
        """Ours stands where somebody else's newer bytes stood: put those back, they are judged like any change."""
        self._recorder.barrier().result()
        self._repairer.carry_out(Write(plan.file, "give_back", plan.target_digest, found.rescued))

    def _target(self, seq: int, plan: RepairPlanRecord) -> bytes | None:
        """The wanted bytes: a version that was known already, else the plan's own body."""
        if plan.target_digest is None:
            return None
        known = self._known(plan, plan.target_digest)
        return known if known is not None else self._journal.body(seq)

    def _known(self, plan: RepairPlanRecord, digest: bytes | None) -> bytes | None:
        return self._contents.of(self._contents.find(self._state.files[plan.file], digest))
