"""Looks through what comes into memory: for secrets, for what was forgotten and is back, for instructions from outside.

Owns a thread, so that neither recording nor judging waits for it. Tells where and what kind, never what: an event for
each file, once for each entry, and one notice for all that was found together. Nothing here writes into a workspace.
"""

from __future__ import annotations

import queue
import shlex
import threading
import time
from collections.abc import Callable, Container, Iterable, Sequence
from concurrent.futures import Future

import structlog

from conductd.core.forget import Piece, is_forgotten, pieces
from conductd.core.judging.actions import wanted
from conductd.core.policy import Policy
from conductd.core.reading.text import decode
from conductd.core.suspect import suspicions
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, Seen
from conductd.engine.forgetting.veil import Veil
from conductd.engine.gathering.content import Contents
from conductd.engine.health.degraded import Degraded
from conductd.engine.recording.recorder import Recorder
from conductd.errors import StoreUnavailable
from conductd.journal.journal import Draft
from conductd.model import (
    DAEMON,
    Action,
    Cause,
    EventClass,
    EventRecord,
    FileState,
    Frozen,
    NoticeRecord,
    Record,
    Role,
    Severity,
)
from conductd.views import shown

log = structlog.get_logger("secrets")

TEXT_BYTES = 4 << 20  # a larger file is looked through up to here
MOST_REST_S = 0.1
QUIET_S = 0.05  # how long more may come before a file is looked at
BACK = "forgotten"
_NAMED = 20  # lines in one event
_BEFORE_START_NS = 600_000_000_000  # that long before the daemon ended may be what it did not get to


class _Found(Frozen, frozen=True):
    """What was found in one file. ``kinds``: by kind, the lines."""

    file: FileTrack
    seen: Seen
    event_class: EventClass
    severity: Severity
    kinds: dict[str, list[int]]
    marks: tuple[bytes, ...]

    @property
    def is_back(self) -> bool:
        return BACK in self.kinds


