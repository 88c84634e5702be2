"""Judges the recorded history again, under the same or another policy, and says what would have been different.

Owns the walk: the journal is folded record by record into a state, as at a start; where a verdict was made, it
is made again from the state of that moment. Each verdict stands for itself: what would have followed from another
one is not played on. Reading only, beside a running daemon as well; memory does not grow with the bytes recorded.
Called by `cli.replay`.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from conductd.config import Config
from conductd.core.judging import inputs
from conductd.core.judging.answer import JUDGE_VERSION
from conductd.engine.explaining.rejudging import ERASED, OLDER, UNKEPT, Again, Rejudge, same_decision, same_verdict
from conductd.engine.explaining.replayed import ReplayDifferenceView, ReplayedVerdictView, ReplayTurnView, ReplayView
from conductd.engine.fold.state import State
from conductd.engine.forgetting.veil import Veil
from conductd.engine.gathering.content import Contents
from conductd.errors import ConductdError
from conductd.journal.journal import Journal
from conductd.model import ChangeRecord, ErasureRecord, EventClass, Stored, Verdict, VersionRecord
from conductd.views import b64, iso, shown

NAMED = 10_000  # differences that are listed; more are only counted
STEPS = 200  # records between two signs of progress
_FIRST_PASS = 0.15  # of the time


class Wanted(NamedTuple):
    """Which verdicts: written since then, of this workspace (its root), of this file (absolute path); None: all."""

    since_ns: int | None = None
    workspace: bytes | None = None
    file: bytes | None = None


class _Known(NamedTuple):
    """From the first pass: where each verdict is to be made again, and where bytes are by their digest."""

    due: dict[int, list[int]]
    by_digest: dict[bytes, int]
    verdicts: int
    erased: frozenset[int] = frozenset()


def replay(
    journal: Journal, then: Config, other: Config | None = None, wanted: Wanted | None = None
) -> Iterator[float | ReplayView]:
    """Progress (0..1), the result last. ``then``: the configuration in force; ``other``: the one to try instead."""
    started = time.monotonic()
    wanted = wanted or Wanted()
    known = _Known({}, {}, 0)
    for step in _first_pass(journal, wanted):
        if isinstance(step, float):
            yield step * _FIRST_PASS
        else:
            known = step
    state = State()
    contents = Contents(journal, Veil(state, journal.key))
    find = known.by_digest.get
    again = Rejudge(journal.key, state, contents, find, then, other, known.erased)
    same = Rejudge(journal.key, state, contents, find, then, erased=known.erased) if other is not None else None
    tally = _Tally(known.erased)
    done = 0
    for number, stored in enumerate(journal.replay()):
        state.apply(stored)
        for seq in known.due.pop(stored.seq, ()):
            done += 1
            record = _change(journal, seq)
            if record is not None and _is_wanted(record[1], state, wanted):
                _judge(again, same, *record, state, tally)
            if done % 20 == 0:
                yield _FIRST_PASS + (1 - _FIRST_PASS) * done / known.verdicts
        if number % STEPS == 0:
            yield _FIRST_PASS + (1 - _FIRST_PASS) * (done / known.verdicts if known.verdicts else 1.0)
        if not known.due:
            break
    yield tally.view(time.monotonic() - started)


def _first_pass(journal: Journal, wanted: Wanted) -> Iterator[float | _Known]:
    due: dict[int, list[int]] = {}
    places: dict[bytes, int] = {}
    searched: set[bytes] = set()
    verdicts = 0
    erased: set[int] = set()
    for number, stored in enumerate(journal.replay()):
        record = stored.record
        if isinstance(record, VersionRecord) and record.digest is not None:
            places[record.digest[:8]] = stored.seq
        elif isinstance(record, ErasureRecord):
            erased.update(record.sequences)
        elif isinstance(record, ChangeRecord):
            if wanted.since_ns is not None and stored.wall_ns < wanted.since_ns:
                continue
            due.setdefault(_moment(stored, record), []).append(stored.seq)
            searched.update(digest for _, digest in record.elsewhere)
            verdicts += 1
        if number % STEPS == 0:
            yield min(1.0, stored.seq / max(1, journal.last_seq))
    by_digest = {digest: places[digest[:8]] for digest in searched if digest[:8] in places}
    yield _Known(due, by_digest, verdicts, frozenset(erased))


def _moment(stored: Stored, record: ChangeRecord) -> int:
    """The record up to which the history was known; where that is not kept, all before the verdict."""
    try:
        as_of = inputs.as_of(record.inputs, record.version_seq) if record.inputs else stored.seq - 1
    except (msgspec.MsgspecError, TypeError, ValueError):
        as_of = stored.seq - 1
    return as_of if record.version_seq <= as_of < stored.seq else stored.seq - 1


def _change(journal: Journal, seq: int) -> tuple[Stored, ChangeRecord] | None:
    try:
        stored = journal.read(seq)
    except ConductdError:
        return None
    return (stored, stored.record) if isinstance(stored.record, ChangeRecord) else None


def _is_wanted(record: ChangeRecord, state: State, wanted: Wanted) -> bool:
    track = state.workspaces.get(record.workspace)
    root = track.root if track is not None else b""
    if wanted.workspace is not None and wanted.workspace != root:
        return False
    return wanted.file is None or wanted.file == os.path.join(root, record.path)


def _judge(
    again: Rejudge, same: Rejudge | None, stored: Stored, record: ChangeRecord, state: State, tally: _Tally
) -> None:
    found = again.verdict(stored, record)
    tally.verdicts += 1
    tally.judge_versions[record.verdict.judge_version] += 1
    tally.given += found.given > 0
    if found.verdict is None:
        tally.cannot[found.why] += 1
        return
    if same_verdict(found.verdict, record.verdict, record):
        tally.same += 1
        tally.assumed += found.assumed
        tally.turn(record.verdict, found.verdict)
        return
    # Another policy is held against what was decided, where the old one still decides so.
    sure = found if same is None else same.verdict(stored, record)
    why = _unsure(sure, record, is_erased=bool(tally.erased))
    if why:
        tally.cannot[why] += 1
        return
    tally.turn(record.verdict, found.verdict)
    if same_decision(found.verdict, record.verdict):
        tally.figures += 1
    else:
        tally.different += 1
    if len(tally.differences) < NAMED:
        tally.differences.append(_difference(stored, record, found.verdict, state))


def _unsure(sure: Again, record: ChangeRecord, *, is_erased: bool) -> str:
    """Why a difference may come from what was not kept, and not from a rule."""
    if sure.verdict is None:
        return sure.why
    if same_verdict(sure.verdict, record.verdict, record):
        return ""
    if not record.inputs:
        return OLDER
    if is_erased and (record.elsewhere or record.verdict.change.moved or _is_searched(record)):
        return ERASED  # other files' versions may not hold any more what was found in them
    known = {span.fingerprint for span in record.verdict.change.lost}
    more = any(span.fingerprint not in known for span in sure.verdict.change.lost)
    if not more and EventClass.EROSION not in (sure.verdict.event_class, record.verdict.event_class):
        return ""  # what was found in files that are not kept can only have made the loss smaller
    try:
        return UNKEPT if inputs.searched(record.inputs) or sure.given else ""
    except (msgspec.MsgspecError, TypeError, ValueError):
        return OLDER


def _is_searched(record: ChangeRecord) -> bool:
    try:
        return bool(inputs.searched(record.inputs))
    except (msgspec.MsgspecError, TypeError, ValueError):
        return True


def _difference(stored: Stored, record: ChangeRecord, verdict: Verdict, state: State) -> ReplayDifferenceView:
    track = state.workspaces.get(record.workspace)
    return ReplayDifferenceView(
        seq=stored.seq,
        at=iso(stored.wall_ns),
        at_ns=stored.wall_ns,
        workspace=record.workspace,
        root=shown(track.root) if track is not None else "",
        path=shown(record.path),
        path_b64=b64(record.path),
        version_seq=record.version_seq,
        incident=record.incident,
        figures_only=same_decision(record.verdict, verdict),
        recorded=_brief(record.verdict),
        replayed=_brief(verdict),
    )


def _brief(verdict: Verdict) -> ReplayedVerdictView:
    return ReplayedVerdictView(
        event_class=str(verdict.event_class),
        action=str(verdict.action),
        severity=str(verdict.severity),
        rule=verdict.rule,
        lost=len(verdict.change.lost),
        lost_share=verdict.change.lost_share,
        facts=dict(verdict.facts),
        judge_version=verdict.judge_version,
    )


class _Tally:
    """What was counted so far."""

    def __init__(self, erased: frozenset[int]) -> None:
        self.erased = erased
        self.verdicts = self.same = self.different = self.figures = self.assumed = self.given = 0
        self.cannot: Counter[str] = Counter()
        self.judge_versions: Counter[int] = Counter()
        self.turns: Counter[tuple[str, str, str, str]] = Counter()
        self.differences: list[ReplayDifferenceView] = []

    def turn(self, recorded: Verdict, now: Verdict) -> None:
        self.turns[(str(recorded.event_class), str(recorded.action), str(now.event_class), str(now.action))] += 1

    def view(self, seconds: float) -> ReplayView:
        return ReplayView(
            verdicts=self.verdicts,
            same=self.same,
            different=self.different,
            figures=self.figures,
            not_replayable=sum(self.cannot.values()),
            reasons=dict(self.cannot),
            assumed=self.assumed,
            given=self.given,
            judge_version=JUDGE_VERSION,
            judge_versions={str(number): count for number, count in sorted(self.judge_versions.items())},
            turns=[ReplayTurnView(*turn, count) for turn, count in _ordered(self.turns.items())],
            differences=self.differences,
            unlisted=self.different + self.figures - len(self.differences),
            seconds=seconds,
        )


def _ordered(
    turns: Iterable[tuple[tuple[str, str, str, str], int]],
) -> list[tuple[tuple[str, str, str, str], int]]:
    """Changed ones first, the most frequent first."""
    return sorted(turns, key=lambda each: (each[0][:2] == each[0][2:], -each[1], each[0]))
