"""The service manager of a scenario: it hears what the daemon tells, and kills one that is silent for too long.

What lasts ten seconds and more of real time is played five times as fast: a watchdog of 30 s is one of 6 s, a disk that
takes 45 s for a sync takes 9 s. As systemd's, its time stands still while the machine sleeps.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from pathlib import Path

FASTER, FROM_MS = 5, 10_000


def played_ms(milliseconds: int) -> int:
    """How long something lasts that takes real time."""
    return milliseconds // FASTER if milliseconds >= FROM_MS else milliseconds


class Manager:
    """Told by a datagram socket at `path`. `kills`: how often it had to kill."""

    def __init__(self, path: Path, watchdog_s: float) -> None:
        self._watchdog_s = played_ms(round(watchdog_s * 1_000)) / 1_000
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._socket.bind(str(path))
        self._socket.settimeout(0.1)
        self.environment = {"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": str(round(self._watchdog_s * 1_000_000))}
        self.kills = 0
        self.heard: list[str] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        self._socket.close()

    def _run(self) -> None:
        pid, last = 0, time.monotonic()
        while not self._ended.is_set():
            try:
                data, ancillary, _, _ = self._socket.recvmsg(4_096, socket.CMSG_SPACE(12))
            except TimeoutError:
                if pid and time.monotonic() - last > self._watchdog_s:
                    self.kills += 1
                    os.kill(pid, signal.SIGKILL)
                    pid = 0
                continue
            told = data.decode().splitlines()
            self.heard += told
            if "READY=1" in told or "WATCHDOG=1" in told:
                pid = int.from_bytes(ancillary[0][2][:4], "little")
                last = time.monotonic()
            if "STOPPING=1" in told:
                pid = 0
