"""What nobody needs to be told of: moves, renames, other encodings, layout, additions, small edits."""

from __future__ import annotations

from conductd.core.comparing.change import spans_weight
from conductd.core.judging.finding import Evidence, Facts, Finding
from conductd.core.reading.entries import EntryTable
from conductd.model import EventClass


def harmless(e: Evidence, facts: Facts) -> Finding:
    change, old, new = e.change, e.baseline.table, e.last.table
    if change.moved and spans_weight(place.old for place in change.moved) >= spans_weight(change.lost):
        return Finding(EventClass.MOVE, "moved", facts)
    if e.case.renamed_from is not None:
        return Finding(EventClass.RENAME, "renamed", facts)
    if old.encoding is not new.encoding and old.entries:
        facts |= {"encoding_before": str(old.encoding), "encoding": str(new.encoding)}
        return Finding(EventClass.ENCODING_CHANGE, "encoding", facts)
    untouched = change.kept == change.entries_before
    if untouched and not change.added and _marks(old) == _marks(new):
        return Finding(EventClass.FORMAT, "layout", facts)
    if untouched and (e.last.data.startswith(e.baseline.data) or _marks(new)[: len(old.entries)] == _marks(old)):
        return Finding(EventClass.APPEND, "only-added", facts)
    return Finding(EventClass.EDIT, "edited", facts)


def _marks(table: EntryTable) -> list[bytes]:
    return [entry.fingerprint for entry in table.entries]
