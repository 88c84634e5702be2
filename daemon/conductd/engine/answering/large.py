"""Files too large for the judge thread: their verdicts are worked out by the worker meanwhile.

Owns the way of one such judgement: handed over, looked for elsewhere, handed over again, taken back.
A verdict counts only while the file is as it was; where there is none, what was there before is
offered. Judge thread only, but for the message that the worker sends.
"""

from __future__ import annotations

import queue

import msgspec

from conductd.core.case import Case, Elsewhere
from conductd.core.judging.judge import unjudged
from conductd.core.judging.wait import Wait as Needed
from conductd.core.policy import Policy
from conductd.engine.answering.judged import Judged, Merged
from conductd.engine.answering.waits import Message, Wait, Worked
from conductd.engine.answering.worker import Job, Outcome, Worker
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.gathering.cases import Gatherer
from conductd.engine.health.degraded import Degraded
from conductd.model import Role
from conductd.views import shown

LARGE = 256 * 1024  # bytes: judging a larger file takes more than a tenth of a second


def is_large(file: FileTrack) -> bool:
    states = (file.baseline, file.since[-1] if file.since else None)
    return any(seen is not None and seen.size > LARGE for seen in states)


class Handed(msgspec.Struct):
    """What the worker was given for a wait, and what it found."""

    case: Case
    accepted: frozenset[bytes]
    elsewhere: tuple[Elsewhere, ...] | None = None  # None: not looked for yet
    outcome: Outcome | None = None


class Large:
    """See the module."""

    def __init__(
        self, gatherer: Gatherer, policy: Policy, degraded: Degraded, judge: queue.Queue[Message], worker: Worker
    ) -> None:
        self._gatherer, self._policy, self._degraded = gatherer, policy, degraded
        self._judge, self.worker = judge, worker
        self._handed: dict[int, tuple[Wait, Handed]] = {}

    def take(self, policy: Policy) -> None:
        """What the worker has already is judged as it was given."""
        self._policy = policy

    def take_back(self, message: Worked, wait: Wait | None, now: int) -> None:
        """The worker has answered: the file's time has come, if nothing happened to it meanwhile."""
        known = self._handed.get(message.file)
        if known is None or known[0] is not message.wait:
            return
        if wait is not message.wait:
            del self._handed[message.file]
            return
        known[1].outcome = message.outcome
        wait.working, wait.check_ns = False, now

    def needed(self, number: int, wait: Wait, file: FileTrack, role: Role) -> Needed | None:
        """How long the file should be left alone; None while the worker is at it."""
        known = self._handed.get(number)
        if known is None or known[0] is not wait or self._is_stale(known[1], file):
            case = self._gatherer.case(file, role)
            if case.versions[-1].seq == file.since[-1].seq:
                self._hand_over(number, wait, Handed(case, frozenset(file.accepted)))
            return None
        outcome = known[1].outcome
        return Needed(outcome.wait_kind, outcome.wait_ms) if outcome is not None else None

    def judged(self, number: int, wait: Wait, file: FileTrack) -> Judged | None:
        """The verdict, once it is the last word."""
        handed = self._handed[number][1]
        outcome = handed.outcome
        assert outcome is not None
        verdict = outcome.verdict
        if verdict is not None and verdict.change.lost and handed.elsewhere is None:
            case = self._gatherer.searched(handed.case, file, verdict)
            self._hand_over(number, wait, Handed(case, handed.accepted, case.elsewhere))
            return None
        del self._handed[number]
        if verdict is None:
            what = f"{shown(file.path)} is too large to be judged: {outcome.trouble}"
            self._degraded.raise_("large_file", what, "keep such files out of the workspace, or make them smaller")
            verdict = unjudged(outcome.trouble)
        else:
            self._degraded.clear("large_file")
        return Judged(number, file.since[-1], handed.case, verdict, handed.elsewhere or (), Merged(outcome.target))

    @staticmethod
    def _is_stale(handed: Handed, file: FileTrack) -> bool:
        base = handed.case.baseline
        return (
            handed.case.versions[-1].seq != file.since[-1].seq
            or handed.accepted != file.accepted
            or (base is not None and file.baseline is not None and base.seq > file.baseline.seq)
        )

    def _hand_over(self, number: int, wait: Wait, handed: Handed) -> None:
        self._handed[number] = (wait, handed)
        wait.working, wait.check_ns = True, None
        job = Job(handed.case, self._policy, handed.elsewhere is not None)
        self.worker.do(job, lambda outcome: self._judge.put(Worked(number, wait, outcome)))
