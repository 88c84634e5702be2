"""What the faces may ask of the daemon: `Service` answers, its `acts` change something for a `Caller`.

Implemented by the engine and called by `api` (and, in process, by nobody else). The answers are the
shapes of `views`. `path` arguments: absolute, or relative to a workspace; `workspace` (id or root)
narrows. Everything raises `ConductdError` subclasses only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from conductd.model import Frozen
from conductd.views import (
    BootcardView,
    DidView,
    EventView,
    ExplainView,
    FileView,
    FixView,
    ForgetCheckView,
    ForgetView,
    ForgottenView,
    GcView,
    HelloView,
    IncidentView,
    JobRunView,
    JobView,
    LeaseView,
    LoadView,
    PendingView,
    PinView,
    ReloadView,
    ReportView,
    RequestView,
    RoleView,
    RotateView,
    SetView,
    StatusView,
    SyncView,
    VerifyView,
    VersionView,
    WorkspaceView,
)


class Caller(Frozen, frozen=True):
    """Who asks, as the kernel shows it; nothing of it is told by the client.

    ``ancestry``: "pid name", nearest first; empty where it cannot be seen. ``terminal``: there is a
    controlling terminal. ``is_agent``: a known agent is among the ancestors, or asks itself. ``editor``: the
    nearest ancestor that is a program people edit text with, "" if there is none. ``whole``: all ancestors
    could be seen, and none that is missing was left behind. ``agent``: the nearest ancestor that is a known agent, as
    in ``ancestry``; "" where none of them is.
    """

    ancestry: tuple[str, ...] = ()
    terminal: bool = False
    is_agent: bool = False
    editor: str = ""
    whole: bool = True
    agent: str = ""

    @property
    def may_decide(self) -> bool:
        """Whether an act that weakens protection is done at once (promise P8), or only asked for."""
        return bool(self.ancestry) and self.whole and self.terminal and not self.is_agent

    @property
    def may_undo(self) -> bool:
        """Whether a write is reversed at once: not for an agent, nor for who left its parents behind."""
        return bool(self.ancestry) and self.whole and not self.is_agent

    @property
    def may_lease(self) -> bool:
        """Whether a short lease is granted: to a person's editor as well, which may have no terminal."""
        return self.may_decide or (bool(self.editor) and self.whole and not self.is_agent)


class Events(Protocol):
    """A subscription: a bounded queue of events. After an overflow the next item is a `gap`."""

    def get(self, timeout_s: float) -> EventView | None: ...

    def drain(self) -> list[EventView]: ...

    def set_wakeup(self, wake: object) -> None:
        """`wake` is a callable without arguments, called from the recorder thread on each event."""
        ...

    def close(self) -> None: ...


class Acts(Protocol):
    """What is recorded as a decision of its caller. Those that weaken protection pass
    `engine.people.weakening`: they may only become a request (``DidView.request``)."""

    def set_mode(self, root: bytes, mode: str, caller: Caller) -> WorkspaceView: ...

    def restore(self, path: bytes, version: str, workspace: str | None, dry_run: bool, caller: Caller) -> DidView: ...

    def bring_back(self, incident: int, dry_run: bool, caller: Caller) -> DidView:
        """Put back only what an incident lost; what was written since is kept (`POST /v1/restore {incident}`)."""
        ...

    def restore_at(
        self, at: str, directory: bytes | None, exact: bool, dry_run: bool, caller: Caller
    ) -> Iterator[float | SetView]:
        """Everything below a directory (None: in every workspace) as it was at a time. `exact`: what came later
        goes. Progress (0..1) while it works, the result last."""
        ...

    def undo(self, incident: int | None, caller: Caller, dry_run: bool) -> DidView:
        """Reverse the newest write that still has an effect: of an incident, or (None) of all."""
        ...

    def accept(
        self, incident: int | None, path: bytes | None, workspace: str | None, caller: Caller, dry_run: bool = False
    ) -> DidView: ...

    def confirm(self, request: int, caller: Caller) -> DidView:
        """Do what was asked for. Only for a caller who may decide it."""
        ...

    def refuse(self, request: int, caller: Caller) -> RequestView: ...

    def evidence(
        self,
        path: bytes,
        workspace: str | None,
        actor: str,
        digest: bytes | None,
        session: str,
        tool_call: str,
    ) -> int:
        """Journal sequence of the evidence. Actors `human:*`, `conductd` are refused."""
        ...


