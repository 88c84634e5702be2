"""The picture of the running daemon: status, workspaces, files, what waits. Reads memory only."""

from __future__ import annotations

import os
import time

import msgspec

from conductd import __version__
from conductd.core.provenance import Standing
from conductd.engine.answering.judging import Judge
from conductd.engine.answering.repairing import Repairer
from conductd.engine.answering.together import Together
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.forgetting.secret_watch import SecretWatch
from conductd.engine.gathering.content import Contents
from conductd.engine.health import pulse
from conductd.engine.health.degraded import Degraded
from conductd.engine.health.events import Hub
from conductd.engine.loading.showing import Showing
from conductd.engine.loading.watch import LoadWatch
from conductd.engine.people.commands import Commands
from conductd.engine.people.false_alarms import false_alarms
from conductd.engine.people.weakening import Weakening
from conductd.engine.recording.intake import Intake
from conductd.engine.recording.recorder import Recorder
from conductd.engine.workspaces import Handle, Workspaces
from conductd.index.reader import IndexReader
from conductd.journal.journal import Journal
from conductd.model import FileState, Severity
from conductd.ports import Clock
from conductd.service.notify import manager
from conductd.views import (
    DegradedView,
    FileView,
    LeftOutView,
    PendingView,
    StatusView,
    WorkspaceView,
    b64,
    iso,
    shown,
)

GROWTH_NS = 7 * 86_400 * 1_000_000_000


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
    together: Together
    contents: Contents
    degraded: Degraded
    hub: Hub
    clock: Clock
    secrets: SecretWatch
    weakening: Weakening
    loads: LoadWatch
    state_dir: str
    socket: str
    started_ns: int
    observing: bool = False
    tended_ns: int = 0  # when the main thread last looked after the others: monotonic, real


class Overview:
    """See the module. Any thread."""

    def __init__(self, parts: Parts) -> None:
        self._ = parts
        self._started_mono = parts.clock.mono_ns()
        self.showing = Showing(parts.state, parts.workspaces, parts.loads)

    def pending(self) -> list[PendingView]:
        parts, now = self._, self._.clock.mono_ns()
        found = []
        for number, why, due in parts.judge.waits():
            file = parts.state.files[number]
            what = "repair" if why in ("backoff", "busy", "leased", "no_space") else "judgement"
            found.append(_pending(file, what, why, due, now))
        for looking in list(parts.repairer.looking):
            file, due_ns = parts.state.files[looking.file], looking.next_ns
            found.append(_pending(file, "late_writer_watch", "late", due_ns, now))
        unmerged = [(parts.state.files[each.file], each.due_ns) for each in list(parts.repairer.stranded)]
        found += [_pending(file, "repair", "late", due_ns, now) for file, due_ns in unmerged]
        found += self.showing.pending(now)
        if parts.recorder.down:
            found.append(PendingView("", "", "", "recording", "store", 0, now))
        return sorted(found, key=lambda p: p.due_mono_ns)

    def status(self) -> StatusView:
        return msgspec.structs.replace(self.brief(), provenance=self._left_out(), loads=self.showing.lines())

    def brief(self) -> StatusView:
        """Without what agents see of their files: from memory alone, however slow the disk of an agent is."""
        parts = self._
        spaces = self.workspaces()
        degraded, grown = self._degraded(), self._grown()
        with parts.state.lock:
            severities = [i.record.severity for i in parts.state.incidents.values() if i.record.state == "open"]
            incidents = len(severities)
            false_positives, coalesced = parts.state.false_positives, parts.state.coalesced
            versions, last_seq = parts.state.versions, parts.state.last_seq
            learned_roles = len(parts.state.decided.roles)
            alarms = false_alarms(parts.state.decided, parts.clock.wall_ns())
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
            requests=parts.weakening.waiting(),
            learned_roles=learned_roles,
            false_alarms=alarms,
            open_by_severity={each.value: severities.count(each) for each in Severity},
            grown_bytes=grown[0] if grown is not None else None,
            grown_s=grown[1] if grown is not None else 0.0,
            service=manager(),
        )

    def _grown(self) -> tuple[int, float] | None:
        """What the journal grew by, and in how many seconds; None where it cannot be told."""
        now = self._.clock.wall_ns()
        found = self._.journal.written_since(now - GROWTH_NS)
        return (found.bytes, (now - found.since_ns) / 1e9) if found is not None and found.since_ns < now else None

    def _left_out(self) -> list[LeftOutView]:
        gate = self._.repairer.gate
        return [_gated(handle, found) for handle, found in gate.standings()] if gate is not None else []

    def reasons(self) -> list[str]:
        """Why the daemon is degraded now, by their words."""
        return [each.reason for each in self._degraded()]

    def _degraded(self) -> list[DegradedView]:
        parts = self._
        found = parts.degraded.list()
        hangs = pulse.unattended(parts.tended_ns, time.monotonic_ns())
        if hangs is not None:
            since = parts.clock.wall_ns() - (time.monotonic_ns() - parts.tended_ns)
            found.append(DegradedView(hangs.reason, hangs.message, hangs.hint, since))
        with parts.state.lock:
            unreadable = [
                f for f in parts.state.files.values() if f.head is not None and f.head.state is FileState.UNREADABLE
            ]
            found += [_stood_down(parts.state, f) for f in parts.state.files.values() if f.stood_down]
        found += [_half_done(parts.state, set_id, parts.started_ns) for set_id in parts.together.stuck()]
        if not parts.recorder.index_complete:
            what = "the index is being rebuilt: the log and the incidents are not complete"
            found.append(DegradedView("index_behind", what, "it is done by itself", parts.started_ns))
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

    def workspaces(self) -> list[WorkspaceView]:
        return [self.workspace(handle) for handle in self._.workspaces.handles()]

    def workspace(self, handle: Handle) -> WorkspaceView:
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
            device=track.device,
            inode=track.inode,
            capabilities=[*track.capabilities, *([handle.wrote_by] if handle.wrote_by else [])],
        )

    def files(self, wanted: str | None) -> list[FileView]:
        """`wanted`: a workspace id; None: all."""
        parts = self._
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


