"""What the recorder's batches mean for the rest: wakes the judge, feeds listeners and logs.

Called on the recorder thread after a batch is durable, applied and indexed. Must be quick.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import structlog

from conductd.engine.answering.judging import Judge
from conductd.engine.forgetting.secret_watch import SecretWatch
from conductd.engine.health.degraded import Degraded
from conductd.engine.health.events import Hub
from conductd.engine.loading.watch import LoadWatch
from conductd.engine.recording.damage_told import DamageTold
from conductd.engine.recording.recorder import Recorder
from conductd.errors import StoreUnavailable
from conductd.index.events import event_view
from conductd.index.reader import IndexReader
from conductd.journal.journal import Draft
from conductd.journal.recovery import Recovery
from conductd.model import (
    Cause,
    EventClass,
    EventRecord,
    NoticeRecord,
    Record,
    Severity,
    Stored,
    VersionRecord,
)
from conductd.notify.notifier import Notifier
from conductd.views import EventView

log = structlog.get_logger("journal")


class Teller:
    """See the module. ``judge`` is set once there is one; before that nobody waits for anything."""

    def __init__(self, hub: Hub, reader: IndexReader) -> None:
        self._hub, self._reader = hub, reader
        self.judge: Judge | None = None
        self.secrets: SecretWatch | None = None
        self.loads: LoadWatch | None = None
        self.notifier: Notifier | None = None
        self._told_degraded = threading.Lock()
        self._once = False

    def __call__(self, batch: Sequence[Stored]) -> None:
        files: dict[int, None] = {}
        for stored in batch:
            record = stored.record
            if isinstance(record, VersionRecord):
                if record.cause is not Cause.SWAPPED_OUT:
                    files[record.file] = None
            elif isinstance(record, NoticeRecord):
                log.info("notice", severity=record.severity, title=record.title, incident=record.incident)
            elif isinstance(record, EventRecord):
                log.info("event", event_class=record.event_class, reason=record.reason, path=record.path)
        if files and self.judge is not None:
            self.judge.recorded(list(files))
        if files and self.secrets is not None:
            self.secrets.recorded(list(files))
        if self.loads is not None:
            self.loads.recorded(batch)
        if self.notifier is not None:
            self.notifier.recorded(batch)
        if self._hub.listening:
            self._hub.publish(self._views(batch))

    def touched(self, file: int) -> None:
        if self.judge is not None:
            self.judge.touched(file)
        if self.loads is not None:
            self.loads.touched(file)

    def _views(self, batch: Sequence[Stored]) -> list[EventView]:
        """From the index, which knows what a record leaves out; from the record alone while it lags."""
        try:
            views = self._reader.events(batch[0].seq - 1, len(batch))
        except StoreUnavailable:
            views = []
        known = {view.seq: view for view in views}
        plain = (known.get(stored.seq) or event_view(stored) for stored in batch)
        return [self._reader.veil(view) for view in plain if view is not None]

    # ------------------------------------------------------------------ what happens to the daemon itself

    def degraded_once(self, recorder: Recorder, degraded: Degraded) -> Callable[[str, str, str], None]:
        """One `watcher_degraded` event and notice per start; further reasons only join the status."""

        def tell(reason: str, message: str, hint: str) -> None:
            degraded.raise_(reason, message, hint)
            log.warning("watcher degraded", reason=reason, message=message)
            with self._told_degraded:
                first, self._once = not self._once, True
            if first:
                event = EventClass.WATCHER_DEGRADED
                records: list[Record] = [
                    EventRecord(event, Severity.NOTICE, reason=reason, detail=message),
                    NoticeRecord(event, Severity.NOTICE, title=message, command=hint),
                ]
                recorder.append(lambda _seq: [Draft(record) for record in records])

        return tell

    def recovered(self, recovery: Recovery, vanished: int, damaged: DamageTold) -> None:
        """What opening the journal had to cut or found damaged. `vanished`: records that only the index knew of."""
        for cut in recovery.cut:
            log.warning("a torn tail was cut", segment=cut.segment, bytes=cut.bytes, records=cut.records)
        if recovery.damage:
            damaged.at_start("; ".join(f"{each.segment}: {each.what}" for each in recovery.damage[:3]))
        if vanished:
            damaged.at_start(
                f"{vanished} records that the index knew of are gone (removed, replaced, or put back from a copy)"
            )
