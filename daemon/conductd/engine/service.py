"""Answers everything the API can ask (implements `faces.Service`); what acts is `asking`'s.

Thread-safe: memory is read under the state's lock, history from the index. Adds no rule of its own.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress

import msgspec

from conductd import __version__
from conductd.config import Config
from conductd.core import exposition
from conductd.engine.bootcards.asking import Bootcards
from conductd.engine.configuring.asked import AskedReloads
from conductd.engine.explaining.explaining import Explainer
from conductd.engine.fold.tracks import Seen
from conductd.engine.forgetting.asking_forget import AskingToForget
from conductd.engine.forgetting.forgetting import Forgetting
from conductd.engine.health.heartbeat import Heartbeat
from conductd.engine.health.metrics import families
from conductd.engine.health.overview import Overview, Parts
from conductd.engine.jobs.asking import JobsAsked
from conductd.engine.jobs.gathering import Gathering
from conductd.engine.jobs.job import Job
from conductd.engine.jobs.placing import Placing
from conductd.engine.jobs.planning import Planning
from conductd.engine.jobs.registered import registered
from conductd.engine.jobs.running import Running
from conductd.engine.jobs.scheduler import Scheduler
from conductd.engine.people.asking import Asking
from conductd.engine.people.fixing import Fixing
from conductd.engine.people.learned import Learned
from conductd.engine.people.leases import Leases
from conductd.engine.people.naming import Naming, seen_of
from conductd.engine.people.pinning import Pinning
from conductd.engine.people.rotating import Rotating
from conductd.engine.people.self_rotating import SelfRotating
from conductd.engine.people.waiting import result
from conductd.engine.people.write_set import WriteSets
from conductd.engine.retaining.retaining import Retaining
from conductd.errors import Busy, ContentUnavailable, Refused
from conductd.faces import Events
from conductd.index.reader import IndexReader
from conductd.model import FileState, Stored
from conductd.notify.notifier import Notifier
from conductd.views import (
    EventView,
    ExplainView,
    FileView,
    HelloView,
    IncidentView,
    LoadView,
    PendingView,
    ReloadView,
    RequestView,
    StatusView,
    SyncView,
    VerifyView,
    VersionView,
    WorkspaceView,
    shown,
)

API_VERSION = 1
LOADS_S = 10  # what agents see is waited for so long


class Daemon:
    """See the module."""

    def __init__(
        self,
        parts: Parts,
        forgetting: Forgetting,
        environ: Mapping[str, str] | None = None,
        jobs: Sequence[Job] | None = None,
    ) -> None:
        self._ = parts
        self._naming = Naming(parts.state, parts.reader, parts.clock)
        policy = parts.workspaces.config.policy()
        self._explainer = Explainer(parts.state, parts.reader, parts.contents, policy, parts.journal.key)
        self._explainer.gate = parts.repairer.gate
        self._overview = Overview(parts)
        self._learned = Learned(parts, self._naming)
        self._asking = Asking(parts, self._naming, self._overview, self._learned)
        self._leases = Leases(parts, self._asking.place)
        self._pinning = Pinning(parts, self._naming)
        self._bootcards = Bootcards(parts, self._naming, self._pinning)
        self.write_sets = WriteSets(parts)  # for acts that write several files as one
        self._fixing = Fixing(parts, self._naming, self.write_sets)
        self._rotating = Rotating(parts, self._naming, self._pinning, self.write_sets)
        self.self_rotating = SelfRotating(parts, self._rotating)
        self._forgetters = AskingToForget(parts, self._naming, forgetting)
        self._retainers = Retaining(parts, forgetting)
        own = registered(parts, self.write_sets, self._bootcards, self._fixing) if jobs is None else jobs
        planning = Planning(parts, own, environ or {})
        self.gathering = Gathering(parts, self._explainer.incident)  # what the jobs of the night are given
        running = Running(parts, self.gathering)
        self.scheduler = Scheduler(parts, planning, running)
        self._jobs = JobsAsked(parts, planning, running, self.scheduler, self._naming.workspace, self.gathering)
        self.notifier: Notifier | None = None  # set where there are channels
        self.heartbeat: Heartbeat | None = None  # set where one is configured
        self.asked_reloads: AskedReloads | None = None  # set by who carries them out

    def placing(self, workspace: str, write_into: str, *, is_dry: bool) -> Placing:
        """Where a job of the night writes."""
        return Placing(self._, self.write_sets, workspace, write_into, is_dry=is_dry)

    @property
    def retainers(self) -> Retaining:
        return self._retainers

    @property
    def jobs(self) -> JobsAsked:
        return self._jobs

    @property
    def leases(self) -> Leases:
        return self._leases

    @property
    def roles(self) -> Learned:
        return self._learned

    @property
    def pins(self) -> Pinning:
        return self._pinning

    @property
    def fixers(self) -> Fixing:
        return self._fixing

    @property
    def rotators(self) -> Rotating:
        return self._rotating

    @property
    def bootcards(self) -> Bootcards:
        return self._bootcards

    @property
    def acts(self) -> Asking:
        return self._asking

    @property
    def forgetters(self) -> AskingToForget:
        return self._forgetters

    # ------------------------------------------------------------------ the daemon

    def reload(self) -> ReloadView:
        if self.asked_reloads is None:
            raise Refused("this daemon cannot read its configuration again", "restart it")
        return self.asked_reloads.reload()

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
        seq = result(result(self._.intake.sync()))
        result(self._.judge.barrier())
        result(self._.secrets.barrier())
        result(self._.recorder.barrier())  # the verdicts are known to whoever waits for them
        with suppress(TimeoutError, CancelledError):  # a mount that hangs is said by its thread; nothing waits for it
            self._.loads.barrier().result(LOADS_S)
        seq = max(seq, result(self._.recorder.barrier()))
        pending = self.pending()
        return SyncView(seq, not any(p.what == "judgement" for p in pending), pending)

    def pending(self) -> list[PendingView]:
        return self._overview.pending()

    def status(self) -> StatusView:
        return msgspec.structs.replace(
            self._overview.status(),
            forgotten=self._forgetters.forgotten(),
            leases=self._leases.leases(),
            channels=self.notifier.views() if self.notifier is not None else [],
            heartbeat=self.heartbeat.view() if self.heartbeat is not None else None,
            jobs=self._jobs.jobs(),
        )

    def brief(self) -> StatusView:
        """What the one line of a service manager is made of; reads no agent's files."""
        return self._overview.brief()

    def take(self, config: Config) -> None:
        """Another configuration is in force."""
        self._explainer.take(config.policy())
        self.self_rotating.start()
        self.scheduler.look()

    def counters(self) -> dict[str, int]:
        return self._overview.counters()

    def degraded(self) -> list[str]:
        """The reasons that stand."""
        return self._overview.reasons()

    def metrics(self) -> str:
        sent = self.notifier.sent() if self.notifier is not None else {}
        return exposition.text(families(self._, self.status(), self.pending(), sent))

    # ------------------------------------------------------------------ workspaces and files

    def workspaces(self) -> list[WorkspaceView]:
        return self._overview.workspaces()

    def files(self, workspace: str | None) -> list[FileView]:
        return self._overview.files(self._naming.workspace(workspace))

    def loads(self, workspace: str | None) -> list[LoadView]:
        return self._overview.showing.loads(self._naming.workspace(workspace))

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
        if view.erased == "gc":
            raise ContentUnavailable(
                f"the content of version {view.seq} of {view.path} was erased by gc",
                "`conductd log FILE` lists the versions that can be restored",
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

    def explain_file(self, path: bytes, version: str, workspace: str | None) -> ExplainView:
        file = self._naming.file(path, workspace)
        seq = self._naming.version(file, version).seq if version else None
        return self._explainer.explain_file(file, seq)

    def requests(self) -> list[RequestView]:
        return self._.weakening.requests()

    def events(self) -> Events:
        return self._.hub.subscribe()

    def log(self, since: int, limit: int) -> list[EventView]:
        return self._.reader.events(since, limit)

    # ------------------------------------------------------------------ long work

    def verify(self) -> Iterator[VerifyView | float]:
        from conductd.engine.health.verifying import verify
        from conductd.engine.jobs.verified import verified

        parts = self._
        return verify(
            parts.journal, lambda tell: verified(parts.journal, parts.state_dir, lambda done, of, _: tell(done / of))
        )

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


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").splitlines(keepends=True)
