"""Damage to the journal is a reason to be degraded, and one event and notice; what is met after that is logged.

It ends when a whole check finds the journal whole again (a disk that is back, a directory that was put back). What a
start met stays until the next one: the state was folded without it.
"""

from __future__ import annotations

import threading

import structlog

from conductd.engine.health.degraded import Degraded
from conductd.engine.recording.recorder import Recorder
from conductd.journal.journal import Draft
from conductd.model import EventClass, EventRecord, NoticeRecord, Record, Severity

log = structlog.get_logger("journal")

REASON = "store_damage"
MOST_TOLD = 100  # damages named in the log


class DamageTold:
    """Told of each damage, on whichever thread met it."""

    def __init__(self, recorder: Recorder, degraded: Degraded) -> None:
        self._recorder, self._degraded = recorder, degraded
        self._lock = threading.Lock()
        self._told: list[str] = []
        self._was_there_at_start = False

    def __call__(self, what: str) -> None:
        with self._lock:
            if what in self._told or len(self._told) >= MOST_TOLD:
                return
            self._told.append(what)
            first = len(self._told) == 1
            message = f"the journal is damaged: {self._told[0]}"
            more = f" (and {len(self._told) - 1} more)" if not first else ""
            self._degraded.raise_(REASON, message + more, "conductd verify")
        log.error("store damage", what=what)
        if not first:
            return
        event = EventClass.STORE_DAMAGE
        records: list[Record] = [
            EventRecord(event, Severity.ALARM, reason="damage", detail=message),
            NoticeRecord(event, Severity.ALARM, title=message, command="conductd verify"),
        ]
        self._recorder.append(lambda _seq: [Draft(record) for record in records])

    def at_start(self, what: str) -> None:
        """Met while the journal was opened, or read for the first time."""
        self._was_there_at_start = True
        self(what)

    def proven_whole(self) -> None:
        """Nothing is damaged any more: what comes after this is told anew."""
        with self._lock:
            if self._was_there_at_start or not self._told:
                return
            self._told.clear()
            self._degraded.clear(REASON)
        log.info("the journal is whole again")
