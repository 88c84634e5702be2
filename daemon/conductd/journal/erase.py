"""Erasure and gc: one operation that rewrites segments with less in them.

Owns the order that makes it safe. A rewritten segment keeps its number, sequence numbers and chain values; a
changed record keeps the commitment to what it was, an unchanged one its nonce; the salt the nonces came from is
dropped with the old file. Segments are rewritten newest first: a version is taken off its changed base before
that base is changed, so that after a crash at any point every version that is to be kept can be restored, and
running it again finishes it. Called through `Journal.erase`; sealed segments only.
"""

from __future__ import annotations

import contextlib
import enum
import hashlib
import secrets
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Container, Iterator, Sequence

import msgspec

from conductd.errors import ContentUnavailable, StoreDamaged
from conductd.journal import batch as bat
from conductd.journal import content, rows
from conductd.journal import entry as ent
from conductd.journal import format as fmt
from conductd.journal import segment as seg
from conductd.journal.batch import Prepared, Vocabulary
from conductd.journal.bodies import Bodies
from conductd.journal.entry import Entry
from conductd.journal.format import Bad
from conductd.journal.segment import Segment, Table
from conductd.model import Frozen, Record, RepairPlanRecord, Stored, VersionRecord
from conductd.ports import Storage


class Keep(enum.Enum):
    """The answer that leaves a record as it is."""

    KEEP = "keep"


KEEP = Keep.KEEP


class Rewritten(Frozen, frozen=True):
    """The answer that replaces a record's own fields, too (paths, digests, details)."""

    record: Record
    body: bytes | None = None


# (record, its content or None) -> new content; None: erase the content; KEEP: leave all as it is; or a `Rewritten`.
Redact = Callable[[Stored, bytes | None], "bytes | Keep | Rewritten | None"]


class EraseReport(Frozen, frozen=True):
    """``unreadable``: content that was damaged already; it is dropped from rewritten segments. ``before``: what was
    redacted when it began, perhaps by a run that was interrupted."""

    erased: tuple[int, ...] = ()
    redacted: tuple[int, ...] = ()
    rebased: int = 0
    unreadable: tuple[int, ...] = ()
    segments: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    before: tuple[int, ...] = ()


_CHUNK = 256
_HELD_BODIES = 64


def erase(
    storage: Storage,
    segments: Sequence[Segment],
    bodies: Bodies,
    redact: Redact,
    only: Container[int] | None = None,
) -> EraseReport:
    """``only``: the records that ``redact`` is asked about, None all. Raises OSError; what was published until then
    stays."""
    run = _Run(storage, segments, bodies, redact, only)
    for segment in segments:
        run.decide(segment)
    for segment in reversed(segments):
        if segment.number in run.affected or (run.affected and segment.number in run.untidy):
            run.rewrite(segment)
    return run.report()


