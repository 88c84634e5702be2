"""The recorder thread: sole owner of journal and index writes.

Takes observations (what the intake read) and drafts (verdicts, plans, decisions), writes them in
batches — one append, one data-sync — applies them to the state, indexes them, and only then tells
anybody. While the store takes no writes it keeps the newest observation per file, refuses drafts
and tries again; nothing is acknowledged that is not durable.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future

import structlog

from conductd.engine.degraded import Degraded
from conductd.engine.indexing import Index, IndexFeed
from conductd.engine.state import State
from conductd.errors import StoreUnavailable
from conductd.journal.journal import Draft, Journal
from conductd.model import (
    DAEMON,
    Cause,
    CheckpointRecord,
    EventClass,
    EventRecord,
    FileState,
    Frozen,
    Severity,
    Stored,
    VersionRecord,
)
from conductd.ports import Clock
from conductd.watch.reader import Observation

log = structlog.get_logger("recorder")

BATCH = 512  # records in one append
BATCH_BYTES = 32 * 1024 * 1024
LAZY_NS = 100_000_000  # a `record` verdict waits this long for a batch to travel with
RETRY_NS = 500_000_000  # while the store takes no writes
CHECKPOINT_AT_STOP = 1_000  # fewer are read again faster than a snapshot is worth
CHECKPOINT_EVERY = 50_000  # records between snapshots of the state
CLOCK_JUMP_NS = 60_000_000_000  # wall against monotonic time, more than this is told


class Observed(Frozen, frozen=True):
    """The intake read a file. ``offline``: found at start; ``first``: the workspace is new."""

    workspace: str
    path: bytes
    observation: Observation
    cause: Cause = Cause.CHANGE
    swept: bool = False
    coalesced: int = 0


Compose = Callable[[int], Sequence[Draft]]
"""Drafts that name each other: called with the sequence the first of them will get."""


class Append(Frozen, frozen=True):
    """Drafts to write; the future gets the stored records once durable, or StoreUnavailable."""

    compose: Compose
    reply: Future[tuple[Stored, ...]]
    lazy: bool = False


class Barrier(Frozen, frozen=True):
    """Answered when everything queued before it is durable (with the last sequence) or cannot be."""

    reply: Future[int]


class Reindex(Frozen, frozen=True):
    """Empty the index and feed it the journal again, between batches."""


class Stop(Frozen, frozen=True):
    """Write what is queued, then end."""


# Bytes given back after a crash are somebody's change: they are judged.
_CAUSES = {"repair": Cause.REPAIR, "give_back": Cause.CHANGE}

Message = Observed | Append | Barrier | Reindex | Stop


class Recorder:
    """See the module. `told` is called on the recorder thread with each durable batch;
    `touched` when a write left the recorded bytes as they were."""

    def __init__(
        self,
        journal: Journal,
        index: Index,
        state: State,
        clock: Clock,
        degraded: Degraded,
        told: Callable[[Sequence[Stored]], None],
        touched: Callable[[int], None],
    ) -> None:
        self._journal, self._state, self._clock = journal, state, clock
        self._index = IndexFeed(index, journal, degraded)
        self._degraded, self._told, self._touched = degraded, told, touched
        self._queue: queue.SimpleQueue[Message] = queue.SimpleQueue()  # a third of the cost of a Queue: it is in C
        self._pending: list[Append] = []
        self._observed: list[Observed] = []
        self._held: dict[tuple[str, bytes], Observed] = {}  # store down: newest per file
        self._down = False
        self._since_checkpoint = 0
        self._skew: int | None = None
        self._inflight = threading.Semaphore(1024)
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self.progress_ns = 0

    # ------------------------------------------------------------------ called from other threads

    def start(self) -> None:
        self._thread.start()

    def observe(self, observed: Observed) -> None:
        """Hand over what was read. Blocks while 1,024 observations wait."""
        self._inflight.acquire()
        self._queue.put(observed)

    def append(self, compose: Compose, *, lazy: bool = False) -> Future[tuple[Stored, ...]]:
        """Lazy drafts travel with the next batch, at most 100 ms later."""
        reply: Future[tuple[Stored, ...]] = Future()
        self._queue.put(Append(compose, reply, lazy))
        return reply

    def write(self, drafts: Sequence[Draft]) -> tuple[Stored, ...]:
        """Append and wait until durable. Raises StoreUnavailable."""
        return self.append(lambda _seq: drafts).result()

    def compose(self, compose: Compose) -> tuple[Stored, ...]:
        """As `write`, for drafts that need their sequences."""
        return self.append(compose).result()

    def barrier(self) -> Future[int]:
        reply: Future[int] = Future()
        self._queue.put(Barrier(reply))
        return reply

    def stop(self) -> None:
        self._queue.put(Stop())
        self._thread.join()

    @property
    def down(self) -> bool:
        return self._down

    @property
    def index_complete(self) -> bool:
        return not self._index.is_behind

    def rebuild_index(self) -> Iterator[int | float]:
        """Start the rebuild; yields progress (0..1) and at last the number of records indexed."""
        self._queue.put(Reindex())
        self.barrier().result()
        while self._index.is_behind:
            yield self._index.progress
            threading.Event().wait(0.05)
        yield self._journal.last_seq

    # ------------------------------------------------------------------ the thread

    def _run(self) -> None:
        stopping = False
        lazy_due: int | None = None
        while not stopping:
            wait = RETRY_NS if self._down else None
            if self._index.is_behind and not self._down:
                wait = self._index.wait_ns()
            if lazy_due is not None and not self._down:
                wait = max(0, lazy_due - self._clock.mono_ns())
            batch, stopping = self._take(wait)
            barriers = [m for m in batch if isinstance(m, Barrier)]
            for message in batch:
                if isinstance(message, Observed):
                    self._inflight.release()
                    self._observed.append(message)
                elif isinstance(message, Append):
                    self._pending.append(message)
                elif isinstance(message, Reindex):
                    self._index.start_over()
            lazy_only = not self._observed and all(a.lazy for a in self._pending)
            if self._pending and lazy_only and not barriers and not stopping and not self._down:
                now = self._clock.mono_ns()
                lazy_due = lazy_due if lazy_due is not None else now + LAZY_NS
                if now < lazy_due:
                    self._index.catch_up()
                    continue
            lazy_due = None
            self._flush_safely()
            for barrier in barriers:
                barrier.reply.set_result(self._journal.last_seq)
            self._index.catch_up()
            self.progress_ns = self._clock.mono_ns()
        if self._since_checkpoint > CHECKPOINT_AT_STOP and not self._down:
            self.checkpoint()

    def _take(self, wait_ns: int | None) -> tuple[list[Message], bool]:
        """At least one message (or none after `wait_ns` of real time), then all that are there."""
        messages: list[Message] = []
        try:
            messages.append(self._queue.get(timeout=None if wait_ns is None else wait_ns / 1e9))
            size = 0
            while len(messages) < BATCH and size < BATCH_BYTES:
                message = messages[-1]
                if isinstance(message, Stop):
                    break
                if isinstance(message, Observed) and message.observation.data is not None:
                    size += len(message.observation.data)
                messages.append(self._queue.get_nowait())
        except queue.Empty:
            pass
        return messages, any(isinstance(m, Stop) for m in messages)

    def _flush_safely(self) -> None:
        """A record that cannot be written at all must end neither this thread nor the rest of its batch."""
        observed, waiting = list(self._observed), list(self._pending)
        try:
            self._flush()
        except Exception:
            log.exception("a batch cannot be recorded; trying its parts one by one")
        else:
            return
        left: list[tuple[list[Observed], list[Append]]] = [([each], []) for each in observed]
        left += [([], [append]) for append in waiting if not append.reply.done()]
        for self._observed, self._pending in left:
            try:
                self._flush()
            except Exception as error:
                log.exception("a change cannot be recorded")
                self._degraded.raise_("recorder", f"a change could not be recorded: {error}", "see the log")
                refused = StoreUnavailable(f"this cannot be recorded: {error}", "see the log")
                for append in self._pending:
                    append.reply.set_exception(refused)
        self._observed, self._pending = [], []

    def _flush(self) -> None:
        """Write what waits. Observations first: record first."""
        if self._down:
            for observed in self._observed:
                self._hold(observed)
            self._observed = list(self._held.values())
        versions = self._version_drafts()
        drafts = [*self._clock_event(), *versions]
        appends, self._pending = self._pending, []
        spans = []
        for append in appends:
            start = len(drafts)
            drafts.extend(append.compose(self._journal.last_seq + 1 + start))
            spans.append((append.reply, start, len(drafts)))
        if not drafts:
            self._observed = []
            if not self._down:
                for reply, _, _ in spans:
                    reply.set_result(())
                return
            # Nothing waits: find out whether the store is fine again.
            drafts = [self._probe()]
        try:
            stored = self._journal.append(drafts)
        except StoreUnavailable as error:
            self._fail(error)
            self._append_small(appends, error)
            return
        self._observed = []
        self._check_space(had_versions=bool(versions))
        self._publish(stored)
        for reply, start, end in spans:
            reply.set_result(stored[start:end])
        self._maybe_checkpoint(len(stored))

    def _version_drafts(self) -> list[Draft]:
        """A draft for every observation that differs from the file's last state."""
        drafts: list[Draft] = []
        heads: dict[tuple[str, bytes], tuple[int, FileState, bytes | None, bytes | None]] = {}
        with self._state.lock:
            next_file = self._state.next_file
            for observed in self._observed:
                at = (observed.workspace, observed.path)
                seen, file = observed.observation, self._state.track(*at)
                head = heads.get(at)
                if head is None and file is not None and file.head is not None:
                    head = (file.id, file.head.state, file.head.digest, file.head.link_target)
                if head is None and seen.state is FileState.ABSENT:
                    continue
                if observed.cause is Cause.SWAPPED_OUT and head is not None:
                    drafts.append(Draft(self._version(observed, head[0]), seen.data, head[0]))
                    continue
                if head is not None and head[1:] == (seen.state, seen.digest, seen.link_target):
                    if file is not None:
                        known = file.stat
                        if seen.state is not FileState.ABSENT:
                            file.stat = seen.stat
                        # A rescan that reads to be sure is no write: it must not put a waiting repair off.
                        if not observed.swept or known is None or seen.stat is None or known.key != seen.stat.key:
                            self._touched(file.id)
                    continue
                number = head[0] if head else file.id if file else next_file
                next_file = max(next_file, number + 1)
                heads[at] = (number, seen.state, seen.digest, seen.link_target)
                drafts.append(Draft(self._version(observed, number), seen.data, number))
        return drafts

    def _version(self, observed: Observed, number: int) -> VersionRecord:
        seen = observed.observation
        cause, actor = observed.cause, None
        plan = self._state.open_plan(number)
        if plan is not None and plan[1].target_digest == seen.digest and seen.state is not FileState.UNREADABLE:
            cause, actor = _CAUSES.get(plan[1].purpose, Cause.RESTORE), DAEMON
        return VersionRecord(
            workspace=observed.workspace,
            file=number,
            path=observed.path,
            state=seen.state,
            cause=cause,
            digest=seen.digest,
            size=seen.size,
            stat=seen.stat,
            link_target=seen.link_target,
            reason=seen.reason,
            actor=actor
            or self._state.attributed(observed.workspace, observed.path, seen.digest, self._clock.wall_ns()),
            parents=plan[1].parents if actor and plan else (),
            coalesced=observed.coalesced,
            swept=observed.swept,
        )

    def _publish(self, stored: Sequence[Stored]) -> None:
        with self._state.lock:
            for one in stored:
                self._state.apply(one)
        self._index.take(stored)
        self._told(stored)

    # ------------------------------------------------------------------ the store is down

    def _hold(self, observed: Observed) -> None:
        at = (observed.workspace, observed.path)
        known = self._held.pop(at, None)
        if known is not None and known is not observed:
            observed = Observed(
                observed.workspace,
                observed.path,
                observed.observation,
                known.cause,
                observed.swept,
                observed.coalesced + known.coalesced + 1,
            )
        self._held[at] = observed

    def _append_small(self, appends: Sequence[Append], error: StoreUnavailable) -> None:
        """Verdicts, plans and incidents have space kept for them: they may go through alone. The rest is refused."""
        for append in appends:
            try:
                stored = self._journal.append(list(append.compose(self._journal.last_seq + 1)))
            except StoreUnavailable:
                append.reply.set_exception(error)
            else:
                self._publish(stored)
                append.reply.set_result(stored)

    def _fail(self, error: StoreUnavailable) -> None:
        """Nothing of the batch is acknowledged; observations are kept."""
        if not self._down:
            log.error("the store takes no writes", error=error.message)
        self._down = True
        self._degraded.raise_("store", error.message, error.hint)
        for observed in self._observed:
            self._hold(observed)
        self._observed = []

    @staticmethod
    def _probe() -> Draft:
        return Draft(EventRecord(EventClass.STORE_UNAVAILABLE, Severity.INFO, reason="trying the store again"))

    def _check_space(self, *, had_versions: bool) -> None:
        """A small record that still fits says nothing: the store is fine when it took a version, or has room ahead."""
        spare = self._journal.spare_error
        if spare and not had_versions:
            return
        if self._down:
            self._down = False
            self._held.clear()
            log.info("the store takes writes again")
            # Tells in the history that there was a gap.
            again = EventRecord(EventClass.STORE_UNAVAILABLE, Severity.INFO, reason="the store takes writes again")
            self._pending.append(Append(lambda _seq: [Draft(again)], Future(), lazy=True))
        if spare:
            self._degraded.raise_("store", f"the store is running full: {spare}", "free space on its disk")
        else:
            self._degraded.clear("store")

    # ------------------------------------------------------------------ clocks and checkpoints

    def _clock_event(self) -> list[Draft]:
        """A `clock_jump` when the wall clock left the monotonic one since the last batch."""
        wall, mono = self._clock.wall_ns(), self._clock.mono_ns()
        skew, known = wall - mono, self._skew
        jump = skew - known if known is not None else min(0, wall - self._state.last_wall_ns)
        self._skew = skew
        if abs(jump) < CLOCK_JUMP_NS:
            return []
        seconds = round(jump / 1e9)
        return [Draft(EventRecord(EventClass.CLOCK_JUMP, Severity.INFO, reason=f"{seconds:+d} s", detail=str(seconds)))]

    def _maybe_checkpoint(self, written: int) -> None:
        self._since_checkpoint += written
        if self._since_checkpoint >= CHECKPOINT_EVERY:
            self.checkpoint()

    def checkpoint(self) -> None:
        """Write a snapshot of the state."""
        with self._state.lock:
            draft = Draft(CheckpointRecord(self._state.last_seq), self._state.dump())
        try:
            stored = self._journal.append([draft])
        except StoreUnavailable:
            return  # the next batch finds out and says so
        self._since_checkpoint = 0
        self._publish(stored)
