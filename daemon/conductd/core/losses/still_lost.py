"""Which of the entries that went in small losses are still nowhere.

Pure; called by `core.losses.erosion`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from conductd.core.case import LedgerLine, Text
from conductd.core.comparing.change import Place, compare
from conductd.core.judging.finding import Evidence
from conductd.core.losses.consolidation import folded
from conductd.core.policy import Thresholds
from conductd.core.reading.entries import Entry, EntryTable
from conductd.core.reading.text import Encoding, LineEnd
from conductd.model import Span


class Lost(NamedTuple):
    """A line of a ledger, and of what it dropped that which is still lost."""

    line: LedgerLine
    spans: tuple[Span, ...]


def still_lost(
    e: Evidence, ledger: Sequence[LedgerLine], bases: Sequence[Text], now: EntryTable, elsewhere: Sequence[Place]
) -> list[Lost]:
    """The lines of a ledger with those of their entries that did not come back: not in the file as it is ``now``,
    not in other words, not in another file. Where the version that held them is not to be had, they do not
    count."""
    tables = {text.seq: e.table_of(text.data, e.case.key, text.digest) for text in bases}
    entries = list(_entries(ledger, tables, now))
    gone = _nowhere(entries, tables, now, elsewhere, e.policy.thresholds) - e.case.accepted
    found: list[Lost] = []
    for line in reversed(ledger):  # what was lost twice belongs to the later loss
        lost = tuple(span for span in line.spans if span.fingerprint in gone)
        gone -= {span.fingerprint for span in lost}
        if lost:
            found.append(Lost(line, lost))
    return found[::-1]


def _entries(ledger: Sequence[LedgerLine], tables: Mapping[int, EntryTable], now: EntryTable) -> Iterable[Entry]:
    """Those that are not in the file word for word, each once."""
    found: dict[bytes, Entry] = {}
    for line in ledger:
        table = tables.get(line.base_seq)
        if table is None:
            continue
        for span in line.spans:
            place = table.places.get(span.fingerprint)
            if place is not None and span.fingerprint not in now.places:
                found[span.fingerprint] = table.entries[place]
    return found.values()


def _nowhere(
    entries: Sequence[Entry],
    tables: Mapping[int, EntryTable],
    now: EntryTable,
    elsewhere: Sequence[Place],
    limits: Thresholds,
) -> set[bytes]:
    if not entries:
        return set()
    oldest = tables[min(tables)]
    # What stood there all along is no new home of an entry that went.
    come = [entry for entry in now.entries if entry.fingerprint not in oldest.places]
    old, new = _table(entries), _table(come)
    change = folded(compare(old, new, elsewhere, limits), old, new, limits)
    return {span.fingerprint for span in change.lost}


def _table(entries: Iterable[Entry]) -> EntryTable:
    found = tuple(entries)
    return EntryTable(found, Encoding.UTF_8, LineEnd.LF, max((entry.last_line for entry in found), default=0))