class _Run:
    def __init__(
        self,
        storage: Storage,
        segments: Sequence[Segment],
        bodies: Bodies,
        redact: Redact,
        only: Container[int] | None,
    ) -> None:
        self.storage, self.bodies, self.redact, self.only = storage, bodies, redact, only
        self.segments = segments
        self.changed: set[int] = set()
        self.erased: list[int] = []
        self.affected: set[int] = set()
        self.untidy: set[int] = set()  # segments with bytes that are no record of the journal: a failed write's, damage
        self.redacted_before: list[int] = []
        self.unreadable: list[int] = []
        self.rebased = 0
        self.before = self.after = 0
        self._fresh: OrderedDict[int, bytes] = OrderedDict()  # new bodies of changed records
        self._streams: dict[int, array[int]] = {}  # of each file, the records that keep their content as it is

    def report(self) -> EraseReport:
        erased = set(self.erased)
        return EraseReport(
            tuple(sorted(erased)),
            tuple(sorted(self.changed - erased)),
            self.rebased,
            tuple(sorted(self.unreadable)),
            len(self.affected | self.untidy) if self.affected else 0,
            self.before,
            self.after,
            tuple(self.redacted_before),
        )

    # ----------------------------------------------------------------- what changes

    def entries(self, segment: Segment) -> Iterator[Entry]:
        for item in segment.frames():
            if isinstance(item, Bad):
                self.untidy.add(segment.number)
                continue
            if item.type != fmt.RECORD:
                continue
            with contextlib.suppress(*ent.DECODE_ERRORS):
                entry = ent.take_apart(item, segment.header)
                if segment.first_seq <= entry.seq <= segment.last_seq:
                    yield entry
                else:
                    self.untidy.add(segment.number)

    def old_body(self, entry: Entry) -> bytes | None:
        """None: it has none. Raises StoreDamaged, ContentUnavailable."""
        return None if entry.digest is None else self.bodies.body(entry.seq)

    def answer(self, segment: Segment, entry: Entry) -> Keep | Rewritten:
        """The caller's decision in one shape."""
        if self.only is not None and entry.seq not in self.only:
            return KEEP
        try:
            stored = ent.stored_of(entry, segment.loaded().definitions)
            body = self.old_body(entry)
        except (StoreDamaged, ContentUnavailable, *ent.DECODE_ERRORS):
            return KEEP
        if stored is None:
            return KEEP
        given = self.redact(stored, body)
        if isinstance(given, Rewritten):
            return given
        if isinstance(given, Keep) or body is None or given == body:
            return KEEP
        return Rewritten(_with_body(stored.record, body, given), given)

    def decide(self, segment: Segment) -> None:
        for entry in self.entries(segment):
            if entry.redacted:
                self.redacted_before.append(entry.seq)
            given = self.answer(segment, entry)
            if isinstance(given, Rewritten):
                self.changed.add(entry.seq)
                self.affected.add(segment.number)
                if given.body is None and entry.digest is not None:
                    self.erased.append(entry.seq)
                continue
            if entry.base_seq in self.changed:
                self.affected.add(segment.number)
            if entry.digest is not None and entry.head.stream:
                self._streams.setdefault(entry.head.stream, array("Q")).append(entry.seq)

    # ----------------------------------------------------------------- one segment anew

    def rewrite(self, segment: Segment) -> None:
        header = segment.header._replace(
            salt=bytes(32),
            seed=int.from_bytes(secrets.token_bytes(8), "little"),
            compatible=segment.header.compatible | fmt.COMPAT_REWRITTEN,
        )
        self._fresh.clear()
        table, words = Table(segment.first_seq), Vocabulary()
        name = segment.name.replace(".seg", ".new")
        fd = self.storage.open(name, create=True, write=True)
        try:
            self.storage.truncate(fd, 0)
            self.storage.write_at(fd, fmt.pack_header(header), 0)
            offset, chain, whole = fmt.DATA_START, header.chain, True
            for chunk in _chunks(self._prepared(segment)):
                whole = whole and chunk[0].seq == segment.first_seq + len(table.offsets)
                whole = whole and chunk[-1].seq == chunk[0].seq + len(chunk) - 1
                batch = bat.build(chunk, header, words, offset, chain, waypoint=whole)
                self.storage.write_at(fd, batch.data, offset)
                bat.enter(words, batch)
                for number, raw in ((number, raw) for raw, number in batch.words.numbers.items()):
                    table.definitions.raw[number] = raw
                for record, place in batch.frames:
                    _note(table, record, place)
                offset, chain = offset + len(batch.data), batch.chain
            missing = segment.last_seq - segment.first_seq + 1 - len(table.offsets)
            table.offsets.extend([0] * missing)
            data = seg.pack_index(table, chain, header.seed, offset)
            self.storage.write_at(fd, data, offset)
            self.storage.data_sync(fd)
        finally:
            self.storage.close(fd)
        self.before += segment.limit
        with segment.lock:
            self.storage.publish(name, segment.name)
            segment.replace(header, offset + len(data))
        self.bodies.cache.clear()
        self.after += segment.limit

    def _prepared(self, segment: Segment) -> Iterator[Prepared]:
        for entry in self.entries(segment):
            try:
                yield self._record(segment, entry)
            except ent.DECODE_ERRORS:
                self.unreadable.append(entry.seq)

    def _record(self, segment: Segment, entry: Entry) -> Prepared:
        definitions = segment.loaded().definitions
        given = self.answer(segment, entry) if entry.seq in self.changed else KEEP
        nonce = None
        if entry.committed is None:
            nonce = entry.nonce if entry.nonce is not None else fmt.nonce_of(segment.header.salt, entry.seq)
        kept = Prepared(
            entry.seq,
            entry.kind,
            entry.wall,
            entry.mono,
            ent.committed_definition(entry, definitions),
            ent.plain_row(entry, definitions),
            nonce=nonce,
            committed=entry.committed,
        )
        if isinstance(given, Rewritten):
            committed = ent.commitment(entry, definitions, segment.header.salt)
            pair = None if given.body is None else (len(given.body), hashlib.sha256(given.body).digest())
            definition, row = _encode(given.record, entry, pair)
            kept = kept._replace(nonce=None, committed=committed, definition=definition, row=row)
            return kept if given.body is None else self._with_content(segment, entry, kept, given.body)
        if entry.digest is None:
            return kept
        if entry.base_seq is not None and entry.base_seq in self.changed:
            try:
                body = self.bodies.body(entry.seq)
            except (StoreDamaged, ContentUnavailable):
                return self._unreadable(segment, entry, kept)
            self.rebased += 1
            return self._with_content(segment, entry, kept, body)
        data = seg.content_of(segment, entry.frame)
        if data is None:
            return self._unreadable(segment, entry, kept)
        head = entry.head
        return kept._replace(
            body_digest=entry.digest,
            size=head.size,
            how=head.base if head.base <= 0 else content.FULL,
            base=entry.base_seq,
            content=data,
            place=head.index,
            stream=head.stream,
        )

    def _unreadable(self, segment: Segment, entry: Entry, kept: Prepared) -> Prepared:
        """The content is lost already; what the record says about it stays."""
        self.unreadable.append(entry.seq)
        definitions = segment.loaded().definitions
        record = ent.record_of(entry, definitions)
        committed = ent.commitment(entry, definitions, segment.header.salt)
        if record is None:
            return kept._replace(nonce=None, committed=committed)
        definition, row = _encode(record, entry, None)
        return kept._replace(nonce=None, committed=committed, definition=definition, row=row)

    def _with_content(self, segment: Segment, entry: Entry, kept: Prepared, body: bytes) -> Prepared:
        base, dictionary = self._new_base(segment, entry)
        how, data = content.encode(body, dictionary, entry.seq - base if base is not None else 0)
        if how <= 0:
            base = None
        return kept._replace(
            body_digest=hashlib.sha256(body).digest(),
            size=len(body),
            how=how if how <= 0 else content.FULL,
            base=base,
            content=data,
            place=entry.head.index,
            stream=entry.head.stream,
        )

    def _new_base(self, segment: Segment, entry: Entry) -> tuple[int | None, bytes | None]:
        """The nearest of the record's old bases that will be there: unchanged, or changed in this very segment. Where
        all of them go, another unchanged record of its file: what is left of a thinned history must not all be stored
        whole."""
        at = entry.base_seq
        while at is not None:
            holder = next((held for held in self.segments if held.first_seq <= at <= held.last_seq), None)
            found = holder.entry(at) if holder is not None else None
            if holder is None or found is None or found.digest is None:
                return None, None
            try:
                if at not in self.changed:
                    return at, self.bodies.body(at)
                if holder is segment and (body := self._new_body(segment, found)) is not None:
                    return at, body
            except (StoreDamaged, ContentUnavailable):
                return None, None
            at = found.base_seq
        return self._another_base(entry)

    def _another_base(self, entry: Entry) -> tuple[int | None, bytes | None]:
        """By its place among those that stay, as a new record would be: no chain of bases gets long."""
        kept = self._streams.get(entry.head.stream, ())
        index = content.base_index(bisect_left(kept, entry.seq), entry.head.size)
        if index is None:
            return None, None
        try:
            return kept[index], self.bodies.body(kept[index])
        except (StoreDamaged, ContentUnavailable):
            return None, None

    def _new_body(self, segment: Segment, entry: Entry) -> bytes | None:
        held = self._fresh.get(entry.seq)
        if held is not None:
            return held
        given = self.answer(segment, entry)
        body = given.body if isinstance(given, Rewritten) else None
        if body is not None:
            self._fresh[entry.seq] = body
            if len(self._fresh) > _HELD_BODIES:
                self._fresh.popitem(last=False)
        return body


