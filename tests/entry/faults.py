"""The switchboard of the faults that a test can turn on while the daemon runs."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable

import msgspec


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`kind` as in the scenario language; `until_mono_ns` ends it by the daemon's own clock.

    `value`: bytes still to be had (enospc_after_bytes) or milliseconds (slow_fsync, slow_read).
    """

    kind: str
    path: str = ""
    value: int = 0
    until_mono_ns: int | None = None


class Faults:
    """Which faults are on. Thread-safe; listeners hear of every fault that is turned on."""

    def __init__(self, mono_ns: Callable[[], int]) -> None:
        self._mono_ns = mono_ns
        self._lock = threading.Lock()
        self._active: dict[str, Fault] = {}
        self._listeners: list[Callable[[Fault], None]] = []

    def turn_on(self, fault: Fault) -> None:
        with self._lock:
            self._active[fault.kind] = fault
            listeners = list(self._listeners)
        for listener in listeners:
            listener(fault)

    def clear(self) -> None:
        with self._lock:
            self._active.clear()

    def listen(self, listener: Callable[[Fault], None]) -> None:
        with self._lock:
            self._listeners.append(listener)

    def get(self, kind: str) -> Fault | None:
        with self._lock:
            return self._live(kind)

    def is_on(self, kind: str) -> bool:
        return self.get(kind) is not None

    def spend(self, size: int) -> bool:
        """Take `size` bytes of what the full disk still has; False when there are not enough."""
        with self._lock:
            fault = self._live("enospc_after_bytes")
            if fault is None:
                return True
            if fault.value < size:
                return False
            self._active[fault.kind] = msgspec.structs.replace(fault, value=fault.value - size)
            return True

    def _live(self, kind: str) -> Fault | None:
        fault = self._active.get(kind)
        if fault is None:
            return None
        if fault.until_mono_ns is not None and self._mono_ns() >= fault.until_mono_ns:
            del self._active[kind]
            return None
        return fault


def failed(number: int, name: str = "") -> OSError:
    return OSError(number, os.strerror(number), name) if name else OSError(number, os.strerror(number))


def no_space() -> OSError:
    return failed(errno.ENOSPC)
