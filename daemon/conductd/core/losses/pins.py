"""Pinned entries: those whose loss counts at any size, and in which other words count as well.

Owns which entries of a text are pinned (a person's command, the configuration, `<!-- pin -->` marks), what a
change does to them, and what becomes of the pins themselves. A pin is a fingerprint of its workspace, so it
goes with its entry into another line, file or format. Marks that an agent wrote pin nothing before a person
confirms them. Pure; called by `core.judging.judge`, `core.judging.classify` and the engine.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import structs

from conductd.core.case import Case
from conductd.core.comparing.meaning import is_kept
from conductd.core.judging.charge import is_human, is_leased
from conductd.core.judging.finding import Evidence, Facts, Finding, Pinned, figures
from conductd.core.judging.loss import Loss
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, EntryTable, TableSource
from conductd.core.reading.text import decode, normalise, words
from conductd.model import Action, Change, EventClass, PinSet, Relocated, Span, Verdict

_MARK = re.compile(r"<!--\s*(/?)\s*(pin|unpin)\s*-->")
WHOLE_FILE = ""


# --------------------------------------------------------------------------- which entries are pinned


def may_mark(data: bytes) -> bool:
    """Whether there can be a mark at all: entries are slow to tell apart, and most texts have none."""
    return b"<!--" in data or (b"\0" in data and "<!--" in decode(data).text)


def marked(data: bytes, table: EntryTable) -> tuple[Entry, ...]:
    """The entries that the text marks as pinned: between `<!-- pin -->` and `<!-- /pin -->` on lines of their own (an
    open end reaches to the next heading), or with the mark in the entry itself. Headings are none."""
    if not may_mark(data):
        return ()
    regions, single = _regions(decode(data).text.split("\n"), table)
    return tuple(
        entry
        for entry in table.entries
        if entry.kind is not Kind.HEADING
        and (entry.line in single or any(first <= entry.line <= last for first, last in regions))
    )


def _regions(lines: list[str], table: EntryTable) -> tuple[list[tuple[int, int]], set[int]]:
    """Line ranges inside marks, and first lines of entries that hold a mark themselves."""
    code = {n for e in table.entries if e.kind is Kind.CODE for n in range(e.line, e.last_line + 1)}
    inside = {n: e.line for e in table.entries for n in range(e.line, e.last_line + 1)}
    borders: list[tuple[int, bool]] = []  # (line, whether it opens)
    single: set[int] = set()
    for number, line in enumerate(lines, 1):
        marks = [not slash and name == "pin" for slash, name in _MARK.findall(line)] if "<!--" in line else []
        if not marks or number in code:
            continue
        alone = not _MARK.sub("", line).strip(" \t>-*+")
        if alone or not marks[0]:
            borders.append((number, marks[-1]))
        elif number in inside:
            single.add(inside[number])
    headings = [e.line for e in table.entries if e.kind is Kind.HEADING]
    regions: list[tuple[int, int]] = []
    for place, (number, opens) in enumerate(borders):
        if not opens:
            continue
        if place + 1 < len(borders) and not borders[place + 1][1]:
            last = borders[place + 1][0]
        else:  # nothing closes it
            last = min((n - 1 for n in headings if n > number + 1), default=len(lines))
        regions.append((number, last))
    return regions, single


def under(table: EntryTable, headings: Collection[str]) -> Iterator[Entry]:
    """The entries below these headings at any depth; of `WHOLE_FILE` all of them."""
    wanted = {_heading(name) for name in headings if name != WHOLE_FILE}
    for entry in table.entries:
        if entry.kind is Kind.HEADING:
            continue
        if WHOLE_FILE in headings or any(_heading(name) in wanted for name in entry.headings):
            yield entry


def _heading(name: str) -> tuple[str, ...]:
    """A heading as it is compared: its words, whatever case, marks and numbering it has."""
    normal = normalise(name.strip().lstrip("#").strip())
    return words(normal) or (normal,)


def pinned_lines(case: Case, table: EntryTable) -> frozenset[int]:
    """First lines of the baseline's pinned entries."""
    if case.baseline is None:
        return frozenset()
    found = {entry.line for entry in under(table, case.pinned)} if case.pinned else set()
    if case.pins:
        found |= {e.line for e in table.entries if e.fingerprint in case.pins and e.kind is not Kind.HEADING}
    if case.first_sight:
        found |= {entry.line for entry in marked(case.baseline.data, table)}
    return frozenset(found)


# --------------------------------------------------------------------------- what a change does to them


def held_to(change: Change, pinned: frozenset[int], before: EntryTable, after: EntryTable) -> tuple[Change, Pinned]:
    """The change as it is for pinned entries: one that may mean something else now, or that left for another
    file, is lost here; its old wording is offered back."""
    if not pinned:
        return change, Pinned()
    old = {entry.line: entry for entry in before.entries}
    new = {entry.line: entry for entry in after.entries}
    altered = [
        place
        for place in change.reworded
        if place.old.line in pinned and not is_kept(old[place.old.line].words, new[place.line].words)
    ]
    away = [place for place in change.moved if place.old.line in pinned]
    lines = pinned, frozenset(p.old.line for p in altered), frozenset(p.old.line for p in away)
    if not altered and not away:
        return change, Pinned(*lines)
    gone = {place.old.line: place.old for place in (*altered, *away)}
    lost = tuple(sorted((*change.lost, *gone.values()), key=lambda span: span.line))
    weight = change.weight_lost + sum(span.weight for span in gone.values())
    held = structs.replace(
        change,
        reworded=_without(change.reworded, gone),
        moved=_without(change.moved, gone),
        lost=lost,
        weight_lost=weight,
        lost_share=min(1.0, weight / change.weight_before) if change.weight_before else change.lost_share,
    )
    return held, Pinned(*lines)


