"""The intake thread: turns hints and rescans into observations for the recorder.

Reads at once and hands over; it never judges and never writes. A hint only says where to look, a
rescan is the truth: whatever the watcher could not follow ends in one. Time here is the file
system's own, never the controllable clock: it compares with what the disk says.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

import structlog

from conductd.engine.fold.state import State
from conductd.engine.health.degraded import Degraded
from conductd.engine.health.pulse import Pulse
from conductd.engine.recording.drafting import Observed
from conductd.engine.recording.errands import Do, Look, Message, Stop, Sync
from conductd.engine.recording.known import known, recorded
from conductd.engine.recording.recorder import Recorder
from conductd.engine.recording.unannounced import unannounced
from conductd.engine.workspaces import Handle, Workspaces
from conductd.model import Cause, FileState
from conductd.views import shown
from conductd.views.words import pasted
from conductd.watch.hints import Degraded as WatcherDegraded
from conductd.watch.hints import Hint, HintKind
from conductd.watch.reader import ROOT_MISSING, Observation, observe
from conductd.watch.rescan import Rule, is_young, scan
from conductd.watch.tree import ROOT
from conductd.watch.watcher import Watcher
from conductd.watch.watchset import outermost

log = structlog.get_logger("intake")

QUEUE = 65_536
SETTLE_S = 0.015  # a write that is not closed yet: its close usually comes within this
TORN_S = 0.005
AGAIN_S = 1.0  # after something could not be read
RARENESS = 1_000  # the regular rescan takes no more of a core than one part in so many: 0.17 s for 10,000 directories
MANY = 64  # directories told at once: past this the whole root is compared in one go

AT_ONCE = frozenset({HintKind.CLOSED, HintKind.MOVED, HintKind.MOVED_FROM, HintKind.DELETED})
STATES = frozenset({HintKind.CLOSED, HintKind.MOVED})
SOON = frozenset({HintKind.MODIFIED, HintKind.CREATED, HintKind.METADATA})


class Intake:
    """See the module. `sink` is what the watcher calls."""

    def __init__(
        self,
        state: State,
        recorder: Recorder,
        workspaces: Workspaces,
        degraded: Degraded,
        *,
        max_file_bytes: int,
        rescan_s: float,
        tell_degraded: Callable[[str, str, str], None],
    ) -> None:
        """`tell_degraded(reason, message, hint)` journals the one `watcher_degraded` of this start."""
        self._state, self._recorder, self._workspaces = state, recorder, workspaces
        self._degraded, self._tell_degraded = degraded, tell_degraded
        self._limit, self._rescan_s = max_file_bytes, rescan_s
        self._queue: queue.SimpleQueue[Message] = queue.SimpleQueue()  # in C: every event passes through it
        self.depth = self._queue.qsize  # messages that wait
        self._overflowed = threading.Event()
        self._soon: dict[tuple[str, bytes], float] = {}
        self._racy: dict[str, set[bytes]] = {}
        self._by_root: dict[bytes, Handle] = {}
        self._next_rescan = time.monotonic() + rescan_s
        self._thread = threading.Thread(target=self._run, name="intake", daemon=True)
        self.pulse = Pulse("intake")
        self.watcher: Watcher | None = None
        self.came_back: Callable[[Handle], object] = lambda _handle: None  # told of a root that was away
        self.saw: Callable[[str, Hint], object] = lambda _workspace, _hint: None  # told of every file's hints
        self.reads = 0

    # ------------------------------------------------------------------ called from other threads

    def sink(self, hint: Hint) -> None:
        """Never blocks: a full queue means that everything is rescanned."""
        if self._queue.qsize() < QUEUE:
            self._queue.put(hint)
        else:
            self._overflowed.set()

    def watcher_degraded(self, degraded: WatcherDegraded) -> None:
        """What the watcher cannot do, from its own threads."""
        self._tell_degraded(degraded.reason, degraded.message, degraded.hint)

    def start(self) -> None:
        self._thread.start()
        self.pulse.thread = self._thread

    def stop(self) -> None:
        self._queue.put(Stop())
        self._thread.join()

    def sync(self) -> Future[Future[int]]:
        reply: Future[Future[int]] = Future()
        self._queue.put(Sync(reply))
        return reply

    def do(self, run: Callable[[], object]) -> Future[object]:
        reply: Future[object] = Future()
        self._queue.put(Do(run, reply))
        return reply

    def look(self, workspace: str, path: bytes) -> None:
        """Read one file now, on the calling thread; this one's accounts are kept by reading it again."""
        handle = self._workspaces.handle(workspace)
        if handle is None:
            return
        seen = self._observe(handle, path)
        if not seen.torn:
            self._recorder.observe(Observed(handle.id, path, seen))
        self._queue.put(Look(workspace, path))

    def reread(self, workspace: str, path: bytes, cause: Cause) -> None:
        """Have one file read on this thread. Never blocks."""
        self._queue.put(Look(workspace, path, cause))

    # ------------------------------------------------------------------ the thread

    def _run(self) -> None:
        while True:
            self.pulse.rest()
            try:
                due = min(self._next_rescan, *self._soon.values()) if self._soon else self._next_rescan
                message = self._queue.get(timeout=max(0.0, due - time.monotonic()))
            except queue.Empty:
                message = None
            self.pulse.beat()
            batch = [] if message is None else [message]
            while len(batch) < 4096:
                try:
                    batch.append(self._queue.get_nowait())
                except queue.Empty:
                    break
            try:
                self._work(batch)
            except Exception:
                # The thread that feeds the recorder must outlive one bad directory.
                log.exception("intake failed")
                self._degraded.raise_("intake", "some changes could not be read", "see the log")
                self._next_rescan = time.monotonic() + AGAIN_S  # finds what the hints of this batch were about
            if self._asked(batch):
                return

    def _work(self, batch: list[Message]) -> None:
        """Read what the hints tell of, and what is due."""
        now: dict[tuple[str, bytes], int] = {}
        wide: list[Hint] = []
        for message in batch:
            if isinstance(message, Hint):
                self._sort(message, now, wide)
        for (workspace, path), states in now.items():
            self._soon.pop((workspace, path), None)
            handle = self._workspaces.handle(workspace)
            if handle is not None:
                self._read(handle, path, Cause.CHANGE, coalesced=max(0, states - 1))
        for look in dict.fromkeys(message for message in batch if isinstance(message, Look)):
            handle = self._workspaces.handle(look.workspace)
            if handle is not None:
                self._read(handle, look.path, look.cause, swept=True)
        self._wide(wide)
        self._read_soon()
        if self._overflowed.is_set():
            self._overflowed.clear()
            self._overflow(None)
        if time.monotonic() >= self._next_rescan:
            paused = time.monotonic() - self._next_rescan > self._rescan_s
            self.rescan_all(announced=paused or not self._queue.empty())
            self._degraded.clear("intake")

    def _asked(self, batch: list[Message]) -> bool:
        """Do what other threads ask for, whatever became of the hints. True when asked to stop."""
        stop = False
        for message in batch:
            if isinstance(message, Sync):
                try:
                    self._read_soon(everything=True)
                    self.rescan_all()
                    message.reply.set_result(self._recorder.barrier())
                except Exception as error:
                    message.reply.set_exception(error)
            elif isinstance(message, Do) and message.is_wanted:
                try:
                    message.reply.set_result(message.run())
                except Exception as error:
                    message.reply.set_exception(error)
            elif isinstance(message, Stop):
                stop = True
        return stop

    def _sort(self, hint: Hint, now: dict[tuple[str, bytes], int], wide: list[Hint]) -> None:
        handle = self._by_root.get(hint.root)
        if handle is None:
            return
        path = hint.path
        self.saw(handle.id, hint)
        if path is None or hint.kind not in AT_ONCE | SOON:
            wide.append(hint)
        elif self._workspaces.role(handle.id, path) is not None:
            at = (handle.id, path)
            if hint.kind in AT_ONCE:
                now[at] = now.get(at, 0) + (hint.kind in STATES)
            elif at not in now:
                self._soon.setdefault(at, time.monotonic() + SETTLE_S)

    def _read_soon(self, *, everything: bool = False) -> None:
        now = time.monotonic()
        for at in [at for at, due in self._soon.items() if everything or due <= now]:
            del self._soon[at]
            handle = self._workspaces.handle(at[0])
            if handle is not None:
                self._read(handle, at[1], Cause.CHANGE)

    # ------------------------------------------------------------------ reading

    def _read(
        self, handle: Handle, path: bytes, cause: Cause, *, swept: bool = False, coalesced: int = 0
    ) -> Observation:
        seen = self._observe(handle, path)
        self.reads += 1
        self.pulse.beat()
        if seen.torn:
            self._soon[(handle.id, path)] = time.monotonic() + TORN_S
            return seen
        if seen.stat is not None:
            racy = self._racy.setdefault(handle.id, set())
            (racy.add if is_young(seen.stat, time.time_ns()) else racy.discard)(path)
        self._recorder.observe(Observed(handle.id, path, seen, cause, swept, coalesced))
        return seen

    def _observe(self, handle: Handle, path: bytes) -> Observation:
        with handle.opened() as root:
            if root is None:
                return Observation(FileState.ABSENT, reason=ROOT_MISSING)
            return observe(root, path, limit=self._limit)

    def _wide(self, hints: list[Hint]) -> None:
        """Hints that mean a rescan: the same one is done once, and thousands of directories as one."""
        directories: dict[bytes, set[bytes]] = {}
        for root, kind in dict.fromkeys((hint.root, hint.kind) for hint in hints):
            handle = self._by_root[root]
            if kind is HintKind.OVERFLOW:
                self._overflow(handle)
            elif kind is HintKind.ROOT_GONE:
                self._gone(handle)
            elif kind is HintKind.ROOT_BACK:
                self._back(handle)
            else:
                paths = {hint.path or ROOT for hint in hints if (hint.root, hint.kind) == (root, kind)}
                directories.setdefault(root, set()).update(paths)
        for root, paths in directories.items():
            places = outermost(paths)
            for place in places if len(places) <= MANY else (ROOT,):
                self._rescan(self._by_root[root], place)

    def _overflow(self, handle: Handle | None) -> None:
        """Events were lost. The rescan finds every file that changed; what lies between is gone, and said so."""
        self._tell_degraded("overflow", "file system events were lost; everything was read again", "")
        for each in [handle] if handle else self._workspaces.handles():
            self._rescan(each, ROOT)
        self._degraded.clear("overflow")

    # ------------------------------------------------------------------ rescans

    def rescan_all(self, *, announced: bool = True) -> None:
        """`announced`: hints may be on their way, so a change met here proves nothing about the events.

        Raises what the first workspace that cannot be read raised, once the others are.
        """
        self._next_rescan = time.monotonic() + self._rescan_s
        spent = time.thread_time()
        failed: Exception | None = None
        for handle in self._workspaces.handles():
            try:
                if handle.fd is None or not self._workspaces.is_current(handle):
                    self._gone(handle)
                    self._back(handle)
                self._workspaces.lock_again(handle)
                self._rescan(handle, ROOT, announced=announced)
            except Exception as error:
                failed = failed or error
        spent = time.thread_time() - spent
        self._next_rescan = time.monotonic() + max(self._rescan_s, RARENESS * spent)
        if failed is not None:
            raise failed

    def _rescan(self, handle: Handle, under: bytes, *, announced: bool = True) -> None:
        if handle.fd is None:
            return
        cause = Cause.CHANGE
        if handle.first or handle.fresh:
            cause = Cause.FIRST_SIGHT
        elif handle.offline:
            cause = Cause.OFFLINE
        there = known(self._state, handle.id)
        now_ns = time.time_ns()
        trust = handle.capabilities.trust_ctime
        rule = Rule(now_ns, handle.hashed_ns or None, trust, self._racy.get(handle.id, set()))
        found = scan(
            handle.fd,
            self._workspaces.watch_set(handle),
            there,
            rule,
            classify=lambda path: self._workspaces.role(handle.id, path),
            under=under,
        )
        before = recorded(self._state, handle.id, found.changed)
        read = {each.path: self._read(handle, each.path, cause, swept=True) for each in found.to_read}
        for path in found.vanished:
            self._read(handle, path, cause, swept=True)
        if found.errors or not found.complete:
            self._degraded.raise_(
                f"unseen:{handle.id}", f"parts of {shown(handle.root)} cannot be listed", "check the permissions"
            )
        else:
            self._degraded.clear(f"unseen:{handle.id}")
        if under == ROOT:
            late = unannounced(found.changed, before, read, now_ns)
            if late and not announced and cause is Cause.CHANGE and self.watcher is not None:
                self.watcher.poll_root(handle.root, "a change was found that no event announced")
            handle.first = handle.fresh = handle.offline = False
            handle.hashed_ns = now_ns

    # ------------------------------------------------------------------ roots

    def take(self, max_file_bytes: int, rescan_s: float) -> None:
        """On this thread."""
        self._limit, self._rescan_s = max_file_bytes, rescan_s
        self._next_rescan = min(self._next_rescan, time.monotonic() + rescan_s)

    def anew(self, handle: Handle, *, rewatch: bool) -> None:
        """Other files may be protected now. `rewatch`: in other directories, too. On this thread."""
        if rewatch and self.watcher is not None:
            silent = handle.capabilities.why_poll
            self.watcher.add_root(handle.root, self._workspaces.watch_set(handle), poll=silent)
        self._rescan(handle, ROOT)

    def add(self, handle: Handle) -> None:
        """Watch a workspace and read all of it. On this thread, or before it starts."""
        if handle.moved_from is not None:
            self._by_root.pop(handle.moved_from, None)
            self._degraded.clear(f"missing:{handle.id}")
            if self.watcher is not None:
                self.watcher.remove_root(handle.moved_from)
            handle.moved_from = None
        self._by_root[handle.root] = handle
        if self.watcher is not None:
            silent = handle.capabilities.why_poll
            self.watcher.add_root(handle.root, self._workspaces.watch_set(handle), poll=silent)
        if handle.fd is None:
            self._gone(handle)
        self._rescan(handle, ROOT)

    def remove(self, handle: Handle) -> None:
        """Watch a workspace no more. On this thread."""
        self._by_root.pop(handle.root, None)
        if self.watcher is not None:
            self.watcher.remove_root(handle.root)
        self._workspaces.remove(handle)
        for reason in ("missing", "unseen"):
            self._degraded.clear(f"{reason}:{handle.id}")

    def _gone(self, handle: Handle) -> None:
        """The root is not there: a fact to report, never a folder to make."""
        self._workspaces.root_gone(handle)
        name = shown(handle.root)
        self._degraded.raise_(
            f"missing:{handle.id}",
            f"the workspace {name} is not there",
            f"it is watched again when it is back; or let it go: {pasted('conductd', 'protect', '--end', name)}",
        )
        for path in known(self._state, handle.id):
            self._read(handle, path, Cause.OFFLINE if handle.offline else Cause.CHANGE, swept=True)

    def _back(self, handle: Handle) -> None:
        before = handle.profile
        self._workspaces.root_back(handle)
        if handle.fd is None:
            return
        if handle.profile != before and self.watcher is not None:
            silent = handle.capabilities.why_poll
            self.watcher.add_root(handle.root, self._workspaces.watch_set(handle), poll=silent)
        self._degraded.clear(f"missing:{handle.id}")
        self.came_back(handle)
        self._rescan(handle, ROOT)
