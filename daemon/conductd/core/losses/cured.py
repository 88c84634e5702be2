"""A text that was damaged, and somebody brought back what the damage took: no new loss, whatever goes with it.

Owns that decision. Which versions were judged damaging is remembered with them (`Text.damaged`). Called through
`core.judging.classify`, before every rule that would take the cure for a loss of what the damage had brought.
"""

from __future__ import annotations

from conductd.core.case import Text
from conductd.core.comparing.change import compare
from conductd.core.judging.finding import Evidence, Finding, figures
from conductd.core.judging.loss import Loss
from conductd.core.losses.stale import went_back
from conductd.core.reading.entries import EntryTable
from conductd.model import EventClass

_TRIED = 16  # sound versions before the damage, newest first


def cured(e: Evidence, loss: Loss) -> Finding | None:
    """All that a sound earlier version held stands again, and what went came with versions judged damaging."""
    base = e.case.baseline
    if base is None or not base.damaged or not e.last.data:
        return None
    tried = 0
    for place, text in enumerate(e.case.earlier):
        if text.damaged:
            continue
        if tried == _TRIED:
            break
        tried += 1
        if _brings_back(e, place, text):
            return Finding(EventClass.EDIT, "cured", figures(e, loss.share), base_seq=text.seq)
    return None


def _brings_back(e: Evidence, place: int, text: Text) -> bool:
    before = _table(e, text)
    if not before.entries or not _misses_nothing(e, place, before):
        return False
    if before.places.keys() <= e.last.table.places.keys():
        return True
    change = compare(before, e.last.table, e.elsewhere, e.policy.thresholds)
    if change.lost or change.weight_lost:
        return False
    older = (_table(e, each) for each in e.case.earlier[place + 1 :] if not each.damaged)
    return not any(went_back(change, e.last.table, table) for table in older)


def _misses_nothing(e: Evidence, place: int, before: EntryTable) -> bool:
    """What sound versions after ``earlier[place]`` added is there: all else came with damage."""
    had = before.places.keys() | e.last.table.places.keys()
    return all(text.damaged or _table(e, text).places.keys() <= had for text in e.case.earlier[:place])


def _table(e: Evidence, text: Text) -> EntryTable:
    return e.table_of(text.data, e.case.key, text.digest)
