"""The signals a daemon is told by: end (SIGTERM, SIGINT, a terminal that is closed), read the configuration again
(SIGHUP).

A handler only notes it and wakes the main thread through a pipe: it may run in the middle of anything, so it takes no
lock. A second SIGTERM or SIGINT ends the process at once: what was acknowledged is durable, a start goes on from there.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from contextlib import suppress
from types import FrameType, TracebackType

import structlog

AGAIN_S = 0.3  # a wrapper passes on the same Ctrl-C that the terminal has sent
LOOKS_S = 0.2  # a handler takes no lock, so it cannot wake the one that watches a start
_ENDS = (signal.SIGTERM, signal.SIGINT)


class Signals:
    """See the module. Entered on the main thread; leaves the handlers in place, so that a stop can be hurried."""

    def __init__(self) -> None:
        self._ended_s = 0.0
        self._wants_reload = False
        self._has_terminal = False
        self._out, self._in = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK) if hasattr(os, "pipe2") else _pipe()

    def __enter__(self) -> Signals:
        for number in _ENDS:
            signal.signal(number, self._end)
        # Under nohup nobody wants it to end with its terminal.
        self._has_terminal = signal.getsignal(signal.SIGHUP) != signal.SIG_IGN and _is_terminal_there()
        signal.signal(signal.SIGHUP, self._reload)
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    @property
    def is_ended(self) -> bool:
        return self._ended_s > 0

    def wait(self, seconds: float) -> None:
        """Until something is wanted, at most so long."""
        if self.is_ended or self._wants_reload:
            return
        select.select([self._out], [], [], seconds)
        with suppress(BlockingIOError):
            os.read(self._out, 4096)

    def ask_reload(self) -> None:
        """As SIGHUP does. Any thread."""
        self._wants_reload = True
        self.wake()

    def take_reload(self) -> bool:
        """Whether a reload was asked for since the last call."""
        wanted, self._wants_reload = self._wants_reload, False
        return wanted

    @staticmethod
    def cut_short_after(seconds: float) -> threading.Timer:
        """End the process when a stop takes so long. What is queued was written meanwhile, unless the disk hangs; what
        is not judged is at the next start."""
        timer = threading.Timer(seconds, _cut_short)
        timer.daemon = True
        timer.start()
        return timer

    def cut_start_short_after(self, seconds: float) -> threading.Event:
        """End the process when a start goes on for so long after it was asked to end: one that waits for a disk looks
        at nothing else. To be set when it is over."""
        over = threading.Event()

        def watch() -> None:
            while not over.wait(LOOKS_S):
                if self.is_ended and not over.wait(seconds):
                    _cut_short()

        threading.Thread(target=watch, name="start-watch", daemon=True).start()
        return over

    def wake(self) -> None:
        """End `wait`. Any thread."""
        with suppress(OSError):  # full: it wakes up anyway
            os.write(self._in, b"\0")

    def _end(self, number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self.is_ended and now - self._ended_s >= AGAIN_S:
            os._exit(128 + number)
        self._ended_s = self._ended_s or now
        self.wake()

    def _reload(self, number: int, frame: FrameType | None) -> None:
        if self._has_terminal and not _is_terminal_there():
            self._end(number, frame)  # the window it was started in was closed
            return
        self._wants_reload = True
        self.wake()


def _cut_short() -> None:
    structlog.get_logger("conductd").warning("something does not end in time: the daemon ends without it")
    sys.stderr.flush()
    os._exit(0)


def _is_terminal_there() -> bool:
    """Whether the process has a controlling terminal."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def _pipe() -> tuple[int, int]:
    out, into = os.pipe()
    for each in (out, into):
        os.set_blocking(each, False)
    return out, into
