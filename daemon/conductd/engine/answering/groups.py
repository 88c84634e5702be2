"""Hands verdicts on to be answered: one by one, or together where files were lost together.

Judge thread only. Which losses are one is `engine.answering.sets`' to say.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from functools import partial

from conductd.core.policy import Policy
from conductd.engine.answering.answers import Answers
from conductd.engine.answering.judged import Again, Judged
from conductd.engine.answering.lease_wait import let_through
from conductd.engine.answering.sets import Sets
from conductd.engine.answering.waits import Message, Wait, tell_lost
from conductd.engine.fold.state import DESTRUCTIVE, State
from conductd.model import Action
from conductd.ports import Clock


class Groups:
    """See the module. ``waits`` is the judge's own, under its ``lock``; ``finish(file, wait, again)`` ends one."""

    def __init__(
        self,
        state: State,
        answers: Answers,
        sets: Sets,
        policy: Policy,
        clock: Clock,
        queue: queue.Queue[Message],
        waits: dict[int, Wait],
        lock: threading.Lock,
        finish: Callable[[int, Wait, Again | None], None],
    ) -> None:
        self._state, self._answers, self._sets = state, answers, sets
        self._policy, self._clock, self._queue = policy, clock, queue
        self._waits, self._lock, self._finish = waits, lock, finish

    def take(self, policy: Policy) -> None:
        self._policy = policy
        self._sets.take(policy)

    def answer(self, judged: list[tuple[Wait, Judged]]) -> None:
        """Those that may have been lost together wait for one another for a moment."""
        groups: dict[str, list[tuple[Wait, Judged]]] = {}
        for wait, one in let_through(self._state, self._clock, judged, self._finish):
            if one.verdict.event_class in DESTRUCTIVE and one.verdict.action is not Action.RECORD:
                groups.setdefault(self._state.files[one.file].workspace, []).append((wait, one))
            else:
                self._finish(one.file, wait, self._answers.give(one))
                self._answers.see_through(one.file, partial(tell_lost, self._queue, one.file))
        for workspace, members in groups.items():
            if self._postpone(workspace, members):
                continue
            self._answer_group(workspace, members)

    def _postpone(self, workspace: str, members: list[tuple[Wait, Judged]]) -> bool:
        """Wait a moment for other files of the workspace that are about to be judged as well."""
        now, mine = self._clock.mono_ns(), {one.file for _, one in members}
        window = self._policy.thresholds.mass_window_ms * 1_000_000
        earliest = min(one.seen.at_ns for _, one in members)
        with self._lock:
            dues = [
                wait.due_ns
                for file, wait in self._waits.items()
                if file not in mine
                and wait.why in ("quiet", "save")
                and self._state.files[file].workspace == workspace
                and self._state.files[file].since
                and abs(self._state.files[file].since[-1].at_ns - earliest) <= window
                and wait.due_ns <= now + self._policy.waits.save_ms * 1_000_000
            ]
            if not dues or any(wait.postponed for wait, _ in members):
                return False
            for wait, _ in members:
                wait.postponed, wait.why = True, "others"
                wait.due_ns = max(dues)
        return True

    def _answer_group(self, workspace: str, members: list[tuple[Wait, Judged]]) -> None:
        """Those that were lost together are one incident; the rest are answered one by one."""
        joint = [member for member in members if not self._sets.is_alone(member[1])]
        together = self._sets.together(workspace, [one for _, one in joint])
        if together is not None:
            again = self._sets.give(together)
            mass = [member for member in joint if member[1].file in together.files]
            for wait, one in mass:
                self._finish(one.file, wait, again.get(one.file))
            members = [member for member in members if member not in mass]
        for wait, one in members:
            self._finish(one.file, wait, self._answers.give(one))
