"""An honest in-memory service: keeps versions of files and answers the port as the engine would.

A fake of `views.Service` for the tests of the faces; nothing in it judges. Thread-safe.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import cast

from conductd import __version__
from conductd.config import Config
from conductd.engine.bootcards.making import Around, Wish, day, made
from conductd.errors import Ambiguous, ContentUnavailable, NotFound, Refused
from conductd.faces import Caller, CardWish
from conductd.views import (
    BootcardView,
    DamageView,
    DegradedView,
    DidView,
    EntryView,
    EventView,
    ExplainChangeView,
    ExplainView,
    FileView,
    HelloView,
    IncidentView,
    LoadView,
    PendingView,
    PlanView,
    ReloadView,
    RequestView,
    SetView,
    StatusView,
    SyncView,
    VerifyView,
    VersionView,
    WorkspaceView,
    b64,
    iso,
    shown,
)

DAY_NS = 86_400 * 10**9
START_NS = int(datetime(2026, 3, 8, 14, 0, tzinfo=UTC).timestamp()) * 10**9


class FakeEvents:
    """A bounded queue; after an overflow the next item is a gap."""

    def __init__(self, owner: FakeService, limit: int) -> None:
        self._owner, self._limit = owner, limit
        self._ready = threading.Condition()
        self._queue: list[EventView] = []
        self._missed = 0
        self._wake: Callable[[], None] = lambda: None

    def push(self, event: EventView) -> None:
        with self._ready:
            if len(self._queue) >= self._limit:
                self._missed += 1
            else:
                self._queue.append(event)
            self._ready.notify()
        self._wake()

    def get(self, timeout_s: float) -> EventView | None:
        with self._ready:
            self._ready.wait_for(lambda: bool(self._queue), timeout_s)
            return self._queue.pop(0) if self._queue else None

    def drain(self) -> list[EventView]:
        with self._ready:
            events, self._queue = self._queue, []
            if self._missed:
                last = events[-1]
                text = f"{self._missed} events missed"
                events.append(EventView(last.seq, last.at, last.at_ns, "gap", *[""] * 7, None, text, {}))
                self._missed = 0
            return events

    def set_wakeup(self, wake: object) -> None:
        self._wake = cast("Callable[[], None]", wake)

    def close(self) -> None:
        with self._owner.lock:
            self._owner.subscribers.discard(self)


class FakeService:
    """One protected workspace at `root`. `write` makes versions, `lose` an incident."""

    def __init__(self, root: bytes = b"/ws", state_dir: bytes = b"/state", queue: int = 1000) -> None:
        self.root, self.state_dir = root, state_dir
        self.lock = threading.RLock()
        self.subscribers: set[FakeEvents] = set()
        self.versions_made: list[tuple[VersionView, bytes | None]] = []
        self.events_made: list[EventView] = []
        self.incidents_made: dict[int, IncidentView] = {}
        self.requests_made: dict[int, RequestView] = {}
        self.calls: list[tuple[str, tuple[str, ...]]] = []
        self.hold: threading.Event | None = None  # slow reads wait for it
        self.entered = threading.Semaphore(0)  # released by each read that begins to wait
        self.damage: list[DamageView] = []
        self.degraded: list[DegradedView] = []
        self.mode = "protect"
        self.steps = 4
        self.fail: Exception | None = None
        self.daemon_version = __version__
        self._queue = queue
        self._seq = 0

    # ---------------------------------------------------------------- what a test does

    def write(self, path: bytes, data: bytes | None, **fields: object) -> VersionView:
        """A version of `path` (None: bytes are known to be gone)."""
        with self.lock:
            self._seq += 1
            at_ns = cast("int", fields.pop("at_ns", START_NS + self._seq * 60 * 10**9))
            digest = hashlib.sha256(data or b"").hexdigest()
            values: dict[str, object] = {
                "seq": self._seq,
                "at": iso(at_ns),
                "at_ns": at_ns,
                "workspace": "w1",
                "path": shown(path),
                "path_b64": b64(path),
                "state": "file",
                "cause": "change",
                "digest": digest,
                "size": len(data or b""),
                "actor": "unknown",
                "confidence": 0.0,
                "evidence": [],
                "restorable": data is not None,
                "offline": False,
                "event_class": "edit",
                "severity": "info",
                "action": "record",
                "lost": 0,
                "added": 1,
                "lost_share": 0.0,
                "incident": None,
                "outcome": None,
            }
            view = VersionView(**{**values, **fields})  # type: ignore[arg-type]
            self.versions_made.append((view, data))
            self._publish(view)
            return view

    def lose(self, path: bytes, stub: bytes, lost: int = 48) -> IncidentView:
        """`path` was overwritten by `stub`, and put back: two versions and an incident."""
        with self.lock:
            old = self._find(path, "")[1]
            bad = self.write(
                path,
                stub,
                event_class="overwrite",
                severity="alarm",
                action="revert",
                lost=lost,
                lost_share=0.98,
                actor="agent:main",
                confidence=0.9,
                incident=self._seq + 1,
                outcome="reverted",
            )
            self.write(path, old, cause="repair", actor="conductd", confidence=1.0, event_class=None)
            incident = IncidentView(
                id=bad.seq,
                state="open",
                event_class="overwrite",
                severity="alarm",
                action="revert",
                workspace="w1",
                root=shown(self.root),
                files=[shown(path)],
                opened=bad.at,
                opened_ns=bad.at_ns,
                rounds=1,
                writer="agent:main",
                loop=False,
                stood_down=False,
                lost=lost,
                lost_share=0.98,
                done="put back the version before",
                command=f"conductd undo {bad.seq}",
                accept_command=f"conductd accept {bad.seq}",
            )
            self.incidents_made[incident.id] = incident
            return incident

    def _publish(self, view: VersionView) -> None:
        event = EventView(
            view.seq,
            view.at,
            view.at_ns,
            "version",
            view.workspace,
            view.path,
            view.path_b64,
            view.event_class or "",
            view.severity or "",
            view.action or "",
            view.actor,
            view.incident,
            f"{view.path}: {view.event_class or view.cause}",
            {"size": view.size},
        )
        self.events_made.append(event)
        for subscriber in list(self.subscribers):
            subscriber.push(event)

    def _slow(self) -> None:
        if self.fail is not None:
            raise self.fail
        if self.hold is not None:
            self.entered.release()
            assert self.hold.wait(30)

    def _relative(self, path: bytes) -> bytes:
        if path.startswith(b"/"):
            real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
            root = os.path.realpath(self.root)
            for candidate, base in ((path, self.root), (real, root)):
                if candidate.startswith(base + b"/"):
                    return candidate[len(base) + 1 :]
            raise NotFound(f"this file is in no workspace: {os.fsdecode(path)}", "see: conductd status")
        return path

    def _of(self, path: bytes) -> list[tuple[VersionView, bytes | None]]:
        name = self._relative(path)
        found = [(v, d) for v, d in self.versions_made if v.path_b64 == b64(name)]
        if not found:
            raise NotFound(f"no version of this file is known: {shown(name)}", "see: conductd status")
        return found

    def _find(self, path: bytes | None, version: str) -> tuple[VersionView, bytes | None]:
        known = self.versions_made if path is None else self._of(path)
        if version == "":
            return known[-1]
        if version.isdigit() and len(version) < 10:
            found = [k for k in known if k[0].seq == int(version)]
        else:
            found = [k for k in known if (k[0].digest or "").startswith(version)]
        if not found:
            raise NotFound(f"no version {version}", "see: conductd log")
        if len({v.digest for v, _ in found}) > 1:
            raise Ambiguous(f"{version} fits {len(found)} versions", "give more digits")
        return found[-1]

    # ---------------------------------------------------------------- the port

    @property
    def acts(self) -> FakeService:
        return self

    def hello(self) -> HelloView:
        return HelloView(self.daemon_version, 1, "1.0", os.getpid(), "j1", os.fsdecode(self.state_dir), START_NS, "run")

    def loads(self, workspace: str | None) -> list[LoadView]:
        return [LoadView("openclaw", "2026.9.6", "main", shown(self.root), "UTF-16 units", workspace_id="w1")]

    def sync(self) -> SyncView:
        self._slow()
        return SyncView(self._seq, True, [])

    def reload(self) -> ReloadView:
        return ReloadView(True, "/home/x/.config/conductd/config.toml", "in force now: mode", ["mode"])

    def status(self) -> StatusView:
        if self.fail is not None:
            raise self.fail
        last = self.versions_made[-1][0].at_ns if self.versions_made else None
        return StatusView(
            "degraded" if self.degraded else "ok",
            self.degraded,
            self.daemon_version,
            os.getpid(),
            3_700.0,
            os.fsdecode(self.state_dir),
            "socket",
            self.workspaces(),
            len(self.files(None)),
            len(self.versions_made),
            len(self.incidents("open")),
            0,
            last,
            1_234_567,
            2,
            self._seq,
            0,
            0,
        )

    def workspaces(self) -> list[WorkspaceView]:
        last = self.versions_made[-1][0].at_ns if self.versions_made else None
        return [
            WorkspaceView(
                "w1",
                shown(self.root),
                b64(self.root),
                self.mode,
                "generic",
                "ok",
                "events",
                len(self.files(None)),
                len(self.versions_made),
                len(self.incidents("open")),
                last,
            )
        ]

    def set_mode(self, root: bytes, mode: str, caller: Caller) -> WorkspaceView:
        self.calls.append(("set_mode", caller.ancestry))
        self.root, self.mode = root, mode
        return self.workspaces()[0]

    def files(self, workspace: str | None) -> list[FileView]:
        newest = {view.path_b64: view for view, _ in self.versions_made}
        return [
            FileView(
                "w1",
                shown(self.root),
                v.path,
                v.path_b64,
                "curated",
                self.mode,
                v.state,
                sum(1 for o, _ in self.versions_made if o.path_b64 == v.path_b64),
                v.size,
                v.digest,
                v.seq,
                v.at_ns,
                0,
                v.seq,
                False,
            )
            for v in newest.values()
        ]

    def versions(self, path: bytes | None, workspace: str | None, limit: int, before: int | None) -> list[VersionView]:
        self._slow()
        known = self.versions_made if path is None else self._of(path)
        return [v for v, _ in reversed(known) if before is None or v.seq < before][:limit]

    def content(self, path: bytes | None, version: str, workspace: str | None) -> tuple[VersionView, bytes]:
        self._slow()
        view, data = self._find(path, version)
        if data is None:
            raise ContentUnavailable(f"the bytes of version {view.seq} are not kept", "see: conductd log")
        return view, data

    def diff(self, path: bytes, old: str, new: str, workspace: str | None) -> str:
        self._slow()
        known = self._of(path)
        before = self._find(path, old)[1] if old else known[-2][1] if len(known) > 1 else b""
        after = self._find(path, new)[1]
        texts = [(d or b"").decode("utf-8", "surrogateescape").splitlines(keepends=True) for d in (before, after)]
        return "".join(difflib.unified_diff(texts[0], texts[1], "old", "new"))

    def restore(self, path: bytes, version: str, workspace: str | None, dry_run: bool, caller: Caller) -> DidView:
        self.calls.append(("restore", caller.ancestry))
        view, data = self._find(path, version)
        now = self._find(path, "")[0]
        outcome = "planned" if dry_run else "applied"
        seq = None if dry_run else self.write(self._relative(path), data, cause="restore", actor="conductd").seq
        plan = PlanView(
            None if dry_run else seq, view.path, view.path_b64, now.digest, view.digest, outcome, "swap", "", seq
        )
        return DidView(f"{view.path} is as in version {view.seq}", [plan], "conductd undo")

    def restore_at(
        self, at: str, directory: bytes | None, exact: bool, dry_run: bool, caller: Caller
    ) -> Iterator[float | SetView]:
        self.calls.append(("restore_at", caller.ancestry))
        yield 0.5
        where = directory.decode() if directory else "every workspace"
        yield SetView(f"{where} is again as it was {at}", at, 0, "", [], [], {"refused": 0}, "conductd undo", "")

    def bring_back(self, incident: int, dry_run: bool, caller: Caller) -> DidView:
        self.calls.append(("bring_back", caller.ancestry))
        found = self.explain(incident).incident
        assert found is not None
        return DidView(f"brought back {found.lost} entries of {found.files[0]}", [], "conductd undo")

    def undo(self, incident: int | None, caller: Caller, dry_run: bool) -> DidView:
        self.calls.append(("undo", caller.ancestry))
        command = "conductd undo" if incident is None else f"conductd undo {incident}"
        restores = [v for v, _ in self.versions_made if v.cause in ("restore", "repair")]
        if not restores:
            raise NotFound("there is nothing to undo", "see: conductd log")
        return DidView(f"undid the restore of {restores[-1].path}", [], command)

    def incidents(self, state: str | None) -> list[IncidentView]:
        return [i for i in self.incidents_made.values() if state is None or i.state == state]

    def explain(self, incident: int) -> ExplainView:
        found = self.incidents_made.get(incident)
        if found is None:
            raise NotFound(f"there is no incident {incident}", "see: conductd incidents --all")
        entry = EntryView(3, 3, 7, "the deploy key lives in the blue box", "", 0, 0.0)
        change = ExplainChangeView(
            found.files[0],
            b64(found.files[0].encode()),
            incident,
            incident - 1,
            "overwrite",
            "alarm",
            "revert",
            "overwrite",
            "at least 80 % of the weight is gone",
            {"lost_share": 0.98, "threshold": 0.8},
            49,
            1,
            [],
            [],
            [entry],
            1,
            0.98,
        )
        happened = [e for e in self.events_made if e.incident == incident]
        return ExplainView(found, [change], happened, commands=[found.command, found.accept_command])

    def explain_file(self, path: bytes, version: str, workspace: str | None) -> ExplainView:
        view, _ = self._find(path, version)
        found = [i.id for i in self.incidents_made.values() if view.path in i.files]
        if not found:
            raise NotFound(f"nothing is to be explained of {view.path}", "see: conductd log")
        return self.explain(found[-1])

    def accept(
        self, incident: int | None, path: bytes | None, workspace: str | None, caller: Caller, dry_run: bool = False
    ) -> DidView:
        what = incident if incident is not None else shown(path or b"")
        if dry_run:
            return DidView(f"{what} would be accepted", [], "")
        self.calls.append(("accept", caller.ancestry))
        if not caller.may_decide:
            return DidView(f"asked to accept {what}", [], "", request=7)
        return DidView(f"accepted {what}", [], "conductd undo")

    def requests(self) -> list[RequestView]:
        return list(self.requests_made.values())

    def confirm(self, request: int, caller: Caller) -> DidView:
        if not caller.may_decide:
            raise Refused("a request waits for a person", "run it in a terminal")
        return DidView(f"did {self.refuse(request, caller).words}", [], "conductd undo")

    def refuse(self, request: int, caller: Caller) -> RequestView:
        if request not in self.requests_made:
            raise NotFound(f"there is no request {request}", "see: conductd requests")
        return self.requests_made.pop(request)

    @property
    def bootcards(self) -> FakeService:
        return self

    def bootcard(self, workspace: str | None, wish: CardWish) -> BootcardView:
        self.calls.append(("bootcard", (workspace or "", wish.date)))
        if workspace not in (None, "w1", shown(self.root)):
            raise NotFound(f"no workspace {workspace}", "see: conductd status")
        around = Around(Config(), {}, shown(self.root), pins=[])
        return made(self.root, Wish(day(wish.date or "2026-03-08"), lines=wish.lines, tokens=wish.tokens), around)

    def pending(self) -> list[PendingView]:
        return []

    def evidence(
        self, path: bytes, workspace: str | None, actor: str, digest: bytes | None, session: str, tool_call: str
    ) -> int:
        if actor.startswith("human:") or actor == "conductd":
            raise Refused("this actor cannot be claimed", "announce an agent, a cron job or a sync client")
        self.calls.append(("evidence", (actor, (digest or b"").hex(), session, tool_call)))
        self._seq += 1
        return self._seq

    def events(self) -> FakeEvents:
        with self.lock:
            events = FakeEvents(self, self._queue)
            self.subscribers.add(events)
            return events

    def log(self, since: int, limit: int) -> list[EventView]:
        with self.lock:
            return [e for e in self.events_made if e.seq > since][:limit]

    def verify(self) -> Iterator[VerifyView | float]:
        for step in range(self.steps):
            self._slow()
            yield step / self.steps
        known = len(self.versions_made)
        yield VerifyView(
            not self.damage,
            2,
            self._seq,
            known,
            1_234_567,
            self.damage,
            known - len(self.damage),
            len(self.damage),
            0.1,
        )

    def rebuild_index(self) -> Iterator[int | float]:
        for step in range(self.steps):
            yield step / self.steps
        yield self._seq

    def counters(self) -> dict[str, int]:
        return {"versions": len(self.versions_made), "coalesced": 0}

    def metrics(self) -> str:
        return f"# TYPE conductd_versions_total counter\nconductd_versions_total {len(self.versions_made)}\n"
