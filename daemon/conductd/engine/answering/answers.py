"""Turns a verdict into records, and into a write where one is due: incidents, fights, notices.

Runs on the judge thread. What a verdict means for one file is decided here in one place; how a
write is done is the repairer's, what the sentences say is `notices`'.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

import msgspec
import structlog

from conductd.core.judging.fight import Answer, next_answer
from conductd.core.losses import pins
from conductd.core.merging.merge import merge_new_entries, three_way
from conductd.core.policy import Policy
from conductd.core.provenance import is_harm, worst
from conductd.engine.answering import endings, eroding, notices, pin_notices, written
from conductd.engine.answering.judged import Again, Judged
from conductd.engine.answering.repairing import Ended, Repairer, Write
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, Seen, round_of
from conductd.engine.gathering.cases import Gatherer
from conductd.engine.recording.recorder import Recorder
from conductd.engine.workspaces import Workspaces
from conductd.errors import StoreUnavailable
from conductd.journal.journal import Draft
from conductd.model import (
    Action,
    EventClass,
    EventRecord,
    FileState,
    Mode,
    Severity,
    Stored,
)
from conductd.ports import Clock

log = structlog.get_logger("judge")

STORE_RETRY_NS = 1_000_000_000
BUSY_RETRY_NS = 250_000_000
RETRY_MOST_NS = 60_000_000_000  # each try journals a plan and its end: a program may hold a file open for days
HOLD_NS = 60_000_000_000


class Answers:
    """See the module."""

    def __init__(
        self,
        state: State,
        recorder: Recorder,
        repairer: Repairer,
        gatherer: Gatherer,
        workspaces: Workspaces,
        policy: Policy,
        clock: Clock,
    ) -> None:
        self._state, self._recorder, self._repairer = state, recorder, repairer
        self._gatherer, self._workspaces = gatherer, workspaces
        self._policy, self._clock = policy, clock
        self._tries: dict[int, int] = {}  # writes of a file in a row that had to be put off
        self.lazy: dict[int, Future[tuple[Stored, ...]]] = {}

    def take(self, policy: Policy) -> None:
        self._policy = policy

    def give(self, judged: Judged) -> Again | None:
        """Answer one verdict on its own."""
        try:
            return self._give(judged)
        except StoreUnavailable:
            return Again(self._clock.mono_ns() + STORE_RETRY_NS, "store")

    def settle(self, number: int) -> None:
        """A verdict that is still on its way to the journal must count before the next one."""
        reply = self.lazy.pop(number, None)
        if reply is not None:
            reply.exception()

    def see_through(self, number: int, done: Callable[[Future[tuple[Stored, ...]]], None]) -> None:
        """A lazy verdict is not waited for: ``done`` is called when it is durable, or is not to be."""
        reply = self.lazy.get(number)
        if reply is not None:
            reply.add_done_callback(done)

    def resume(self, judged: Judged) -> Again | None:
        """Carry out the write of a verdict that is on record already, if it may still be made."""
        try:
            return self._resume(judged)
        except StoreUnavailable:
            return Again(self._clock.mono_ns() + STORE_RETRY_NS, "store", judged)

    def _resume(self, judged: Judged) -> Again | None:
        """What forbids a write may have come up while this one waited, for an hour perhaps."""
        file = self._state.files[judged.file]
        if not self.is_answered(judged, file):
            return Again(self._clock.mono_ns(), "quiet")  # a person decided meanwhile: judge it in that light
        if self._workspaces.mode(file) is Mode.OBSERVE:
            self.refuse(judged, file, self._why_observed(file))
            return None
        if self._is_git_at_work(file):
            return Again(self._clock.mono_ns() + self._policy.waits.git_ms * 1_000_000, "git", judged)
        return self.carry_out(judged)

    def end(self, number: int) -> Again | None:
        """Nothing of this file is left to judge: close and tell what a crash, or a store that took no writes,
        left open or untold."""
        file = self._state.files[number]
        drafts = [Draft(each) for pair in endings.left(self._state, file) for each in reversed(pair) if each]
        if not drafts:
            return None
        try:
            self._recorder.write(drafts)
        except StoreUnavailable:
            return Again(self._clock.mono_ns() + STORE_RETRY_NS, "store")
        return None

    def pay(self, number: int) -> None:
        """The daemon itself wrote the file, on somebody's wish: end the offers that that paid. What it puts back
        unasked ends with that."""
        back = endings.came_back(self._state, self._state.files[number], self._gatherer.holds)
        back = [each for each in back if each.record.action is Action.PROPOSE]
        if back:
            drafts = [Draft(endings.paid(each, *each.record.files)) for each in back]
            self._recorder.append(lambda _seq: drafts)

    def merge_late(self, number: int, base: bytes | None, data: bytes) -> bool:
        """A writer wrote into the inode we took out: bring what it wrote into the file. False: not now."""
        file = self._state.files[number]
        if file.stood_down or self._workspaces.mode(file) is Mode.OBSERVE:
            return True  # it is on record; nothing is written here
        with self._state.lock:
            known, head = self._gatherer.find(file, base), file.head
        current, start = self._gatherer.bytes_of(head), self._gatherer.bytes_of(known)
        if head is None or current is None:
            return True
        if self._is_git_at_work(file):
            return False
        merged = merge_new_entries(current, data) if start is None else three_way(start, current, data).data
        ended = self._repairer.carry_out(Write(number, "repair", head.digest, merged, (head.seq,)))
        log.info("late writer merged", path=file.path, outcome=ended.outcome)
        return not ended.again and ended.outcome != "superseded"

    def _is_git_at_work(self, file: FileTrack) -> bool:
        git = self._workspaces.git(file.workspace)
        return git.index_lock or git.merge_head

    # ------------------------------------------------------------------ one file

    def _give(self, judged: Judged) -> Again | None:
        verdict, file = judged.verdict, self._state.files[judged.file]
        if verdict.action is Action.RECORD:
            back = (
                *endings.came_back(self._state, file, self._gatherer.holds),
                *endings.cured(self._state, file, verdict),
            )
            over = {i.id: i for i in (*endings.held(self._state, file), *back)}
            ended = [Draft(endings.paid(each, *each.record.files)) for each in over.values()]
            change, root = (
                written.change(self._state, judged, None, moves=True),
                self._state.workspaces[file.workspace].root,
            )
            drafts = [Draft(change), *ended, *pin_notices.of_marks(root, file, judged)]
            if verdict.rule == "deleted-again":
                drafts.append(Draft(notices.deleted_again(root, change, judged.seen.actor.name)))
            self.lazy[judged.file] = self._recorder.append(lambda _seq: drafts, lazy=True)
            return None
        if verdict.action is Action.HOLD:
            return self._hold(judged, file)
        for held in endings.held(self._state, file):
            self._recorder.write([Draft(endings.paid(held, file.id))])  # what follows has an incident of its own
        if verdict.action is Action.PROPOSE:
            self._open(judged, moves=True, done="")
            return None
        if self._workspaces.mode(file) is Mode.OBSERVE:
            self._open(judged, moves=True, done=f"{notices.NOT_WRITTEN}: {self._why_observed(file)}")
            return None
        return self._write(judged, file)

    def _why_observed(self, file: FileTrack) -> str:
        handle = self._workspaces.handle(file.workspace)
        if handle is not None and handle.locked_by:
            return f"{handle.locked_by} protects this workspace"
        return "this workspace is only observed"

    def _hold(self, judged: Judged, file: FileTrack) -> Again:
        if not self.is_answered(judged, file):
            held = endings.held(self._state, file)
            if held:
                self._recorder.write([Draft(written.change(self._state, judged, held[0].id, moves=False))])
            else:
                self._open(judged, moves=False, done="")
        return Again(self._clock.mono_ns() + HOLD_NS, "hold")

    @staticmethod
    def is_answered(judged: Judged, file: FileTrack) -> bool:
        """The same version was answered before (a restart, a retry): records exist already."""
        return file.judged is not None and file.judged[0] == judged.seen.seq

    def _open(self, judged: Judged, *, moves: bool, done: str) -> int:
        """Open an incident with its change and its one notice. Returns the incident's number."""
        file = self._state.files[judged.file]
        known = eroding.grows(self._state, judged, file)
        if known is not None:
            grown = eroding.grown(known, written.incident(judged, file, why=done))
            self._recorder.write([Draft(grown), Draft(written.change(self._state, judged, known.id, moves=moves))])
            return known.id

        offered = self._offered(judged, file)

        def compose(seq: int) -> list[Draft]:
            incident = msgspec.structs.replace(written.incident(judged, file, why=done), provenance=offered)
            told = notices.first(file.path, judged.verdict, incident, seq, at_start=judged.seen.offline)
            return [
                Draft(incident),
                Draft(written.change(self._state, judged, seq, moves=moves)),
                Draft(notices.gated(told, self._if_put_back(file, offered))),
                *pin_notices.of_marks(self._state.workspaces[file.workspace].root, file, judged),
            ]

        return self._recorder.compose(compose)[0].seq

    def _offered(self, judged: Judged, file: FileTrack) -> str:
        """What the agent would make of it, were what is lost put back now."""
        gate, base = self._repairer.gate, judged.case.baseline
        if gate is None or base is None or not (judged.verdict.debt or judged.verdict.change.lost):
            return ""
        return gate.of_offer(file, base.digest, len(judged.verdict.change.added)).value

    def _if_put_back(self, file: FileTrack, offered: str) -> str:
        words = self.words(file, offered)
        return f"were it put back: {words}" if words else ""

    def words(self, file: FileTrack, effect: str) -> str:
        """What a notice says of a write with this effect: harm alone."""
        gate = self._repairer.gate
        return gate.words(file, effect) if gate is not None and is_harm(effect) else ""

    # ------------------------------------------------------------------ writing

    def _write(self, judged: Judged, file: FileTrack) -> Again | None:
        target = judged.target(self._policy)
        if target is None:
            self.refuse(judged, file, "the version to go back to has no bytes in the journal")
            return None
        answer = self.next_answer(judged, file)
        if not self.is_answered(judged, file):
            self._fight(judged, file, answer)
            log.info("verdict", path=file.path, event_class=judged.verdict.event_class, rule=judged.verdict.rule)
        if answer.stand_down:
            return None
        if answer.wait_ns > 0:
            return Again(self._clock.mono_ns() + answer.wait_ns, "backoff", judged)
        return self.carry_out(judged)

    def next_answer(self, judged: Judged, file: FileTrack) -> Answer:
        """What the fight over this file allows now, with this round counted once."""
        now, rounds = self._clock.wall_ns(), list(file.rounds)
        if not self.is_answered(judged, file):
            rounds.append(round_of(judged.verdict, judged.seen, now))
        return next_answer(rounds, now, self._policy.fights)

    def _fight(self, judged: Judged, file: FileTrack, answer: Answer) -> None:
        """Open the incident of a loss, or let the incident of the fight it belongs to grow."""
        rounds = max(1, answer.rounds)
        known = file.fight_incident if rounds > 1 else None
        before = self._state.incidents.get(known) if known is not None else None
        if before is None:
            self._first_round(judged, file, rounds, answer)
            return
        grown = msgspec.structs.replace(
            endings.once_more(before.record, judged.verdict),
            incident=before.id,
            state="open",
            rounds=max(rounds, before.record.rounds + 1),
            writer=judged.seen.actor.name if judged.seen.actor.confidence else before.record.writer,
            loop=before.record.loop or answer.loop,
            stood_down=answer.stand_down,
            debt=endings.owing(before.record.debt, file.id, judged.case.baseline),
        )
        drafts = [Draft(grown), Draft(written.change(self._state, judged, before.id, moves=False))]
        if grown.loop and not before.record.loop:
            drafts.append(Draft(notices.loop(file.path, grown, before.id)))
        if grown.stood_down and not before.record.stood_down:
            drafts.append(Draft(notices.stood_down(file.path, grown, before.id)))
        self._recorder.write(drafts)

    def _first_round(self, judged: Judged, file: FileTrack, rounds: int, answer: Answer) -> None:
        """It can be one too many all the same: others used up what a day allows."""
        record = written.incident(judged, file, why="", rounds=rounds)
        record = msgspec.structs.replace(record, stood_down=answer.stand_down)

        def compose(seq: int) -> list[Draft]:
            told = [Draft(notices.stood_down(file.path, record, seq))] if record.stood_down else []
            return [Draft(record), Draft(written.change(self._state, judged, seq, moves=False)), *told]

        self._recorder.compose(compose)

    def carry_out(self, judged: Judged) -> Again | None:
        """Do the write of a verdict that is on record, and close what it closes."""
        file = self._state.files[judged.file]
        target = judged.target(self._policy)
        incident = file.fight_incident
        parents, set_id = written.parents(judged), self._set_of(incident)
        write = Write(file.id, "repair", judged.seen.digest, target, parents, incident, set_id=set_id)
        ended = self._repairer.carry_out(write)
        return self._after(judged, file, incident, ended)

    def _set_of(self, incident: int | None) -> int:
        """A file of a set that could not be written with the others is undone with them all the same."""
        known = self._state.incidents.get(incident) if incident is not None else None
        return known.id if known is not None and endings.is_set(known) else 0

    def _after(self, judged: Judged, file: FileTrack, incident: int | None, ended: Ended) -> Again | None:
        now = self._clock.mono_ns()
        if ended.again:
            tries = self._tries.get(file.id, 0)
            self._tries[file.id] = tries + 1
            first = BUSY_RETRY_NS if ended.outcome == "busy" else STORE_RETRY_NS
            return Again(now + min(first << min(tries, 16), RETRY_MOST_NS), ended.outcome, judged)
        self._tries.pop(file.id, None)
        if ended.outcome == "superseded":
            # Somebody wrote in this moment: that write is judged when the file is quiet, like any other.
            return Again(now + self._policy.waits.quiet_ms * 1_000_000, "quiet")
        if ended.outcome == "refused":
            self.refuse(judged, file, ended.reason)
            return None
        self._resolve(judged, file, incident, ended.provenance)
        return None

    def _resolve(self, judged: Judged, file: FileTrack, incident: int | None, provenance: str) -> None:
        known = self._state.incidents.get(incident) if incident is not None else None
        if known is None:
            return
        ended = endings.paid(known, file.id, *endings.repaired(self._state, known))
        ended = endings.in_part(known) if pins.left_over(judged.verdict) else ended
        ended = msgspec.structs.replace(ended, provenance=worst((known.record.provenance, provenance)))
        drafts = [Draft(ended)]
        if not known.told and known.record.files == (file.id,):
            told = notices.first(file.path, judged.verdict, ended, known.id, at_start=judged.seen.offline)
            drafts.insert(0, Draft(notices.gated(told, self.words(file, provenance))))
        elif not known.told and not endings.is_waiting(self._state, known):
            drafts.insert(0, Draft(endings.notice(self._state, known)))
        self._recorder.write(drafts)

    def refuse(self, judged: Judged, file: FileTrack, reason: str) -> None:
        """A write that cannot be done safely becomes a proposal, in the incident it belongs to; in one of
        its own when others of a set are put back."""
        verdict = msgspec.structs.replace(
            judged.verdict,
            action=Action.PROPOSE,
            severity=Severity.NOTICE,
            facts={**judged.verdict.facts, "refused": reason},
            debt=True,
        )
        proposed = msgspec.structs.replace(judged, verdict=verdict)
        why = f"{notices.NOT_WRITTEN}: {reason}"
        known = self._state.incidents.get(file.fight_incident or 0)
        offered = self._offered(proposed, file)
        is_alone = known is not None and known.record.state == "open" and endings.is_set(known)

        def compose(seq: int) -> list[Draft]:
            event = EventRecord(EventClass.RESTORE_REFUSED, Severity.NOTICE, file.workspace, file.path, reason, why)
            incident = written.incident(proposed, file, why=why)
            number = seq + 1
            if known is not None and known.record.state == "open" and not is_alone:
                number = known.id
                incident = msgspec.structs.replace(
                    known.record, incident=number, action=Action.PROPOSE, severity=Severity.NOTICE, why=why
                )
            incident = msgspec.structs.replace(incident, provenance=offered)
            told = notices.first(file.path, verdict, incident, number, at_start=judged.seen.offline)
            return [
                Draft(event),
                Draft(incident),
                Draft(written.change(self._state, proposed, number, moves=True)),
                Draft(notices.gated(told, self._if_put_back(file, offered))),
                *([Draft(endings.paid(known, file.id))] if known is not None and is_alone else []),
            ]

        self._recorder.compose(compose)

    def tell_unjudged(self, file: FileTrack, seen: Seen) -> None:
        """A file over the size limit is known by digest only: that is told once, however it grows."""
        known = any(earlier.state is FileState.OVERSIZE for earlier in file.since if earlier.seq < seen.seq)
        if seen.state is not FileState.OVERSIZE or known:
            return
        notice = notices.over_limit(file.workspace, file.path, seen.size)
        event = EventRecord(EventClass.OVERSIZE, Severity.NOTICE, file.workspace, file.path, "size limit", notice.title)
        self._recorder.append(lambda _seq: [Draft(event), Draft(notice)])

    # ------------------------------------------------------------------ parts
