"""The recorder thread: sole owner of journal and index writes.

Takes observations (what the intake read) and drafts (verdicts, plans, decisions), writes them in
batches — one append, one data-sync — applies them to the state, indexes them, and only then tells
anybody. While the store takes no writes it keeps the newest observation per file, refuses drafts
and tries again; nothing is acknowledged that is not durable.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress

import msgspec
import structlog

from conductd.engine.fold.state import State
from conductd.engine.health.degraded import Degraded
from conductd.engine.health.pulse import Pulse
from conductd.engine.recording import outage
from conductd.engine.recording.drafting import Drafter, Observed
from conductd.engine.recording.failures import Failures
from conductd.engine.recording.indexing import Index, IndexFeed
from conductd.engine.recording.messages import (
    Append,
    Barrier,
    Compose,
    Message,
    Reindex,
    Scrub,
    Stop,
    Tend,
    answer,
    refuse,
    settle,
    size_of,
)
from conductd.engine.recording.outage import Outage, Reread
from conductd.engine.recording.room import Room
from conductd.engine.recording.whereabouts import placed
from conductd.errors import StoreUnavailable
from conductd.journal.journal import Draft, Journal
from conductd.journal.writer import unavailable
from conductd.model import CheckpointRecord, EventClass, EventRecord, Severity, Stored
from conductd.ports import Clock

log = structlog.get_logger("recorder")

BATCH = 512  # records in one append
BATCH_BYTES = 32 * 1024 * 1024
LAZY_NS = 100_000_000  # a `record` verdict waits this long for a batch to travel with
RETRY_NS = 500_000_000  # while the store takes no writes
RESTART = "conductd service restart; what was recorded before stays"
CHECKPOINT_AT_STOP = 1_000  # fewer are read again faster than a snapshot is worth
CHECKPOINT_EVERY = 50_000  # records between snapshots of the state
CLOCK_JUMP_NS = 60_000_000_000  # wall against monotonic time, more than this is told


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
        self._degraded, self._told = degraded, told
        self._drafter = Drafter(state, clock, touched, journal.key)
        self._outage, self._failures = Outage(degraded), Failures(degraded)
        self._queue: queue.SimpleQueue[Message] = queue.SimpleQueue()  # a third of the cost of a Queue: it is in C
        self.depth = self._queue.qsize  # messages that wait
        self._pending: list[Append] = []
        self._observed: list[Observed] = []
        self._room = Room()
        self._tending = threading.Event()
        self._since_checkpoint = 0
        self.appends, self.append_ns = 0, 0  # batches that are durable, and what their writes and syncs took
        self._skew: int | None = None
        self._lazy_due: int | None = None
        self._in_hand: list[Message] = []  # what the batch at work answers to, besides those that wait
        self._has_ended = False
        self._thread = threading.Thread(target=self._live, name="recorder", daemon=True)
        self.pulse = Pulse("recorder")
        self.reread: Reread = lambda _workspace, _path, _cause: None  # set once there is somebody who reads

    # ------------------------------------------------------------------ called from other threads

    def start(self) -> None:
        self._thread.start()
        self.pulse.thread = self._thread

    def observe(self, observed: Observed) -> None:
        """Hand over what was read. Blocks while too much waits (see `room`)."""
        self._room.take(observed.size)
        self._put(observed)

    def keep(self, observed: Observed) -> Future[bool]:
        """As `observe`, for bytes that nobody else has: True once they are durable, False when that failed."""
        durable: Future[bool] = Future()
        self.observe(msgspec.structs.replace(observed, durable=durable))
        return durable

    def append(self, compose: Compose, *, lazy: bool = False) -> Future[tuple[Stored, ...]]:
        """Lazy drafts travel with the next batch, at most 100 ms later."""
        reply: Future[tuple[Stored, ...]] = Future()
        self._put(Append(compose, reply, lazy))
        return reply

    def write(self, drafts: Sequence[Draft]) -> tuple[Stored, ...]:
        """Append and wait until durable. Raises StoreUnavailable."""
        return self.append(lambda _seq: drafts).result()

    def compose(self, compose: Compose) -> tuple[Stored, ...]:
        """As `write`, for drafts that need their sequences."""
        return self.append(compose).result()

    def barrier(self) -> Future[int]:
        reply: Future[int] = Future()
        self._put(Barrier(reply))
        return reply

    def tend(self) -> None:
        """Have it looked whether journal and index are still there; asked again before that, it is done once."""
        if not self._tending.is_set():
            self._tending.set()
            self._queue.put(Tend())

    def stop(self) -> None:
        self._queue.put(Stop())
        self._thread.join()

    def _put(self, message: Message) -> None:
        self._queue.put(message)
        if self._has_ended:
            self._answer_all()

    def _answer_all(self) -> None:
        """The thread has ended: whoever waits for it, or asks it later, is told so at once."""
        left: list[Message] = []
        with suppress(queue.Empty):
            while True:
                left.append(self._queue.get_nowait())
        answer(left, StoreUnavailable("nothing is recorded any more: the recorder has ended", RESTART))

    @property
    def down(self) -> bool:
        return self._outage.down

    @property
    def index_complete(self) -> bool:
        return not self._index.is_behind

    def rebuild_index(self) -> Iterator[int | float]:
        """Start the rebuild; yields progress (0..1) and at last the number of records indexed.

        Raises StoreUnavailable when the index takes no writes.
        """
        return self._rebuilt(Reindex())

    def scrub_index(self) -> None:
        """Make the index anew, with nothing of the old one left in its files. Waits until it is whole."""
        for _ in self._rebuilt(Scrub()):
            pass

    def _rebuilt(self, how: Reindex | Scrub) -> Iterator[int | float]:
        self._queue.put(how)
        self.barrier().result()
        while self._index.is_behind:
            if self._has_ended:
                raise StoreUnavailable("the index is not made: the recorder has ended", RESTART)
            if self._index.trouble is not None:
                raise self._index.trouble
            yield self._index.progress
            threading.Event().wait(0.05)
        yield self._journal.last_seq

    # ------------------------------------------------------------------ the thread

    def _live(self) -> None:
        try:
            self._run()
        except BaseException as error:  # what ends a thread: the daemon is restarted for it, nobody waits until then
            log.exception("the recorder has ended")
            self._failures.last(f"the recorder has ended: {type(error).__name__}", RESTART)
        finally:
            self._has_ended = True
            self._room.open()
            unknown = "the recorder has ended, and whether this was recorded is not known"
            answer([*self._in_hand, *self._pending, *self._observed], StoreUnavailable(unknown, RESTART))
            self._answer_all()

    def _run(self) -> None:
        stopping = False
        while not stopping:
            self.pulse.rest()
            batch, stopping = self._take(self._wait_ns())
            self.pulse.beat()
            self._in_hand = [*batch, *self._pending]
            try:
                self._round(batch, stopping)
            except Exception as error:
                # Whatever one batch does, the next one must still be recorded.
                log.exception("recording failed")
                self._failures.last(f"recording failed: {error}")
                refuse(batch, error)
            self._in_hand = []
            self._room.give_back(sum(isinstance(m, Observed) for m in batch), size_of(batch))
        if self._since_checkpoint > CHECKPOINT_AT_STOP and not self.down:
            self.checkpoint()

    def _wait_ns(self) -> int | None:
        """How long nothing has to be done when nothing comes (real time); None: for ever."""
        if self.down:
            return RETRY_NS
        if self._lazy_due is not None:
            return max(0, self._lazy_due - self._clock.mono_ns())
        return self._index.wait_ns() if self._index.is_behind else None

    def _round(self, batch: Sequence[Message], stopping: bool) -> None:
        barriers = [m for m in batch if isinstance(m, Barrier)]
        for message in batch:
            if isinstance(message, Observed):
                self._observed.append(message)
            elif isinstance(message, Append):
                self._pending.append(message)
            elif isinstance(message, Reindex):
                self._index.start_over()
            elif isinstance(message, Scrub):
                self._index.scrub()
            elif isinstance(message, Tend):
                self._look_after()
        if not (barriers or stopping) and self._can_wait():
            self._index.catch_up()
            return
        self._lazy_due = None
        self._flush_safely()
        for barrier in barriers:
            barrier.reply.set_result(self._journal.last_seq)
        self._index.catch_up()

    def _can_wait(self) -> bool:
        """There are only drafts that may travel with a later batch, and their time is not up."""
        if not self._pending or self._observed or self.down or not all(a.lazy for a in self._pending):
            return False
        now = self._clock.mono_ns()
        self._lazy_due = self._lazy_due if self._lazy_due is not None else now + LAZY_NS
        return now < self._lazy_due

    def _look_after(self) -> None:
        self._tending.clear()
        self._index.look_after()
        try:
            self._journal.look_after()
            self._journal.check_place()
        except (OSError, StoreUnavailable) as error:
            refused = error if isinstance(error, StoreUnavailable) else unavailable(error)
            if not self.down:
                self._outage.begin(refused, ())

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
                if isinstance(message, Observed):
                    size += message.size
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
        for seen, appends in left:
            self._observed, self._pending = list(seen), list(appends)
            try:
                self._flush()
            except Exception as error:
                log.exception("a change cannot be recorded")
                message = f"a change could not be recorded: {error}"
                if appends:
                    self._failures.last(message)
                for each in seen:
                    if self._failures.unrecorded(each, message):
                        self.reread(each.workspace, each.path, each.cause)
                refuse([*seen, *appends], error)
        self._observed, self._pending = [], []

    def _flush(self) -> None:
        """Write what waits. Observations first: record first."""
        if self.down:
            for observed in self._observed:
                self._outage.hold(observed)
            self._observed = self._outage.held()
        batch = self._observed
        versions = self._drafter.versions(batch)
        drafts = [*self._clock_event(), *versions]
        appends, self._pending = self._pending, []
        spans = []
        for append in appends:
            start = len(drafts)
            drafts.extend(append.compose(self._journal.last_seq + 1 + start))
            spans.append((append.reply, start, len(drafts)))
        if not drafts and not self.down:
            self._observed = []
            settle(batch, durable=True)
            self._failures.recorded(batch)
            for reply, _, _ in spans:
                reply.set_result(())
            return
        try:
            # When nothing waits: find out whether the store is fine again.
            stored = self._write(drafts or [outage.probe()])
        except StoreUnavailable as error:
            self._outage.begin(error, batch)
            self._observed = []
            self._append_small(appends, error)
            return
        self._observed = []
        self._check_space(ordinary=bool(versions) or not drafts)
        self._publish(stored)
        settle(batch, durable=True)
        self._failures.recorded(batch)
        for reply, start, end in spans:
            reply.set_result(stored[start:end])
        self._maybe_checkpoint(len(stored))

    def _write(self, drafts: Sequence[Draft]) -> tuple[Stored, ...]:
        placed_drafts, begun = [placed(self._state, draft) for draft in drafts], time.monotonic_ns()
        with self.pulse.writing():
            stored = self._journal.append(placed_drafts)
        self.appends, self.append_ns = self.appends + 1, self.append_ns + time.monotonic_ns() - begun
        return stored

    def _publish(self, stored: Sequence[Stored]) -> None:
        """They are durable: nothing that goes wrong from here on may have them written again."""
        with self._state.lock:
            for one in stored:
                try:
                    self._state.apply(one)
                except Exception as error:
                    log.exception("a record cannot be applied", seq=one.seq)
                    self._failures.last(f"record {one.seq} cannot be applied: {error}")
        self._index.take(stored)
        try:
            self._told(stored)
        except Exception as error:
            log.exception("records cannot be told of")
            self._failures.last(f"what was recorded could not be told: {error}")

    # ------------------------------------------------------------------ the store is down

    def _append_small(self, appends: Sequence[Append], error: StoreUnavailable) -> None:
        """Verdicts, plans and incidents have space kept for them: they may go through alone. The rest is refused."""
        for append in appends:
            try:
                stored = self._write(list(append.compose(self._journal.last_seq + 1)))
            except StoreUnavailable:
                append.reply.set_exception(error)
            else:
                self._publish(stored)
                append.reply.set_result(stored)

    def _check_space(self, *, ordinary: bool) -> None:
        """A small record that still fits says nothing: the store is fine when it took an
        `ordinary` record (a version, a probe), or has room ahead."""
        spare = self._journal.spare_error
        if spare and not ordinary:
            return
        if self.down:
            self._outage.end(self.reread)
            self._pending.append(Append(lambda _seq: [outage.over()], Future(), lazy=True))
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
            stored = self._write([draft])
        except StoreUnavailable:
            return  # the next batch finds out and says so
        self._since_checkpoint = 0
        self._publish(stored)
