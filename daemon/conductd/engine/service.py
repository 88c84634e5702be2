"""Answers everything the API can ask (implements `views.Service`).

Thread-safe: memory is read under the state's lock, history from the index, and whatever writes is
handed to the judge thread or the intake. Adds no rule of its own.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from typing import TypeVar

import msgspec

from conductd import __version__
from conductd.engine import notices
from conductd.engine.commands import Commands
from conductd.engine.content import Contents
from conductd.engine.degraded import Degraded
from conductd.engine.events import Hub
from conductd.engine.explaining import Explainer
from conductd.engine.intake import Intake
from conductd.engine.judging import Judge
from conductd.engine.naming import Naming
from conductd.engine.recorder import Recorder
from conductd.engine.repairing import Repairer
from conductd.engine.state import FileTrack, OpenIncident, Seen, State
from conductd.engine.workspaces import Handle, Workspaces
from conductd.errors import Busy, ContentUnavailable, NotFound, Refused, UsageError
from conductd.index.reader import IndexReader
from conductd.journal.journal import Draft, Journal
from conductd.model import (
    Actor,
    Cause,
    DecisionRecord,
    EvidenceRecord,
    FileState,
    Mode,
    Stored,
)
from conductd.ports import Clock
from conductd.views import (
    DegradedView,
    DidView,
    Events,
    EventView,
    ExplainView,
    FileView,
    HelloView,
    IncidentView,
    PendingView,
    StatusView,
    SyncView,
    VerifyView,
    VersionView,
    WorkspaceView,
    b64,
    shown,
)

API_VERSION = 1
PATIENCE_S = 60.0  # for another thread of the daemon
RESERVED_ACTORS = ("human:", "conductd", "git")

T = TypeVar("T")


class Parts(msgspec.Struct):
    """What a running daemon consists of."""

    state: State
    journal: Journal
    reader: IndexReader
    recorder: Recorder
    workspaces: Workspaces
    intake: Intake
    judge: Judge
    repairer: Repairer
    commands: Commands
    contents: Contents
    degraded: Degraded
    hub: Hub
    clock: Clock
    state_dir: str
    socket: str
    started_ns: int
    observing: bool = False


class Daemon:
    """See the module."""

    def __init__(self, parts: Parts) -> None:
        self._ = parts
        self._naming = Naming(parts.state, parts.reader, parts.clock)
        self._explainer = Explainer(parts.state, parts.reader, parts.contents)
        self._started_mono = parts.clock.mono_ns()

    # ------------------------------------------------------------------ the daemon

    def hello(self) -> HelloView:
        parts = self._
        return HelloView(
            daemon=__version__,
            api=API_VERSION,
            journal=parts.journal.format,
            pid=os.getpid(),
            instance=parts.journal.uuid,
            state_dir=parts.state_dir,
            started_ns=parts.started_ns,
            mode="observe" if parts.observing else "run",
        )

    def sync(self) -> SyncView:
        """Read everything again, then wait until it is recorded and judged or named."""
        seq = _result(_result(self._.intake.sync()))
        _result(self._.judge.barrier())
        seq = max(seq, _result(self._.recorder.barrier()))
        pending = self.pending()
        return SyncView(seq, not any(p.what == "judgement" for p in pending), pending)

    def pending(self) -> list[PendingView]:
        parts, now = self._, self._.clock.mono_ns()
        found = []
        for number, why, due in parts.judge.waits():
            file = parts.state.files[number]
            what = "repair" if why in ("backoff", "busy", "no_space") else "judgement"
            found.append(_pending(file, what, why, due, now))
        for looking in list(parts.repairer.looking):
            file = parts.state.files[looking.file]
            found.append(_pending(file, "late_writer_watch", "late", looking.due[0], now))
        if parts.recorder.down:
            found.append(PendingView("", "", "", "recording", "store", 0, now))
        return sorted(found, key=lambda p: p.due_mono_ns)

    def status(self) -> StatusView:
        parts = self._
        spaces = self.workspaces()
        degraded = self._degraded()
        with parts.state.lock:
            incidents = sum(i.record.state == "open" for i in parts.state.incidents.values())
            false_positives, coalesced = parts.state.false_positives, parts.state.coalesced
            versions, last_seq = parts.state.versions, parts.state.last_seq
        return StatusView(
            health="degraded" if degraded else "ok",
            degraded=degraded,
            daemon=__version__,
            pid=os.getpid(),
            uptime_s=(parts.clock.mono_ns() - self._started_mono) / 1e9,
            state_dir=parts.state_dir,
            socket=parts.socket,
            workspaces=spaces,
            files=sum(w.files for w in spaces),
            versions=versions,
            open_incidents=incidents,
            false_positives=false_positives,
            last_change_ns=max((w.last_change_ns or 0 for w in spaces), default=0) or None,
            journal_bytes=parts.journal.bytes,
            journal_segments=parts.journal.segments,
            last_seq=last_seq,
            coalesced=coalesced,
            pending=len(self.pending()),
        )

    def _degraded(self) -> list[DegradedView]:
        parts = self._
        found = parts.degraded.list()
        with parts.state.lock:
            unreadable = [
                f for f in parts.state.files.values() if f.head is not None and f.head.state is FileState.UNREADABLE
            ]
        if unreadable:
            names = ", ".join(shown(f.path) for f in unreadable[:5])
            since = min(f.head.at_ns for f in unreadable if f.head)
            found.append(
                DegradedView(
                    "unreadable", f"{len(unreadable)} files cannot be read: {names}", "check their mode", since
                )
            )
        return found

    def counters(self) -> dict[str, int]:
        parts = self._
        with parts.state.lock:
            state = parts.state
            return {
                "versions_total": state.versions,
                "coalesced_total": state.coalesced,
                "false_positives_total": state.false_positives,
                "incidents_total": len(state.incidents),
                "incidents_open": sum(i.record.state == "open" for i in state.incidents.values()),
                "files": len(state.files),
                "workspaces": len(state.workspaces),
                "last_seq": state.last_seq,
                "journal_bytes": parts.journal.bytes,
                "journal_segments": parts.journal.segments,
                "reads_total": parts.intake.reads,
                "pending": len(parts.judge.waits()),
                "degraded": len(parts.degraded.list()),
            }

    # ------------------------------------------------------------------ workspaces and files

    def workspaces(self) -> list[WorkspaceView]:
        return [self._workspace(handle) for handle in self._.workspaces.handles()]

    def _workspace(self, handle: Handle) -> WorkspaceView:
        parts = self._
        with parts.state.lock:
            track = parts.state.workspaces[handle.id]
            files = [f for f in parts.state.files_of(handle.id) if f.head and f.head.state is not FileState.ABSENT]
            incidents = sum(
                i.record.state == "open" and i.record.workspace == handle.id for i in parts.state.incidents.values()
            )
        watched = parts.intake.watcher.state(handle.root) if parts.intake.watcher else ""
        state = "missing" if handle.fd is None else "ok"
        return WorkspaceView(
            id=handle.id,
            root=shown(handle.root),
            root_b64=b64(handle.root),
            mode=str(track.mode) if not handle.locked_by else "observe",
            profile=handle.profile,
            state=f"locked by {handle.locked_by}" if handle.locked_by else state,
            watched=watched,
            files=len(files),
            versions=track.versions,
            open_incidents=incidents,
            last_change_ns=track.last_change_ns,
        )

    def set_mode(self, root: bytes, mode: str, caller: tuple[str, ...]) -> WorkspaceView:
        """Protect or observe a directory; a new one is watched from now on."""
        try:
            wanted = Mode(mode)
        except ValueError:
            raise UsageError(f"no mode {mode}", "protect or observe") from None
        root = os.path.normpath(root)
        if not os.path.isabs(root) or not os.path.isdir(root):
            raise NotFound(f"no directory {shown(root)}", "give a directory that exists")
        parts = self._
        if os.path.commonpath(
            [os.path.realpath(os.fsencode(parts.state_dir)), os.path.realpath(root)]
        ) == os.path.realpath(root):
            raise UsageError(f"{shown(root)} holds conductd's own state directory", "move one of them")

        def register() -> Handle:
            with parts.state.lock:
                known = parts.state.workspace_at(root)
            handle = parts.workspaces.handle(known.id) if known else None
            if handle is not None:
                parts.workspaces.set_mode(handle, wanted)
                return handle
            handle = parts.workspaces.register(root, wanted, known.profile if known else "generic")
            parts.intake.add(handle)
            return handle

        handle = _handle(_result(parts.intake.do(register)))
        decision = DecisionRecord("mode", handle.id, caller=caller, detail=f"{mode} {shown(root)}")
        told = [Draft(decision)]
        if wanted is Mode.OBSERVE:
            told.append(Draft(notices.weakened(f"{shown(root)} is only observed from now on", handle.id, caller)))
        parts.recorder.write(told)
        return self._workspace(handle)

    def files(self, workspace: str | None) -> list[FileView]:
        parts, wanted = self._, self._naming.workspace(workspace)
        with parts.state.lock:
            tracks = [f for f in parts.state.files.values() if wanted in (None, f.workspace) and f.head is not None]
        return [self._file(f) for f in sorted(tracks, key=lambda f: (f.workspace, f.path))]

    def _file(self, file: FileTrack) -> FileView:
        parts = self._
        head = file.head
        assert head is not None
        role = parts.workspaces.role(file.workspace, file.path)
        return FileView(
            workspace=file.workspace,
            root=shown(parts.state.workspaces[file.workspace].root),
            path=shown(file.path),
            path_b64=b64(file.path),
            role=str(role or ""),
            mode=str(parts.workspaces.mode(file)),
            state=str(head.state),
            versions=file.versions,
            size=head.size,
            digest=head.digest.hex() if head.digest else None,
            last_seq=head.seq,
            last_change_ns=head.at_ns,
            open_incidents=file.open_incidents,
            baseline_seq=file.baseline.seq if file.baseline else None,
            stood_down=file.stood_down,
        )

    # ------------------------------------------------------------------ history

    def versions(self, path: bytes | None, workspace: str | None, limit: int, before: int | None) -> list[VersionView]:
        if path is None:
            return self._.reader.versions(None, limit, before, self._naming.workspace(workspace))
        return self._.reader.versions([self._naming.file(path, workspace).id], limit, before)

    def content(self, path: bytes | None, version: str, workspace: str | None) -> tuple[VersionView, bytes]:
        file = self._naming.file(path, workspace) if path is not None else None
        view = self._naming.version(file, version)
        return view, self._bytes(view)

    def _bytes(self, view: VersionView) -> bytes:
        if view.state != FileState.FILE:
            raise ContentUnavailable(
                f"version {view.seq} of {view.path} is {view.state}: it has no bytes", "conductd log"
            )
        return self._.contents.get(view.seq)

    def diff(self, path: bytes, old: str, new: str, workspace: str | None) -> str:
        file = self._naming.file(path, workspace)
        newer = self._naming.version(file, new)
        if old:
            older: VersionView | None = self._naming.version(file, old)
        else:
            before = self._.reader.versions([file.id], 1, newer.seq)
            older = before[0] if before else None
        one = _lines(self._bytes(older) if older and older.state == FileState.FILE else b"")
        two = _lines(self._bytes(newer) if newer.state == FileState.FILE else b"")
        name = shown(file.path)
        return "".join(
            line if line.endswith("\n") else line + "\n"
            for line in difflib.unified_diff(
                one,
                two,
                f"{name}@{older.seq if older else 'nothing'}",
                f"{name}@{newer.seq}",
                older.at if older else "",
                newer.at,
            )
        )

    def incidents(self, state: str | None) -> list[IncidentView]:
        return [self._explainer.incident(row) for row in self._.reader.incidents(state)]

    def explain(self, incident: int) -> ExplainView:
        return self._explainer.explain(incident)

    def events(self) -> Events:
        return self._.hub.subscribe()

    def log(self, since: int, limit: int) -> list[EventView]:
        return self._.reader.events(since, limit)

    # ------------------------------------------------------------------ acts

    def restore(
        self, path: bytes, version: str, workspace: str | None, dry_run: bool, caller: tuple[str, ...]
    ) -> DidView:
        file = self._naming.file(path, workspace)
        view = self._naming.version(file, version)
        wanted = seen_of(view)
        return self._on_judge(lambda: self._.commands.restore(file, wanted, caller, dry_run))

    def bring_back(self, incident: int, dry_run: bool, caller: tuple[str, ...]) -> DidView:
        known = self._incident(incident)
        return self._on_judge(lambda: self._.commands.bring_back(known, caller, dry_run))

    def undo(self, caller: tuple[str, ...], dry_run: bool) -> DidView:
        return self._on_judge(lambda: self._.commands.undo(caller, dry_run))

    def accept(
        self, incident: int | None, path: bytes | None, workspace: str | None, caller: tuple[str, ...], terminal: bool
    ) -> DidView:
        """A loss was meant. Only a person at a terminal can say so."""
        if not terminal:
            raise Refused("accepting a loss needs a terminal", "run conductd accept in a terminal of your own")
        only = None
        if incident is None:
            if path is None:
                raise UsageError("accept needs an incident or a file", "conductd incidents")
            only = self._naming.file(path, workspace)
            incident = self._newest_incident(only)
        known = self._incident(incident)
        return self._on_judge(lambda: self._.commands.accept(known, only, caller))

    def _newest_incident(self, file: FileTrack) -> int:
        with self._.state.lock:
            found = [
                i.id
                for i in self._.state.incidents.values()
                if file.id in i.record.files and i.record.state in ("open", "resolved")
            ]
        if not found:
            raise NotFound(f"{shown(file.path)} has no incident to accept", "conductd incidents --all")
        return max(found)

    def _incident(self, number: int) -> OpenIncident:
        with self._.state.lock:
            known = self._.state.incidents.get(number)
        if known is None:
            raise NotFound(f"no incident {number}", "conductd incidents --all")
        return known

    def evidence(
        self, path: bytes, workspace: str | None, actor: str, digest: bytes | None, session: str, tool_call: str
    ) -> int:
        if actor.startswith(RESERVED_ACTORS) or not actor or len(actor) > 200:
            raise Refused(f"nobody can claim to be {actor!r} here", "agent:SESSION, cron:JOB or sync:CLIENT")
        where, relative = self._place(path, workspace)
        record = EvidenceRecord(where, relative, actor, digest, session, tool_call, self._.clock.wall_ns())
        return self._.recorder.write([Draft(record)])[0].seq

    def _place(self, path: bytes, workspace: str | None) -> tuple[str, bytes]:
        """Workspace and relative path of a file that may not exist yet."""
        wanted = self._naming.workspace(workspace)
        handles = [h for h in self._.workspaces.handles() if wanted in (None, h.id)]
        for handle in handles:
            if path.startswith(handle.root + b"/"):
                return handle.id, path[len(handle.root) + 1 :]
        if not path.startswith(b"/") and len(handles) == 1:
            return handles[0].id, path
        found = self._naming.file(path, workspace)
        return found.workspace, found.path

    def _on_judge(self, run: Callable[[], DidView]) -> DidView:
        done: DidView = _result(self._.judge.call(run))
        return done

    # ------------------------------------------------------------------ long work

    def verify(self) -> Iterator[VerifyView | float]:
        from conductd.engine.verifying import verify

        return verify(self._.journal)

    def rebuild_index(self) -> Iterator[int | float]:
        return self._.recorder.rebuild_index()


class IndexHistory:
    """`commands.History` from the index."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader = reader

    def changes_of(self, incident: int) -> Sequence[Stored]:
        return self._reader.incident_changes(incident)[::-1]

    def version(self, seq: int) -> Seen | None:
        view = self._reader.version(seq)
        return seen_of(view) if view else None

    def version_with(self, file: int, digest: bytes) -> int | None:
        found = self._reader.resolve_digest(digest.hex(), (file,))
        return found[0] if found else None


def seen_of(view: VersionView) -> Seen:
    digest = bytes.fromhex(view.digest) if view.digest else None
    return Seen(
        view.seq, FileState(view.state), view.at_ns, Cause(view.cause), digest, view.size, None, Actor(view.actor)
    )


def _result(reply: Future[T]) -> T:
    """What another thread answers. A stuck or stopped thread is a sentence, not a traceback."""
    try:
        return reply.result(PATIENCE_S)
    except (TimeoutError, CancelledError):
        raise Busy("the daemon does not get to it: its disk is slow, or it is stopping", "conductd status") from None


def _pending(file: FileTrack, what: str, why: str, due: int, now: int) -> PendingView:
    left = max(0, -(-(due - now) // 1_000_000))
    return PendingView(file.workspace, shown(file.path), b64(file.path), what, why, left, due)


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").splitlines(keepends=True)


def _handle(value: object) -> Handle:
    assert isinstance(value, Handle)
    return value
