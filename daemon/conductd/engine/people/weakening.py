"""The gate of every act that weakens protection: done for a person at once, only asked for by anybody else.

Whoever has a controlling terminal and no known agent among its ancestors decides. A descendant of an
agent, a process without a terminal, and one whose ancestors cannot be seen make a *request*, which is
told at once and which a person confirms (`conductd confirm N`) or refuses. What was done is told as
well, with who asked. The environment of a process can lie about who runs it; its ancestry is the
kernel's. Any thread; an act runs where its `run` takes it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import msgspec
import structlog

from conductd.engine.answering import notices
from conductd.engine.fold.decided import AskedFor
from conductd.engine.fold.state import State
from conductd.engine.people.waiting import PATIENCE_S
from conductd.engine.recording.recorder import Recorder
from conductd.errors import Busy, ConductdError, NotFound, Refused
from conductd.faces import Caller
from conductd.journal.journal import Draft
from conductd.model import RequestRecord, Stored
from conductd.ports import Clock
from conductd.views import DidView, RequestView, b64, iso, shown

log = structlog.get_logger("requests")

DAY_NS = 86_400_000_000_000
OPEN_AT_ONCE = 100  # requests that wait: one that asks for everything is told to stop

Run = Callable[[dict[str, Any], tuple[str, ...]], DidView]
"""Does an act. Called with its arguments and the ancestry of the person who decided it; journals a
`DecisionRecord` with that ancestry."""

Show = Callable[[dict[str, Any]], list[str]]
"""What an act would change, in lines, for whoever confirms it."""


Same = Callable[[dict[str, Any]], object]
"""What two requests of an act are the same by."""


class _Act(NamedTuple):
    run: Run
    show: Show
    may: Callable[[Caller], bool]
    same: Same | None
    settled: Callable[[dict[str, Any]], str]


class Weakening:
    """See the module. Register acts before the first question."""

    def __init__(self, state: State, recorder: Recorder, clock: Clock, days: int = 7) -> None:
        """`days`: how long a request waits, and how long a refusal stands."""
        self._state, self._recorder, self._clock = state, recorder, clock
        self.take(days)
        self._acts: dict[str, _Act] = {}
        self._one = threading.Lock()
        self._expiring: set[int] = set()

    def take(self, days: int) -> None:
        """How long a request waits from now on."""
        self._kept_ns = days * DAY_NS

    def register(
        self,
        act: str,
        run: Run,
        show: Show,
        may: Callable[[Caller], bool] = lambda caller: caller.may_decide,
        same: Same | None = None,
        settled: Callable[[dict[str, Any]], str] = lambda _arguments: "",
    ) -> None:
        """Name an act: the word that a request of it is journaled with. `may`: who does it without being asked.
        `same`: for arguments that differ each time they are worked out. `settled`: why nothing is left to be done,
        as a clause; "" while something is."""
        assert act not in self._acts, act
        self._acts[act] = _Act(run, show, may, same, settled)

    def ask(
        self,
        act: str,
        arguments: dict[str, Any],
        caller: Caller,
        words: str,
        *,
        workspace: str = "",
        file: int | None = None,
    ) -> DidView:
        """Do the act, or make a request of it.

        `arguments` are what msgpack can write, and never a secret; `words` is a clause that a person can
        confirm ("accept the loss of incident 12: MEMORY.md"), with files and counts, never content.
        """
        known = self._acts[act]
        if not known.may(caller):
            return self._request(act, arguments, caller, words, workspace, file)
        did = known.run(arguments, caller.ancestry)
        self._tell_done(did, workspace, caller.ancestry)
        self._end_settled(caller.ancestry)
        return did

    def _end_settled(self, ancestry: tuple[str, ...]) -> None:
        """Requests that what a person just did has answered wait for nobody any more."""
        for each in self._known():
            if self._waits(each) and self._settled(each):
                self._end(each, "confirmed", ancestry)

    def _settled(self, each: AskedFor) -> str:
        act = self._acts.get(each.record.act)
        if act is None or not each.record.arguments:
            return ""
        return act.settled(msgspec.msgpack.decode(each.record.arguments))

    # ------------------------------------------------------------------ requests

    def requests(self) -> list[RequestView]:
        """Those that wait, oldest first, with what each would do: that may be looked up on other threads."""
        self.expire()
        return [self._view(each) for each in self._known() if self._waits(each)]

    def waiting(self) -> int:
        """How many wait. Reads memory only."""
        return sum(self._waits(each) for each in self._known())

    def confirm(self, number: int, caller: Caller) -> DidView:
        """Do what was asked for, as the decision of `caller`. Raises Refused when it may not decide."""
        if not caller.may_decide:
            raise Refused(f"request {number} waits for a person: {_why_not(caller)}", CONFIRM_HINT)
        with self._one_at_a_time():
            known = self._open(number)
            record = known.record
            act = self._acts.get(record.act)
            if act is None:
                raise NotFound(f"request {number} asks for {record.act}, which this release does not know", "")
            if not record.arguments:
                raise NotFound(f"what request {number} asks for is forgotten", f"conductd refuse {number}")
            settled = self._settled(known)
            if settled:
                self._end(known, "confirmed", caller.ancestry)
                return DidView(f"request {number} is settled, and nothing was left to do: {settled}", [], "")
            did = act.run(msgspec.msgpack.decode(record.arguments), caller.ancestry)
            self._end(known, "confirmed", caller.ancestry)
        self._tell_done(did, record.workspace, caller.ancestry)
        return did

    def refuse(self, number: int, caller: Caller) -> RequestView:
        """It will not be done, nor asked for again in the same words for as long as a request waits.

        An agent only takes back what was asked for by itself or below it, and that may be asked for again. Raises
        Refused for anybody else who may not decide: nobody blocks what others ask for.
        """
        with self._one_at_a_time():
            known = self._open(number)
            state = "refused" if caller.may_decide else "withdrawn"
            if state == "withdrawn" and not (caller.agent and caller.agent in known.asked_by):
                raise Refused(f"request {number} is refused by a person only: {_why_not(caller)}", CONFIRM_HINT)
            self._end(known, state, caller.ancestry)
        ended = msgspec.structs.replace(known.record, state=state)
        return self._view(AskedFor(known.id, known.asked_ns, known.asked_by, ended))

    def expire(self) -> None:
        """End those that nobody answered in time. Waits for nothing: the main thread calls it."""
        for each in self._known():
            if each.record.state != "open" or self._waits(each) or each.id in self._expiring:
                continue
            self._expiring.add(each.id)
            ended = msgspec.structs.replace(each.record, request=each.id, state="expired", caller=())
            reply = self._recorder.append(partial(_only, ended))
            reply.add_done_callback(partial(self._expired, each.id))

    def _expired(self, number: int, reply: Future[tuple[Stored, ...]]) -> None:
        """Written, or to be tried again."""
        if reply.exception() is not None:
            log.warning("a request could not be ended", request=number)
        self._expiring.discard(number)

    def _request(
        self, act: str, arguments: dict[str, Any], caller: Caller, words: str, workspace: str, file: int | None
    ) -> DidView:
        record = RequestRecord(
            request=None,
            state="open",
            act=act,
            arguments=msgspec.msgpack.encode(arguments, order="deterministic"),
            words=words,
            workspace=workspace,
            file=file,
            caller=caller.ancestry,
        )
        with self._one_at_a_time():
            number = self._asked_before(record)
            if number is None:
                number = self._write_request(record)
        why = _why_not(caller)
        text = f"nothing is done yet: {why}, so a person has to confirm it: {words}"
        return DidView(f"{text} (conductd confirm {number})", [], "", request=number)

    def _asked_before(self, record: RequestRecord) -> int | None:
        """The number of the same request while it waits. Raises Refused when a person said no to it."""
        recent = self._clock.wall_ns() - self._kept_ns
        waiting = 0
        wanted = self._meaning(record)
        for each in self._known():
            same = each.record.act == record.act and self._meaning(each.record) == wanted
            if same and self._waits(each):
                return each.id
            if same and each.record.state == "refused" and each.asked_ns >= recent:
                raise Refused(f"this was refused before (request {each.id}): {record.words}", CONFIRM_HINT)
            waiting += self._waits(each)
        if waiting >= OPEN_AT_ONCE:
            raise Busy(f"{waiting} requests wait for a person already", "conductd requests")
        return None

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        """What is confirmed can take long (an erasure): whoever comes meanwhile does not wait for ever."""
        if not self._one.acquire(timeout=PATIENCE_S):
            raise Busy("another request is just being carried out", "try again when it is done")
        try:
            yield
        finally:
            self._one.release()

    def _meaning(self, record: RequestRecord) -> object:
        act = self._acts.get(record.act)
        if act is None or act.same is None or not record.arguments:
            return record.arguments
        return act.same(msgspec.msgpack.decode(record.arguments))

    def _write_request(self, record: RequestRecord) -> int:
        stored = self._recorder.compose(
            lambda seq: [Draft(record), Draft(notices.asked_for(record, seq, self._path(record)))]
        )
        return stored[0].seq

    def _end(self, known: AskedFor, state: str, caller: tuple[str, ...]) -> None:
        ended = msgspec.structs.replace(known.record, request=known.id, state=state, caller=caller)
        self._recorder.write([Draft(ended)])

    def _tell_done(self, did: DidView, workspace: str, ancestry: tuple[str, ...]) -> None:
        self._recorder.write([Draft(notices.weakened(did.text, workspace, ancestry, command=did.undo_command))])

    # ------------------------------------------------------------------ looking

    def _waits(self, each: AskedFor) -> bool:
        return each.record.state == "open" and each.asked_ns >= self._clock.wall_ns() - self._kept_ns

    def _known(self) -> list[AskedFor]:
        with self._state.lock:
            return list(self._state.decided.requests.values())

    def _open(self, number: int) -> AskedFor:
        with self._state.lock:
            known = self._state.decided.requests.get(number)
        if known is None:
            raise NotFound(f"no request {number}", "conductd requests")
        if known.record.state != "open":
            raise NotFound(f"request {number} is {known.record.state} already", "conductd requests")
        if not self._waits(known):
            raise NotFound(f"request {number} has expired", "ask for it again")
        return known

    def _path(self, record: RequestRecord) -> bytes:
        with self._state.lock:
            file = self._state.files.get(record.file) if record.file is not None else None
        return file.path if file is not None else b""

    def _view(self, known: AskedFor) -> RequestView:
        record = known.record
        act = self._acts.get(record.act)
        shows: list[str] = []
        if not record.arguments:
            shows = ["do nothing: what it asks for is forgotten"]
        elif act is not None and record.state == "open":
            try:
                shows = act.show(msgspec.msgpack.decode(record.arguments))
            except ConductdError as error:
                shows = [f"do what cannot be said now: {error.message}"]
        path = self._path(record)
        with self._state.lock:
            where = self._state.workspaces.get(record.workspace)
        return RequestView(
            id=known.id,
            state=record.state,
            act=record.act,
            words=record.words,
            workspace=record.workspace,
            path=shown(path),
            path_b64=b64(path),
            caller=list(known.asked_by),
            asked=iso(known.asked_ns),
            asked_ns=known.asked_ns,
            expires_ns=known.asked_ns + self._kept_ns,
            shows=shows,
            root=shown(where.root) if where is not None else "",
        )


CONFIRM_HINT = "run the command in a terminal of your own, not through an agent"


def _why_not(caller: Caller) -> str:
    """Why the caller may not decide, as a clause."""
    if caller.is_agent:
        return "an agent asks"
    if not caller.ancestry or not caller.whole:
        return "it cannot be seen who asks"
    return "no terminal is behind it"


def _only(record: RequestRecord, _seq: int) -> list[Draft]:
    return [Draft(record)]