class SecretWatch:
    """See the module. `recorded` from the recorder thread, `barrier` from any."""

    def __init__(
        self,
        state: State,
        recorder: Recorder,
        contents: Contents,
        veil: Veil,
        degraded: Degraded,
        key: bytes,
        role: Callable[[str, bytes], Role | None],
        policy: Policy,
        ignored: Sequence[bytes],
        *,
        scan: bool,
    ) -> None:
        self._state, self._recorder, self._contents = state, recorder, contents
        self._veil, self._degraded, self._key = veil, degraded, key
        self._role = role
        self.take(policy, ignored, scan=scan)
        self._queue: queue.SimpleQueue[int | Future[None] | None] = queue.SimpleQueue()
        self.depth = self._queue.qsize  # messages that wait
        self._looked: dict[int, int] = {}  # file -> the version that was looked at
        self._untold: dict[int, None] = {}  # files of which the store did not take what was found
        self._failed: set[int] = set()  # files that could not be looked through, until they are
        self._thread = threading.Thread(target=self._run, name="secrets", daemon=True)

    def take(self, policy: Policy, ignored: Sequence[bytes], *, scan: bool) -> None:
        self._policy, self._ignored, self._scan = policy, frozenset(ignored), scan

    def start(self) -> None:
        """Before anything new is recorded. What came just before the daemon last ended may not be looked through."""
        with self._state.lock:
            since_ns = self._state.last_wall_ns - _BEFORE_START_NS
            late = [f.id for f in self._state.files.values() if f.head is not None and f.head.at_ns >= since_ns]
        self.recorded(late)
        self._thread.start()

    def stop(self) -> None:
        self._queue.put(None)
        self._thread.join()

    def recorded(self, files: Sequence[int]) -> None:
        for file in files:
            self._queue.put(file)

    def barrier(self) -> Future[None]:
        """Done when all that was recorded before is looked through."""
        reply: Future[None] = Future()
        self._queue.put(reply)
        return reply

    # ------------------------------------------------------------------ the thread

    def _run(self) -> None:
        while True:
            files, replies, stopping = self._take()
            if stopping:
                return
            found = self._look_at(files, in_haste=bool(replies))
            try:
                self._tell(found)
            except StoreUnavailable:
                log.warning("something was seen, but the store takes no writes: it is told later")
                self._tell_later(found)
            except Exception:
                self._tell_later(found)
                self._fail({each.file.id for each in found})
            else:
                if not self._failed:
                    self._degraded.clear("secrets")
            for reply in replies:
                reply.set_result(None)

    def _take(self) -> tuple[dict[int, None], list[Future[None]], bool]:
        """What came together; files in order, each once."""
        files, self._untold = self._untold, {}
        replies: list[Future[None]] = []
        item = self._queue.get()
        deadline = time.monotonic() + QUIET_S
        while item is not None:
            if isinstance(item, Future):
                replies.append(item)
                deadline = 0.0  # somebody waits
            else:
                files[item] = None
            try:
                item = self._queue.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return files, replies, False
        return files, replies, True

    def _tell_later(self, found: Sequence[_Found]) -> None:
        """With whatever comes next."""
        for each in found:
            self._looked.pop(each.file.id, None)
            self._untold[each.file.id] = None

    def _fail(self, files: Iterable[int]) -> None:
        log.exception("looking for secrets failed")
        self._failed.update(files)
        self._degraded.raise_("secrets", "not all that is written is looked through for secrets", "see the log")

    # ------------------------------------------------------------------ one file

    def _look_at(self, files: Iterable[int], *, in_haste: bool) -> list[_Found]:
        """All of them; when nobody waits, with twice as long a rest after each: recording comes first."""
        found: list[_Found] = []
        for file in files:
            started = time.monotonic()
            try:
                found += self._look(file)
            except Exception:  # one file's trouble must not hide what is in the others
                self._looked.pop(file, None)  # its next version is looked through whole
                self._fail([file])
            else:
                self._failed.discard(file)
            if not in_haste:
                time.sleep(min(MOST_REST_S, 2 * (time.monotonic() - started)))
        return found

    def _look(self, number: int) -> list[_Found]:
        with self._state.lock:
            file = self._state.files.get(number)
            head = file.head if file is not None else None
            told = self._state.forgotten.told
        if file is None or head is None or head.state is not FileState.FILE or head.actor == DAEMON:
            return []
        if self._looked.get(number) == head.seq:
            return []
        self._looked[number] = head.seq
        data = self._contents.of(head)
        if not data:
            return []
        barred = self._veil.barred
        secrets: dict[str, list[int]] = {}
        back: list[int] = []
        marks: list[bytes] = []
        back_marks: list[bytes] = []
        for piece in pieces(data[:TEXT_BYTES], self._key):
            mark = piece.entry.fingerprint
            if mark in told or mark in self._ignored:
                continue
            if barred and is_forgotten(piece, barred, self._key):
                back.append(piece.entry.line)
                back_marks.append(mark)
            elif self._scan and (kinds := _kinds(piece)):
                marks.append(mark)
                for kind in kinds:
                    secrets.setdefault(kind, []).append(piece.entry.line)
        found = []
        seen_class = EventClass.SECRET_SEEN
        if marks:
            found.append(_Found(file, head, seen_class, Severity.INFO, secrets, tuple(marks)))
        if back:
            found.append(_Found(file, head, seen_class, Severity.NOTICE, {BACK: back}, tuple(back_marks)))
        if suspect := self._suspect(file, head, data[:TEXT_BYTES], told):
            found.append(suspect)
        return found

    def _suspect(self, file: FileTrack, head: Seen, data: bytes, told: Container[bytes]) -> _Found | None:
        """Only what was added by a write: what stood there at first sight is nobody's addition."""
        role = self._role(file.workspace, file.path)
        if role is None or head.cause not in (Cause.CHANGE, Cause.OFFLINE):
            return None
        asked = wanted(EventClass.SUSPECT_ADDITION, role, file.path, head.actor.name, self._policy)
        before = self._entries_before(file, head)
        kinds: dict[str, list[int]] = {}
        marks = []
        lines = decode(data).text.split("\n")
        for piece in pieces(data, self._key):
            entry = piece.entry
            if entry.fingerprint in before or entry.fingerprint in told or entry.fingerprint in self._ignored:
                continue
            quoted = lines[entry.line - 1].lstrip().startswith(">") if entry.line <= len(lines) else False
            person = head.actor.name.startswith("human:")
            found = suspicions(entry.text, entry.kind, role, by_person=person, quoted=quoted)
            for kind in found:
                kinds.setdefault(kind, []).append(entry.line)
            if found:
                marks.append(entry.fingerprint)
        severity = asked.severity or (Severity.INFO if asked.action is Action.RECORD else Severity.NOTICE)
        return _Found(file, head, EventClass.SUSPECT_ADDITION, severity, kinds, tuple(marks)) if marks else None

    def _entries_before(self, file: FileTrack, head: Seen) -> frozenset[bytes]:
        """Of the version before, by fingerprint."""
        with self._state.lock:
            known = [s for s in (file.baseline, *file.since, *file.earlier) if s is not None and s.seq < head.seq]
        last = max((s for s in known if s.size), key=lambda s: s.seq, default=None)
        data = self._contents.of(last)
        return (
            frozenset(piece.entry.fingerprint for piece in pieces(data[:TEXT_BYTES], self._key))
            if data
            else frozenset()
        )

    # ------------------------------------------------------------------ telling

    def _tell(self, found: Sequence[_Found]) -> None:
        if not found:
            return
        records: list[Record] = []
        for each in found:
            reason = BACK if each.is_back else ", ".join(sorted(each.kinds))
            file = each.file
            records.append(
                EventRecord(
                    each.event_class, each.severity, file.workspace, file.path, reason, _where(each), each.marks
                )
            )
        groups: dict[tuple[EventClass, Severity], list[_Found]] = {}
        for each in found:
            groups.setdefault((each.event_class, each.severity), []).append(each)
        records += [_notice(some) for some in groups.values()]
        self._recorder.write([Draft(record) for record in records])