class ForgetWish(Frozen, frozen=True):
    """What somebody wants forgotten: one of ``matching`` (``regex``: an expression), ``secret`` (it is never
    recorded), ``version`` (of ``path``), or ``path`` alone. ``only_match``: not the whole entries."""

    matching: str = ""
    secret: str = ""
    regex: bool = False
    only_match: bool = False
    version: str = ""
    path: bytes | None = None
    workspace: str | None = None
    now: bool = False
    in_files: bool = False
    dry_run: bool = False


class Forgetters(Protocol):
    """Forgetting passes the gate of `engine.people.weakening`, too."""

    def forget(self, wish: ForgetWish, caller: Caller) -> ForgetView: ...

    def cancel(self, number: int, caller: Caller) -> DidView:
        """Show again what is hidden and not erased yet."""
        ...

    def forgotten(self) -> list[ForgottenView]: ...

    def check(self, wish: ForgetWish) -> Iterator[ForgetCheckView | float]:
        """Progress (0..1), then what is left of ``secret`` or ``matching``, else of all that was erased."""
        ...


class Retainers(Protocol):
    """How long the content of versions is kept (`engine.retaining`); to erase it passes the gate."""

    def gc(self, dry_run: bool, caller: Caller) -> GcView:
        """As `[retention]` says. Takes as long as the history is."""
        ...


class Jobs(Protocol):
    """The jobs of the night (`engine.jobs`)."""

    def jobs(self, workspace: str | None = None) -> list[JobView]:
        """Every job of every workspace: when it runs, what came of it last."""
        ...

    def run(self, name: str, workspace: str | None, day: str, *, dry_run: bool) -> Iterator[float | JobRunView]:
        """Now. Progress (0..1) while it works, what came of it last. `day` "": the present one."""
        ...

    def report(self, workspace: str | None, day: str) -> ReportView:
        """The one that is kept, else made now. `day` "": the last that is kept, else the present one."""
        ...


class Leases(Protocol):
    """A person, or a person's editor, is at a file for a while (`engine.people.leases`)."""

    def lease(
        self, path: bytes, workspace: str | None, seconds: int, editor: str, confirmed: bool, caller: Caller
    ) -> LeaseView:
        """`path`: a file or directory. `editor`: the program that has it open; "" for none. `confirmed`: a
        person said yes to a long one."""
        ...

    def renew(self, number: int, seconds: int, caller: Caller) -> LeaseView: ...
    def end(self, number: int | None, path: bytes | None, workspace: str | None, caller: Caller) -> LeaseView: ...
    def leases(self) -> list[LeaseView]:
        """Those that stand, oldest first."""
        ...


class PinPlace(Frozen, frozen=True):
    """Entries of a file: on a line, under a heading, holding a text, inside its `<!-- pin -->` marks, or all."""

    path: bytes
    workspace: str | None = None
    line: int = 0
    heading: str = ""
    text: str = ""
    marked: bool = False


class Pins(Protocol):
    """Entries whose loss counts at any size (`engine.people.pinning`)."""

    def pin(self, place: PinPlace, caller: Caller) -> DidView: ...
    def unpin(self, place: PinPlace, caller: Caller) -> DidView: ...
    def pins(self, workspace: str | None) -> list[PinView]: ...


class CardWish(Frozen, frozen=True):
    """``date``: ISO, "": today. ``agent``, ``session`` "": as configured, else what the directory looks like. 0: as
    configured. ``has_checks``: with what the checks of the night found."""

    date: str = ""
    agent: str = ""
    version: str = ""
    session: str = ""
    lines: int = 0
    tokens: int = 0
    has_checks: bool = True


class Bootcards(Protocol):
    """What an agent must know at its start, on one page (`engine.bootcards`)."""

    def bootcard(self, workspace: str | None, wish: CardWish) -> BootcardView:
        """`workspace` None: the only one."""
        ...


