"""Takes what is forgotten out of the journal, the memory of the daemon and the index, for good.

Owns the order: what the files still hold is noted, segments are rewritten, the state is told the new
digests, a checkpoint without the old ones is written, caches are dropped, the index is made anew. Run again
after a crash anywhere it finishes what was begun. A thread of its own; recording goes on meanwhile.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

import msgspec
import structlog

from conductd.core.forget import Marks, cut, redact
from conductd.core.load.unsaid import without
from conductd.engine.fold.forgotten import Forget, differences, marks_of, standing_mark
from conductd.engine.fold.loads import decoded
from conductd.engine.fold.redigest import redigest
from conductd.engine.fold.state import State
from conductd.engine.forgetting.forget_search import texts_of
from conductd.engine.recording.recorder import Recorder
from conductd.errors import ContentUnavailable, StoreDamaged, StoreUnavailable
from conductd.journal.erase import KEEP, Keep, Rewritten
from conductd.journal.journal import Draft, Journal
from conductd.model import (
    ChangeRecord,
    CheckpointRecord,
    ErasureRecord,
    EventRecord,
    EvidenceRecord,
    ForgetRecord,
    Frozen,
    Record,
    RepairPlanRecord,
    RequestRecord,
    Stored,
    VersionRecord,
)
from conductd.repair.killpoints import at as kill_point

log = structlog.get_logger("forget")

R = TypeVar("R", bound=Record)
New = tuple[bytes | None, int]
"""Digest (None: nothing is left) and size of a body after erasure."""


class Eraser:
    """See the module. ``drop_caches`` empties whatever keeps texts or what was made of them."""

    def __init__(self, state: State, journal: Journal, recorder: Recorder, drop_caches: Callable[[], None]) -> None:
        self._state, self._journal, self._recorder = state, journal, recorder
        self._drop_caches = drop_caches
        self.stopping = threading.Event()

    def erase(self, forgets: Iterable[Forget]) -> dict[int, int]:
        """Records rewritten, by number of what was forgotten. Raises StoreUnavailable; then it can be run again."""
        forgets = list(forgets)
        self._note_standing(forgets)
        kill_point("forget.noted")
        job = _Job(self._journal, forgets, self.stopping)
        # First: what is hidden reads like this already, and a run that stops half-way leaves no old digest.
        with self._state.lock:
            redigest(self._state, job.versions, job.digests, job.links, job.cleaned)
        report = self._journal.rewrite(job.redact)
        kill_point("forget.rewritten")
        named = tuple(sorted({*report.erased, *report.redacted, *(set(report.before) - self._named())}))
        detail = f"{len(report.erased)} erased, {len(report.redacted)} redacted, {report.segments} segments rewritten"

        if named:
            self._recorder.write([Draft(ErasureRecord("forget", named, detail))])
        self._checkpoint()
        kill_point("forget.recorded")
        self._drop_caches()
        self._recorder.scrub_index()
        # Last: whoever is killed before this does all of it again.
        self._recorder.write([Draft(_erased(each)) for each in forgets])
        log.info("erased", records=len(named), segments=report.segments)
        return {each.id: len(each.versions) for each in forgets}

    def _note_standing(self, forgets: list[Forget]) -> None:
        """Files whose newest version is about to change in the journal while the file itself does not."""
        drafts = []
        with self._state.lock:
            for each in forgets:
                hidden = set(each.versions)
                heads = [(file.id, file.head) for file in self._state.files.values()]
                standing = {
                    number: standing_mark(held, self._journal.key)
                    for number, head in heads
                    if head is not None and head.seq in hidden and (held := head.digest or head.link_target)
                }
                known = {number: self._state.forgotten.standing.get(number) for number in standing}
                # After a crash the head has its new digest already: what was noted first is right.
                standing = {n: mark for n, mark in standing.items() if known[n] is None}
                if standing:
                    record = msgspec.structs.replace(
                        each.record, forget=each.id, standing=tuple(sorted(standing.items()))
                    )
                    drafts.append(Draft(record))
        if drafts:
            self._recorder.write(drafts)

    def _named(self) -> set[int]:
        """Redacted records that an erasure record names already."""
        return {
            seq
            for stored in self._journal.replay()
            if isinstance(stored.record, ErasureRecord)
            for seq in stored.record.sequences
        }

    def _checkpoint(self) -> None:
        """The ones before are erased: they have digests of what was there."""

        def snapshot(_seq: int) -> list[Draft]:
            with self._state.lock:
                return [Draft(CheckpointRecord(self._state.last_seq), self._state.dump())]

        self._recorder.compose(snapshot)


class _Change(NamedTuple):
    """What redaction does to one body, so that it need not be cut into entries again each time it is asked for."""

    size: int  # of the body as it was
    start: int
    end: int
    middle: bytes

    @classmethod
    def between(cls, before: bytes, after: bytes) -> _Change:
        start = _common(before, after)
        tail = _common(before[start:][::-1], after[start:][::-1])
        return cls(len(before), start, len(before) - tail, after[start : len(after) - tail])

    def made(self, body: bytes) -> bytes:
        return body[: self.start] + self.middle + body[self.end :]


def _common(one: bytes, other: bytes) -> int:
    """How many bytes both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