def _kinds(piece: Piece) -> set[str]:
    from conductd.secrets.scan import sightings  # not before something is to be looked through

    found = {each.kind for each in sightings(piece.entry.text)}
    if not found and piece.joined != piece.entry.text:
        found = {each.kind for each in sightings(piece.joined)}
    return found


def _where(found: _Found) -> str:
    """Lines and fingerprints; the latter are what `secrets.ignore` takes."""
    lines = sorted({line for lines in found.kinds.values() for line in lines})
    more = f" and {len(lines) - _NAMED} more" if len(lines) > _NAMED else ""
    marks = " ".join(mark.hex() for mark in found.marks[:_NAMED])
    return f"line {', '.join(map(str, lines[:_NAMED]))}{more}; fingerprint {marks}"


def _notice(found: Sequence[_Found]) -> NoticeRecord:
    first = found[0]
    names = shown(first.file.path) + (f" and {len(found) - 1} more files" if len(found) > 1 else "")
    writers = sorted({each.seen.actor.name for each in found})
    kinds = sorted({kind for each in found for kind in each.kinds})
    command = "conductd forget"
    if first.is_back:
        title = f"what was forgotten is back in {names}"
    elif first.event_class is EventClass.SUSPECT_ADDITION:
        title = f"{names} was given what looks like instructions from outside ({', '.join(kinds[:3])})"
        command = f"conductd diff {shlex.quote(shown(first.file.path))}"
    else:
        title = f"{names} holds what looks like a secret ({', '.join(kinds[:3])})"
    return NoticeRecord(
        first.event_class,
        first.severity,
        title,
        workspace=first.file.workspace,
        files=tuple(each.file.path for each in found[:_NAMED]),
        command=command,
        writer=writers[0] if len(writers) == 1 else "",
        detail=_where(first),
    )