class Roles(Protocol):
    """What people said that files are for (`engine.people.learned`). `workspace` None: the only one."""

    def roles(self) -> list[RoleView]: ...
    def learn(self, glob: str, role: str, workspace: str | None, dry_run: bool, caller: Caller) -> RoleView: ...
    def forget(self, glob: str, workspace: str | None, caller: Caller) -> RoleView: ...


class Fixers(Protocol):
    """What `conductd doctor --fix` mends (`engine.people.fixing`); an agent only asks for it."""

    def fix(self, workspace: str | None, only: Sequence[str], dry_run: bool, caller: Caller) -> FixView:
        """`workspace` None: the only one. `only`: these kinds of fixes, () all."""
        ...


class Rotators(Protocol):
    """What agents do not load of a file, moved to a topic file (`engine.people.rotating`)."""

    def rotate(
        self, path: bytes, workspace: str | None, to: bytes | None, percent: int, dry_run: bool, caller: Caller
    ) -> RotateView:
        """`to` None: a name of its own. `percent`: how full the file may be afterwards; 0: touched only when it is over
        a limit. An agent may only ask to move what is no excess."""
        ...


class Service(Protocol):
    """Everything that can be asked. Thread-safe; may block on I/O (call from a worker thread), except
    `hello`, `counters` and `pending`, which only read memory."""

    @property
    def acts(self) -> Acts: ...

    @property
    def forgetters(self) -> Forgetters: ...

    @property
    def retainers(self) -> Retainers: ...

    @property
    def jobs(self) -> Jobs: ...

    @property
    def leases(self) -> Leases: ...

    @property
    def roles(self) -> Roles: ...

    @property
    def pins(self) -> Pins: ...

    @property
    def bootcards(self) -> Bootcards: ...

    @property
    def fixers(self) -> Fixers: ...

    @property
    def rotators(self) -> Rotators: ...

    def hello(self) -> HelloView: ...
    def sync(self) -> SyncView: ...
    def reload(self) -> ReloadView:
        """Read the configuration again; a broken one changes nothing. Raises Busy, Refused (it ends)."""
        ...

    def status(self) -> StatusView: ...
    def workspaces(self) -> list[WorkspaceView]: ...
    def files(self, workspace: str | None) -> list[FileView]: ...
    def loads(self, workspace: str | None) -> list[LoadView]:
        """What each agent sees now, and what was found when it was last looked."""
        ...

    def versions(self, path: bytes | None, workspace: str | None, limit: int, before: int | None) -> list[VersionView]:
        """Newest first; `path` None: all files."""
        ...

    def content(self, path: bytes | None, version: str, workspace: str | None) -> tuple[VersionView, bytes]:
        """`version`: sequence, digest prefix (≥ 4 hex), time expression, or "" for the newest."""
        ...

    def diff(self, path: bytes, old: str, new: str, workspace: str | None) -> str:
        """Unified diff; `old` "" = baseline before the newest change, `new` "" = newest version."""
        ...

    def incidents(self, state: str | None) -> list[IncidentView]: ...
    def explain(self, incident: int) -> ExplainView: ...
    def explain_file(self, path: bytes, version: str, workspace: str | None) -> ExplainView:
        """The verdict on a version of a file; `version` "": its newest incident, else its last verdict."""
        ...

    def requests(self) -> list[RequestView]:
        """Those that wait for a person, oldest first."""
        ...

    def pending(self) -> list[PendingView]: ...
    def events(self) -> Events:
        """Live events from now on; what came before is in `log`."""
        ...

    def log(self, since: int, limit: int) -> list[EventView]:
        """Events with seq > since, oldest first."""
        ...

    def verify(self) -> Iterator[VerifyView | float]:
        """Progress (0..1) while it works, the result last."""
        ...

    def rebuild_index(self) -> Iterator[int | float]:
        """Progress (0..1), then the number of records indexed."""
        ...

    def counters(self) -> dict[str, int]: ...

    def metrics(self) -> str:
        """The daemon's figures in the text format of Prometheus."""
        ...
