"""What other threads put into intake's queue beside hints, and how those who wait for it are answered."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from conductd.model import Cause, Frozen
from conductd.watch.hints import Hint


class Sync(Frozen, frozen=True):
    """Rescan everything now; answered with the recorder's barrier once all is handed over."""

    reply: Future[Future[int]]


class Do(Frozen, frozen=True):
    """Run something on this thread (workspaces are opened and closed here only)."""

    run: Callable[[], object]
    reply: Future[object]

    @property
    def is_wanted(self) -> bool:
        """To be asked once, before it is run. False: nobody waits for it any more, and nobody can give it up now."""
        return self.reply.set_running_or_notify_cancel()


class Look(Frozen, frozen=True):
    """Read one file, as a rescan would."""

    workspace: str
    path: bytes
    cause: Cause = Cause.CHANGE


class Stop(Frozen, frozen=True):
    pass


Message = Hint | Sync | Do | Look | Stop
