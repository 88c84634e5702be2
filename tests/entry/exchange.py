"""Renames inside a workspace that a mount refuses: a file that is itself a mount point answers EBUSY."""

from __future__ import annotations

import errno
import os

from conductd.repair.exchange import Exchange
from entry.faults import Faults, failed


class FaultExchange:
    """Implements `conductd.repair.exchange.Exchange` around another one."""

    def __init__(self, inner: Exchange, faults: Faults) -> None:
        self._inner = inner
        self._faults = faults

    def exchange(self, directory: int, one: bytes, other: bytes) -> None:
        self._check(one, other)
        self._inner.exchange(directory, one, other)

    def move(self, directory: int, source: bytes, target: bytes) -> None:
        self._check(source, target)
        self._inner.move(directory, source, target)

    def _check(self, *names: bytes) -> None:
        fault = self._faults.get("ebusy_rename")
        if fault is not None and os.path.basename(os.fsencode(fault.path)) in names:
            raise failed(errno.EBUSY, fault.path)
