"""`undo`: reverse what the daemon wrote last, of everything or of one incident.

Undoing is itself a write on the same stack, so undoing twice is redoing. Judge thread only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from conductd.core.losses.erosion import lost_fingerprints
from conductd.core.merging.taken_back import without
from conductd.engine.answering.repairing import Ended, Write
from conductd.engine.answering.together import ROLLBACK, Together
from conductd.engine.fold.tracks import FileTrack, Seen, Undoable
from conductd.engine.people.acts import Acts, made_with, undo_command, unjudged
from conductd.errors import ConductdError, NotFound, Refused
from conductd.model import NO_FALSE_ALARM, UNDONE, ChangeRecord, DecisionRecord, FileState
from conductd.views import DidView, PlanView, shown


class _Nothing:
    """Of a write whose effect stands no more, or is reversed already, there is nothing to reverse."""


NOTHING: Final = _Nothing()


class _Step(NamedTuple):
    done: Undoable
    target: bytes | ConductdError | None
    head: Seen | None = None  # what the target was made of


class Undoing:
    """See the module."""

    def __init__(self, acts: Acts, together: Together) -> None:
        self._acts, self._together = acts, together

    def newest(self, number: int | None) -> list[int]:
        """The plans that an undo would reverse now."""
        return [step.done.plan for step in self._to_reverse(number)[0]]

    def undo(
        self, number: int | None, caller: tuple[str, ...], dry_run: bool, only: Sequence[int] | None = None
    ) -> DidView:
        """Reverse the newest write that still has an effect, of the incident or act `number` or of all. ``only``: these
        plans, or some of them; Refused when it would be others by now.

        Files written together are reversed together. Where one of them cannot be written now the others
        are, and the same command again reverses what is left; raises the first error then. But what was
        written all or not at all is reversed so, too.
        """
        if number is not None and not _of_act(number, self._acts.done()):
            self._acts.incident(number)
        steps, set_id = self._to_reverse(number)
        if only is not None and not {step.done.plan for step in steps} <= set(only):
            raise Refused("what it was about is not what an undo would reverse by now", "conductd undo")
        if steps[0].done.whole:
            return self._reverse_whole(steps, caller, dry_run, number)
        plans: list[PlanView] = []
        failed: list[ConductdError] = []
        for done, target, head in steps:
            try:
                if isinstance(target, ConductdError):
                    raise target
                change = self._change_behind(done)
                plan = self._write(done, target, head, dry_run, set_id)
            except ConductdError as error:
                failed.append(error)
                continue
            plans.append(plan)
            if not dry_run:
                self._follow(done, change, caller)
        if failed:
            raise failed[0]
        return _did(steps[0].done.purpose, plans, dry_run, number)

    def _reverse_whole(
        self, steps: Sequence[_Step], caller: tuple[str, ...], dry_run: bool, number: int | None
    ) -> DidView:
        writes: list[Write] = []
        for done, target, head in steps:
            if isinstance(target, ConductdError):
                raise target
            stands_in_the_way = self._acts.obstacle(self._acts.file(done.file), target)
            if stands_in_the_way is not None:
                raise stands_in_the_way
            writes.append(
                Write(
                    done.file,
                    "undo",
                    head.digest if head is not None and head.state is FileState.FILE else None,
                    target if isinstance(target, bytes) else None,
                    undoes=done.plan,
                    judged_link=head.link_target if head is not None and head.state is FileState.SYMLINK else None,
                    target_link=done.before_link if target is None else None,
                )
            )
        writes.sort(key=_step)
        ends = [Ended("planned")] * len(writes)
        if not dry_run:
            decision = DecisionRecord("undo", steps[0].done.workspace, caller=caller, detail=steps[0].done.purpose)
            ended = self._together.carry_out(writes, decision)
            if ended.why:
                raise Refused(f"nothing of it is undone: {ended.why}", "try again in a moment, or look at the file")
            ends = ended.ends
        plans = [
            self._acts.view(self._acts.file(write.file), write, end) for write, end in zip(writes, ends, strict=True)
        ]
        return _did(steps[0].done.purpose, plans, dry_run, number)

    # ------------------------------------------------------------------ which

    def _to_reverse(self, number: int | None) -> tuple[list[_Step], int]:
        """The steps of the newest group that has any, and the set that their reversal is."""
        done = self._acts.done()
        if number is not None:
            done = [u for u in done if u.incident == number] or _of_act(number, done)
        for group, set_id in _groups(done):
            found = [(u, self._target(u)) for u in reversed(group)]
            steps = [_Step(u, *made) for u, made in found if not isinstance(made, _Nothing)]
            if steps and steps[0].done.whole:
                steps += [_Step(u, _gone(self._acts.file(u.file))) for u in group if self._is_gone(u)]
            if steps:
                return steps, set_id or self._acts.set_of(len(steps))
        if number is not None:
            what = "nothing that was written for it stands as it was written" if done else "nothing was written for it"
            if done and all(u.incident != number for u in done):
                raise NotFound(f"act {number} has nothing to undo: {what}", "conductd log")
            raise NotFound(f"incident {number} has nothing to undo: {what}", f"conductd explain {number}")
        raise NotFound("there is nothing to undo", "conductd log")

    def _target(self, done: Undoable) -> tuple[bytes | ConductdError | None, Seen | None] | _Nothing:
        """What the file would hold without that write, and the version it is made of; what was written since is
        kept."""
        file = self._acts.file(done.file)
        head = self._acts.head(file)
        target = self._without(done, file, head)
        return target if isinstance(target, _Nothing) else (target, head)

    def _without(self, done: Undoable, file: FileTrack, head: Seen | None) -> bytes | _Nothing | ConductdError | None:
        stands = head.digest if head is not None and head.state is FileState.FILE else None
        link = head.link_target if head is not None and head.state is FileState.SYMLINK else None
        is_absent = head is None or head.state is FileState.ABSENT
        if (done.before, done.before_link) == (done.after, done.after_link):
            return NOTHING  # a file became one of its own; its bytes are the same, and links are not made
        try:
            if (stands, link) == (done.after, done.after_link) and (is_absent or stands or link is not None):
                return self._acts.by_digest(file, done.before)
            if is_absent or (stands, link) == (done.before, done.before_link):
                return NOTHING
            if done.before_link is not None:
                return _was_link(file)
            now = self._acts.held(head)
            before = self._acts.by_digest(file, done.before)
            if now is None:
                return _stands_otherwise(file, head) if done.whole else before  # else the write says so
            target = without(now, self._acts.by_digest(file, done.after), before)
        except ConductdError as error:
            return error
        return NOTHING if target == now else target

    def _is_gone(self, done: Undoable) -> bool:
        """What the write left in a file is nowhere, so that the rest of its set cannot be reversed without a loss."""
        head = self._acts.file(done.file).head
        return done.before is not None and done.after is not None and (head is None or head.state is FileState.ABSENT)

    # ------------------------------------------------------------------ what

    def _write(self, done: Undoable, target: bytes | None, head: Seen | None, dry_run: bool, set_id: int) -> PlanView:
        file, incident = self._acts.file(done.file), done.incident
        return self._acts.write(file, "undo", target, (), dry_run, incident, undoes=done.plan, set_id=set_id, head=head)

    def _change_behind(self, done: Undoable) -> ChangeRecord | None:
        """The newest change of the file in the incident that the write belongs to."""
        if self._acts.known_incident(done.incident) is None or done.incident is None:
            return None
        return next((c for c in self._acts.latest(done.incident) if c.file == done.file), None)

    def _follow(self, done: Undoable, change: ChangeRecord | None, caller: tuple[str, ...]) -> None:
        """What was decided with a write is taken back, or stands again, with it."""
        known = {u.plan: u for u in self._acts.done()}
        first, takes_back = done, True
        while first.undoes in known:
            first, takes_back = known[first.undoes], not takes_back
        file = self._acts.file(done.file)
        lost = tuple(sorted(lost_fingerprints(change.verdict))) if change else ()
        if first.purpose == "accept" and not takes_back:
            self._acts.decide("accept", file, done.incident, caller, accepted=lost)
        else:
            uncovered = lost if first.purpose == "accept" else ()
            wrong = first.purpose == "repair" and takes_back
            rule = change.verdict.rule if change and wrong else ""
            known_incident = self._acts.known_incident(done.incident)
            right = first.purpose == "repair" and not takes_back and known_incident and known_incident.false_alarm
            said = NO_FALSE_ALARM if right else ""
            self._acts.decide(
                "undo", file, done.incident, caller, accepted=uncovered, false_positive=wrong, rule=rule, detail=said
            )
        incident = self._acts.known_incident(done.incident)
        if incident is None:
            return
        debt = dict(incident.record.debt)
        if first.purpose == "accept":
            self._acts.close(incident.id, "resolved" if takes_back else "accepted")
        elif first.purpose == "restore" and takes_back and change is not None and change.baseline_seq is not None:
            debt[file.id] = change.baseline_seq
            self._acts.change_incident(incident.id, state="open", debt=tuple(debt.items()))
        elif first.purpose == "restore" and not takes_back:
            debt.pop(file.id, None)
            self._acts.change_incident(
                incident.id, state="open" if debt else "resolved", debt=tuple(debt.items()), why=""
            )
        elif first.purpose == "repair":
            self._after_repair(incident.id, takes_back, caller)

    def _after_repair(self, number: int, takes_back: bool, caller: tuple[str, ...]) -> None:
        """A repair that was undone is not carried on in the files where it is still to come."""
        record = self._acts.incident(number).record
        if not takes_back:
            self._acts.change_incident(number, why="")
            return
        waiting = [file for file in map(self._acts.file, record.files) if _waits_for_repair(file, number)]
        for file in waiting:
            self._acts.decide("undo", file, number, caller, settles=unjudged(file))
        debt = tuple(owed for owed in record.debt if owed[0] not in {file.id for file in waiting})
        state = "resolved" if record.state == "open" and not debt else record.state
        why = f"{UNDONE}: left as it was written"
        self._acts.change_incident(number, state=state, debt=debt, stood_down=False, why=why)


def _of_act(number: int, done: Sequence[Undoable]) -> list[Undoable]:
    """The writes of the act with this number (of its set, or of its one plan), and what reversed them since."""
    mine = {u.plan for u in done if number in (u.plan, u.set_id)}
    for each in done:
        if each.undoes in mine:
            mine.add(each.plan)
    return [u for u in done if u.plan in mine]


def _gone(file: FileTrack) -> Refused:
    name = shown(file.path)
    return Refused(f"{name} is gone: nothing that was written together with it is undone", f"conductd log {name}")


def _was_link(file: FileTrack) -> Refused:
    name = shown(file.path)
    return Refused(
        f"{name} was written since it became a file of its own: a link in its place would take that away",
        f"conductd log {name}; move what came since, then make the link yourself",
    )


def _stands_otherwise(file: FileTrack, head: Seen | None) -> Refused:
    name = shown(file.path)
    state = head.state if head is not None else FileState.ABSENT
    return Refused(f"{name} is {state}: it is not written over", "look at the path yourself")


def _step(write: Write) -> int:
    """What comes before what goes: at no moment is a text nowhere."""
    if write.target is None and write.target_link is None:
        return 2
    return 0 if write.judged is None and write.judged_link is None else 1


def _did(purpose: str, plans: list[PlanView], dry_run: bool, number: int | None) -> DidView:
    names = ", ".join(plan.path for plan in plans)
    said = "would be undone" if dry_run else "undone"
    return DidView(f"{said}: {purpose} of {names}", plans, undo_command(dry_run, number))


def _waits_for_repair(file: FileTrack, incident: int) -> bool:
    return file.fight_incident == incident and file.judged is not None and file.judged[0] == unjudged(file)


def _groups(done: Sequence[Undoable]) -> Iterator[tuple[list[Undoable], int]]:
    """Writes made together, newest first, and the set their reversal belongs to: an unfinished undo of a
    set goes on where it stopped. What was undone is no more to be undone; its undo is."""
    undone = {u.undoes for u in done}
    seen: set[int] = set()
    for one in reversed(done):
        if one.plan in undone or one.plan in seen or one.purpose == ROLLBACK:
            continue
        group = [u for u in made_with(one, done) if u.plan not in undone]
        reversed_ = next((u for u in done if u.plan == one.undoes), None)
        if reversed_ is not None:
            left = [u for u in made_with(reversed_, done) if u.plan not in undone and u.plan not in seen]
            if left:
                yield left, one.set_id
        seen.update(u.plan for u in group)
        yield group, 0
