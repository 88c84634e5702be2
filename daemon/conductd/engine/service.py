"""Answers everything the API can ask (implements `views.Service`).

Thread-safe: memory is read under the state's lock, history from the index, and whatever writes is
handed to the judge thread or the intake. Adds no rule of its own.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from typing import TypeVar

from conductd import __version__
from conductd.engine import notices
from conductd.engine.explaining import Explainer
from conductd.engine.naming import Naming
from conductd.engine.overview import Overview, Parts
from conductd.engine.roots import refuse_root, refuse_state
from conductd.engine.tracks import Seen
from conductd.engine.workspaces import Handle
from conductd.errors import Busy, ContentUnavailable, NotFound, Refused, UsageError
from conductd.index.reader import IndexReader
from conductd.journal.journal import Draft
from conductd.model import (
    Actor,
    Cause,
    DecisionRecord,
    EvidenceRecord,
    FileState,
    Mode,
    Stored,
)
from conductd.views import (
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
    shown,
)

API_VERSION = 1
PATIENCE_S = 60.0  # for another thread of the daemon
# Whoever may be announced: nobody can claim to be a person, git or the daemon, nor somebody of a similar name.
ANNOUNCED = re.compile(r"(agent|cron|sync):[^\x00-\x1f\x7f]{1,190}")

T = TypeVar("T")


class Daemon:
    """See the module."""

    def __init__(self, parts: Parts) -> None:
        self._ = parts
        self._naming = Naming(parts.state, parts.reader, parts.clock)
        self._explainer = Explainer(parts.state, parts.reader, parts.contents)
        self._overview = Overview(parts)

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
        return self._overview.pending()

    def status(self) -> StatusView:
        return self._overview.status()

    def counters(self) -> dict[str, int]:
        return self._overview.counters()

    # ------------------------------------------------------------------ workspaces and files

    def workspaces(self) -> list[WorkspaceView]:
        return self._overview.workspaces()

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
        refuse_root(root, [handle.root for handle in parts.workspaces.handles()])
        refuse_state(root, parts.state_dir)

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
        return self._overview.workspace(handle)

    def files(self, workspace: str | None) -> list[FileView]:
        return self._overview.files(self._naming.workspace(workspace))

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
        return self._on_judge(lambda: self._.commands.bring_back(incident, caller, dry_run))

    def undo(self, incident: int | None, caller: tuple[str, ...], dry_run: bool) -> DidView:
        return self._on_judge(lambda: self._.commands.undo(incident, caller, dry_run))

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
        return self._on_judge(lambda: self._.commands.accept(incident, only, caller))

    def evidence(
        self, path: bytes, workspace: str | None, actor: str, digest: bytes | None, session: str, tool_call: str
    ) -> int:
        if not ANNOUNCED.fullmatch(actor):
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
    """`commands.History` from the index. Raises Busy while the index lacks records: an answer from
    half of an incident would accept, or bring back, the wrong half."""

    def __init__(self, reader: IndexReader, is_complete: Callable[[], bool]) -> None:
        self._reader, self._is_complete = reader, is_complete

    def changes_of(self, incident: int) -> Sequence[Stored]:
        if not self._is_complete():
            raise Busy("the index is being rebuilt", "try again in a moment; conductd status shows when it is done")
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


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").splitlines(keepends=True)


def _handle(value: object) -> Handle:
    assert isinstance(value, Handle)
    return value
