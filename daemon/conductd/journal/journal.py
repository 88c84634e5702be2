"""The journal: the one truth about every version, verdict, repair and decision.

Owns opening, appending, replaying and reading; the parts behind it own bytes (`format`), tails (`tail`, `recovery`),
writes (`writer`), deltas (`bodies`), erasure and verification. Promises (P3): what `append` returned
survives kill -9 and power loss. One thread appends; `read`, `body`, `replay`, `verify` are for any thread.
"""

from __future__ import annotations

import bisect
import builtins
import hashlib
import secrets
import threading
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager

from conductd.errors import ContentUnavailable, NotFound, StoreDamaged, StoreUnavailable
from conductd.journal import bodies as bod
from conductd.journal import content, recovery, rows
from conductd.journal import entry as ent
from conductd.journal import erase as erasure
from conductd.journal import format as fmt
from conductd.journal import outline as outlines
from conductd.journal import verify as verification
from conductd.journal.batch import Prepared
from conductd.journal.bodies import Bodies, Line
from conductd.journal.erase import EraseReport, Redact
from conductd.journal.growth import Written, written
from conductd.journal.outline import Outline
from conductd.journal.recovery import Damage, Recovery
from conductd.journal.replaying import replayed
from conductd.journal.segment import Segment
from conductd.journal.verify import VerifyReport
from conductd.journal.writer import Writer, continue_from, unavailable
from conductd.model import ErasureRecord, Frozen, Record, Stored, VersionRecord
from conductd.ports import Clock, Storage


class Draft(Frozen, frozen=True):
    """A record to append. ``stream``: file id whose earlier bodies serve as delta base (None: a version's own file)."""

    record: Record
    body: bytes | None = None
    stream: int | None = None


