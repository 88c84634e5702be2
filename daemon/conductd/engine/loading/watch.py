"""Watches what agents see of their files: looks when something they load was written, and tells what is new.

Owns a thread, so that neither recording nor judging waits for it. A workspace is looked at when it is first seen, when
what its agents load was written and is judged, and at every rescan (their settings and releases may have changed).
Never writes into a workspace.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress

import msgspec
import structlog

from conductd.core.load.writable_names import named, path_of
from conductd.core.policy import Waits
from conductd.engine.answering.judging import Judge
from conductd.engine.fold.loads import Told
from conductd.engine.fold.state import State
from conductd.engine.health.degraded import Degraded
from conductd.engine.health.pulse import Pulse
from conductd.engine.loading import telling
from conductd.engine.loading.growth import Sizes
from conductd.engine.loading.looking import Look, Looker
from conductd.engine.loading.picture import Picture
from conductd.engine.recording.recorder import Recorder
from conductd.engine.workspaces import Handle, Workspaces
from conductd.errors import StoreUnavailable
from conductd.journal.journal import Draft
from conductd.model import (
    Action,
    Cause,
    ChangeRecord,
    DecisionRecord,
    EventClass,
    EvidenceRecord,
    FileStat,
    FileState,
    ForgetRecord,
    Frozen,
    Stored,
    VersionRecord,
    WorkspaceRecord,
)
from conductd.ports import Clock

log = structlog.get_logger("loads")

RARENESS = 1_000  # looks that nothing asked for cost at most so much less than they take: 0.1 % of a core
REST = 20  # while a workspace is written without a pause, looks take a twentieth of the time at most
STOP_S = 1.0
AGAIN_NS = 5_000_000_000  # after the store took no writes
PATIENCE_NS = 60_000_000_000  # a workspace whose files are never judged is looked at all the same
_UNDER_WAY = frozenset({"quiet", "save", "cut", "judging"})
_MISSING = Picture("the workspace is not there")
_LOCKED = Picture("watched by another daemon")


class Changed(Frozen, frozen=True):
    """Something of a workspace was recorded. ``path``: of a version; b"": it has to be looked at whatever it was."""

    workspace: str
    path: bytes = b""
    is_file: bool = True
    waits: bool = False


class Barrier(Frozen, frozen=True):
    reply: Future[None]


class Stop(Frozen, frozen=True):
    pass


Message = Changed | Barrier | Stop


class Due(Frozen, frozen=True):
    """When a workspace is to be looked at, and since when it waits."""

    at_ns: int
    since_ns: int


class LoadWatch:
    """See the module. `recorded` from the recorder thread, the rest from any."""

    def __init__(
        self,
        state: State,
        recorder: Recorder,
        workspaces: Workspaces,
        judge: Judge,
        looker: Looker,
        degraded: Degraded,
        clock: Clock,
        waits: Waits,
        rescan_s: float,
    ) -> None:
        self._state, self._recorder, self._workspaces = state, recorder, workspaces
        self.looker = looker
        self._judge, self._degraded, self._clock = judge, degraded, clock
        self.take(waits, rescan_s)
        self._queue: queue.Queue[Message] = queue.Queue()
        self._lock = threading.Lock()
        self._due: dict[str, Due] = {}
        self._status: dict[int, tuple[int, int, int, int]] = {}  # by file; the recorder's thread alone
        self._pictures: dict[str, Picture] = {}
        self._sizes: dict[str, Mapping[str, Sizes]] = {}
        self._changed: dict[str, set[str]] = {}
        self._back: dict[str, dict[str, frozenset[str]]] = {}
        self._spent_ns: dict[str, int] = {}
        self._next_rescan = 0
        self._thread = threading.Thread(target=self._run, name="loads", daemon=True)
        self.pulse = Pulse("loads")

    # ------------------------------------------------------------------ called from other threads

    def take(self, waits: Waits, rescan_s: float) -> None:
        self._waits, self._rescan_ns = waits, round(rescan_s * 1e9)

    def start(self) -> None:
        self._thread.start()
        self.pulse.thread = self._thread

    def stop(self) -> None:
        """A look at a mount that hangs is not waited for: the thread ends with the process."""
        self._queue.put(Stop())
        self._thread.join(STOP_S)

    def recorded(self, batch: Sequence[Stored]) -> None:
        """Only notes it. A workspace named twice in a batch is noted twice: that costs less than to look."""
        for stored in batch:
            if isinstance(stored.record, ForgetRecord):
                for handle in self._workspaces.handles():
                    self._queue.put(Changed(handle.id))
            if isinstance(stored.record, VersionRecord) and stored.record.stat is not None:
                self._status[stored.record.file] = _status(stored.record.stat)
            message = _changed(stored, self._state)
            if message is not None:
                self._queue.put(message)

    def touched(self, number: int) -> None:
        """A file holds what it held. Where its link count, mode or owner are others an agent may read it otherwise."""
        file = self._state.files.get(number)
        if file is None or file.stat is None or self._status.get(number) == _status(file.stat):
            return
        self._status[number] = _status(file.stat)
        self._queue.put(Changed(file.workspace, file.path, waits=True))

    def barrier(self) -> Future[None]:
        """Done when every workspace was looked at again that no judgement is under way in."""
        reply: Future[None] = Future()
        self._queue.put(Barrier(reply))
        return reply

    def pending(self) -> list[tuple[str, int]]:
        """(workspace, due) of what waits for nobody but the time."""
        with self._lock:
            due = dict(self._due)
        judged = self._under_way()
        return [(workspace, each.at_ns) for workspace, each in due.items() if workspace not in judged]

    def picture(self, workspace: str) -> Picture:
        """As it was at the last look, without what was forgotten since."""
        with self._lock:
            picture = self._pictures.get(workspace, Picture())
        return self.looker.veiled(picture)

    # ------------------------------------------------------------------ the thread

    def _run(self) -> None:
        with suppress(StoreUnavailable, CancelledError):
            self._recorder.barrier().result()  # the files as they are recorded at the start
        self._rescan()
        while True:
            self._work()
            self.pulse.rest()
            message = self._clock.get(self._queue, self._deadline())
            self.pulse.beat()
            if isinstance(message, Stop):
                self._refuse_rest()
                return
            if isinstance(message, Changed):
                self._note(message)
            elif isinstance(message, Barrier):
                self._rescan()
                self._work()
                message.reply.set_result(None)
            if self._clock.mono_ns() >= self._next_rescan:
                self._rescan()

    def _refuse_rest(self) -> None:
        while not self._queue.empty():
            message = self._queue.get_nowait()
            if isinstance(message, Barrier):
                message.reply.cancel()

    def _deadline(self) -> int:
        with self._lock:
            return min((each.at_ns for each in self._due.values()), default=self._next_rescan)

    def _rescan(self) -> None:
        """All of them: what is not recorded may have changed as well."""
        now = self._clock.mono_ns()
        for handle in self._workspaces.handles():
            self._put(handle.id, now)
        spent = sum(self._spent_ns.values())
        self._next_rescan = now + max(self._rescan_ns, RARENESS * spent)

    def _note(self, message: Changed) -> None:
        if not self._matters(message):
            return
        if message.path:
            self._changed.setdefault(message.workspace, set()).add(named(message.path))
        now = self._clock.mono_ns()
        self._put(message.workspace, now + (self._waits.quiet_ms * 1_000_000 if message.waits else 0))

    def _matters(self, message: Changed) -> bool:
        """A file that was there at the last look, and that no agent had to do with, has nothing to do with them now."""
        with self._lock:
            picture = self._pictures.get(message.workspace, Picture())
        if not message.path or not message.is_file or not picture.at_ns:
            return True
        return message.path in picture.names or message.path not in picture.known

    def _put(self, workspace: str, at_ns: int) -> None:
        now = self._clock.mono_ns()
        with self._lock:
            known = self._due.get(workspace)
            since = known.since_ns if known is not None else now
            latest = since + self._waits.longest_quiet_ms * 1_000_000
            paced = now + REST * self._spent_ns.get(workspace, 0) if at_ns > now else at_ns
            self._due[workspace] = Due(min(max(at_ns, paced), max(now, latest)), since)

    def _work(self) -> None:
        now = self._clock.mono_ns()
        with self._lock:
            due = [(workspace, each) for workspace, each in self._due.items() if each.at_ns <= now]
        if not due:
            return
        under_way = self._under_way()
        for workspace, each in due:
            if workspace in under_way and now - each.since_ns < PATIENCE_NS:
                # The verdict on it comes as a change and has it looked at; this is for one that never comes.
                again = max(under_way[workspace], now) + self._waits.quiet_ms * 1_000_000
                with self._lock:
                    self._due[workspace] = Due(again, each.since_ns)
                continue
            with self._lock:
                self._due.pop(workspace, None)
            self.pulse.beat()
            try:
                self._look(workspace)
                self._degraded.clear(f"loads:{workspace}")
            except StoreUnavailable:
                log.warning("what agents see cannot be told now: the store takes no writes")
                self._put(workspace, now + AGAIN_NS)
            except Exception:
                log.exception("a workspace cannot be looked at as its agents do")
                with self._lock:
                    self._pictures[workspace] = Picture("it could not be computed: see the log")
                self._degraded.raise_(f"loads:{workspace}", "what an agent sees is not known", "see the log")

    def _under_way(self) -> dict[str, int]:
        """By workspace, until when the judge waits there for the end of a write."""
        found: dict[str, int] = {}
        waits = self._judge.waits()
        with self._state.lock:
            for number, why, due_ns in waits:
                file = self._state.files.get(number)
                if file is not None and why in _UNDER_WAY:
                    due = 0 if why == "judging" else due_ns
                    found[file.workspace] = max(found.get(file.workspace, 0), due)
        return found

    # ------------------------------------------------------------------ one workspace

    def _look(self, workspace: str) -> None:
        handle = self._workspaces.handle(workspace)
        if handle is None or handle.fd is None or handle.locked_by:
            with self._lock:
                if handle is None:
                    self._pictures.pop(workspace, None)
                else:
                    self._pictures[workspace] = _LOCKED if handle.locked_by else _MISSING
            return
        started = self._clock.mono_ns()
        changed = tuple(self._changed.pop(workspace, ()))
        look = self.looker.look(handle, self._sizes.get(workspace, {}), changed, self._clock.wall_ns())
        try:
            self._tell(handle, look)
        except StoreUnavailable:
            self._changed.setdefault(workspace, set()).update(changed)
            raise
        with self._lock:
            self._pictures[workspace] = look.picture
        self._sizes[workspace] = {**self._sizes.get(workspace, {}), **look.sizes}
        self._spent_ns[workspace] = self._clock.mono_ns() - started

    def _tell(self, handle: Handle, look: Look) -> None:
        with self._state.lock:
            loads = self._state.loads
            incidents = {
                number: each.record
                for number, each in self._state.incidents.items()
                if each.record.state == "open" and each.record.event_class is EventClass.PIN_HIDDEN
            }
            before = telling.Before(
                handle.id,
                handle.root,
                self._remembered(handle.id, loads.of(handle.id)),
                {place: loads.sessions_since(handle.id, each.seq) for place, each in loads.of(handle.id).items()},
                incidents,
                look.unknown,
                look.guesses,
                self._told_elsewhere(handle),
            )
        found = look.found
        fresh = telling.news(found, before)
        if telling.records(found, fresh, before, 0):
            self._recorder.compose(lambda seq: [Draft(each) for each in telling.records(found, fresh, before, seq)])
        self._forget(handle.id, look)

    def _told_elsewhere(self, handle: Handle) -> dict[telling.Subject, frozenset[str]]:
        """Under the state's lock."""
        found: dict[telling.Subject, frozenset[str]] = {}
        for workspace, told in self._state.loads.told.items():
            track = self._state.workspaces.get(workspace)
            if track is None or workspace == handle.id:
                continue
            for one in told.values():
                about = telling.subject(one.finding, path_of(one.finding.name), track.root)
                found[about] = found.get(about, frozenset()) | frozenset(one.marks)
        return found

    def _remembered(self, workspace: str, told: Mapping[str, Told]) -> dict[str, Told]:
        """What was told, without what came back since: in memory alone, the next look finds it again."""
        back = self._back.get(workspace, {})
        return {
            place: msgspec.structs.replace(one, marks=[each for each in one.marks if each not in back.get(place, ())])
            for place, one in told.items()
        }

    def _forget(self, workspace: str, look: Look) -> None:
        now = {each.finding.place: each.finding.marks for each in look.found}
        before = self._back.get(workspace, {})
        marks = {place: (look.back.get(place, frozenset()) | before.get(place, frozenset())) for place in now}
        self._back[workspace] = {place: each.difference(now[place]) for place, each in marks.items() if each}