class _Job:
    """What becomes of each record. Gives the same answer however often it is asked."""

    def __init__(self, journal: Journal, forgets: list[Forget], stopping: threading.Event) -> None:
        self._stopping = stopping
        self._key = journal.key
        self._upto = journal.last_seq
        self._records = frozenset(seq for each in forgets for seq in each.versions)
        self._whole = frozenset(seq for each in forgets for seq in each.record.whole)
        marks = [marks_of(each.record) for each in forgets]
        self._marks = Marks(
            frozenset().union(*(m.entries for m in marks)), frozenset().union(*(m.exact for m in marks))
        )
        self._told = Marks(
            self._marks.entries, self._marks.exact, frozenset(g for each in forgets for g in each.record.guards)
        )
        self.versions: dict[int, New] = {}
        self.digests: dict[bytes, bytes | None] = {}
        self.links: dict[int, bytes] = {}
        self._changes: dict[int, _Change] = {}
        for seq in sorted(self._records):
            self._compare(journal, seq)

    def _compare(self, journal: Journal, seq: int) -> None:
        self._go_on()
        try:
            record = journal.read(seq).record
            if isinstance(record, VersionRecord) and record.link_target is not None:
                self.links[seq] = self._cut_bytes(record.link_target)
            body = journal.body(seq)
        except (ContentUnavailable, StoreDamaged):
            return
        left = self._left(seq, body)
        if left == body:
            return
        if left is not None:
            self._changes[seq] = _Change.between(body, left)
        new = None if left is None else hashlib.sha256(left).digest()
        self.digests[hashlib.sha256(body).digest()] = new
        self.versions[seq] = (new, len(left or b""))

    def _left(self, seq: int, body: bytes) -> bytes | None:
        if seq in self._whole:
            return None
        known = self._changes.get(seq)
        return (
            known.made(body) if known is not None and known.size == len(body) else redact(body, self._marks, self._key)
        )

    def redact(self, stored: Stored, body: bytes | None) -> bytes | Keep | Rewritten | None:
        self._go_on()
        record = stored.record
        if isinstance(record, CheckpointRecord):
            return None if stored.seq <= self._upto and body is not None else KEEP
        if stored.seq not in self._records:
            changed = self._with_digests(record)
            return KEEP if changed == record else Rewritten(changed, body)
        left = body
        if body is not None and isinstance(record, VersionRecord | RepairPlanRecord):
            left = self._left(stored.seq, body)
        changed = self._with_texts(self._with_digests(record))
        if isinstance(changed, VersionRecord) and left != body:
            digest = None if left is None else hashlib.sha256(left).digest()
            size = len(left or b"")
            stat = changed.stat and msgspec.structs.replace(changed.stat, size=size)  # its length says something, too
            changed = msgspec.structs.replace(changed, digest=digest, size=size, stat=stat)
        return KEEP if changed == record and left == body else Rewritten(changed, left)

    def cleaned(self, record: R) -> R:
        """A record that is in memory, as it will be in the journal."""
        cleaned: R = self._with_texts(self._with_digests(record))
        return cleaned

    def _go_on(self) -> None:
        """The journal is closed only when nobody rewrites it any more; the next start finishes this."""
        if self._stopping.is_set():
            raise StoreUnavailable("the daemon is stopping", "it is erased after the next start")

    def _with_digests(self, record: Any) -> Any:
        """A digest of what was there could be tried against guesses, in whichever record it stands; so could the mark
        of a heading."""
        if isinstance(record, RepairPlanRecord):
            judged, target = record.judged_digest, record.target_digest
            return msgspec.structs.replace(
                record,
                judged_digest=self.digests.get(judged, judged) if judged else judged,
                target_digest=self.digests.get(target, target) if target else target,
            )
        if isinstance(record, ChangeRecord) and record.elsewhere:
            elsewhere = tuple((path, self.digests.get(digest, digest) or b"") for path, digest in record.elsewhere)
            return msgspec.structs.replace(record, elsewhere=elsewhere)
        if isinstance(record, EventRecord) and (finding := decoded(record.facts)) is not None:
            left = without(finding, self._told, self._key)
            return record if left is finding else msgspec.structs.replace(record, facts=msgspec.msgpack.encode(left))
        if isinstance(record, EvidenceRecord) and record.digest:
            return msgspec.structs.replace(record, digest=self.digests.get(record.digest, record.digest))
        return record

    def _with_texts(self, record: Any) -> Any:
        """Words in the other fields, which by rule hold no content, without what is forgotten."""
        if not self._marks.exact or all(self._cut(text) == text for text in texts_of(record)):
            return record
        if isinstance(record, VersionRecord) and record.link_target is not None:
            record = msgspec.structs.replace(record, link_target=self._cut_bytes(record.link_target))
        if isinstance(record, RequestRecord):
            arguments = record.arguments
            if self._cut(text := arguments.decode("utf-8", "surrogateescape")) != text:
                arguments = b""
            record = msgspec.structs.replace(record, arguments=arguments)
        if isinstance(record, EventRecord) and record.facts:
            finding = self._without(decoded(record.facts))
            facts = msgspec.msgpack.encode(finding) if finding is not None else b""
            record = msgspec.structs.replace(record, facts=facts)
        return self._without(record)

    def _without(self, value: Any) -> Any:
        if type(value) is str:
            return self._cut(value)
        if isinstance(value, tuple):
            return tuple(map(self._without, value))
        if isinstance(value, dict):
            return {name: self._without(each) for name, each in value.items()}
        if isinstance(value, Frozen) and not isinstance(value, ForgetRecord):
            fields = {name: getattr(value, name) for name in value.__struct_fields__ if name != "workspace"}
            return msgspec.structs.replace(value, **{name: self._without(each) for name, each in fields.items()})
        return value

    def _cut_bytes(self, data: bytes) -> bytes:
        return self._cut(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def _cut(self, text: str) -> str:
        return cut(text, self._marks.exact, self._key)


def _erased(each: Forget) -> ForgetRecord:
    return msgspec.structs.replace(
        each.record,
        forget=each.id,
        state="erased",
        exact=(),
        versions=differences(each.versions),
        whole=(),
        standing=(),
    )
