"""Sheets of short fields ("City: Berlin"): a field that has another value was updated, and is not lost.

Owns telling such updates; words alone cannot, because half of a short field is its value. Pure; called by
`core.judging.judge`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from msgspec import structs

from conductd.core.comparing.change import spans_weight
from conductd.core.judging.finding import Evidence, Finding, figures
from conductd.core.judging.loss import Loss
from conductd.core.losses.redaction import MARK
from conductd.core.losses.standins import is_stand_in
from conductd.core.losses.template import waiting_lines, waits, was_template
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, EntryTable, once
from conductd.core.reading.text import words
from conductd.model import Action, Change, EventClass

_LONGEST_LABEL = 5  # words
_LONGEST_VALUE = 10  # words
_MOST_SHARE = 0.8  # of the text: a sheet with other values throughout is another sheet
_FIELD = re.compile(r"^(?P<label>[^:：=|]{1,60})(?:[:：=|])\s*(?P<value>\S.*)$", re.S)
_ANOTHER = re.compile(r"\w[*_]{0,2}[:：](?:\s|\S)")  # several fields in one paragraph
_MARKS = "*_~`- "


class _Field(NamedTuple):
    headings: tuple[str, ...]
    label: tuple[str, ...]


def given_way(e: Evidence) -> frozenset[int]:
    """First lines of lost entries that were only updated or filled in."""
    lost = {span.line for span in e.change.lost}
    return waiting_lines(e.baseline.table, lost) | updated(e) if lost else frozenset()


def weighed(e: Evidence) -> Change:
    """The change without what long hints lost inside when their field was filled in."""
    inner = e.change.weight_lost - spans_weight(e.change.lost)
    if inner <= 0 or not was_template(e.baseline.table):
        return e.change
    return structs.replace(e.change, weight_lost=e.change.weight_lost - inner)


def updated(e: Evidence) -> frozenset[int]:
    """First lines of lost fields that stand in the new text, in the same section, with another value."""
    found = _other_values(e)
    return frozenset() if _is_most(e, found) else frozenset(entry.line for entry in found)


def other_sheet(e: Evidence, loss: Loss) -> Finding | None:
    """Nearly every field has another value: it may be about somebody else, or all of it new."""
    if not loss.destroys or loss.excuse or loss.share < e.policy.thresholds.shrink_share:
        return None
    found = _other_values(e)
    if not _is_most(e, found):
        return None
    facts = figures(e, loss.share) | {"fields": len(found)}
    charged_to = e.charges.main.seq
    return Finding(
        EventClass.OVERWRITE, "other-values", facts, charged_to=charged_to, harms=True, softened=Action.PROPOSE
    )


def _other_values(e: Evidence) -> list[Entry]:
    """The lost fields that stand in the new text, in the same section, with another value."""
    lost = {span.line for span in e.change.lost}
    if not lost:
        return []
    new = _fields(e.last.table)
    return [entry for field, entry in _fields(e.baseline.table).items() if entry.line in lost and field in new]


def _is_most(e: Evidence, found: list[Entry]) -> bool:
    return bool(found) and sum(entry.weight for entry in found) >= _MOST_SHARE * e.baseline.table.weight


def _fields(table: EntryTable) -> dict[_Field, Entry]:
    """The fields with a value, by section and label; a label that stands there twice is no field."""
    found: dict[_Field, Entry] = {}
    twice: set[_Field] = set()
    for entry in table.entries:
        field = field_of(entry)
        if field is not None:
            (twice.add(field) if field in found else found.setdefault(field, entry))
    return {field: entry for field, entry in found.items() if field not in twice}


@once
def field_of(entry: Entry) -> _Field | None:
    """The field that an entry is: a short label, a colon, a short value; None for what is none."""
    if entry.kind not in (Kind.ITEM, Kind.PARAGRAPH, Kind.ROW) or entry.weight > _LONGEST_LABEL + _LONGEST_VALUE:
        return None
    match = _FIELD.match(entry.text.strip(_MARKS))
    if match is None:
        return None
    label, value = words(match["label"].strip(_MARKS)), words(match["value"])
    if _ANOTHER.search(match["value"]):
        return None
    if not label or len(label) > _LONGEST_LABEL or not 0 < len(value) <= _LONGEST_VALUE:
        return None
    if MARK.search(match["value"]) or waits(entry) or is_stand_in(entry):
        return None
    return _Field(entry.headings, label)