def _without(places: tuple[Relocated, ...], lines: Collection[int]) -> tuple[Relocated, ...]:
    return tuple(place for place in places if place.old.line not in lines)


def pinned_loss(e: Evidence, loss: Loss) -> Finding | None:
    """Of the entries that went, some were pinned."""
    lines = {span.line for span in loss.spans} & e.pinned.lines
    if not lines:
        return None
    gone = sorted(lines - e.pinned.altered - e.pinned.away)
    facts: Facts = figures(e, loss.share) | {
        "pins_lost": len(gone),
        "pins_altered": len(lines & e.pinned.altered),
        "pins_moved_away": len(lines & e.pinned.away),
    }
    rule = "pin-lost" if gone else "pin-altered"
    if gone:
        facts["pinned_lines"] = ",".join(map(str, gone))
    softened = None if gone else Action.PROPOSE
    return Finding(EventClass.PINNED_LOSS, rule, facts, charged_to=e.charges.main.seq, harms=True, softened=softened)


def to_put_back(verdict: Verdict) -> tuple[Span, ...]:
    """The pinned entries that went altogether, as the verdict names them."""
    lines = {int(line) for line in str(verdict.facts.get("pinned_lines", "")).split(",") if line}
    return tuple(span for span in verdict.change.lost if span.line in lines)


def left_over(verdict: Verdict) -> bool:
    """Something beside the pins was lost, or a pin was reworded or moved away: that is offered."""
    is_pins = verdict.event_class is EventClass.PINNED_LOSS
    return is_pins and len(to_put_back(verdict)) < len(verdict.change.lost)


# --------------------------------------------------------------------------- what becomes of the pins


def at_first(case: Case, table_of: TableSource) -> tuple[PinSet | None, Facts]:
    """The pins of a file that came to be while we looked: a person's marks count, an agent's are proposed."""
    now = case.versions[-1]
    data = now.data or b""
    found = marked(data, table_of(data, case.key, now.digest)) if b"<!--" in data else ()
    new = [entry for entry in found if entry.fingerprint not in case.pins]
    if not new:
        return None, {}
    if is_human(now.actor) or case.leased:
        return PinSet(tuple(entry.span for entry in new)), {}
    return None, _given(new)


def _given(marks: Sequence[Entry]) -> Facts:
    return {"pin_marks_given": len(marks), "pin_line": marks[0].line} if marks else {}


def of_baseline(e: Evidence) -> PinSet | None:
    """The marks that stood in a file when it was seen first, put on record now that it has gone."""
    if e.case.baseline is None or not e.case.first_sight:
        return None
    new = [x.span for x in marked(e.case.baseline.data, e.baseline.table) if x.fingerprint not in e.case.pins]
    return PinSet(before=tuple(new)) if new else None


def followed(e: Evidence, loss: Loss, verdict: Verdict) -> Verdict:
    """The verdict with what the change does to the pins of the workspace, and how many marks an agent set or took."""
    case = e.case
    before = marked(case.baseline.data, e.baseline.table) if case.baseline is not None else ()
    after = marked(e.last.data, e.last.table)
    if not (before or after or e.pinned.lines):
        return verdict
    person = case.leased or is_human(e.last.actor) or is_leased(e.last)
    stays = verdict.action not in (Action.MERGE, Action.REVERT, Action.HOLD)
    known = case.pins
    first = tuple(entry.span for entry in before if case.first_sight and entry.fingerprint not in known)
    pinned: dict[bytes, Span] = {}
    unpinned: set[bytes] = set()
    in_marks = {entry.fingerprint for entry in after}
    if stays:
        old = {entry.line: entry for entry in e.baseline.table.entries}
        new = {entry.line: entry for entry in e.last.table.entries}
        by_hand = known | {span.fingerprint for span in first}
        for place in e.change.reworded:  # what may mean something else is no rewording here any more
            target = new[place.line]
            if old[place.old.line].fingerprint in by_hand and target.kind is not Kind.HEADING:
                pinned[target.fingerprint] = target.span
                unpinned.add(place.old.fingerprint)
        if person:
            pinned |= {entry.fingerprint: entry.span for entry in after if entry.fingerprint not in known}
            counted = {span.line for span in loss.spans}
            unpinned |= {s.fingerprint for s in e.change.lost if s.line not in counted and s.fingerprint in by_hand}
            unpinned |= {x.fingerprint for x in before if x.fingerprint in by_hand} - in_marks
    facts = dict(verdict.facts)
    if stays and not person:
        now_there = {entry.fingerprint for entry in e.last.table.entries} - in_marks
        taken = sum(1 for entry in before if entry.fingerprint in now_there)
        mine = known | pinned.keys() | {entry.fingerprint for entry in before}
        given = [entry for entry in after if entry.fingerprint not in mine]
        facts |= {"pin_marks_taken": taken} if taken else {}
        facts |= _given(given)
    kept = tuple(span for mark, span in pinned.items() if mark not in known)
    change = PinSet(kept, first, tuple(sorted(unpinned - pinned.keys())))
    return structs.replace(verdict, facts=facts, pins=change if change != PinSet() else verdict.pins)
