"""What the service manager is told: that the daemon comes up, is ready, gets on, and stops.

systemd's notification protocol (sd_notify(3)) by way of the sdnotify package. Without a
NOTIFY_SOCKET in the environment — a terminal, launchd — nothing happens and nothing is imported.
A service manager that cannot be reached never stops the daemon. Called by `cli.run`.
"""

from __future__ import annotations

import os
import resource
import threading
import time

EXTEND_S = 60  # what one word of progress buys a start
EVERY_S = 10.0


def ready(status: str) -> None:
    """Requests are answered and every file was read once. `status` is one line of `systemctl status`."""
    _tell(f"READY=1\nSTATUS={_ascii_line(status)}")


def status(line: str) -> None:
    """What `systemctl status` shows from now on."""
    _tell(f"STATUS={_ascii_line(line)}")


def waiting(why: str) -> None:
    """A start cannot go on yet and is not to be killed for it."""
    _tell(f"EXTEND_TIMEOUT_USEC={EXTEND_S * 1_000_000}\nSTATUS={_ascii_line('waiting, nothing is recorded: ' + why)}")


def gets_on() -> None:
    """Every part of the daemon has made progress. Where the unit asks for no watchdog nobody waits for it."""
    if os.environ.get("WATCHDOG_USEC"):
        _tell("WATCHDOG=1")


def reloading() -> None:
    """The configuration is read again; `ready` ends it, whatever came of it."""
    # With the time, systemd 253 and later can tell which reload it was that has ended (Type=notify-reload).
    now_us = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1_000
    _tell(f"RELOADING=1\nMONOTONIC_USEC={now_us}\nSTATUS=reading the configuration")


def stopping() -> None:
    """The daemon was asked to end and has closed nothing yet."""
    _tell("STOPPING=1\nSTATUS=stopping")


class Starting:
    """While it lasts, a start may take as long as it makes progress: a long recovery is not killed, one that hangs is.

    Progress is what the kernel counts for the process: time computed, blocks read and written.
    """

    def __init__(self, every_s: float = EVERY_S) -> None:
        self._every_s = every_s
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Starting:
        if is_managed():
            self._thread = threading.Thread(target=self._extend, name="starting", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over()

    def over(self) -> None:
        """The start has ended, well or not. May be said twice."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _extend(self) -> None:
        before = _work_done()
        while not self._over.wait(self._every_s):
            now = _work_done()
            if now != before:
                _tell(f"EXTEND_TIMEOUT_USEC={EXTEND_S * 1_000_000}\nSTATUS=starting: reading the history and the files")
            before = now


def _work_done() -> tuple[int, int, int]:
    """Whole tenths of a second computed (the thread that asks costs less than one), blocks read, blocks written."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return int((used.ru_utime + used.ru_stime) * 10), used.ru_inblock, used.ru_oublock


def is_managed() -> bool:
    """Whether somebody listens."""
    return bool(os.environ.get("NOTIFY_SOCKET"))


def manager() -> str:
    """Which service manager runs this process: "systemd", "launchd", or "" for neither."""
    if is_managed():
        return "systemd"
    from conductd.service.launchd import LABEL

    return "launchd" if os.environ.get("XPC_SERVICE_NAME", "") == LABEL else ""


def _tell(message: str) -> None:
    if not is_managed():
        return
    from sdnotify import SystemdNotifier

    SystemdNotifier().notify(message)


def _ascii_line(text: str) -> str:
    # The package encodes Latin-1 and drops, in silence, a message that is anything else.
    return " ".join(text.split()).encode("ascii", "replace").decode()
