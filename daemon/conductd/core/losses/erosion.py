"""Slow loss: many small net losses by one writer, or on one file, each too small for a rule of its own.

Owns the ledger of small losses: what a change puts into it, how it is kept, and when what it holds is an
`erosion`. Net, not gross: what came for what went makes up for it, as far as its weight does. What came back,
stands elsewhere by now, was excused, or was over by its own words is no loss. Pure; called by `core.judging.classify`,
`core.judging.judge` and the reducer of the state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from msgspec import structs

from conductd.core.case import LedgerLine
from conductd.core.comparing.change import Place, spans_weight
from conductd.core.judging.charge import known
from conductd.core.judging.finding import Evidence, Facts, Finding, figures
from conductd.core.judging.loss import Loss
from conductd.core.losses.passing import is_over
from conductd.core.losses.standins import counts_as_new
from conductd.core.losses.still_lost import still_lost
from conductd.core.policy import Thresholds
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import EntryTable
from conductd.model import Booking, EventClass, SmallLoss, Span, Verdict

LEDGER_NS = 14 * 24 * 3_600_000_000_000
LINES_KEPT = 256
SPANS_KEPT = 2_048  # of lost entries in one ledger
GAINED_KEPT = 64  # fingerprints of one change
BASES_KEPT = 64  # versions that are looked into for the entries of a ledger
_LIGHT = 2  # a new entry makes up for a lost one that weighs up to twice as much
_LEAST_SHARE = 1 / 3  # of the share: what both the entries and the weight must have lost


# --------------------------------------------------------------------------- what a change puts into the ledger


def booking(e: Evidence, loss: Loss) -> Booking | None:
    """What the ledger should remember of a change that nothing is done about; None: nothing."""
    lost = _that_count(e.baseline.table, loss.spans, e.case.now_ns)
    before = frozenset(span.fingerprint for line in e.case.ledger for span in line.spans)
    lines = {span.line for span in e.change.added}
    fresh = {
        entry.fingerprint: entry
        for entry in (e.last.table.entries if lines else ())
        if entry.line in lines and entry.fingerprint not in before and counts_as_new(entry, e.policy.thresholds)
    }
    if not lost and not fresh:
        return None
    return Booking(
        lost=lost,
        gained=tuple(fresh)[:GAINED_KEPT],
        gains=len(fresh),
        weight_gained=sum(entry.weight for entry in fresh.values()),
        entries_before=_size(e.baseline.table),
    )


def _that_count(table: EntryTable, spans: Iterable[Span], now_ns: int) -> tuple[Span, ...]:
    lines = {span.line: span for span in spans}
    return tuple(
        lines[entry.line]
        for entry in table.entries
        if entry.line in lines and entry.kind is not Kind.HEADING and entry.words and not is_over(entry, now_ns)
    )


def _size(table: EntryTable) -> int:
    return sum(1 for entry in table.entries if entry.kind is not Kind.HEADING and entry.words)


def line_of(verdict: Verdict, base_seq: int | None, seq: int, at_ns: int, actor: str) -> LedgerLine | None:
    """The line of a change in the ledger; None when it has none."""
    booked = verdict.booked
    if booked is None or base_seq is None:
        return None
    return LedgerLine(
        at_ns=at_ns,
        actor=actor,
        lost=len(booked.lost),
        added=booked.gains,
        weight_lost=spans_weight(booked.lost),
        weight_before=verdict.change.weight_before,
        seq=verdict.charged_to or seq,
        base_seq=base_seq,
        spans=booked.lost,
        gained=booked.gained,
        weight_gained=booked.weight_gained,
        entries_before=booked.entries_before,
    )


def entered(ledger: Sequence[LedgerLine], line: LedgerLine) -> list[LedgerLine]:
    """The ledger with one line more: not older than 14 days, and of a bounded size. Changes by one writer that
    lost nothing share a line."""
    kept = _recent(ledger, line.at_ns)
    last = kept[-1] if kept else None
    if last is not None and not last.lost and not line.lost and last.actor == line.actor and _near(last, line):
        kept[-1] = structs.replace(
            last,
            seq=line.seq,
            added=last.added + line.added,
            gained=(*last.gained, *line.gained)[: 4 * GAINED_KEPT],
            weight_gained=last.weight_gained + line.weight_gained,
        )
        return kept
    kept.append(line)
    del kept[:-LINES_KEPT]
    room = SPANS_KEPT
    for place in range(len(kept) - 1, -1, -1):
        room -= len(kept[place].spans)
        if room < 0:
            return kept[place + 1 :]
    return kept


def _near(one: LedgerLine, two: LedgerLine) -> bool:
    return two.at_ns - one.at_ns < 24 * 3_600_000_000_000


def started_anew(ledger: Sequence[LedgerLine], accepted: frozenset[bytes]) -> list[LedgerLine]:
    """The ledger after a person accepted the loss of these entries: the writes that lost them count no more."""
    return [line for line in ledger if not any(span.fingerprint in accepted for span in line.spans)]


# --------------------------------------------------------------------------- when it is an erosion


class _Write(NamedTuple):
    """A small loss that is still one, on its way into a verdict."""

    file: int
    path: bytes
    line: LedgerLine
    lost: tuple[Span, ...]


class _Sum(NamedTuple):
    """Net of a number of writes. Shares are of the largest size that the files had in that time."""

    entries: float
    weight: int
    entry_share: float
    weight_share: float
    gross: int
    writes: tuple[_Write, ...]

    def is_erosion(self, limits: Thresholds, allowed: float) -> bool:
        """``allowed``: the share that the writer may take without a question."""
        shares = sorted((self.entry_share, self.weight_share))
        return (
            len({write.line.seq for write in self.writes}) >= limits.erosion_writes
            and self.entries >= limits.erosion_entries - 1e-9
            and shares[1] >= max(limits.erosion_share - 1e-9, allowed)
            and shares[0] >= limits.erosion_share * _LEAST_SHARE
        )


def erosion(e: Evidence, loss: Loss) -> Finding | None:
    """The change took something, and with what went before it is too much."""
    booked = booking(e, loss) if loss.spans and loss.destroys else None
    if booked is None or not booked.lost:
        return None
    now = _line_now(e, booked)
    limits, allowed, brought = e.policy.thresholds, e.case.max_net_loss or 0.0, e.case.brought
    before = _recent(e.case.ledger, now.at_ns)
    abroad = [line for each in e.case.neighbours for line in _recent(each.ledger, now.at_ns)]
    if not any(_may_be([*lines, *before, now], limits, brought) for lines in ((), abroad)):
        return None
    own = still_lost(e, before, e.case.bases, e.last.table, e.elsewhere)
    here = [*(_Write(0, e.case.path, *each) for each in own), _Write(0, e.case.path, now, now.spans)]
    found, scope = _sum(here, [*before, now], brought=brought), "file"
    if not found.is_erosion(limits, allowed) and known(e.charges.main.actor):
        scope = e.charges.main.actor.name
        mine = [line for line in (*before, now) if line.actor == scope]
        found = _sum([write for write in here if write.line.actor == scope], mine, brought=brought)
        if not found.is_erosion(limits, allowed) and e.case.neighbours:
            found = _sum_of_files(e, [write for write in here if write.line.actor == scope], mine)
    if not found.is_erosion(limits, allowed):
        return None
    facts = figures(e, loss.share) | _facts(found, scope)
    writes = tuple(_told(write) for write in found.writes if write.line is not now and write.lost)
    return Finding(EventClass.EROSION, "small-losses", facts, charged_to=now.seq, harms=True, writes=writes)


def _recent(ledger: Sequence[LedgerLine], now_ns: int) -> list[LedgerLine]:
    return [line for line in ledger if now_ns - line.at_ns < LEDGER_NS]


def may_be(
    ledger: Sequence[LedgerLine], verdict: Verdict, at_ns: int, limits: Thresholds, brought: frozenset[bytes]
) -> bool:
    """Whether a change with this verdict could be an erosion, if nothing of its ledger had come back: else nobody
    need read the versions that held it."""
    now = line_of(verdict, 0, 0, at_ns, "")
    return now is not None and now.lost > 0 and _may_be([*_recent(ledger, at_ns), now], limits, brought)


def _may_be(lines: Sequence[LedgerLine], limits: Thresholds, brought: frozenset[bytes]) -> bool:
    losing = [line for line in lines if line.lost]
    writers = {line.actor for line in losing}
    most, heaviest = _largest(lines)
    return any(
        _sum([_Write(0, b"", line, line.spans) for line in chosen], gaining, (most, heaviest), brought).is_erosion(
            limits, 0.0
        )
        for chosen, gaining in (
            (losing, lines),
            *(([x for x in losing if x.actor == name], [x for x in lines if x.actor == name]) for name in writers),
        )
    )


def _line_now(e: Evidence, booked: Booking) -> LedgerLine:
    return LedgerLine(
        at_ns=e.last.at_ns,
        actor=e.charges.main.actor.name,
        lost=len(booked.lost),
        added=booked.gains,
        weight_lost=spans_weight(booked.lost),
        weight_before=e.baseline.table.weight,
        seq=e.charges.main.seq,
        base_seq=e.baseline.seq,
        spans=booked.lost,
        gained=booked.gained,
        weight_gained=booked.weight_gained,
        entries_before=booked.entries_before,
    )


def _told(write: _Write) -> SmallLoss:
    line = write.line
    return SmallLoss(write.file, write.path, line.base_seq, line.seq, line.at_ns, line.actor, write.lost)


def _facts(found: _Sum, scope: str) -> Facts:
    lines = [write.line for write in found.writes]
    days = (max(line.at_ns for line in lines) - min(line.at_ns for line in lines)) / (24 * 3_600_000_000_000)
    return {
        "ledger": scope,
        "writes": len({line.seq for line in lines}),
        "writers": len({line.actor for line in lines}),
        "files": len({write.path for write in found.writes}),
        "days": round(days, 1),
        "still_lost": found.gross,
        "net_entries": round(found.entries, 1),
        "net_share": round(max(found.entry_share, found.weight_share), 4),
    }


def _sum_of_files(e: Evidence, here: list[_Write], mine: list[LedgerLine]) -> _Sum:
    """The writer's small losses in all the files it took something from."""
    writes, lines, places = list(here), list(mine), [Place(e.case.path, e.last.table)]
    entries, weight = _largest(mine)
    for neighbour in e.case.neighbours:
        table = e.table_of(neighbour.data or b"", e.case.key)
        ledger = _recent(neighbour.ledger, e.last.at_ns)
        found = still_lost(e, ledger, neighbour.bases, table, (*e.elsewhere, *places))
        writes += (_Write(neighbour.file, neighbour.path, *each) for each in found)
        lines += ledger
        more_entries, more_weight = _largest(ledger)
        entries, weight = entries + more_entries, weight + more_weight
    return _sum(writes, lines, (entries, weight), e.case.brought)


