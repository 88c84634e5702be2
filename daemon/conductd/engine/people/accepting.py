"""`accept`: a loss was meant. Puts the accepted version back where it was repaired, and covers what it lost.

Judge thread only. Writes first and decides then, so that nothing is covered that still stands.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from conductd.core.losses.erosion import lost_fingerprints
from conductd.core.merging.taken_back import without
from conductd.engine.answering import eroding, notices
from conductd.engine.fold.tracks import FileTrack, Seen, Undoable
from conductd.engine.people.acts import Acts, undo_command, unjudged
from conductd.errors import ConductdError, NotFound
from conductd.model import Action, ChangeRecord, EventClass
from conductd.views import DidView, PlanView, shown
from conductd.views.words import counted

STANDS_AGAIN = "what was lost stands in the file again"


class _Part(NamedTuple):
    """What accepting does to one file. ``covered``: the entries whose loss is accepted; ``writes``: the file is made
    `target`, else it stays as it is."""

    change: ChangeRecord
    file: FileTrack
    covered: tuple[bytes, ...]
    judged_bad: bool
    settles: int | None = None
    writes: bool = False
    target: bytes | None = None
    head: Seen | None = None  # what stood in the file when that was found

    @property
    def does_something(self) -> bool:
        return bool(self.covered) or self.writes or self.settles is not None or not _lost(self.change)

    @property
    def words(self) -> str:
        if not self.does_something:
            return f"stays as it is: {STANDS_AGAIN}"
        entries = counted(len(self.covered), "lost entry is", "lost entries are")
        return f"{self._becomes}; {entries} not offered back"

    @property
    def _becomes(self) -> str:
        if not self.writes:
            return "stays as it is"
        if self.target is None:
            return "is deleted again"
        return f"is as in version {self.change.version_seq} again, with what came since"


class Accepting:
    """See the module."""

    def __init__(self, acts: Acts) -> None:
        self._acts = acts

    def accept(
        self, number: int | None, only: FileTrack | None, caller: tuple[str, ...], dry_run: bool = False
    ) -> DidView:
        """Accept an incident, or one file's part of it; without a number the newest of that file.

        Where a file cannot be written now the others are accepted, and the same command again accepts the
        rest. Raises the first error then.
        """
        if number is None:
            assert only is not None, "an incident or a file"
            number = self.newest(only)
        latest = self._acts.latest(number)
        if self._acts.incident(number).record.event_class is EventClass.PIN_HIDDEN:
            return self._seen(number, dry_run)
        changes = [c for c in latest if only is None or c.file == only.id]
        if dry_run:
            return DidView(f"incident {number} would be accepted", [self._shown(self._plan(c)) for c in changes], "")
        earlier = [u for u in self._acts.done() if u.incident == number]
        set_id = self._acts.set_of(len(changes), _unfinished(earlier))
        plans: list[PlanView] = []
        failed: list[ConductdError] = []
        accepted: set[int] = set()
        is_something = False
        for change in changes:
            try:
                part = self._plan(change)
                plans += self._carry_out(number, part, set_id, caller)
            except ConductdError as error:
                failed.append(error)
            else:
                accepted.add(change.file)
                is_something = is_something or part.does_something
        others = self._accept_others(number, {c.file for c in latest}, only, caller)
        accepted |= others
        debt = tuple(owed for owed in self._acts.incident(number).record.debt if owed[0] not in accepted)
        if not failed and not is_something and not others:
            self._acts.change_incident(number, debt=debt, **({} if debt else {"state": "resolved"}))
            return DidView(f"incident {number}: nothing is accepted: {STANDS_AGAIN}", [], "")
        if not failed and all(c.file in accepted or self._is_accepted(c) for c in latest):
            self._acts.close(number, "accepted")
        else:
            self._acts.change_incident(number, debt=debt)  # what the other files lost is not accepted
        if failed and accepted:  # of what is done as a whole the gate tells
            workspace = self._acts.incident(number).record.workspace
            self._acts.tell(notices.weakened(f"incident {number} is accepted in part", workspace, caller))
        if failed:
            raise failed[0]
        written = any(plan.outcome == "applied" for plan in plans)
        text = f"incident {number} is accepted: it will not be repaired again"
        if not written:
            text += "; nothing is written: what was lost is not in the file"
        return DidView(text, plans, undo_command(not written, number))

    def _seen(self, number: int, dry_run: bool) -> DidView:
        """Nothing was lost, there is nothing to write: a person knows of it, and it is not told again as it is."""
        if not dry_run:
            self._acts.close(number, "accepted")
        text = f"incident {number} {'would be' if dry_run else 'is'} accepted: the pinned entries stay pinned"
        return DidView(f"{text}, and out of the agent's sight", [], "")

    def shows(self, number: int, file: int | None) -> list[str]:
        """What accepting would do to each file, one line each. Any thread."""
        changes = [change for change in self._acts.latest(number) if file in (None, change.file)]
        return [f"{shown(change.path)}: {self._plan(change).words}" for change in changes]

    def newest(self, file: FileTrack) -> int:
        """The newest incident of a file that can be accepted."""
        found = [i.id for i in self._acts.incidents() if file.id in i.record.files and i.record.state in _ACCEPTABLE]
        if not found:
            raise NotFound(f"{shown(file.path)} has no incident to accept", "conductd incidents --all")
        return max(found)

    def _is_accepted(self, change: ChangeRecord) -> bool:
        return _lost(change) <= self._acts.file(change.file).accepted

    def _accept_others(
        self, number: int, judged: set[int], only: FileTrack | None, caller: tuple[str, ...]
    ) -> set[int]:
        """Files that an erosion names for what they lost before, and that were not judged for it."""
        losses = eroding.small_losses(self._acts.changes(number))
        others = [file for file in losses if file not in judged and (only is None or only.id == file)]
        for file in others:
            track = self._acts.file(file)
            covered = frozenset(eroding.fingerprints(losses[file])) - self._acts.standing(self._acts.now(track))
            if covered:
                self._acts.decide("accept", track, number, caller, accepted=tuple(sorted(covered)))
        return set(others)

    def _plan(self, change: ChangeRecord) -> _Part:
        """What accepting does to one file: the same for whoever asks beforehand."""
        file = self._acts.file(change.file)
        judged_bad = change.verdict.action in (Action.REVERT, Action.MERGE) and not change.moves_baseline
        head = self._acts.head(file)
        now = self._acts.held(head)
        if file.judged is not None and file.judged[0] == change.version_seq:
            # Nothing was written yet: it stands there, and after a stand-down whatever was written since.
            settles = unjudged(file) if file.stood_down else change.version_seq
            return _Part(change, file, _covered(change, self._acts.standing(now)), judged_bad, settles)
        wanted = self._acts.version(change.version_seq) if judged_bad else None
        if wanted is None:
            return _Part(change, file, _covered(change, self._acts.standing(now)), judged_bad)
        target = self._target(file, now, self._acts.bytes_of(wanted), change)
        covered = _covered(change, self._acts.standing(target))
        return _Part(change, file, covered, judged_bad, None, True, target, head)

    def _carry_out(self, number: int, part: _Part, set_id: int, caller: tuple[str, ...]) -> list[PlanView]:
        """One file: write, then cover its lost entries. Those that stand in it are covered by nothing."""
        if not part.does_something:
            return []
        plans = []
        if part.writes:
            parents = (part.change.version_seq,)
            plan = self._acts.write(
                part.file, "accept", part.target, parents, False, number, set_id=set_id, head=part.head
            )
            plans.append(plan)
        self._acts.decide(
            "accept",
            part.file,
            number,
            caller,
            accepted=part.covered,
            false_positive=part.judged_bad,
            settles=part.settles,
            rule=part.change.verdict.rule,
        )
        return plans

    def _shown(self, part: _Part) -> PlanView:
        head = part.head if part.writes else self._acts.head(part.file)
        target = part.target if part.writes else self._acts.held(head)
        view = self._acts.write(part.file, "accept", target, (), True, head=head)
        return msgspec.structs.replace(view, reason=part.words)

    def _target(self, file: FileTrack, now: bytes | None, wanted: bytes | None, change: ChangeRecord) -> bytes | None:
        """The accepted state, merged with what was written after the repair."""
        if now is None:
            return wanted
        repairs = [u for u in self._acts.done() if u.incident == change.incident and u.file == file.id]
        put_back = next((u.after for u in reversed(repairs) if u.purpose == "repair"), None)
        if put_back is not None:
            repaired: bytes | None = self._acts.by_digest(file, put_back)
        elif change.baseline_seq is not None:
            repaired = self._acts.content(change.baseline_seq)
        else:
            repaired = None
        return wanted if repaired is None else without(now, repaired, wanted)


_ACCEPTABLE = ("open", "resolved")


def _covered(change: ChangeRecord, standing: frozenset[bytes]) -> tuple[bytes, ...]:
    return tuple(sorted(_lost(change) - standing))


def _lost(change: ChangeRecord) -> set[bytes]:
    return set(lost_fingerprints(change.verdict))


def _unfinished(done: list[Undoable]) -> list[Undoable]:
    """The acceptance that stopped half-way, if the last thing written for the incident was one."""
    return done[-1:] if done and done[-1].purpose == "accept" else []
