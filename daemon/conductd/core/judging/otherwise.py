"""What it would have taken to decide otherwise: tried out by judging the same case again, never guessed.

Owns the variations: every figure of the policy, the actions that can be set, and what could have stood around the
file (a lease, a person, an acceptance, another role, pins, git at rest). Pure; called where a verdict is explained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec
from msgspec import structs

from conductd.core.case import Case, Git
from conductd.core.judging.charge import is_leased
from conductd.core.judging.judge import judge
from conductd.core.policy import DEFAULT_ACTIONS, Policy, Thresholds
from conductd.core.reading.entries import EntryTable, TableSource
from conductd.model import Action, Actor, EventClass, Role, Verdict

NEAREST = 3  # figures that are told
WORK_BYTES = 2 * 1024 * 1024  # of text that is judged again: about two seconds; beyond it less is tried
_ALIKE_PAIR = 8  # bytes of work: an old and a new entry that are much alike take a closer look (measured: 8 µs)
_SAMPLED = 16  # entries of either side
_ALIKE = 0.4  # of the words shared, on the average of the sample
_STEPS = 12
_FINE = 0.005  # of a share
_MOST = 100_000  # entries, words, or seconds


class Other(NamedTuple):
    """``words``: what would have had to be different, as the rest of "it would be otherwise …". ``setting``: the key
    of the configuration, if it is one. ``distance``: of a figure from where it decides, 0 (nearest) to 1."""

    words: str
    setting: str
    verdict: Verdict
    distance: float | None = None


class Tried(NamedTuple):
    """``left_out``: variations that were not tried, because so much had been judged again already."""

    others: tuple[Other, ...]
    left_out: int = 0


def otherwise(case: Case, policy: Policy, table_of: TableSource) -> tuple[Other, ...]:
    """The nearest figures first, then settings, then circumstances. Each is alone what changes the decision."""
    return tried_out(case, policy, table_of).others


def tried_out(case: Case, policy: Policy, table_of: TableSource, is_wanted: Callable[[], bool] = lambda: True) -> Tried:
    """As `otherwise`, with how much of it was left out. Nothing more is tried once it is not wanted any more."""
    watched = _Watched(policy.thresholds)
    now = judge(case, structs.replace(policy, thresholds=watched), table_of)
    left = WORK_BYTES // max(1, _work(case, now, table_of))
    left_out = 0

    def tried(other_case: Case, other_policy: Policy) -> Verdict | None:
        """None where that changes nothing, or too much was tried already."""
        nonlocal left, left_out
        left -= 1
        if left < 0 or not is_wanted():
            left_out += 1
            return None
        found = judge(other_case, other_policy, table_of)
        return None if _decision(found) == _decision(now) else found

    settings = tuple(_settings(case, policy, now, tried))
    circumstances = tuple(_circumstances(case, policy, now, tried))
    figures = _figures(case, policy, now, tried, sorted(watched.read))
    nearest = sorted(figures, key=lambda each: each.distance or 0.0)[:NEAREST]
    return Tried((*nearest, *settings, *circumstances), left_out)


def _work(case: Case, now: Verdict, table_of: TableSource) -> int:
    """What one judgement of the case takes, in bytes of text: the same for the same texts."""
    last, base = case.versions[-1].data or b"", case.baseline
    work = len(last) + (len(base.data) if base is not None else 0)
    if base is None or not last:
        return work
    change = now.change
    pairs = (change.entries_before - change.kept) * (len(change.added) + len(change.reworded))
    old, new = (table_of(text.data or b"", case.key, text.digest) for text in (base, case.versions[-1]))
    return work + (_ALIKE_PAIR * pairs if pairs and _are_alike(old, new) else pairs)


def _are_alike(old: EntryTable, new: EntryTable) -> bool:
    """Whether any entry of one is on the average much like any of the other: a long list of one form."""
    mine, other = ([frozenset(e.words) for e in t.entries if e.words] for t in (old, new))
    mine, other = (each[:: max(1, len(each) // _SAMPLED)] for each in (mine, other))
    shared = [len(a & b) / max(len(a), len(b)) for a in mine for b in other]
    return bool(shared) and sum(shared) >= _ALIKE * len(shared)


class _Watched:
    """The figures, and which of them a judgement looked at: no other can have anything to do with it."""

    def __init__(self, thresholds: Thresholds) -> None:
        self._thresholds = thresholds
        self.read: set[str] = set()

    def __getattr__(self, name: str) -> object:
        value: object = getattr(self._thresholds, name)
        self.read.add(name)
        return value


Try = Callable[[Case, Policy], Verdict | None]


def _decision(verdict: Verdict) -> tuple[EventClass, Action]:
    return (verdict.event_class, verdict.action)


# --------------------------------------------------------------------------- figures


def _figures(case: Case, policy: Policy, now: Verdict, tried: Try, names: Sequence[str]) -> Iterator[Other]:
    """Of each figure the ends of its range are tried, the weightiest first."""
    order = [field.name for field in msgspec.structs.fields(Thresholds) if field.name in names]
    for name in order:
        current = getattr(policy.thresholds, name)
        is_share = isinstance(current, float)
        for end in (0.0, 1.0) if is_share else (0, max(_MOST, 2 * current)):
            found = _turn(case, policy, name, current, end, tried)
            if found is None:
                continue
            limit, verdict = found
            distance = abs(limit - current) / (1.0 if is_share else max(limit, current, 1))
            yield Other(_said(name, current, limit, now), f"thresholds.{name}", verdict, distance)


def _turn(
    case: Case, policy: Policy, name: str, current: float, end: float, tried: Try
) -> tuple[float, Verdict] | None:
    """Between the value of a figure and the end of its range: the nearest one that decides otherwise."""

    def at(value: float) -> Verdict | None:
        return tried(case, structs.replace(policy, thresholds=structs.replace(policy.thresholds, **{name: value})))

    if end == current:
        return None
    found = at(end)
    if found is None:
        return None
    same, other = current, end
    for _ in range(_STEPS):
        middle = (same + other) / 2 if isinstance(current, float) else (int(same) + int(other)) // 2
        if abs(other - same) <= (_FINE if isinstance(current, float) else 1) or middle in (same, other):
            break
        verdict = at(middle)
        if verdict is None:
            same = middle
        else:
            other, found = middle, verdict
    return other, found


def _said(name: str, current: float, limit: float, now: Verdict) -> str:
    lost = now.facts.get("lost_share")
    if isinstance(current, float) and isinstance(lost, float) and abs(limit - lost) <= 2 * _FINE:
        bound = _figure(current) if limit < current else f"less than {_figure(current)}"
        return f"{_figure(lost)} was lost; had it been {bound} (thresholds.{name})"
    return f"with thresholds.{name} {_figure(limit)} instead of {_figure(current)}"


def _figure(value: float) -> str:
    return f"{value:.0%}" if isinstance(value, float) else f"{value:,}"


# --------------------------------------------------------------------------- settings


def _settings(case: Case, policy: Policy, now: Verdict, tried: Try) -> Iterator[Other]:
    if "setting" in now.facts:
        verdict = tried(case, structs.replace(policy, actions={}, rules=()))
        if verdict is not None:
            yield Other(f"without your setting {now.facts['setting']}", str(now.facts["setting"]), verdict)
    if now.event_class in DEFAULT_ACTIONS:
        seen = {now.action}
        for action in (Action.RECORD, Action.PROPOSE, Action.MERGE, Action.REVERT):
            other = structs.replace(policy, actions={str(now.event_class): str(action)}, rules=())
            verdict = tried(case, other)
            if verdict is None or verdict.action in seen or verdict.event_class is not now.event_class:
                continue
            seen.add(verdict.action)
            setting = f"actions.{now.event_class}"
            yield Other(f'with {setting} = "{action}"', setting, verdict)
    if now.rule == "provenance":
        verdict = tried(case, structs.replace(policy, provenance_repair=True))
        if verdict is not None:
            yield Other('with provenance = "repair"', "provenance", verdict)


# --------------------------------------------------------------------------- circumstances


def _circumstances(case: Case, policy: Policy, now: Verdict, tried: Try) -> Iterator[Other]:
    for words, other in _variations(case, now):
        verdict = tried(other, policy) if other != case else None
        if verdict is not None:
            yield Other(words, "", verdict)


def _variations(case: Case, now: Verdict) -> Iterator[tuple[str, Case]]:
    lost = frozenset(span.fingerprint for span in now.change.lost)
    person = Actor("human:editor", 1.0)
    writers = {version.actor.name for version in case.versions}
    if any(name.startswith("human:") for name in writers):
        nobody = tuple(structs.replace(v, actor=Actor()) for v in case.versions)
        yield "had nobody been known to be at it", structs.replace(case, versions=nobody, leased=False)
    else:
        by_hand = tuple(structs.replace(v, actor=person) for v in case.versions)
        yield "had the writer been known to be a person", structs.replace(case, versions=by_hand)
    if case.leased or any(v.leased for v in case.versions):
        free = tuple(structs.replace(v, leased=False) for v in case.versions)
        yield "without the lease", structs.replace(case, versions=free, leased=False)
    else:
        held = tuple(structs.replace(v, leased=True) for v in case.versions)
        leased = all(is_leased(v) for v in held)
        yield "under a lease (conductd lease FILE)", structs.replace(case, versions=held, leased=leased)
    if case.accepted:
        yield "had nothing been accepted before", structs.replace(case, accepted=frozenset())
    if lost - case.accepted:
        yield "had the loss been accepted", structs.replace(case, accepted=case.accepted | lost)
    if lost - case.pins:
        yield "were the lost entries pinned (conductd pin)", structs.replace(case, pins=case.pins | lost)
    if case.pins or case.pinned:
        yield "were nothing of it pinned", structs.replace(case, pins=frozenset(), pinned=())
    if case.role is Role.REPLACEABLE:
        yield "were it not a file made to be replaced", structs.replace(case, role=Role.TOPIC)
    else:
        yield "were it a file made to be replaced (role replaceable)", structs.replace(case, role=Role.REPLACEABLE)
    if case.git != Git():
        yield "had git not been at work", structs.replace(case, git=Git())
    if case.consolidator:
        yield "were its writer no consolidator", structs.replace(case, consolidator=False)
    else:
        yield "were its writer a consolidator (consolidators)", structs.replace(case, consolidator=True)
    if case.append_only_writer:
        yield "were its writer none that only adds", structs.replace(case, append_only_writer=False)
    elif case.role is Role.DAILY:
        yield "were its writer one that only adds (append_only_writers)", structs.replace(case, append_only_writer=True)
    if case.retention:
        yield "were its deletion no retention job's", structs.replace(case, retention=False)
    elif now.event_class is EventClass.DELETION:
        yield "were it a retention job's (retention_jobs)", structs.replace(case, retention=True)
    if case.parent_missing:
        yield "were its directory still there", structs.replace(case, parent_missing=False)
    if case.restored_ns is not None:
        yield "had it not been restored just before", structs.replace(case, restored_ns=None)
    if case.elsewhere and now.change.moved:
        yield "without the files that hold what was moved", structs.replace(case, elsewhere=())
