"""What the composition root is given: the wish of the command line, the face above it, the ports that tests replace."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from conductd.engine.jobs.job import Job
from conductd.faces import Service
from conductd.journal.storage import DirectoryStorage
from conductd.ports import Clock, Storage, SystemClock
from conductd.repair.exchange import Exchange, SystemExchange
from conductd.views.reload import ReloadView
from conductd.watch.backends import default_backend
from conductd.watch.hints import Backend


class Face(Protocol):
    """The API server, as seen from below."""

    @property
    def path(self) -> bytes: ...

    @property
    def alive(self) -> bool: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...


MakeFace = Callable[[Service, str], Face]
"""Makes the API server for a service and the wished socket path (the composition root may not import upwards)."""


@dataclass(frozen=True)
class Ports:
    """What a test entry point replaces."""

    clock: Clock = field(default_factory=SystemClock)
    storage: Callable[[str], Storage] = lambda path: DirectoryStorage(path, exclusive=True)
    exchange: Exchange = field(default_factory=SystemExchange)
    watch_backend: Callable[[], Backend] = default_backend
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    jobs: tuple[Job, ...] | None = None  # of the night; None: the product's own


@dataclass(frozen=True)
class Request:
    """What the command line asked for."""

    workspaces: tuple[bytes, ...] = ()
    observe: bool = False
    state_dir: str | None = None
    socket: str | None = None
    config: str | None = None
    demo: bool = True  # make a demo workspace when none is given or found


@dataclass(frozen=True)
class Told:
    """Who is told how a daemon gets on, on its main thread. ``App`` is what runs.

    ``started``: requests are answered; ``tended``: every few seconds from then on; ``reloading``: before the
    configuration is read again, ``reloaded`` with what came of it; ``stopping``: before anything is closed.
    ``waiting``: a start waits for a state directory that cannot be written yet, told every few seconds with the reason;
    None: it is not waited for.
    """

    started: Callable[[Any], None] = lambda _app: None
    tended: Callable[[Any], None] = lambda _app: None
    reloading: Callable[[], None] = lambda: None
    reloaded: Callable[[Any, ReloadView], None] = lambda _app, _view: None
    stopping: Callable[[], None] = lambda: None
    waiting: Callable[[str], None] | None = None


class Ended(Exception):
    """The daemon was asked to end before it was ready."""