def _status(stat: FileStat) -> tuple[int, int, int, int]:
    """What of it may decide whether, and how, an agent reads a file."""
    return (stat.nlink, stat.mode, stat.uid, stat.gid)


def _changed(stored: Stored, state: State) -> Changed | None:
    """What a record that the state has taken means for what agents see."""
    record = stored.record
    if isinstance(record, VersionRecord):
        if record.cause is Cause.SWAPPED_OUT:
            return None
        waits = record.cause in (Cause.CHANGE, Cause.OFFLINE)
        return Changed(record.workspace, record.path, record.state is FileState.FILE, waits)
    if isinstance(record, ChangeRecord):
        # A loss that is put back at once is not looked at before it is.
        is_mended = record.verdict.action in (Action.REVERT, Action.MERGE)
        return Changed(record.workspace, record.path, is_file=True, waits=is_mended)
    if isinstance(record, EvidenceRecord):
        is_new = stored.seq in state.loads.sessions.get(record.workspace, {}).values()
        # What it announces comes in a moment: what is told is how things are then.
        return Changed(record.workspace, waits=True) if is_new and state.loads.of(record.workspace) else None
    if isinstance(record, DecisionRecord):
        return Changed(record.workspace) if record.decision in ("pin", "unpin") else None
    if isinstance(record, WorkspaceRecord):
        return Changed(record.workspace)
    return None
