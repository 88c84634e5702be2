"""Keeps a file with the boot card of each workspace current, where the configuration asks for it; never inside one.

`tend` is called every few seconds on the main thread and only looks whether something happened; cards are made on a
thread of their own that ends when they are. What cannot be written is told as a degradation.
"""

from __future__ import annotations

import os
import re
import threading
import time
from contextlib import suppress

import structlog

from conductd.engine.bootcards.asking import Bootcards
from conductd.engine.bootcards.card_file import is_card, put
from conductd.engine.health.overview import Parts
from conductd.engine.workspaces import Handle
from conductd.errors import ConductdError, Refused
from conductd.faces import CardWish
from conductd.views import shown

log = structlog.get_logger("bootcards")

REASON = "bootcard"
STOP_S = 1.0
_OF_A_WORKSPACE = re.compile(rb"[0-9a-f]{32}\.md")
AGAIN_S = 300.0  # files that are not recorded change without a word


class Keeping:
    """See the module."""

    def __init__(self, parts: Parts, cards: Bootcards) -> None:
        self._, self._cards = parts, cards
        self._made: tuple[int, str] = (-1, "")
        self._seen: tuple[int, str] = (-1, "")
        self._made_s = 0.0
        self._thread: threading.Thread | None = None

    @property
    def wanted(self) -> bool:
        config = self._.workspaces.config
        return config.bootcard.keep or any(each.bootcard for each in config.workspaces)

    def take(self) -> None:
        """Another configuration is in force: what was written under the one before is made anew."""
        self._made = (-1, "")

    def tend(self) -> None:
        """When nothing was recorded between two calls, and something was since the last card, or it is old."""
        if not self.wanted or (self._thread is not None and self._thread.is_alive()):
            return
        now = self._.state.last_seq, self._cards.today().isoformat()
        is_quiet, self._seen = now == self._seen, now
        is_old = time.monotonic() - self._made_s >= AGAIN_S
        if is_quiet and (now != self._made or is_old):
            self._made, self._made_s = now, time.monotonic()
            self._thread = threading.Thread(target=self.write_all, name="bootcards", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        if self._thread is not None:
            self._thread.join(STOP_S)

    def write_all(self) -> None:
        """All that are asked for, each by itself: one that fails leaves the others alone."""
        self._let_go()
        troubles = [why for handle in self._.workspaces.handles() if (why := self._write(handle))]
        if troubles:
            hint = "the keys `bootcard` of the configuration say where boot cards are kept"
            self._.degraded.raise_(REASON, f"a boot card is not current: {'; '.join(troubles)}", hint)
        else:
            self._.degraded.clear(REASON)

    def _write(self, handle: Handle) -> str:
        """Why it could not be written; "": it is current, or nobody asked for it."""
        path = self.path(handle)
        if path is None or handle.fd is None:
            return ""
        try:
            self._refuse_inside(path)
            view = self._cards.of(handle, CardWish())
            if os.path.dirname(path) == self._own_directory():
                os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            put(path, view.text)
        except ConductdError as error:
            return error.message
        except OSError as error:
            return f"{shown(path)}: {error.strerror}"
        except Exception:  # this thread must not take the daemon's word for current with it
            log.exception("a boot card could not be made", workspace=handle.id)
            return f"{shown(path)}: an unexpected failure, see the log"
        return ""

    def _let_go(self) -> None:
        """Cards in the own directory of workspaces that are not watched any more: nobody keeps them current."""
        directory = self._own_directory()
        kept = {os.fsencode(each.id) + b".md" for each in self._.workspaces.handles()}
        with suppress(OSError):
            for name in os.listdir(directory):
                path = os.path.join(directory, name)
                if _OF_A_WORKSPACE.fullmatch(name) and name not in kept and is_card(path):
                    os.unlink(path)

    def path(self, handle: Handle) -> bytes | None:
        """Where the card of a workspace is kept; None: nowhere."""
        config = self._.workspaces.config
        table = config.workspace(handle.root)
        if table is not None and table.bootcard:
            return os.fsencode(table.bootcard)
        if not config.bootcard.keep:
            return None
        return os.path.join(self._own_directory(), os.fsencode(handle.id) + b".md")

    def _own_directory(self) -> bytes:
        named = self._.workspaces.config.bootcard.directory
        return os.fsencode(named) if named else os.path.join(os.fsencode(self._.state_dir), b"bootcards")

    def _refuse_inside(self, path: bytes) -> None:
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        for each in self._.workspaces.handles():
            if real.startswith(os.path.realpath(each.root) + b"/"):
                raise Refused(f"{shown(path)} lies inside the workspace {shown(each.root)}", "keep it outside")