class Journal:
    """Made by `Journal.open`. ``uuid`` is 32 hex digits; ``key`` keys the entry fingerprints of this journal."""

    def __init__(
        self, storage: Storage, clock: Clock, segments: list[Segment], uuid: builtins.bytes, key: builtins.bytes
    ) -> None:
        self.uuid = uuid.hex()
        self.key = key
        self.format = f"{fmt.MAJOR}.{fmt.MINOR}"
        self.damage: list[Damage] = []  # met while reading; `verify` looks for all of it
        self.damaged: Callable[[str], None] = lambda _what: None  # told of each, on the thread that met it
        self.proven_whole: Callable[[], None] = lambda: None  # told after a check that met none
        self._met = 0  # how often damage was met
        self._storage = storage
        self._clock = clock
        self._segments = segments
        self._writer: Writer | None = None
        self._last_seq = 0
        self._write_lock = threading.RLock()
        self._whole_lock = threading.Lock()  # verification and erasure, one at a time
        self._bodies = Bodies(self._find, lambda: self._segments)

    # ----------------------------------------------------------------- opening and closing

    @classmethod
    def open(cls, storage: Storage, *, clock: Clock, writer: str, read_only: bool = False) -> tuple[Journal, Recovery]:
        """``writer``: release that writes. Raises StoreUnavailable, StoreTooNew.

        Read-only changes nothing on disk, needs no lock, and shows what was durable at this moment.
        """
        try:
            opened = recovery.open_segments(storage, read_only=read_only)
            if read_only and not opened.segments:
                raise NotFound("there is no journal here yet", "start the daemon once: `conductd run`")
            if opened.segments:
                newest = opened.segments[-1].header
                uuid, key = newest.uuid, newest.key
            else:
                uuid, key = secrets.token_bytes(16), secrets.token_bytes(32)
            journal = cls(storage, clock, opened.segments, uuid, key)
            journal._last_seq = opened.last_seq
            if not read_only:
                journal._writer = continue_from(storage, clock, opened, uuid, key, writer)
                journal._adopt()
                journal._writer.tend_spare(0)
        except OSError as error:
            raise unavailable(error) from error
        return journal, opened.recovery

    @classmethod
    def outlined(cls, storage: Storage, clock: Clock, told: Outline) -> Journal:
        """Read-only, in another process: exactly what `verified_by` tells of."""
        segments = outlines.segments_of(storage, told)
        newest = segments[-1].header
        journal = cls(storage, clock, segments, newest.uuid, newest.key)
        journal._last_seq = told.last_seq
        return journal

    def close(self) -> None:
        """Idempotent. Reading after it is an error."""
        with self._write_lock:
            if self._writer is not None:
                self._writer.close()
                self._writer = None
            for segment in self._segments:
                segment.close()

    # ----------------------------------------------------------------- figures

    @property
    def last_seq(self) -> int:
        """The newest acknowledged record, 0 when there is none."""
        return self._last_seq

    @property
    def segments(self) -> int:
        return len(self._segments)

    def holds_records(self, name: str) -> range:
        """The sequences of the journal's records in a file; what else it holds is no record."""
        segment = next((each for each in self._segments if each.name == name), None)
        return range(segment.first_seq, segment.last_seq + 1) if segment is not None else range(0)

    @property
    def bytes(self) -> int:
        """Bytes on disk, what is allocated ahead included."""
        spare = self._writer.spare_bytes if self._writer is not None else 0
        return sum(segment.limit for segment in self._segments) + spare

    def written_since(self, since_ns: int) -> Written | None:
        """What was written since a time (wall clock) and is still there; None where it cannot be told."""
        writer, segments = self._writer, self._segments
        end = writer.tail if writer is not None and segments and writer.active is segments[-1] else None
        return written(segments, end, since_ns, self._last_seq)

    def stored_size(self, seq: int) -> int | None:
        """Bytes that the content of a record takes on disk; None: it has none (any more), or is damaged."""
        segment = self._find(seq)
        try:
            entry = segment.entry(seq) if segment is not None else None
        except StoreDamaged:
            return None
        return None if entry is None or entry.digest is None else entry.frame.content_size

    @property
    def spare_error(self) -> str:
        """Why the next segment cannot be made ahead (the disk is filling up), or ""."""
        return self._writer.spare_error if self._writer is not None else ""

    # ----------------------------------------------------------------- appending

    def append(self, drafts: Sequence[Draft]) -> tuple[Stored, ...]:
        """All of them or none, durable on return: one write and one data sync.

        Raises StoreUnavailable with nothing acknowledged; the same drafts may be tried again at any time.
        Raises ValueError for a version whose digest is not its body's.
        """
        if not drafts:
            return ()
        with self._write_lock:
            writer = self._writing()
            self.check_place()
            wall, mono = self._clock.wall_ns(), self._clock.mono_ns()
            lines: dict[int, Line] = {}
            plain: dict[int, builtins.bytes] = {}
            records = [
                self._prepare(draft, self._last_seq + 1 + at, wall, mono, lines, plain)
                for at, draft in enumerate(drafts)
            ]
            try:
                writer.write(records)
            except OSError as error:
                raise unavailable(error) from error
            finally:
                self._adopt()
            self._bodies.enter(lines)
            generation = self._bodies.cache.generation
            for seq, body in plain.items():
                self._bodies.cache.put(seq, body, generation)
            self._last_seq = records[-1].seq
            return tuple(
                Stored(record.seq, wall, mono, draft.record) for record, draft in zip(records, drafts, strict=True)
            )

    def _prepare(
        self, draft: Draft, seq: int, wall: int, mono: int, lines: dict[int, Line], plain: dict[int, builtins.bytes]
    ) -> Prepared:
        record, body = draft.record, draft.body
        digest = None if body is None else hashlib.sha256(body).digest()
        kind = fmt.KINDS[record.kind]
        if isinstance(record, VersionRecord):
            pair = None if body is None or digest is None else (len(body), digest)
            definition, row = rows.encode_version(record, wall, seq, pair)
            stream = record.file if draft.stream is None else draft.stream
        else:
            definition, row = b"", rows.encode_plain(record)
            stream = draft.stream or 0
        if body is None:
            return Prepared(seq, kind, wall, mono, definition, row)
        index, base, how, data = 0, None, content.FULL, b""
        if stream:
            line = lines[stream] if stream in lines else self._bodies.line(stream)
            index, base, kept = bod.next_place(line, len(body))
            base, how, data = self._encode(body, base, seq, plain)
            lines[stream] = (*kept, (index, seq))
        else:
            how, data = content.encode(body, None, 0)
        plain[seq] = body
        return Prepared(seq, kind, wall, mono, definition, row, digest, len(body), how, base, data, index, stream)

    def _encode(
        self, body: builtins.bytes, base: int | None, seq: int, plain: dict[int, builtins.bytes]
    ) -> tuple[int | None, int, builtins.bytes]:
        """(base actually used, how, content)."""
        dictionary = None
        if base is not None:
            try:
                dictionary = plain[base] if base in plain else self._bodies.body(base)
            except (StoreDamaged, ContentUnavailable):
                base = None
        how, data = content.encode(body, dictionary, seq - base if base is not None else 0)
        return (base, content.FULL, data) if how > 0 else (None, how, data)

    def _adopt(self) -> None:
        """A segment the writer has just made is part of the journal."""
        active = self._writer.active if self._writer is not None else None
        if active is not None and (not self._segments or self._segments[-1] is not active):
            self._segments = [*self._segments, active]

    # ----------------------------------------------------------------- reading

    def _find(self, seq: int) -> Segment | None:
        segments = self._segments
        at = bisect.bisect_right(segments, seq, key=lambda segment: segment.first_seq) - 1
        # A segment given up before anything was acknowledged shares its first sequence with the next.
        return segments[at] if at >= 0 and seq <= segments[at].last_seq else None

    def read(self, seq: int) -> Stored:
        """Raises NotFound, or StoreDamaged."""
        if not 0 < seq <= self._last_seq:
            raise NotFound(f"there is no record {seq}", f"the journal holds 1 to {self._last_seq}")
        segment = self._find(seq)
        with self._telling():
            return self._read(segment, seq)

    def _read(self, segment: Segment | None, seq: int) -> Stored:
        entry = segment.entry(seq) if segment is not None else None
        if segment is not None and entry is not None:
            try:
                stored = ent.stored_of(entry, segment.loaded().definitions)
            except ent.DECODE_ERRORS:
                stored = None
            if stored is not None:
                return stored
        raise StoreDamaged(f"record {seq} is damaged", "`conductd verify` names what is damaged and what it costs")

    def body(self, seq: int) -> builtins.bytes:
        """The bytes of a version (or plan, or checkpoint), checked against their digest.

        Raises NotFound, ContentUnavailable, StoreDamaged.
        """
        if not 0 < seq <= self._last_seq:
            raise NotFound(f"there is no record {seq}", f"the journal holds 1 to {self._last_seq}")
        with self._telling():
            return self._bodies.body(seq)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except StoreDamaged as error:
            self._is_damaged(error.message)
            raise

    def replay(self, after: int = 0) -> Iterator[Stored]:
        """Records with a higher sequence than ``after``, oldest first, up to the newest at the time of the call.

        Damaged records are left out and noted in `damage`; kinds of newer releases are left out.
        """
        upto = self._last_seq
        for segment in self._segments:
            if segment.last_seq > after and segment.first_seq <= upto:
                try:
                    yield from replayed(segment, after, upto, self._note_lost)
                except StoreDamaged:
                    self._note_lost(segment, 0, max(after + 1, segment.first_seq), min(upto, segment.last_seq) + 1)
                if segment.table is None:
                    segment.close()  # opened again when needed: a long history must not hold a descriptor each

    def _note_lost(self, segment: Segment, offset: int, start: int, end: int) -> None:
        lost = tuple(range(start, end))
        if len(self.damage) < 1000:
            self.damage.append(Damage(segment.name, offset, "records are damaged", start, b"", lost))
        self._is_damaged(f"{segment.name}: records {start} to {end - 1} cannot be read")

    def latest_checkpoint(self) -> tuple[Stored, builtins.bytes] | None:
        """The newest checkpoint that can be read whole, looked for from the end."""
        for segment in reversed(self._segments):
            try:
                checkpoints = segment.loaded().checkpoints
            except StoreDamaged:
                continue
            for seq in reversed(checkpoints):
                if seq > self._last_seq:
                    continue
                try:
                    return self.read(seq), self.body(seq)
                except (StoreDamaged, ContentUnavailable):
                    continue
        return None

    # ----------------------------------------------------------------- checking and erasing

    def verify(self, progress: Callable[[float], None] | None = None) -> VerifyReport:
        """Every frame, link, commitment and digest up to the newest record now. ``progress`` gets 0..1. Raises
        StoreUnavailable when the journal of somebody else was rewritten under the reader."""
        return self.verified_by(
            lambda told: verification.verify(list(self._segments), told.last_seq, self._bodies, progress)
        )

    def verified_by(self, check: Callable[[Outline], VerifyReport]) -> VerifyReport:
        """`verify`, by whoever is given the outline; nothing is erased meanwhile."""
        met = self._met
        with self._whole_lock:
            self.look_after()
            with self._write_lock:
                told = outlines.outline(self._segments, self._last_seq)
            report = check(told)
            if self._writer is None and outlines.rewritten(self._segments):
                raise StoreUnavailable("the journal was rewritten while it was verified", "verify it again")
        if report.damage:
            self._is_damaged(f"{report.damage[0].segment}: {report.damage[0].what}")
        elif self._stands() and self._met == met:
            self.proven_whole()
        return report

    def _stands(self) -> bool:
        """What was read stands where it should: a file that was removed can still be read."""
        try:
            self.look_after()
            self.check_place()
        except (OSError, StoreUnavailable):
            return False
        return True

    def _is_damaged(self, what: str) -> None:
        self._met += 1
        self.damaged(what)

    def look_after(self) -> None:
        """Find out whether a segment was removed; one that is still open would go on being read."""
        names = set(self._storage.names())
        for segment in self._segments:
            if segment.name not in names:
                segment.close()
                self._is_damaged(f"the segment {segment.name} is missing")

    def check_place(self) -> None:
        """Raises StoreUnavailable when the newest segment, or the directory, is not where it was."""
        with self._write_lock:
            try:
                self._writing().check_place()
            except StoreUnavailable as error:
                self._is_damaged(error.message)
                raise

    def erase(self, redact: Redact, purpose: str) -> EraseReport:
        """Rewrite what ``redact`` changes, then append an `ErasureRecord` (see `journal.erase`).

        ``redact`` must give the same answer when asked twice. Interrupted, it is simply run again. Raises
        StoreUnavailable; then some segments may be rewritten and no record of it appended.
        """
        report = self.rewrite(redact)
        detail = f"{len(report.erased)} erased, {len(report.redacted)} redacted, {report.segments} segments rewritten"
        sequences = tuple(sorted((*report.erased, *report.redacted)))
        self.append((Draft(ErasureRecord(purpose, sequences, detail)),))
        return report

    def rewrite(self, redact: Redact, only: Container[int] | None = None) -> EraseReport:
        """`erase` without the record of it: any thread, while another appends. Who calls it appends the record.
        ``only``: no other records are changed."""
        with self._whole_lock:
            report = self._erase(redact, only)
            self._bodies.cache.clear()
            return report

    def _erase(self, redact: Redact, only: Container[int] | None) -> EraseReport:
        with self._write_lock:
            try:
                self._writing().roll()
            finally:
                self._adopt()
            self._bodies.forget_lines(self._last_seq + 1)
            # Not the new one, empty as it is: another thread appends to it from here on.
            sealed = [segment for segment in self._segments if segment is not self._writing().active]
        try:
            return erasure.erase(self._storage, sealed, self._bodies, redact, only)
        except OSError as error:
            raise unavailable(error) from error

    def _writing(self) -> Writer:
        if self._writer is None:
            raise StoreUnavailable("the journal is open for reading only", "stop the reader and start the daemon")
        return self._writer
