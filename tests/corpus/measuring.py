"""Compares what the judge said with what was wanted.

Owns the meaning of the columns of the report. Called by the report and by the tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import reduce
from math import sqrt
from typing import NamedTuple

from conductd.core.policy import Policy
from conductd.core.reading.blocks import Kind
from conductd.model import Action, EventClass, Severity
from corpus.changes import Change, Wanted
from corpus.playing import Played, play
from corpus.tables import table_of

_WRITES = (Action.MERGE, Action.REVERT)
_CONFLICT_MARKS = (b"\n<<<<<<< ", b"\n>>>>>>> ")


class Result(NamedTuple):
    """``right``: the decision is the one wanted, and what would be written holds what it must; ``same_class``:
    it has one of the names wanted, too. ``written``, ``alarm``, ``notice``: of a legitimate change, what it must not
    have. ``offered`` of ``gone`` entries stand in the file again or are named in the verdict (not counted for a slow
    loss, whose entries an incident holds). ``why``: what is wrong, without a word of the texts."""

    change: Change
    right: bool
    same_class: bool
    written: bool
    alarm: bool
    notice: bool
    offered: int
    gone: int
    why: str


def measure(change: Change, policy: Policy | None = None) -> Result:
    policy = policy or Policy()
    played = play(change, policy)
    wanted = change.wanted
    faults = [_fault(each, wanted) for each in played]
    right = _right(change, faults, played)
    decided = [each for each, fault in zip(played, faults, strict=True) if not fault] or played[-1:]
    gone = offered = 0
    for each in played if change.every else ():
        lost, named = _offered(each, wanted)
        gone, offered = gone + lost, offered + named
    unwanted = [each for each in played if each.verdict.action not in wanted.actions]
    same_class = any(each.verdict.event_class in wanted.classes for each in decided)
    return Result(
        change,
        right,
        same_class,
        any(each.verdict.action in _WRITES for each in played),
        any(each.verdict.severity is Severity.ALARM for each in unwanted),
        any(each.verdict.severity is Severity.NOTICE for each in unwanted),
        offered,
        gone,
        _why(right, same_class, faults, played),
    )


def _right(change: Change, faults: list[str], played: list[Played]) -> bool:
    if change.every or not change.wanted.destructive:
        return not any(faults)
    quiet = all(not fault or each.verdict.action is Action.RECORD for each, fault in zip(played, faults, strict=True))
    return quiet and not all(faults)


def _why(right: bool, same_class: bool, faults: list[str], played: list[Played]) -> str:
    if not right:
        return "; ".join(dict.fromkeys(fault for fault in faults if fault))
    return "" if same_class else f"{played[-1].verdict.event_class}: another class"


def _fault(played: Played, wanted: Wanted) -> str:
    verdict = played.verdict
    said = f"{verdict.event_class}/{verdict.action}/{verdict.rule}"
    if verdict.action not in wanted.actions:
        return said
    if wanted.destructive and verdict.severity is Severity.INFO and verdict.event_class is not EventClass.LOST_UPDATE:
        return f"{said}: nobody is told"
    if verdict.action not in _WRITES:
        return ""
    if played.written is None:
        return f"{said}: nothing to write"
    stands = _counted(played.written)
    if missing := len((wanted.back & _before(played)) - set(stands)):
        return f"{said}: {missing} old entries missing"
    if verdict.action is Action.MERGE and (missing := len(wanted.new - set(stands))):
        return f"{said}: {missing} new entries missing"
    if any(text.encode() in played.written for text in wanted.never) or any(
        m in played.written for m in _CONFLICT_MARKS
    ):
        return f"{said}: what must not be written"
    if twice := len(stands - _at_most(played)):
        return f"{said}: {twice} entries twice"
    return ""


def _counted(data: bytes) -> Counter[bytes]:
    """How often each entry that says something stands in a text; headings may come again with a day's log."""
    entries = table_of(data).entries
    return Counter(entry.fingerprint for entry in entries if entry.weight and entry.kind is not Kind.HEADING)


def _at_most(played: Played) -> Counter[bytes]:
    """How often each entry may stand in what is written: as often as in any text it is made of."""
    case = played.case
    texts = [case.baseline.data if case.baseline else b"", *(version.data or b"" for version in case.versions)]
    return reduce(Counter.__or__, map(_counted, texts), Counter[bytes]())


def _before(played: Played) -> frozenset[bytes]:
    baseline = played.case.baseline
    if baseline is None:
        return frozenset()
    return frozenset(entry.fingerprint for entry in table_of(baseline.data).entries)


def _offered(played: Played, wanted: Wanted) -> tuple[int, int]:
    """How many entries of this step's baseline are gone, and how many of them are back or named."""
    gone = wanted.back & _before(played)
    if played.written is not None:
        named = {entry.fingerprint for entry in table_of(played.written).entries}
    else:
        named = {span.fingerprint for span in played.verdict.change.lost}
    return len(gone), len(gone & named)


# --------------------------------------------------------------------------- counting


class Count(NamedTuple):
    """So many of so many, with the 95 % interval of Wilson (1927)."""

    hits: int
    of: int

    @property
    def share(self) -> float:
        return self.hits / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        if not self.of:
            return (0.0, 1.0)
        z, n, share = 1.959964, self.of, self.share
        centre = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return (max(0.0, centre - half), min(1.0, centre + half))


class Tally(NamedTuple):
    """The figures of some results: destructive ones by recall, legitimate ones by what was done to them."""

    recall: Count
    classes: Count
    entries: Count
    writes: Count
    alarms: Count
    notices: Count


def tally(results: Iterable[Result]) -> Tally:
    results = list(results)
    harmful = [each for each in results if each.change.wanted.destructive]
    harmless = [each for each in results if not each.change.wanted.destructive]
    return Tally(
        Count(sum(each.right for each in harmful), len(harmful)),
        Count(sum(each.same_class for each in harmful), len(harmful)),
        Count(sum(each.offered for each in harmful), sum(each.gone for each in harmful)),
        Count(sum(each.written for each in harmless), len(harmless)),
        Count(sum(each.alarm for each in harmless), len(harmless)),
        Count(sum(each.notice for each in harmless), len(harmless)),
    )
