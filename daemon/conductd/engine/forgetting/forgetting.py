"""`forget`: hides at once what a person wants gone, erases it when its time comes, keeps it from coming back.

Owns the life of an act of forgetting: found, hidden (durable before it is answered), erased or called off. What
is looked for is in memory only while it is looked for. Any thread; erasing runs on one of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

import msgspec
import structlog

from conductd.core.notes.quoting import harmless
from conductd.engine.answering import notices
from conductd.engine.fold.forgotten import Forget, differences
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.forgetting.erasing import Eraser
from conductd.engine.forgetting.forget_search import Found, Wanted, search, search_on
from conductd.engine.forgetting.lived import Lived
from conductd.engine.forgetting.veil import Veil
from conductd.engine.health.degraded import Degraded
from conductd.engine.health.overview import Parts
from conductd.engine.jobs.reports import Reports
from conductd.engine.people.waiting import PATIENCE_S, acted, result
from conductd.errors import Busy, ConductdError, NotFound, StoreUnavailable
from conductd.faces import Caller
from conductd.journal.journal import Draft
from conductd.model import EventClass, FileState, ForgetRecord, NoticeRecord, Severity
from conductd.repair.killpoints import at as kill_point
from conductd.views import DidView, PlanView, iso, shown
from conductd.watch.reader import observe

log = structlog.get_logger("forget")

HOUR_NS = 3_600_000_000_000
RETRY_NS = 60_000_000_000  # after it could not be erased
OUT_OF_REACH = (
    "exports and copies that were made of the files or of the state directory",
    "backups and file system snapshots",
    "versions that sync clients keep, and the git history of the workspace",
    "notices that were sent, and what agents read: their transcripts, databases and context",
    "undo and swap files of editors, scrollback of terminals, shell history",
    "free blocks of the disk and what a solid-state drive keeps of them",
)


class Forgetting:
    """See the module. ``hours``: from hiding to erasing."""

    def __init__(self, parts: Parts, veil: Veil, drop: Callable[[], None], hours: int = 24) -> None:
        self._, self._veil, self._drop = parts, veil, drop
        self.take(hours)
        self._eraser = Eraser(parts.state, parts.journal, parts.recorder, self._drop_all)
        self._one_at_a_time = threading.Lock()
        self._working = threading.Lock()
        self._lived, self._measuring = Lived(parts.journal, parts.clock), threading.Lock()
        self._retry_ns = 0
        parts.weakening.register("forget", self._forget, self._show, same=_meant)
        parts.weakening.register("forget_cancel", self._cancel, self._show_cancel)

    def take(self, hours: int) -> None:
        """What is forgotten from now on is hidden for so long before it is erased."""
        self._wait_ns = hours * HOUR_NS

    def stop(self) -> None:
        """Whatever is being erased is given up at the next record, and finished after the next start."""
        self._eraser.stopping.set()
        with self._working:
            return

    @property
    def is_stopping(self) -> bool:
        return self._eraser.stopping.is_set()

    # ------------------------------------------------------------------ asking

    def find(self, wanted: Wanted) -> Found:
        """What holds it, up to now. Takes as long as reading the whole history."""
        result(self._.judge.barrier())
        result(self._.recorder.barrier())
        return search(self._.journal, wanted)

    def arguments(self, found: Found, *, now: bool, in_files: bool) -> dict[str, Any]:
        """What a request of it is journaled with: fingerprints, never the text."""
        return {"found": msgspec.msgpack.encode(found), "now": now, "in_files": in_files}

    def words(self, found: Found, *, now: bool) -> str:
        when = "at once" if now else f"in {self._wait_ns // HOUR_NS} h"
        names = ", ".join(self.names(found)[:3])
        return f"forget what {_count(found.versions, 'version')} of {names} hold, and erase it {when}"

    def names(self, found: Found) -> list[str]:
        with self._.state.lock:
            return [shown(self._.state.files[n].path) for n in found.files if n in self._.state.files]

    def standing(self, found: Found) -> list[str]:
        """The files that hold it now, or something that was forgotten before."""
        with self._.state.lock:
            roots = {w.id: w.root for w in self._.state.workspaces.values()}
        return [shown(roots.get(file.workspace, b"") + b"/" + file.path) for file in self._standing(found)]

    def _standing(self, found: Found) -> list[FileTrack]:
        """As they were last recorded; by what stands in them now where that was erased in the journal."""
        records = set(found.records)
        with self._.state.lock:
            files = [self._.state.files[n] for n in found.files if n in self._.state.files]
            held = [f for f in files if f.head is not None and f.head.seq in records and f.head.state is FileState.FILE]
            erased = [self._.state.files[n] for n in self._.state.forgotten.standing if n in self._.state.files]
        return held + [file for file in erased if file not in held and self._redacted(file) is not None]

    def _redacted(self, file: FileTrack) -> bytes | None:
        """What stands in a file without what is forgotten; None when there is nothing of it, or nothing but it."""
        handle = self._.workspaces.handle(file.workspace)
        with handle.opened() if handle is not None else nullcontext() as root:
            data = observe(root, file.path).data if root is not None else None
        left = self._veil.cleaned(data) if data else None
        return left if left != data else None

    def _show(self, arguments: dict[str, Any]) -> list[str]:
        """As it is now: more may hold it than when it was asked for."""
        asked = msgspec.msgpack.decode(arguments["found"], type=Found)
        found = search_on(self._.journal, asked)
        with self._.state.lock:
            tracks = [self._.state.files[n] for n in found.files if n in self._.state.files]
        lines = [
            f"{shown(file.path)}: to be forgotten"
            + ("" if file.id in asked.files else ", written since it was asked for")
            for file in tracks
        ]
        if found.versions != asked.versions:
            came = found.versions - asked.versions
            lines.append(f"{_count(found.versions, 'version')} in all: {came} since it was asked for")
        return lines or ["keep it from coming back: nothing in the history holds it"]

    # ------------------------------------------------------------------ doing

    def _forget(self, arguments: dict[str, Any], caller: tuple[str, ...]) -> DidView:
        found = msgspec.msgpack.decode(arguments["found"], type=Found)
        if not found.records and not found.guards:  # only files that hold what was forgotten before
            plans, failed = self._redact_files(found, caller)
            return DidView("; ".join(["what was forgotten before is taken out of files", *failed]), plans, "")
        with self._one_at_a_time:
            number, found = self._hide(found, caller, 0 if arguments["now"] else self._wait_ns)
        plans, failed = self._redact_files(found, caller) if arguments["in_files"] else ([], [])
        failed += self._unsay(found)
        if arguments["now"]:
            self.erase_now(number)
            done, cancel = "erased", ""
        else:
            with self._.state.lock:
                due = self._.state.forgotten.forgets[number].record.due_ns
            done, cancel = f"hidden now, to be erased {iso(due)}", f"conductd forget --cancel {number}"
        text = "; ".join([f"forgotten ({number}): {_count(found.versions, 'version')}, {done}", *failed])
        return DidView(text, plans, cancel)

    def _hide(self, found: Found, caller: tuple[str, ...], wait_ns: int) -> tuple[int, Found]:
        """Durable and in force on return, also for what was recorded while it was looked for. What is to be erased at
        once is due from then on: a crash leaves that to the next start."""
        parts = self._
        due = parts.clock.wall_ns() + wait_ns
        number: int | None = None
        while True:
            found = search_on(parts.journal, found)
            record = _record(found, number, due, caller)
            stored = parts.recorder.write([Draft(record)])
            number = number if number is not None else stored[0].seq
            self._drop_all()
            kill_point("forget.hidden")
            later = search_on(parts.journal, found)
            if later.records == found.records:
                return number, found
            found = later

    def _unsay(self, found: Found) -> list[str]:
        """The jobs of the night may have quoted it. They quote again what is still there. (what failed)"""
        failed = []
        with self._.state.lock:
            files = [self._.state.files[n] for n in found.files if n in self._.state.files]
        for workspace in {file.workspace for file in files}:
            names = {harmless(shown(file.path)) for file in files if file.workspace == workspace}
            try:
                Reports(self._.state_dir, workspace).unsay(names)
            except StoreUnavailable as error:
                failed.append(f"a report may still quote it: {error.message}")
        return failed

    def _redact_files(self, found: Found, caller: tuple[str, ...]) -> tuple[list[PlanView], list[str]]:
        """Take it out of the files that hold it now, by writes that undo cannot take back. (done, what failed)"""
        plans: list[PlanView] = []
        failed: list[str] = []
        for file in self._standing(found):
            head = self._.commands.head(file)
            left = self._redacted(file)
            if left is None:
                failed.append(f"{shown(file.path)} holds nothing else: remove it yourself")
                continue
            try:
                act = partial(self._.commands.redact, file, left, caller, head)
                plans.append(acted(self._.judge.call(act)))
            except ConductdError as error:
                failed.append(error.message)
        return plans, failed

    def cancel(self, number: int, caller: Caller) -> DidView:
        """Show again what is hidden. Raises NotFound when it is erased already, or was never forgotten."""
        files = self._cancellable(number).record.files
        with self._.state.lock:
            paths = [self._.state.files[n].path for n in files if n in self._.state.files]
        words = f"show again what is to be forgotten ({number}): {notices.names(paths) if paths else 'no file'}"
        return self._.weakening.ask("forget_cancel", {"forget": number}, caller, words)

    def _show_cancel(self, arguments: dict[str, Any]) -> list[str]:
        try:
            known = self._cancellable(arguments["forget"])
        except NotFound as error:
            return [f"do nothing: {error.message}"]
        return [f"show {_count(len(known.versions), 'record')} to everybody again, and not erase it"]

    def _cancel(self, arguments: dict[str, Any], caller: tuple[str, ...]) -> DidView:
        number: int = arguments["forget"]
        with self.alone():
            known = self._cancellable(number)
            record = msgspec.structs.replace(known.record, forget=number, state="cancelled", versions=(), caller=caller)
            self._.recorder.write([Draft(record)])
        self._drop_all()
        return DidView(f"not forgotten: what was hidden ({number}) is shown again", [], "")

    def _pending(self, number: int) -> Forget:
        with self._.state.lock:
            known = self._.state.forgotten.forgets.get(number)
        if known is not None and known.record.state == "erased":
            raise NotFound(f"what was forgotten ({number}) is erased", "nothing of it can be shown again")
        if known is None or not known.pending:
            raise NotFound(f"nothing hidden has the number {number}", "conductd status")
        return known

    def _cancellable(self, number: int) -> Forget:
        """Of what is due some may be erased already."""
        known = self._pending(number)
        if self._is_due(known):
            raise NotFound(f"what was forgotten ({number}) is just being erased", "nothing of it can be shown again")
        return known

    # ------------------------------------------------------------------ erasing

    def erase_now(self, number: int) -> None:
        """Wait for nothing. Raises StoreUnavailable: it stays hidden then, and is tried again."""
        with self.alone():
            with self._.state.lock:
                known = self._.state.forgotten.forgets.get(number)
            if known is not None and known.pending:  # else `erase_due` was here first
                self._erase([known])

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While nothing else is erased. Raises Busy: to erase takes long where the history is."""
        if not self._working.acquire(timeout=PATIENCE_S):
            raise Busy("something else is just being erased", "try again when it is done")
        try:
            yield
        finally:
            self._working.release()

    def erase_due(self) -> None:
        """Erase what has been hidden long enough, on a thread of its own. To be called every few seconds."""
        if self._.clock.mono_ns() < self._retry_ns:
            return
        with self._.state.lock:
            perhaps = [each for each in self._.state.forgotten.pending() if self._may_be_due(each)]
        if perhaps and self._working.acquire(blocking=False):
            threading.Thread(target=self._erase_later, args=(perhaps,), name="forget", daemon=True).start()

    def _may_be_due(self, known: Forget) -> bool:
        """By the wall clock, or because that stands before the time it was asked for and says nothing."""
        return not known.at_ns <= self._.clock.wall_ns() < known.record.due_ns

    def _is_due(self, known: Forget) -> bool:
        """It cannot be taken back: a clock that jumps ahead makes nothing due, one that goes back puts nothing off."""
        if not self._may_be_due(known):
            return False
        with self._measuring:
            return self._lived.since(known.id) >= known.record.due_ns - known.at_ns

    def _erase_later(self, perhaps: list[Forget]) -> None:
        try:
            due = [each for each in perhaps if self._is_due(each)]
            if due:
                self._erase(due)
            else:
                self._retry_ns = self._.clock.mono_ns() + RETRY_NS
        except ConductdError as error:
            self._retry_ns = self._.clock.mono_ns() + RETRY_NS
            log.warning("it cannot be erased yet", error=error.message)
        except Exception:
            self._retry_ns = self._.clock.mono_ns() + RETRY_NS
            log.exception("erasing failed")
            self._.degraded.raise_("forget", "what is forgotten could not be erased", "see the log")
        finally:
            self._working.release()

    def _erase(self, due: list[Forget]) -> None:
        degraded: Degraded = self._.degraded
        try:
            done = self._eraser.erase(due)
        except ConductdError as error:
            degraded.raise_("forget", f"what is forgotten cannot be erased yet: {error.message}", error.hint)
            raise
        except OSError as error:
            degraded.raise_("forget", f"what is forgotten cannot be erased yet: {error.strerror}", "check the disk")
            raise StoreUnavailable(f"it cannot be erased: {error.strerror}", "check the disk") from error
        degraded.clear("forget")
        for number, count in done.items():
            title = f"what was forgotten is erased: {_count(count, 'record')} rewritten"
            notice = NoticeRecord(EventClass.DECISION, Severity.NOTICE, title, command="conductd forget --check")
            self._.recorder.write([Draft(notice)])
            log.info("erased", forget=number, records=count)

    def _drop_all(self) -> None:
        self._.contents.drop()
        result(self._.judge.call(self._drop))


def _meant(arguments: dict[str, Any]) -> object:
    """A forget is the same although what holds it grew."""
    found = msgspec.msgpack.decode(arguments["found"], type=Found)
    whole = found.whole if found.file is None else ()
    return found.entries, found.exact, found.guards, whole, found.file, arguments["now"], arguments["in_files"]


def _record(found: Found, number: int | None, due: int, caller: tuple[str, ...]) -> ForgetRecord:
    return ForgetRecord(
        forget=number,
        state="hidden",
        due_ns=due,
        entries=found.entries,
        exact=found.exact,
        guards=found.guards,
        versions=differences(found.records),
        whole=found.whole,
        files=found.files,
        caller=caller,
    )


def _count(number: int, one: str) -> str:
    return f"{number} {one}" if number == 1 else f"{number} {one}s"