def _with_body(record: Record, old: bytes, new: bytes | None) -> Record:
    """The record with the digest of its new content, or none."""
    digest = None if new is None else hashlib.sha256(new).digest()
    if isinstance(record, VersionRecord):
        size = record.size if new is None else len(new)
        return msgspec.structs.replace(record, digest=digest, size=size)
    if isinstance(record, RepairPlanRecord) and record.target_digest == hashlib.sha256(old).digest():
        return msgspec.structs.replace(record, target_digest=digest)
    return record


def _encode(record: Record, entry: Entry, pair: tuple[int, bytes] | None) -> tuple[bytes, bytes]:
    if isinstance(record, VersionRecord):
        return rows.encode_version(record, entry.wall, entry.seq, pair)
    return b"", rows.encode_plain(record)


def _note(table: Table, record: Prepared, offset: int) -> None:
    gap = record.seq - table.first_seq - len(table.offsets)
    table.offsets.extend([0] * gap)
    table.offsets.append(offset)
    if record.body_digest is not None:
        table.streams[record.stream] = record.seq
    if record.kind == ent.CHECKPOINT:
        table.checkpoints.append(record.seq)


def _chunks(records: Iterator[Prepared]) -> Iterator[list[Prepared]]:
    chunk: list[Prepared] = []
    for record in records:
        chunk.append(record)
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
