"""Takes the content of old versions out of the journal: planned, put on record, carried out, finished after a crash.

Owns the order. What goes is on record as erased before the first segment is rewritten; a mark in the state directory
says until the end that it may not be done yet, and the next start finishes it. Recording goes on meanwhile. Which
versions those are is `core.retention`'s. By hand on the caller's thread, by itself on one of its own (`gc`).
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress

import structlog

from conductd.core.retention import Schedule
from conductd.engine.forgetting.forgetting import Forgetting
from conductd.engine.health.overview import Parts
from conductd.engine.people.waiting import result
from conductd.engine.retaining.history import PURPOSE, History, Plan
from conductd.errors import Busy, ConductdError, StoreUnavailable
from conductd.journal.erase import EraseReport
from conductd.journal.journal import Draft
from conductd.model import (
    DecisionRecord,
    ErasureRecord,
    EventClass,
    JobRunRecord,
    NoticeRecord,
    Record,
    Severity,
    Stored,
)
from conductd.repair.killpoints import at as kill_point
from conductd.views import iso
from conductd.views.words import counted

log = structlog.get_logger("gc")

MARK = "gc.unfinished"
AT_ONCE = 50_000  # sequences in one record
RETRY_NS = 60_000_000_000
FIRST_NS = 3_600_000_000_000  # after a start
EVERY_NS = 24 * FIRST_NS
TRIES = 50  # to put a plan on record before something else comes that may need what goes
QUIET_NS = 600_000_000_000  # nothing was written for so long: the daemon is idle


class Collector:
    """See the module."""

    def __init__(self, parts: Parts, forgetting: Forgetting) -> None:
        self._, self._forgetting = parts, forgetting
        self._mark = os.path.join(parts.state_dir, MARK)
        self._unfinished = os.path.exists(self._mark)
        self._due_ns = parts.clock.mono_ns() + FIRST_NS
        self._not_before_ns = 0
        self._at_work = threading.Lock()

    @property
    def schedule(self) -> Schedule:
        return self._.workspaces.config.retention.schedule()

    @property
    def _automatic(self) -> bool:
        return self._.workspaces.config.retention.automatic

    # ------------------------------------------------------------------ by hand

    def plan(self) -> Plan:
        """What would go now. Takes as long as reading the whole history."""
        return self._planned(self._history())

    def _history(self) -> History:
        result(self._.judge.barrier())
        result(self._.recorder.barrier())
        return History(self._.journal, self._go_on)

    def _planned(self, history: History) -> Plan:
        parts = self._
        return history.plan(parts.state, self.schedule, parts.clock.wall_ns(), parts.clock.mono_ns(), parts.journal.key)

    def collect(self, caller: tuple[str, ...]) -> tuple[Plan, EraseReport]:
        """Raises StoreUnavailable: what is on record as erased then is erased later. Raises Busy."""
        with self._forgetting.alone():
            history = self._history()
            plan = self._planned(history)
            started_ns = self._.clock.wall_ns()
            if plan.sequences:
                plan = self._put_on_record(history, plan, caller)
                kill_point("gc.recorded")
            goes = plan.sequences
            report = self._erase(sorted({*goes, *plan.unfinished}))
        if goes or plan.unfinished:
            detail = f"{counted(plan.goes, 'version')} erased, {report.segments} segments rewritten"
            run = JobRunRecord(PURPOSE, "done", started_ns, self._.clock.wall_ns(), detail)
            self._.recorder.write([Draft(run)])
        return plan, report

    def _put_on_record(self, history: History, plan: Plan, caller: tuple[str, ...]) -> Plan:
        """What is pinned, asked for, or opened as an incident while it was planned wins: what is recorded is a plan
        that knew all that stands before it. That plan. Raises Busy where no moment is found for it."""
        parts = self._
        self._set_mark()
        for _ in range(TRIES):
            kill_point("gc.planned")
            drafts = [Draft(record) for record in _records(plan, caller)]

            def as_planned(seq: int, drafts: list[Draft] = drafts) -> list[Draft]:
                return drafts if history.is_up_to_date(seq) else []

            if not drafts or parts.recorder.compose(as_planned):
                return plan
            result(parts.judge.barrier())
            result(parts.recorder.barrier())
            history.read_on()
            plan = self._planned(history)
        self._clear_mark()
        raise Busy("memory and what is decided of it changes all the time", "try again when it is quiet")

    def _erase(self, goes: list[int]) -> EraseReport:
        """The records without their content; nothing when there is none."""
        if not goes:
            self._clear_mark()
            return EraseReport()
        report = self._.journal.rewrite(self._nothing_left, frozenset(goes))
        kill_point("gc.rewritten")
        self._.contents.drop()
        self._clear_mark()
        log.info("erased", versions=len(goes), segments=report.segments, before=report.bytes_before)
        return report

    def _nothing_left(self, _stored: Stored, _body: bytes | None) -> None:
        self._go_on()

    def _go_on(self) -> None:
        """The journal is closed only when nobody reads or rewrites it any more; the next start finishes this."""
        if self._forgetting.is_stopping:
            raise StoreUnavailable("the daemon is stopping", "conductd gc")

    def _set_mark(self) -> None:
        self._unfinished = True
        try:
            descriptor = os.open(self._mark, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            directory = os.open(os.path.dirname(self._mark), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(directory)
            finally:
                os.close(directory)
        except OSError as error:
            raise StoreUnavailable(f"nothing is erased: {error.strerror}", "check the disk") from error

    def _clear_mark(self) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._mark)
        self._unfinished = False

    # ------------------------------------------------------------------ by itself

    def tend(self) -> None:
        """To be called every few seconds. Waits for nothing."""
        now = self._.clock.mono_ns()
        if now < self._not_before_ns or not (self._unfinished or (self._automatic and self._is_time(now))):
            return
        if self._at_work.acquire(blocking=False):
            threading.Thread(target=self._by_itself, name="gc", daemon=True).start()

    def _is_time(self, now_ns: int) -> bool:
        parts = self._
        if now_ns < self._due_ns or parts.recorder.down:
            return False
        with parts.state.lock:
            last = max((w.last_change_ns or 0 for w in parts.state.workspaces.values()), default=0)
        return not 0 <= parts.clock.wall_ns() - last < QUIET_NS and not parts.judge.waits()

    def _by_itself(self) -> None:
        """An erasure that was interrupted is finished, also where nothing is thinned unasked."""
        parts = self._
        try:
            if self._automatic and self._is_time(parts.clock.mono_ns()):
                self._due_ns = parts.clock.mono_ns() + EVERY_NS
                plan, _ = self.collect(())
                self._tell(plan)
            else:
                with self._forgetting.alone():
                    self._erase(self.plan().unfinished)
            parts.degraded.clear(PURPOSE)
        except Busy:
            self._not_before_ns = parts.clock.mono_ns() + RETRY_NS
        except ConductdError as error:
            self._not_before_ns = parts.clock.mono_ns() + RETRY_NS
            log.warning("old versions cannot be erased yet", error=error.message)
            if not self._forgetting.is_stopping:
                parts.degraded.raise_(PURPOSE, f"old versions cannot be erased: {error.message}", error.hint)
        except Exception:
            self._not_before_ns = parts.clock.mono_ns() + RETRY_NS
            log.exception("erasing old versions failed")
            parts.degraded.raise_(PURPOSE, "old versions could not be erased", "see the log")
        finally:
            self._at_work.release()

    def _tell(self, plan: Plan) -> None:
        if not plan.goes:
            return
        what = f"{counted(plan.goes, 'version')} of {counted(len(plan.files), 'file')}"
        title = f"the content of {what} was erased by gc, as [retention] says ({iso(self._.clock.wall_ns())})"
        self._.recorder.write(
            [Draft(NoticeRecord(EventClass.DECISION, Severity.NOTICE, title, command="conductd log"))]
        )


def _records(plan: Plan, caller: tuple[str, ...]) -> list[Record]:
    goes = plan.sequences
    if not goes:
        return []
    detail = f"{counted(plan.goes, 'version')} of {counted(len(plan.files), 'file')}"
    decided: list[Record] = [DecisionRecord(PURPOSE, caller=caller, detail=detail)] if caller else []
    spans = [tuple(goes[start : start + AT_ONCE]) for start in range(0, len(goes), AT_ONCE)]
    return [*decided, *(ErasureRecord(PURPOSE, span, detail) for span in spans)]
