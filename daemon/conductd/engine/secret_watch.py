"""Looks through what comes into memory for secrets, and for what was forgotten and is back.

Owns a thread, so that neither recording nor judging waits for it. Tells where and what kind, never what: an event for
each file, once for each entry, and one notice for all that was found together. Nothing here writes into a workspace.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future

import structlog

from conductd.core.forget import Piece, is_forgotten, pieces
from conductd.engine.content import Contents
from conductd.engine.degraded import Degraded
from conductd.engine.recorder import Recorder
from conductd.engine.state import State
from conductd.engine.tracks import FileTrack, Seen
from conductd.engine.veil import Veil
from conductd.errors import StoreUnavailable
from conductd.journal.journal import Draft
from conductd.model import DAEMON, EventClass, EventRecord, FileState, Frozen, NoticeRecord, Record, Severity
from conductd.views import shown

log = structlog.get_logger("secrets")

TEXT_BYTES = 4 << 20  # a larger file is looked through up to here
MOST_REST_S = 0.1
QUIET_S = 0.05  # how long more may come before a file is looked at
BACK = "forgotten"
_NAMED = 20  # lines in one event


class _Found(Frozen, frozen=True):
    """What was found in one file. ``kinds``: by kind, the lines."""

    file: FileTrack
    seen: Seen
    kinds: dict[str, list[int]]
    marks: tuple[bytes, ...]
    is_back: bool


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
        ignored: Sequence[bytes],
        *,
        scan: bool,
    ) -> None:
        self._state, self._recorder, self._contents = state, recorder, contents
        self._veil, self._degraded, self._key = veil, degraded, key
        self._ignored, self._scan = frozenset(ignored), scan
        self._queue: queue.SimpleQueue[int | Future[None] | None] = queue.SimpleQueue()
        self._looked: dict[int, int] = {}  # file -> the version that was looked at
        self._thread = threading.Thread(target=self._run, name="secrets", daemon=True)

    def start(self) -> None:
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
            try:
                self._tell(self._look_at(files, in_haste=bool(replies)))
            except StoreUnavailable:
                log.warning("a secret was seen, but the store takes no writes")
            except Exception:
                log.exception("looking for secrets failed")
                self._degraded.raise_("secrets", "what is written is not looked through for secrets", "see the log")
            for reply in replies:
                reply.set_result(None)

    def _take(self) -> tuple[dict[int, None], list[Future[None]], bool]:
        """What came together; files in order, each once."""
        files: dict[int, None] = {}
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

    # ------------------------------------------------------------------ one file

    def _look_at(self, files: Iterable[int], *, in_haste: bool) -> list[_Found]:
        """All of them; when nobody waits, with twice as long a rest after each: recording comes first."""
        found: list[_Found] = []
        for file in files:
            started = time.monotonic()
            found += self._look(file)
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
        if marks:
            found.append(_Found(file, head, secrets, tuple(marks), False))
        if back:
            found.append(_Found(file, head, {BACK: back}, tuple(back_marks), True))
        return found

    # ------------------------------------------------------------------ telling

    def _tell(self, found: Sequence[_Found]) -> None:
        if not found:
            return
        records: list[Record] = []
        for each in found:
            severity = Severity.NOTICE if each.is_back else Severity.INFO
            reason = BACK if each.is_back else ", ".join(sorted(each.kinds))
            file = each.file
            records.append(
                EventRecord(
                    EventClass.SECRET_SEEN, severity, file.workspace, file.path, reason, _where(each), each.marks
                )
            )
        for is_back in (True, False):
            some = [each for each in found if each.is_back is is_back]
            if some:
                records.append(_notice(some, is_back=is_back))
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


def _notice(found: Sequence[_Found], *, is_back: bool) -> NoticeRecord:
    first = found[0]
    names = shown(first.file.path) + (f" and {len(found) - 1} more files" if len(found) > 1 else "")
    writers = sorted({each.seen.actor.name for each in found})
    if is_back:
        title = f"what was forgotten is back in {names}"
    else:
        kinds = sorted({kind for each in found for kind in each.kinds})
        title = f"{names} holds what looks like a secret ({', '.join(kinds[:3])})"
    return NoticeRecord(
        EventClass.SECRET_SEEN,
        Severity.NOTICE if is_back else Severity.INFO,
        title,
        workspace=first.file.workspace,
        files=tuple(each.file.path for each in found[:_NAMED]),
        command="conductd forget",
        writer=writers[0] if len(writers) == 1 else "",
        detail=_where(first),
    )
