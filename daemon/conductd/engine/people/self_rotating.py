"""`[rotate] automatic`: files that an agent does not load whole are rotated unasked, where a person switched that on.

Only in `protect` mode, after nothing in the workspace was written for some minutes, at most once a day a file, and
never again after a person undid it; each time is told with the way back. Owns a thread, only where it is on.
"""

from __future__ import annotations

import queue
import threading

import structlog

from conductd.config import Config
from conductd.core.globs import any_matches
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.health.overview import Parts
from conductd.engine.people.rotating import Rotating
from conductd.engine.workspaces import Handle
from conductd.errors import ConductdError
from conductd.model import FileState, Mode

log = structlog.get_logger("rotate")

EVERY_NS = 60_000_000_000
ANEW_NS = 3_600_000_000_000  # limits may be others by then, though the file is the same
_STOP = "stop"
STOP_S = 2.0  # a rotation under way ends, and is one act


class SelfRotating:
    """See the module."""

    def __init__(self, parts: Parts, rotating: Rotating) -> None:
        self._, self._rotating = parts, rotating
        self._queue: queue.Queue[str] = queue.Queue()
        self._tried: dict[int, tuple[int, int]] = {}  # file: version, and when
        self._thread: threading.Thread | None = None

    @property
    def _config(self) -> Config:
        return self._.workspaces.config

    def start(self) -> None:
        """Where it is switched on. May be called again: it may have been since."""
        if self._thread is not None:
            return
        if self._config.rotate.automatic or any(each.rotate for each in self._config.workspaces):
            self._thread = threading.Thread(target=self._run, name="rotate", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        if self._thread is not None:
            self._queue.put(_STOP)
            self._thread.join(STOP_S)

    def _run(self) -> None:
        clock = self._.clock
        while clock.get(self._queue, clock.mono_ns() + EVERY_NS) is None:
            for handle in self._.workspaces.handles():
                for file in self._due(handle):
                    self._rotate(file)

    def _due(self, handle: Handle) -> list[FileTrack]:
        now = self._.clock.wall_ns()
        quiet_ns = self._config.rotate.quiet_minutes * 60_000_000_000
        if handle.fd is None or not self._config.rotates(handle.root):
            return []
        with self._.state.lock:
            workspace = self._.state.workspaces.get(handle.id)
            last = workspace.last_change_ns if workspace is not None else None
            files = [each for each in self._.state.files_of(handle.id) if self._is_due(each, now)]
        if last is not None and now - last < quiet_ns:
            return []
        return [each for each in files if self._.workspaces.mode(each) is Mode.PROTECT]

    def _is_due(self, file: FileTrack, now: int) -> bool:
        head = file.head
        if head is None or head.state is not FileState.FILE or file.since or file.judged is not None:
            return False
        if now < file.rotate_after_ns or not any_matches(self._config.rotate.files, file.path):
            return False
        seq, at_ns = self._tried.get(file.id, (0, 0))
        return seq != head.seq or now - at_ns > ANEW_NS

    def _rotate(self, file: FileTrack) -> None:
        head = file.head
        if head is None:
            return
        try:
            view = self._rotating.automatic(file, self._config.rotate.until_percent)
        except ConductdError as error:
            log.info("a file is not rotated", path=file.path, why=error.message)
        except Exception:
            log.exception("a file cannot be rotated")  # the others are still to be looked at
        else:
            if view is not None:
                log.info("rotated", path=file.path, sections=len(view.sections))
        self._tried[file.id] = (head.seq, self._.clock.wall_ns())