def _largest(lines: Sequence[LedgerLine]) -> tuple[int, int]:
    entries = max((line.entries_before for line in lines), default=0)
    return entries, max((line.weight_before for line in lines), default=0)


def _sum(
    writes: Sequence[_Write],
    lines: Sequence[LedgerLine],
    size: tuple[int, int] | None = None,
    brought: frozenset[bytes] = frozenset(),
) -> _Sum:
    """What went less what came. Entries that came within the time and went again count on neither side; what was
    ``brought`` out of another file is no gain, and its loss is one."""
    came: dict[bytes, int] = {}
    gained = weight_gained = 0
    for line in lines:
        own = [mark for mark in line.gained if mark not in brought]
        for mark in own:
            came.setdefault(mark, line.at_ns)
        foreign = len(line.gained) - len(own)
        gained += max(0, line.added - foreign)
        weight_gained += line.weight_gained * (line.added - foreign) // line.added if foreign else line.weight_gained
    passing = {
        span.fingerprint: span.weight
        for line in lines
        for span in line.spans
        if came.get(span.fingerprint, line.at_ns) < line.at_ns
    }
    gained -= len(passing)
    weight_gained -= sum(passing.values())
    left = []
    for write in writes:
        lost = tuple(span for span in write.lost if span.fingerprint not in passing)
        if lost:
            left.append(write._replace(lost=lost))
    gross = sum(len(write.lost) for write in left)
    weight = sum(spans_weight(write.lost) for write in left)
    made_up = 0.0
    if gross and weight:
        made_up = min(float(max(0, gained)), _LIGHT * max(0, weight_gained) * gross / weight)
    entries, net = max(0.0, gross - made_up), max(0, weight - max(0, weight_gained))
    most, heaviest = size or _largest(lines)
    return _Sum(entries, net, entries / (most or 1), net / (heaviest or 1), gross, tuple(left))


# --------------------------------------------------------------------------- what a verdict offers


def all_lost(verdict: Verdict) -> int:
    """How many entries the verdict offers back, those of earlier writes included."""
    return len(verdict.change.lost) + sum(len(write.lost) for write in verdict.writes)


def lost_fingerprints(verdict: Verdict, file: int = 0) -> frozenset[bytes]:
    """Of the file under judgement (0), or of another one that an erosion names."""
    earlier = chain.from_iterable(write.lost for write in verdict.writes if write.file == file)
    own = () if file else verdict.change.lost
    return frozenset(span.fingerprint for span in (*own, *earlier))
