"""Carries out a write into a workspace: plan → journal → apply → journal, and the looks afterwards.

Runs on the judge thread only, so there is one writer. Never decides whether to write; it is told
which bytes were judged and which are wanted. What comes out of a swap unexpectedly is recorded.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext
from stat import S_ISREG
from typing import Protocol

import msgspec
import structlog

from conductd.core.losses.conflict_marks import open_conflicts
from conductd.core.temp_name import temp_name
from conductd.engine.answering.late_writers import RETRY_NS, Looking, Stranded
from conductd.engine.answering.obstacles import hides, obstacle
from conductd.engine.fold.forgotten import standing_mark
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, Seen
from conductd.engine.gathering.content import Contents
from conductd.engine.gathering.gate import Gate
from conductd.engine.recording.drafting import Observed
from conductd.engine.recording.recorder import Recorder
from conductd.engine.workspaces import Workspaces
from conductd.errors import ConductdError, StoreUnavailable
from conductd.journal.journal import Draft
from conductd.model import Cause, FileStat, FileState, Frozen, RepairDoneRecord, RepairPlanRecord
from conductd.ports import Clock
from conductd.repair.apply import apply
from conductd.repair.exchange import Exchange
from conductd.repair.killpoints import at as kill_point
from conductd.repair.late import LateWatch
from conductd.repair.order import Applied, Busy, Changed, Method, NoSpace, Order, Outcome, Refused
from conductd.repair.parents import make_parents, missing_parents, remove_parents
from conductd.repair.recover import remove_leftover
from conductd.watch.reader import Observation, observe

log = structlog.get_logger("repair")


class Write(Frozen, frozen=True):
    """A write somebody decided on: make ``file`` hold ``target`` if it still holds ``judged``.

    ``judged`` is a digest (None: absent), ``target`` bytes (None: absence).
    """

    file: int
    purpose: str  # "repair" | "restore" | "undo" | "accept"
    judged: bytes | None
    target: bytes | None
    parents: tuple[int, ...] = ()
    incident: int | None = None
    undoes: int | None = None
    set_id: int = 0
    whole: int = 0  # of so many that are carried out all, or none
    judged_link: bytes | None = None  # a symlink with this target stands there
    target_link: bytes | None = None  # a symlink with this target is wanted
    break_links: bool = False  # also where it holds `target` already: it becomes a file of its own


class Ended(Frozen, frozen=True):
    """How a write ended. ``outcome``: applied | superseded | refused | busy | leased | no_space | store | unchanged."""

    outcome: str
    plan: int | None = None
    method: str = ""
    reason: str = ""
    provenance: str = ""  # of what was applied

    @property
    def again(self) -> bool:
        """Nothing was written and trying later is right."""
        return self.outcome in ("busy", "leased", "no_space", "store")


class LateMerge(Protocol):
    """What to do with bytes that a late writer left in an inode that is out of place. False: not now."""

    def __call__(self, file: int, base: bytes | None, data: bytes, /) -> bool: ...


def observation(data: bytes | None) -> Observation:
    """An observation of bytes that no path holds any more."""
    if data is None:
        return Observation(state=FileState.ABSENT)
    return Observation(state=FileState.FILE, data=data, digest=hashlib.sha256(data).digest(), size=len(data))


class Repairer:
    """See the module."""

    def __init__(
        self,
        state: State,
        recorder: Recorder,
        contents: Contents,
        workspaces: Workspaces,
        clock: Clock,
        exchange: Exchange,
        look: Callable[[str, bytes], None],
    ) -> None:
        """`look(workspace, path)` reads the file now and hands it to the recorder."""
        self._state, self._recorder, self._workspaces = state, recorder, workspaces
        self._contents = contents
        self._clock, self._exchange, self._look = clock, exchange, look
        self.looking: list[Looking] = []
        self.stranded: list[Stranded] = []
        self.wrote: Callable[[], None] = lambda: None  # told after each write: many take long together
        self.key = b""  # of the journal's fingerprints
        self.cleaned: Callable[[bytes], bytes | None] = lambda data: data  # without what is forgotten; None: nothing
        self.gate: Gate | None = None  # what the agent makes of a write by somebody else
        self._unended: list[RepairDoneRecord] = []  # ends of plans that the store did not take
        self._unended_due = 0

    def carry_out(self, write: Write) -> Ended:
        """Do it, or say why not. The plan is durable before the first byte changes. Nothing that is forgotten is
        written, whoever asks."""
        prepared = self.prepare(write)
        if isinstance(prepared, Ended):
            return prepared
        plan, target = prepared
        try:
            planned = self._recorder.write([self.draft(plan, target)])[0].seq
        except StoreUnavailable as error:
            return Ended("store", reason=error.message)
        kill_point("planned")
        return self.carry_out_plan(planned, plan, target)

    def prepare(self, write: Write) -> tuple[RepairPlanRecord, bytes | None] | Ended:
        """The plan, to be journaled, and the bytes that are wanted; or why there is nothing to do, or it cannot be
        done now."""
        if write.target is not None:
            cleaned = self.cleaned(write.target)
            if cleaned is None:
                return Ended("refused", reason="what would be written holds what is forgotten")
            write = msgspec.structs.replace(write, target=cleaned)
        with self._state.lock:
            file = self._state.files[write.file]
            head = file.head
            known = head.digest if head and head.state is FileState.FILE else None
            known_link = head.link_target if head and head.state is FileState.SYMLINK else None
            lease = self._state.decided.lease(file.workspace, file.path, self._clock.wall_ns())
        if (known, known_link) != (write.judged, write.judged_link):
            return Ended("superseded", reason="the file changed since it was judged")
        if lease is not None and write.purpose == "repair":
            return Ended("leased", reason="a lease of it stands")
        if write.purpose == "repair" and write.target is not None and self._brings_conflict(head, write.target):
            return Ended("refused", reason="it would bring marks of a conflict back that the file does not hold")
        target_digest = hashlib.sha256(write.target).digest() if write.target is not None else None
        is_same = (target_digest, write.target_link) == (write.judged, write.judged_link)
        if is_same and not write.break_links and write.file not in self._state.forgotten.standing:
            return Ended("unchanged")
        handle = self._workspaces.handle(file.workspace)
        if handle is None or handle.fd is None:
            return Ended("refused", reason="the workspace is not there")
        if handle.locked_by:
            return Ended("refused", reason=f"the workspace is written by {handle.locked_by}")
        if self._workspaces.git(file.workspace).index_lock:
            return Ended("busy", reason="git is at work in this directory (index.lock)")
        plan = RepairPlanRecord(
            workspace=file.workspace,
            file=file.id,
            path=file.path,
            purpose=write.purpose,
            judged_digest=write.judged,
            target_digest=target_digest,
            temp_name=temp_name(os.urandom(8)),
            parents=write.parents,
            incident=write.incident,
            undoes=write.undoes,
            set_id=write.set_id,
            whole=write.whole,
            judged_link=write.judged_link,
            target_link=write.target_link,
            break_links=write.break_links,
            provenance=self.gate.effect(file, write.target).value if self.gate is not None else "",
        )
        return plan, write.target

    def draft(self, plan: RepairPlanRecord, target: bytes | None) -> Draft:
        """Content that is a version already is not written again: a full disk still takes the plan."""
        is_known = self._contents.find(self._state.files[plan.file], plan.target_digest) is not None
        return Draft(plan, None if is_known else target, plan.file)

    def carry_out_plan(self, planned: int, plan: RepairPlanRecord, target: bytes | None) -> Ended:
        """Do what was just journaled."""
        return self._apply(planned, plan, target, plan.judged_digest, self._state.files[plan.file].stat)

    def obstacle(self, file: FileTrack, target: bytes | None) -> ConductdError | None:
        """What forbids to write it as part of a set, which a person or an agent asked for."""
        digest = hashlib.sha256(target).digest() if target is not None else None
        stands = obstacle(self._state, self._workspaces, file.workspace, file.path, self._clock.wall_ns())
        return stands or hides(self._workspaces, file.workspace, file.path, digest)

    def on_disk(self, file: FileTrack) -> bytes | None:
        """The bytes that stand there at this moment, whatever is on record; None: no regular file that can be read."""
        handle = self._workspaces.handle(file.workspace)
        with handle.opened() if handle is not None else nullcontext() as root:
            return observe(root, file.path).data if root is not None else None

    def _brings_conflict(self, head: Seen | None, target: bytes) -> bool:
        before = self._contents.of(head) or b""
        return open_conflicts(target) > open_conflicts(before)

    def make_parents(self, file: FileTrack) -> None:
        """The directories a file stood in, made again because a person asked for the file; never the root."""
        handle = self._workspaces.handle(file.workspace)
        with handle.opened() if handle is not None else nullcontext() as root:
            if root is not None:
                make_parents(root, file.path)

    def missing_parents(self, plan: RepairPlanRecord) -> int:
        """How many of the directories above a file that is to come are not there; never the root."""
        if (plan.judged_digest, plan.judged_link) != (None, None) or (plan.target_digest, plan.target_link) == (
            None,
            None,
        ):
            return 0
        handle = self._workspaces.handle(plan.workspace)
        with handle.opened() if handle is not None else nullcontext() as root:
            return missing_parents(root, plan.path) if root is not None else 0

    def _remove_parents(self, plan: RepairPlanRecord) -> None:
        """Directories that were made for a file, once it is taken away again; what holds anything stays."""
        if plan.undoes is None or (plan.target_digest, plan.target_link) != (None, None):
            return
        with self._state.lock:
            made = next((each.makes for each in self._state.undo if each.plan == plan.undoes), 0)
        handle = self._workspaces.handle(plan.workspace)
        with handle.opened() if handle is not None else nullcontext() as root:
            if root is not None:
                remove_parents(root, plan.path, made)

    def resume(self, planned: int, plan: RepairPlanRecord, target: bytes | None, expect: bytes | None) -> Ended:
        """Do what a journaled plan says, after a crash: `expect` is the digest that stands there."""
        if target is not None and (target := self.cleaned(target)) is None:
            self.close_plan(planned, "superseded", "what would be written holds what is forgotten")
            return Ended("refused", planned)
        return self._apply(planned, plan, target, expect, self._state.files[plan.file].stat)

    def _apply(
        self, planned: int, plan: RepairPlanRecord, target: bytes | None, judged: bytes | None, stat: FileStat | None
    ) -> Ended:
        handle = self._workspaces.handle(plan.workspace)
        outcome: Outcome = Refused("the workspace is not there")
        with handle.opened() if handle is not None else nullcontext() as root:
            if root is not None:
                order = Order(
                    root=root,
                    path=plan.path,
                    judged=self._on_disk(root, plan, judged),
                    target=target,
                    temp_name=plan.temp_name,
                    template=stat if stat is not None and S_ISREG(stat.mode) else None,
                    like=self._like(plan),
                    force_in_place=self._workspaces.in_place(plan.workspace, plan.path),
                    break_links=plan.break_links,
                    judged_link=plan.judged_link,
                    target_link=plan.target_link,
                )
                outcome = apply(order, exchange=self._exchange)
        kill_point("applied")
        self.wrote()
        file = self._state.files[plan.file]
        if isinstance(outcome, Changed) and outcome.ours and plan.whole and target is not None:
            self.keep(file, target).result()  # no version holds it, and taking it back asks for it
        return self._finish(file, planned, plan, outcome)

    def _like(self, plan: RepairPlanRecord) -> bytes | None:
        """What a new file is made like: the one it takes the place of, else one that is written with it."""
        with self._state.lock:
            of_set = [each for each in self._state.plans.values() if plan.set_id and each.set_id == plan.set_id]
        others = [each for each in of_set if each.judged_digest is not None]
        others.sort(key=lambda other: (other.judged_digest != plan.target_digest, other.target_digest is not None))
        return others[0].path if others and plan.judged_digest is None else None

    def _on_disk(self, root: int, plan: RepairPlanRecord, judged: bytes | None) -> bytes | None:
        """What must be there now: of a file that still holds what was erased in the journal, its own digest."""
        mark = self._state.forgotten.standing.get(plan.file)
        if mark is None:
            return judged
        seen = observe(root, plan.path).digest
        return seen if seen is not None and mark == standing_mark(seen, self.key) else judged

    def _finish(self, file: FileTrack, planned: int, plan: RepairPlanRecord, outcome: Outcome) -> Ended:
        if isinstance(outcome, Applied):
            ended = Ended("applied", planned, str(outcome.method), "; ".join(outcome.notes), plan.provenance)
            handle = self._workspaces.handle(file.workspace)
            if handle is not None and outcome.method in (Method.SWAP, Method.IN_PLACE):
                handle.wrote_by = outcome.method.replace("_", " ")
            self._watch(outcome.late, file, plan.judged_digest)
            self._remove_parents(plan)
        elif isinstance(outcome, Changed):
            ended = Ended("superseded", planned, "", "another writer came first")
            if outcome.ours and plan.whole:
                ended = Ended("applied", planned, "swap", "another writer came at the same moment", plan.provenance)
            self._watch(outcome.late, file, plan.judged_digest)
            kept = [self.keep(file, data) for data in outcome.others]
            for data in outcome.others:
                self._strand(file.id, plan.judged_digest, data)
            if outcome.left is not None and all(durable.result() for durable in kept):
                self._remove_left(file, outcome.left)
        elif isinstance(outcome, Busy):
            ended = Ended("busy", planned, "", outcome.reason)
        elif isinstance(outcome, NoSpace):
            ended = Ended("no_space", planned, "", outcome.reason)
        else:
            assert isinstance(outcome, Refused)
            ended = Ended("refused", planned, "", outcome.reason)
        if isinstance(outcome, Applied | Changed):
            self._look(file.workspace, file.path)
        done = "abandoned" if ended.again else ended.outcome
        self.close_plan(planned, done, ended.reason, ended.method)
        log.info("repair", path=file.path, outcome=ended.outcome, method=ended.method, reason=ended.reason)
        return ended

    def close_plan(self, plan: int, outcome: str, reason: str = "", method: str = "") -> None:
        """Journal how a plan ended; a store that takes no writes is asked again until it does. An open plan
        would be carried out by the next start, over whatever stands there then."""
        self._unended.append(RepairDoneRecord(plan, outcome, reason, method))
        self._end_plans()

    def ends_in_hand(self) -> dict[int, str]:
        """By plan, how it ended where the store does not take that either: it is asked once more."""
        if self._unended:
            self._end_plans()
        return {each.plan: each.outcome for each in self._unended}

    def _end_plans(self) -> None:
        try:
            self._recorder.write([Draft(record) for record in self._unended])
        except StoreUnavailable as error:
            log.warning("the end of a repair is not recorded yet", plans=len(self._unended), error=error.message)
            self._unended_due = self._clock.mono_ns() + RETRY_NS
        else:
            self._unended.clear()

    def keep(self, file: FileTrack, data: bytes) -> Future[bool]:
        """Record bytes that stand at no path any more. Whether that succeeded says whether another copy may go."""
        return self._recorder.keep(Observed(file.workspace, file.path, observation(data), Cause.SWAPPED_OUT))

    def _remove_left(self, file: FileTrack, name: bytes) -> None:
        """The temporary file that held a writer's bytes, which are durable."""
        handle = self._workspaces.handle(file.workspace)
        with handle.opened() if handle is not None else nullcontext() as root:
            if root is not None:
                remove_leftover(root, file.path, name)

    # ------------------------------------------------------------------ late writers

    def _watch(self, watch: LateWatch | None, file: FileTrack, base: bytes | None) -> None:
        if watch is not None:
            self.looking.append(Looking(watch, file.id, base, self._clock.mono_ns()))

    def next_look(self) -> int | None:
        dues = [looking.next_ns for looking in self.looking]
        dues += [stranded.due_ns for stranded in self.stranded]
        if self._unended:
            dues.append(self._unended_due)
        return min(dues, default=None)

    def look_again(self, merge: LateMerge) -> None:
        """Read the inodes whose time has come; what a late writer left is recorded, then merged."""
        now = self._clock.mono_ns()
        if self._unended and self._unended_due <= now:
            self._end_plans()
        for looking in list(self.looking):
            if looking.next_ns > now:
                continue
            looking.due = [due for due in looking.due if due > now]
            looking.next_ns = looking.due[0] if looking.due else now
            try:
                data = looking.watch.check()
            except OSError as error:
                # A network file system forgets an inode that no name leads to.
                log.warning("a replaced file cannot be read again", error=error.strerror)
                looking.due, data = [], None
            if data is not None:
                self.keep(self._state.files[looking.file], data)
                self._strand(looking.file, looking.base, data)
            if not looking.due:
                looking.watch.close()
                self.looking.remove(looking)
        for stranded in [each for each in self.stranded if each.due_ns <= now]:
            if merge(stranded.file, stranded.base, stranded.data):
                self.stranded.remove(stranded)
            else:
                stranded.put_off(now)

    def _strand(self, file: int, base: bytes | None, data: bytes) -> None:
        self.stranded.append(Stranded(file, base, data, self._clock.mono_ns()))

    def close(self) -> None:
        for looking in self.looking:
            looking.watch.close()
        self.looking.clear()
