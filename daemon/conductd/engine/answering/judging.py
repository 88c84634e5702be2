"""The judge thread: waits until a file is quiet, judges it, has the verdict answered.

Owns every pending wait and is the only thread that writes into workspaces (repairs and the
commands of people alike). All its waiting goes through the clock port.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

import msgspec
import structlog

from conductd.core.case import Elsewhere
from conductd.core.judging.judge import judge
from conductd.core.judging.wait import Wait as Needed
from conductd.core.judging.wait import wait_for
from conductd.core.policy import Policy
from conductd.engine.answering import written
from conductd.engine.answering.answers import STORE_RETRY_NS, Answers
from conductd.engine.answering.groups import Groups
from conductd.engine.answering.judged import Again, Judged
from conductd.engine.answering.large import Large, is_large
from conductd.engine.answering.repairing import Repairer
from conductd.engine.answering.sets import Sets
from conductd.engine.answering.unjudged import Unjudged
from conductd.engine.answering.waits import (
    Barrier,
    Command,
    Message,
    Recorded,
    Stop,
    Touched,
    Traced,
    Unrecorded,
    Wait,
    Worked,
    files_of,
    next_wait,
    refuse_rest,
)
from conductd.engine.answering.worker import Worker
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, Seen
from conductd.engine.gathering.cases import Gatherer
from conductd.engine.gathering.content import Contents
from conductd.engine.gathering.prints import Prints
from conductd.engine.gathering.tables import Tables
from conductd.engine.gathering.witness import Witness, by_a_person_first
from conductd.engine.health.degraded import Degraded
from conductd.engine.health.pulse import Pulse
from conductd.engine.workspaces import Workspaces
from conductd.errors import ConductdError
from conductd.journal.journal import Draft
from conductd.model import Action, FileState, Role
from conductd.ports import Clock
from conductd.views import shown

log = structlog.get_logger("judge")

UNJUDGED = (FileState.UNREADABLE, FileState.OVERSIZE)
RETRY_NS = 60_000_000_000  # after an answer failed in a way nobody thought of
AGAIN_NS = 1_000_000_000  # between two looks whether what failed is judged now
WARM_NS = 5_000_000  # between two files that are looked at ahead: a fifth of one core at most


class Judge:
    """See the module. `unjudged(file)` is told of files that cannot be judged."""

    def __init__(
        self,
        state: State,
        contents: Contents,
        workspaces: Workspaces,
        gatherer: Gatherer,
        repairer: Repairer,
        answers: Answers,
        sets: Sets,
        tables: Tables,
        prints: Prints,
        witness: Witness,
        degraded: Degraded,
        policy: Policy,
        clock: Clock,
    ) -> None:
        self._state, self._contents, self._workspaces = state, contents, workspaces
        self._gatherer, self._repairer, self._answers = gatherer, repairer, answers
        self._tables, self._prints, self._degraded = tables, prints, degraded
        self._witness = witness
        witness.editing.wake = lambda: self._queue.put(Traced())
        self._warming = True
        self._unjudged = Unjudged(state, degraded)
        self._policy, self._clock = policy, clock
        self._queue: queue.Queue[Message] = queue.Queue()
        self.depth = self._queue.qsize  # messages that wait to be looked at
        self._waits: dict[int, Wait] = {}
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="judge", daemon=True)
        self._groups = Groups(state, answers, sets, policy, clock, self._queue, self._waits, self._lock, self._finish)
        self._large = Large(gatherer, policy, degraded, self._queue, Worker())
        self.pulse = Pulse("judge")

    # ------------------------------------------------------------------ called from other threads

    def start(self) -> None:
        self._thread.start()
        self.pulse.thread = self._thread

    def recorded(self, files: Sequence[int]) -> None:
        self._queue.put(Recorded(tuple(files)))

    def touched(self, file: int) -> None:
        self._queue.put(Touched(file))

    def call(self, run: Callable[[], Any]) -> Future[Any]:
        reply: Future[Any] = Future()
        self._queue.put(Command(run, reply))
        return reply

    def take(self, policy: Policy) -> None:
        """Judge by other figures from now on. On this thread: a judgement is made by one policy."""
        self._policy = policy
        for each in (self._gatherer, self._answers, self._groups, self._large, self._witness):
            each.take(policy)

    def barrier(self) -> Future[None]:
        reply: Future[None] = Future()
        self._queue.put(Barrier(reply))
        return reply

    def stop(self) -> None:
        self._queue.put(Stop())
        self._thread.join()
        self._large.worker.stop()

    def waits(self) -> list[tuple[int, str, int]]:
        """(file, why, due) of every wait; thread-safe."""
        with self._lock:
            waits = list(self._waits.items())
        return [(file, "judging" if wait.working else wait.why, wait.due_ns) for file, wait in waits]

    # ------------------------------------------------------------------ the thread

    def _run(self) -> None:
        self._end_what_is_left()
        deadline: int | None = self._clock.mono_ns()
        while True:
            self.pulse.rest()
            message = self._clock.get(self._queue, deadline)
            self.pulse.beat()
            if isinstance(message, Stop):
                refuse_rest(self._queue)
                return
            try:
                if message is not None:
                    self._handle(message)
                elif self._warming:
                    # Nothing else to do: what every file holds is worked out ahead of the first loss.
                    self._warming = self._prints.warm(list(self._state.files.values()))
                self._work()
                self._unjudged.round_done()
                deadline = self._next_deadline()
            except Exception:
                # One file's trouble must not end the thread that guards all the others.
                log.exception("judging failed")
                self._unjudged.fail("a change could not be judged", files_of(message))
                deadline = self._clock.mono_ns() + WARM_NS
            if isinstance(message, Barrier):
                message.reply.set_result(None)

    def _end_what_is_left(self) -> None:
        """Repairs that were done but not told when the daemon last died."""
        now = self._clock.mono_ns()
        with self._lock:
            for file in list(self._state.files.values()):
                if file.open_incidents and not file.since:
                    self._waits[file.id] = Wait(now, "store", now, now)

    def _next_deadline(self) -> int | None:
        with self._lock:
            dues = [wait.next_ns for wait in self._waits.values() if not wait.working]
        look = self._repairer.next_look()
        if look is not None:
            dues.append(look)
        if self._warming:
            dues.append(self._clock.mono_ns() + WARM_NS)
        if self._unjudged.is_any:
            dues.append(self._clock.mono_ns() + AGAIN_NS)  # a verdict is in the state only once it is durable
        return min(dues, default=None)

    def _handle(self, message: Message) -> None:
        if isinstance(message, Recorded):
            for file in message.files:
                self._begin(file)
                if self._state.files[file].open_incidents and not self._state.files[file].since:
                    self._answers.pay(file)
                self._witness.glance(self._state.files[file])
        elif isinstance(message, Traced):
            self._witness.editing.open_waiting()
        elif isinstance(message, Unrecorded):
            self._wait_for_store(message.file)
        elif isinstance(message, Touched):
            self._touch(message.file)
        elif isinstance(message, Worked):
            self._large.take_back(message, self._waits.get(message.file), self._clock.mono_ns())
        elif isinstance(message, Command) and message.is_wanted:
            try:
                done = message.run()
            except Exception as error:
                if not isinstance(error, ConductdError):
                    log.exception("command failed")
                self._end_settled_waits()
                message.reply.set_exception(error)
            else:
                self._end_settled_waits()
                message.reply.set_result(done)

    def _end_settled_waits(self) -> None:
        """What a person decided just now is not waited for any more."""
        with self._lock:
            for number, wait in list(self._waits.items()):
                if not self._state.files[number].since and wait.why != "store":
                    del self._waits[number]

    def _begin(self, number: int) -> None:
        """A version came: wait until the file is quiet. Another file's cut may be pasted now."""
        now = self._clock.mono_ns()
        file = self._state.files[number]
        quiet = now + self._policy.waits.quiet_ms * 1_000_000
        with self._lock:
            for other, wait in self._waits.items():
                if wait.why == "cut" and other != number and self._state.files[other].workspace == file.workspace:
                    wait.check_ns = min(wait.check_ns or quiet, quiet)
            known = self._waits.get(number)
            if not file.since:
                # What could not be written to the store is still to be written.
                if known is not None and known.why != "store":
                    del self._waits[number]
                return
            self._waits[number] = next_wait(known, now, self._policy.waits)

    def _wait_for_store(self, number: int) -> None:
        """A verdict of this file was lost to a store that took no writes: it is judged again."""
        now = self._clock.mono_ns()
        with self._lock:
            if self._state.files[number].since:
                self._waits.setdefault(number, Wait(now + STORE_RETRY_NS, "store", now, now))

    def _touch(self, number: int) -> None:
        """The same bytes were written again while a repair waits for quiet: start the quiet anew."""
        with self._lock:
            wait = self._waits.get(number)
            if wait is not None and wait.why == "backoff" and wait.again is not None:
                now = self._clock.mono_ns()
                wait.due_ns = max(wait.due_ns, now + (wait.due_ns - wait.since_ns))
                wait.since_ns = now

    def _work(self) -> None:
        self._repairer.look_again(self._answers.merge_late)
        while True:
            now = self._clock.mono_ns()
            with self._lock:
                ready = [(file, wait) for file, wait in self._waits.items() if wait.next_ns <= now]
            if not ready:
                return
            judged = []
            for number, wait in ready:
                self.pulse.beat()
                try:
                    one = self._step(number, wait, now)
                except Exception:
                    log.exception("a file cannot be judged", file=number)
                    name = self._state.files[number].path
                    self._unjudged.fail(f"{shown(name)} could not be judged", [number])
                    self._drop(number, wait)
                    continue
                finally:
                    self._tables.trim()
                if one is not None:
                    judged.append((wait, one))
            try:
                self._groups.answer(judged)
            except Exception:
                log.exception("verdicts cannot be answered")
                self._unjudged.fail("some verdicts could not be answered", [one.file for _, one in judged])
                for wait, one in judged:
                    self._finish(one.file, wait, Again(now + RETRY_NS, "failed"))

    # ------------------------------------------------------------------ one file

    def _step(self, number: int, wait: Wait, now: int) -> Judged | None:
        """Judge a file whose time has come; None when it waits on or needs no verdict."""
        if wait.again is not None:
            self._finish(number, wait, self._answers.resume(wait.again))
            return None
        self._answers.settle(number)
        file = self._state.files[number]
        role = self._workspaces.role(file.workspace, file.path)
        if not file.since:
            self._finish(number, wait, self._answers.end(number))
            return None
        if role is None or file.stood_down:
            self._drop(number, wait)
            return None
        if self._witness.put_off(file, wait, now):
            return None
        self._witness.name(file)
        self._settle_person(number, file, role)
        head = file.since[-1]
        if self._gatherer.is_blind(file):
            what = f"no version of {shown(file.path)} can be read: its changes cannot be judged"
            self._degraded.raise_(f"store_damage:{number}", what, "conductd verify")
            self._drop(number, wait)
            return None
        self._degraded.clear(f"store_damage:{number}")
        if head.state in UNJUDGED:
            self._answers.tell_unjudged(file, head)
            self._drop(number, wait)
            return None
        large = is_large(file)
        needed = self._large.needed(number, wait, file, role) if large else self._needed(file, wait)
        if needed is None:
            if not wait.working:
                wait.due_ns = now + self._policy.waits.quiet_ms * 1_000_000  # another version came in this moment
            return None
        if wait.looked != head.seq:
            wait.looked = head.seq
            if wait.lengthen(needed, self._policy.waits.quiet_ms, now) and wait.why != "cut":
                return None
        checking = wait.due_ns > now
        wait.check_ns = None
        found = self._large.judged(number, wait, file) if large else self._judged(number, file, role, head)
        if found is None:
            if not large:
                # Another version came in this moment; its own wait begins when its message is read.
                wait.due_ns = now + self._policy.waits.quiet_ms * 1_000_000
            return None
        if checking and found.verdict.change.lost:
            return None  # a cut that is not pasted yet
        if found.verdict.action is not Action.RECORD and self._witness.look(file):
            wait.due_ns = now  # a person, perhaps: judged again in that light
            return None
        return found

    def _settle_person(self, number: int, file: FileTrack, role: Role) -> None:
        """What a person saved is judged by itself when others wrote after it: they start from there."""
        count = by_a_person_first(file.since)
        if not 0 < count < len(file.since) or is_large(file):
            return
        alone = msgspec.structs.replace(file, since=file.since[:count], head=file.since[count - 1])
        found = self._judged(number, alone, role, alone.since[-1])
        if found is not None and found.verdict.action is Action.RECORD:
            self._witness.write([Draft(written.change(self._state, found, None, moves=True))])

    def _judged(self, number: int, file: FileTrack, role: Role, head: Seen) -> Judged | None:
        """The verdict on a file as it is; None when it is not as it was a moment ago."""
        case = self._gatherer.case(file, role)
        if case.versions[-1].seq != head.seq:
            return None
        verdict = judge(case, self._policy, self._tables)
        elsewhere: tuple[Elsewhere, ...] = ()
        if verdict.change.lost:
            found = self._gatherer.searched(case, file, verdict)
            elsewhere = found.elsewhere
            if found != case:  # else it would say the same again
                case, verdict = found, judge(found, self._policy, self._tables)
        return Judged(number, head, case, verdict, elsewhere)

    def _needed(self, file: FileTrack, wait: Wait) -> Needed:
        """The wait that the text asks for; asked once for each version."""
        if wait.looked == file.since[-1].seq:
            return Needed("quiet", 0)
        base = self._contents.of(file.baseline)
        return wait_for(base, self._gatherer.write(file.since[-1]), self._policy, self._tables.key, self._tables)

    def _drop(self, number: int, wait: Wait) -> None:
        with self._lock:
            if self._waits.get(number) is wait:
                del self._waits[number]

    def _finish(self, number: int, wait: Wait, again: Again | None) -> None:
        """A verdict was answered: done, or come back."""
        with self._lock:
            if self._waits.get(number) is not wait:
                return
            if again is None:
                del self._waits[number]
                return
            new = Wait(again.due_mono_ns, again.why, self._clock.mono_ns(), wait.first_ns)
            new.again, new.looked = again.judged, wait.looked
            self._waits[number] = new