def _gated(handle: Handle, found: Standing) -> LeftOutView:
    record = found.record
    at_ns = record.at_ms * 1_000_000 if record is not None and found.since else 0
    return LeftOutView(
        workspace=handle.id,
        root=shown(handle.root),
        path=shown(found.path),
        path_b64=b64(found.path),
        provenance=found.effect.value,
        since=iso(at_ns) if at_ns else "",
        since_ns=at_ns,
        session=record.session if record is not None else "",
        text=found.said,
    )


def _stood_down(state: State, file: FileTrack) -> DegradedView:
    """A file that is not guarded until a person decides: not healthy, whatever else is well."""
    known = state.incidents.get(file.fight_incident) if file.fight_incident is not None else None
    root = state.workspaces[file.workspace].root
    what = (
        f"{shown(root + b'/' + file.path)} is destroyed again and again: conductd has stood down and does not guard it"
    )
    if known is None:
        return DegradedView("stood_down", what, "conductd restore FILE@VERSION", file.head.at_ns if file.head else 0)
    fix = f"conductd restore --incident {known.id}, or, if what stands there was meant: conductd accept {known.id}"
    return DegradedView("stood_down", what, fix, known.opened_ns)


def _half_done(state: State, set_id: int, since_ns: int) -> DegradedView:
    with state.lock:
        names = sorted({shown(state.files[each.file].path) for each in state.undo if each.set_id == set_id})
    what = f"a set of writes into {', '.join(names)} was not finished, and cannot be taken back yet"
    return DegradedView("half_done", what, f"conductd undo {set_id}; it is tried again every minute", since_ns)


def _pending(file: FileTrack, what: str, why: str, due: int, now: int) -> PendingView:
    left = max(0, -(-(due - now) // 1_000_000))
    return PendingView(file.workspace, shown(file.path), b64(file.path), what, why, left, due)
