"""Checks everything the journal claims: frames, chain, commitments, digests; names what damage costs.

Reads only, through the same reader that restores use. Called by the API, by `conductd verify` (also while no
daemon runs), any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conductd.errors import ContentUnavailable, StoreDamaged
from conductd.journal import entry as ent
from conductd.journal import format as fmt
from conductd.journal.bodies import Bodies
from conductd.journal.entry import Entry, Waypoint
from conductd.journal.format import Bad, Frame
from conductd.journal.recovery import Damage
from conductd.journal.segment import Segment, content_of
from conductd.model import ErasureRecord, Frozen, VersionRecord

_PROGRESS_EVERY = 256


class VerifyReport(Frozen, frozen=True):
    """``versions`` had content when written; ``restorable`` + ``not_restorable`` + ``erased`` = ``versions``."""

    segments: int
    records: int
    versions: int
    bytes: int
    damage: tuple[Damage, ...]
    restorable: int
    not_restorable: tuple[int, ...]
    erased: int

    @property
    def ok(self) -> bool:
        return not self.damage


class _Fault:
    """A damage being found; ``lost`` grows as versions based on it turn up."""

    def __init__(self, segment: str, offset: int, what: str, seq: int | None = None, path: bytes = b"") -> None:
        self.segment, self.offset, self.what, self.seq, self.path = segment, offset, what, seq, path
        self.lost: list[int] = []

    def frozen(self) -> Damage:
        return Damage(self.segment, self.offset, self.what, self.seq, self.path, tuple(self.lost))


class _Check:
    def __init__(self, last_seq: int, bodies: Bodies) -> None:
        self.last_seq = last_seq
        self.bodies = bodies
        self.faults: list[_Fault] = []
        self.lost: dict[int, _Fault] = {}  # sequence -> what cost it
        self.records = self.versions = self.erased = 0
        self.lost_versions: list[int] = []
        self.redacted: dict[int, tuple[str, int]] = {}
        self.explained: set[int] = set()
        self.chain: bytes | None = None

    def fault(self, segment: Segment, offset: int, what: str, seq: int | None = None, path: bytes = b"") -> _Fault:
        found = _Fault(segment.name, offset, what, seq, path)
        self.faults.append(found)
        return found

    def missing(self, segment: Segment, before: int, what: str) -> None:
        """The whole file is gone."""
        upto = min(segment.last_seq, self.last_seq)
        self._gap(self.fault(segment, 0, what), before + 1, upto + 1)

    # ----------------------------------------------------------------- one segment

    def segment(self, segment: Segment, before: int, at: Callable[[int], None]) -> None:
        """``before``: sequence of the last record of the segment before this one."""
        header, whole = fmt.unpack_header(segment.read_at(fmt.DATA_START, 0))
        if header is None or not whole:
            self.fault(segment, 0, "a copy of the segment header is damaged")
        if segment.first_seq > before + 1:
            self._gap(self.fault(segment, 0, "records before this segment are missing"), before + 1, segment.first_seq)
        elif self.chain is not None and self.chain != segment.header.chain:
            self.fault(segment, 0, "the chain does not continue here")
        self.chain = segment.header.chain
        expected, upto = segment.first_seq, min(segment.last_seq, self.last_seq)
        open_fault: _Fault | None = None
        sealed = segment.limit != segment.header.size  # else a crash may have cut the sealing short
        for item in segment.frames():
            at(item.offset)
            if isinstance(item, Bad):
                if expected <= upto:
                    open_fault = self.fault(segment, item.offset, f"{item.end - item.offset} bytes are no valid frame")
                elif not self._only_torn(segment, item):
                    self.fault(segment, item.offset, "the index behind the last record is damaged; it is not needed")
                continue
            if item.type == fmt.WAYPOINT:
                self._waypoint(segment, item, expected)
            elif item.type == fmt.INDEX and sealed and content_of(segment, item) is None:
                self.fault(segment, item.offset, "the index behind the last record is damaged; it is not needed")
            if item.type != fmt.RECORD:
                continue
            try:
                entry = ent.take_apart(item, segment.header)
            except ent.DECODE_ERRORS:
                continue
            if not expected <= entry.seq <= upto:
                continue
            if entry.seq > expected:
                self._gap(open_fault or self.fault(segment, item.offset, "records are missing"), expected, entry.seq)
            open_fault, expected = None, entry.seq + 1
            self._record(segment, entry)
        if expected <= upto:
            self._gap(open_fault or self.fault(segment, segment.limit, "records are missing"), expected, upto + 1)

    def _only_torn(self, segment: Segment, bad: Bad) -> bool:
        """Behind the last record stands the trailer, or, in a segment that never got one, a write that failed
        or is going on: never acknowledged."""
        if segment.limit == segment.header.size:
            return True
        at = segment.limit - fmt.TRAILER_SIZE
        return (
            bad.offset == at
            and fmt.unpack_trailer(segment.read_at(fmt.TRAILER_SIZE, at), segment.header.seed) is not None
        )

    def _gap(self, fault: _Fault, start: int, end: int) -> None:
        """Records of unknown kind are gone; their number is counted as versions."""
        fault.seq = start if fault.seq is None else fault.seq
        self.chain = None
        for seq in range(start, end):
            self.lost[seq] = fault
            fault.lost.append(seq)

    def _waypoint(self, segment: Segment, frame: Frame, expected: int) -> None:
        try:
            value = Waypoint.of(frame)
        except ent.DECODE_ERRORS:
            return
        if segment.first_seq + value.last != expected - 1:
            return
        if self.chain is not None and self.chain != value.chain:
            self.fault(segment, frame.offset, "the chain is broken before this place")
        self.chain = value.chain

    def _record(self, segment: Segment, entry: Entry) -> None:
        self.records += 1
        definitions = segment.loaded().definitions
        try:
            committed = ent.commitment(entry, definitions, segment.header.salt)
            record = ent.record_of(entry, definitions)
        except ent.DECODE_ERRORS as error:
            what = f"the record does not decode: {error}"
            self._gap(self.fault(segment, entry.frame.offset, what, entry.seq), entry.seq, entry.seq + 1)
            return
        if self.chain is not None:
            self.chain = fmt.link(self.chain, entry.seq, entry.kind, entry.wall, entry.mono, committed)
        if isinstance(record, ErasureRecord):
            self.explained.update(record.sequences)
        if entry.redacted:
            self.redacted[entry.seq] = (segment.name, entry.frame.offset)
        version = record if isinstance(record, VersionRecord) else None
        if version is not None and (entry.digest is not None or entry.redacted):
            self.versions += 1
        if entry.digest is None:
            self.erased += version is not None and entry.redacted
            return
        self._content(segment, entry, version)

    def _content(self, segment: Segment, entry: Entry, version: VersionRecord | None) -> None:
        path = version.path if version is not None else b""
        fault = self.lost.get(entry.base_seq) if entry.base_seq is not None else None
        if content_of(segment, entry.frame) is None:
            fault = self.fault(segment, entry.frame.offset, "the content is damaged", entry.seq, path)
        elif fault is None:
            try:
                self.bodies.body(entry.seq)
            except (StoreDamaged, ContentUnavailable) as error:
                fault = self.fault(segment, entry.frame.offset, error.message, entry.seq, path)
        if fault is None:
            return
        self.lost[entry.seq] = fault
        fault.path = fault.path or path
        if entry.seq not in fault.lost:
            fault.lost.append(entry.seq)
        if version is not None:
            self.lost_versions.append(entry.seq)


def verify(
    segments: Sequence[Segment], last_seq: int, bodies: Bodies, progress: Callable[[float], None] | None
) -> VerifyReport:
    """Every segment, oldest first."""
    check = _Check(last_seq, bodies)
    total = sum(segment.limit for segment in segments) or 1
    done = calls = 0
    before = 0

    def at(offset: int) -> None:
        nonlocal calls
        calls += 1
        if progress is not None and calls % _PROGRESS_EVERY == 0:
            progress(min(1.0, (done + offset) / total))

    for segment in segments:
        try:
            check.segment(segment, before, at)
        except StoreDamaged as error:
            check.missing(segment, before, error.message)
        before = max(before, segment.last_seq)
        done += segment.limit
    for seq, (name, offset) in check.redacted.items():
        if seq not in check.explained:
            what = "the content was erased and no erasure record says so (an interrupted erasure: run it again)"
            fault = _Fault(name, offset, what, seq)
            check.faults.append(fault)
    if progress is not None:
        progress(1.0)
    return VerifyReport(
        len(segments),
        check.records,
        check.versions,
        total if segments else 0,
        tuple(fault.frozen() for fault in check.faults),
        check.versions - check.erased - len(check.lost_versions),
        tuple(check.lost_versions),
        check.erased,
    )
