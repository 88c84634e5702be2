"""Keeps every root watched and turns the system's events into hints.

Owns the backend, the life of each root (there, gone, back, replaced) and the polling of what sends
no events. Never reads a protected file and never decides what a hint means. The engine calls it;
hints come from the backend's thread and from `watch-keeper`, the only thread of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial

from conductd.watch import degradation
from conductd.watch.backends import default_backend
from conductd.watch.hints import Backend, Degraded, Hint, HintKind
from conductd.watch.rescan import look_at_root
from conductd.watch.tree import ROOT
from conductd.watch.watched_root import Ears, WatchedRoot
from conductd.watch.watchset import WatchSet

POLL_S = 2.0
LOOK_S = 10.0  # a directory above a root can be renamed without any event; 12 µs a root
STUCK_S = 60.0  # its thread turns at least every ten seconds
RETRY_S = 60.0  # a limit may have been raised, a directory made readable


class Watcher:
    """``sink`` gets every hint, from several threads; it must not block or raise (a full queue is the
    engine's "rescan needed"). ``degraded`` is called once for each new degradation.

    ``make_backend``, or the backend's `start`, may raise OSError: then everything is polled.
    """

    def __init__(
        self,
        sink: Callable[[Hint], None],
        *,
        degraded: Callable[[Degraded], None] = lambda _: None,
        make_backend: Callable[[], Backend] = default_backend,
        poll_s: float = POLL_S,
        look_s: float = LOOK_S,
        retry_s: float = RETRY_S,
    ) -> None:
        self._sink = sink
        self._degraded = degraded
        self._make_backend = make_backend
        self._poll_s = poll_s
        self._backend: Backend | None = None
        self._roots: dict[bytes, WatchedRoot] = {}
        self._lock = threading.RLock()  # roots and backend; the backend's thread never takes it
        self._degradations: dict[tuple[str, bytes | None], Degraded] = {}
        self._reporting = threading.Lock()
        self._wake = threading.Condition()
        self._due: dict[bytes, bool] = {}  # roots to look at now; True: set their watches anew
        self._stopping = False
        self._turn_s = time.monotonic()
        self._rounds = (_Round(poll_s, self.poll_now), _Round(look_s, self._look_at_all), _Round(retry_s, self._retry))
        self._keeper = threading.Thread(target=self._keep, name="watch-keeper", daemon=True)

    # ------------------------------------------------------------------ for the engine

    def start(self) -> None:
        with self._lock:
            self._start_backend()
        self._keeper.start()

    def stop(self) -> None:
        """No hint comes after this has returned."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        if self._keeper.is_alive():
            self._keeper.join()
        with self._lock:
            for root in self._roots.values():
                root.close()
            self._roots.clear()
            if self._backend is not None:
                self._backend.stop()
                self._backend = None

    def add_root(self, path: bytes, plan: WatchSet, *, poll: str = "") -> None:
        """Watch the workspace at ``path`` (absolute), whether it is there or not. When this returns the
        watches are set: scan after it, and nothing is missed. ``poll``: why its file system cannot be
        trusted to send events (then it is polled as well). Called again, it replaces the plan.

        Raises ValueError for a path that is not absolute or ends in a slash."""
        if not path.startswith(b"/") or (path.endswith(b"/") and path != b"/"):
            raise ValueError(f"not an absolute path without a slash at its end: {path!r}")
        with self._lock:
            self.remove_root(path)
            root = WatchedRoot(path, plan, polled=bool(poll))
            self._roots[path] = root
            self._settle(root)
        if poll:
            self._report(degradation.by_mount(path, poll, self._poll_s))
        self._wake_keeper()

    def take(self, poll_s: float) -> None:
        """Poll as often from now on."""
        self._poll_s = poll_s
        self._rounds[0].every(poll_s)
        self._wake_keeper()

    def remove_root(self, path: bytes) -> None:
        with self._lock:
            root = self._roots.pop(path, None)
            if root is not None:
                root.close()
        self._clear("no_events", path)

    def poll_root(self, path: bytes, why: str) -> None:
        """Poll this root from now on: a rescan found an older change that no hint had announced."""
        root = self._roots.get(path)
        if root is None or root.polled:
            return
        root.polled = True
        self._report(degradation.by_mount(path, why, self._poll_s))
        self._wake_keeper()

    def alive(self) -> bool:
        """Whether its own thread gets on. (A backend that has ended is told as a degradation.)"""
        return self._keeper.is_alive() and time.monotonic() - self._turn_s < STUCK_S

    def state(self, path: bytes) -> str:
        """What a root lives on: "events", "polling" or "missing" ("" when it was not added)."""
        root = self._roots.get(path)
        if root is None:
            return ""
        if root.identity is None:
            return "missing"
        return "polling" if root.needs_poll else "events"

    def watched(self) -> int:
        """How many directories are watched, over all roots."""
        trees = [root.tree for root in list(self._roots.values())]
        return sum(tree.watched for tree in trees if tree is not None)

    def degradations(self) -> list[Degraded]:
        """What is degraded now."""
        with self._reporting:
            return list(self._degradations.values())

    def poll_now(self) -> None:
        """One round of polling: a `POLL` hint for each root that needs it, a look for each missing one."""
        for root in list(self._roots.values()):
            if root.identity is not None and not root.needs_poll:
                continue
            self._attend(root.path, set_again=False)
            if root.identity is not None and root.needs_poll:
                self._tell(root.path, HintKind.POLL, None)

    # ------------------------------------------------------------------ the keeper's thread

    def _keep(self) -> None:
        while not self._stopping:
            self._turn_s = time.monotonic()
            for path, set_again in self._next_due().items():
                self._guard(partial(self._attend, path, set_again=set_again))
            for round_ in self._rounds:
                if round_.is_due():
                    self._guard(round_.run)

    def _next_due(self) -> dict[bytes, bool]:
        idle = not any(root.needs_poll or root.identity is None for root in list(self._roots.values()))
        rounds = self._rounds[1:] if idle else self._rounds
        with self._wake:
            if not self._due and not self._stopping:
                self._wake.wait(min(round_.left_s() for round_ in rounds))
            due, self._due = self._due, {}
            return due

    def _guard(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # a dead keeper would be a silent one
            self._report(degradation.by_fault(error))

    def _attend(self, path: bytes, *, set_again: bool) -> None:
        with self._lock:
            root = self._roots.get(path)
            if root is None or self._settle(root) or not set_again or root.tree is None:
                return
            root.tree.set_again()
        self._tell(path, HintKind.DIRECTORY, ROOT)

    def _look_at_all(self) -> None:
        for path in list(self._roots):
            self._attend(path, set_again=False)
        with self._lock:
            if self._backend is None or self._backend.alive():
                return
            for root in self._roots.values():
                root.drop_watches()
            self._backend.stop()
            self._backend = None
        self._report(degradation.by_dead_backend(self._poll_s))

    def _retry(self) -> None:
        """Try again what the system refused."""
        with self._lock:
            if self._backend is None:
                self._start_backend()
            if self._backend is None:
                return
            self._clear("instance_limit", None)
            self._clear("no_backend", None)
            self._clear("watcher_stopped", None)
            lacking = [
                root for root in self._roots.values() if root.identity and (not root.tree or root.tree.unwatched)
            ]
            for root in lacking:
                if root.tree is not None:
                    root.tree.set_again()
                elif root.identity is not None:
                    root.attach(self._backend, self._ears(root.path), root.identity)
                self._tell(root.path, HintKind.DIRECTORY, ROOT)
            if not any(root.tree and root.tree.unwatched for root in self._roots.values()):
                self._clear("watch_limit", None)

    # ------------------------------------------------------------------ one root

    def _settle(self, root: WatchedRoot) -> bool:
        """Compare the root's path with what is watched, put right what differs; whether something did."""
        ears = self._ears(root.path)
        root.watch_above(self._backend, ears)
        state = look_at_root(root.path, root.identity)
        if root.identity is not None and state.state in ("same", "unreadable"):
            return False
        was_there = root.identity is not None
        is_back = root.settled  # not when it is only being added
        root.settled = True
        if was_there:
            root.detach()
            self._tell(root.path, HintKind.ROOT_GONE, None)
        if state.identity is None:
            return was_there
        root.attach(self._backend, ears, state.identity)
        if is_back:
            self._tell(root.path, HintKind.ROOT_BACK, None)
        if look_at_root(root.path, root.identity).state != "same":
            self._wake_keeper(root.path)
        return True

    def _ears(self, path: bytes) -> Ears:
        return Ears(path, hint=self._tell, wake=self._wake_keeper, refused=self._refused, failed=self._failed)

    # ------------------------------------------------------------------ backend and reports

    def _start_backend(self) -> None:
        try:
            backend = self._make_backend()
            backend.start()
        except OSError as error:
            self._refused(error)
        else:
            self._backend = backend

    def _tell(self, root: bytes, kind: HintKind, path: bytes | None, cookie: int = 0) -> None:
        if not self._stopping:
            self._sink(Hint(root, path, kind, time.monotonic_ns(), cookie))

    def _wake_keeper(self, path: bytes | None = None, set_again: bool = False) -> None:
        with self._wake:
            if path is not None:
                self._due[path] = set_again or self._due.get(path, False)
            self._wake.notify()

    def _refused(self, error: OSError) -> None:
        self._report(degradation.by_refusal(error, self._poll_s))

    def _failed(self, error: Exception) -> None:
        self._report(degradation.by_fault(error))

    def _report(self, what: Degraded) -> None:
        # Its own lock: the backend's thread reports while the keeper holds the other one.
        with self._reporting:
            new = (what.reason, what.root) not in self._degradations
            self._degradations[(what.reason, what.root)] = what
        if new:
            self._degraded(what)

    def _clear(self, reason: str, root: bytes | None) -> None:
        with self._reporting:
            self._degradations.pop((reason, root), None)


class _Round:
    """Something done every ``every_s`` seconds of the monotonic clock."""

    def __init__(self, every_s: float, run: Callable[[], None]) -> None:
        self._every_s = every_s
        self._at = time.monotonic() + every_s
        self.run = run

    def every(self, every_s: float) -> None:
        self._every_s = every_s
        self._at = min(self._at, time.monotonic() + every_s)

    def left_s(self) -> float:
        return max(0.0, self._at - time.monotonic())

    def is_due(self) -> bool:
        if self.left_s() > 0:
            return False
        self._at = time.monotonic() + self._every_s
        return True
