"""Checks the whole journal in a thread of its own, telling how far it is. Reading only."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator

from conductd.errors import ConductdError, StoreUnavailable
from conductd.journal.journal import Journal
from conductd.journal.verify import VerifyReport
from conductd.views import DamageView, VerifyView, shown


class _Gone(Exception):
    """Nobody listens any more."""


def verify(
    journal: Journal, by: Callable[[Callable[[float], None]], VerifyReport] | None = None
) -> Iterator[VerifyView | float]:
    """Progress (0..1), the result last. ``by``: who does it, `Journal.verify` where it is nobody else. It ends when
    nobody listens."""
    told: queue.Queue[float | VerifyReport | Exception] = queue.Queue()
    is_over = threading.Event()
    started = time.monotonic()

    def tell(done: float) -> None:
        if is_over.is_set():
            raise _Gone
        told.put(done)

    def work() -> None:
        try:
            told.put((by or journal.verify)(tell))
        except Exception as error:
            told.put(error)

    threading.Thread(target=work, name="verify", daemon=True).start()
    try:
        while True:
            item = told.get()
            if isinstance(item, float):
                yield item
            elif isinstance(item, ConductdError):
                raise item
            elif isinstance(item, Exception):
                raise StoreUnavailable(f"the journal cannot be read: {item}", "check the disk") from item
            else:
                yield verify_view(item, time.monotonic() - started)
                return
    finally:
        is_over.set()


def verify_view(report: VerifyReport, seconds: float) -> VerifyView:
    damage = [
        DamageView(each.segment, each.offset, each.seq, each.what, shown(each.path), list(each.lost_versions))
        for each in report.damage
    ]
    return VerifyView(
        ok=not damage,
        segments=report.segments,
        records=report.records,
        versions=report.versions,
        bytes=report.bytes,
        damage=damage,
        restorable=report.restorable,
        not_restorable=len(report.not_restorable),
        seconds=seconds,
        erased=report.erased,
    )
