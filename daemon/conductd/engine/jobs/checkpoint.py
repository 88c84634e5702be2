"""The checkpoint before an agent starts anew: what is on disk is on record, the history is whole, and what the day
brought stands in its log.

The journal is verified once a night, whatever the number of workspaces. On the thread of the run; what is heavy in a
process of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec

from conductd.core.checkpoint.checkpoint import Checkpoint
from conductd.core.checkpoint.result import CheckpointResult
from conductd.core.night.facts import Night, Occasion
from conductd.core.night.placement import Placement
from conductd.engine.health.overview import Parts
from conductd.engine.jobs.apart import answer
from conductd.engine.jobs.job import Outcome, Progress, Result
from conductd.engine.jobs.orders import CheckpointMade
from conductd.engine.jobs.placing import Placed, Placing, appended
from conductd.engine.jobs.verified import verified
from conductd.journal.verify import VerifyReport
from conductd.views import shown
from conductd.views.words import counted

VERIFIED_NS = 3_600_000_000_000  # a verification of the same night counts for all workspaces


class CheckpointJob:
    """`placing_of(night)`: where it writes."""

    name = "checkpoint"

    def __init__(self, parts: Parts, placing_of: Callable[[Night], Placing]) -> None:
        self._, self._placing_of = parts, placing_of
        self._verified: tuple[int, VerifyReport] | None = None

    def run(self, night: Night, progress: Progress) -> Outcome:
        """Raises StoreUnavailable when the journal cannot be read."""
        report = self._verify(night.occasion, progress)
        made = answer(CheckpointMade(night, _clock(night)), Checkpoint, progress, "reading what the day brought")
        progress(0, 0, "writing the checkpoint")
        placed = self._place(night, made)
        result = CheckpointResult(
            files=len(night.files),
            recorded=sum(1 for file in night.files if file.seq),
            unread=len(night.unread),
            is_whole=report.ok,
            damaged=len(report.damage),
            versions=report.versions,
            not_restorable=len(report.not_restorable),
            quoted=dict(made.quoted),
            left_out=made.left_out,
            withheld=made.withheld,
            why=made.why or placed.why,
            where=placed.where,
        )
        return Outcome(
            result=Result.UNKNOWN if night.day.changes is None and report.ok else _result(result),
            words=_words(result),
            data=msgspec.msgpack.encode(result),
            written=(placed.where,) if placed.where else (),
            plan=placed.undo,
        )

    def _verify(self, occasion: Occasion, progress: Progress) -> VerifyReport:
        """Anew for a person who asks, and whatever a person asked for stands in for no night."""
        now_ns, known = occasion.now_ns, self._verified
        if known is not None and not occasion.is_manual and 0 <= now_ns - known[0] < VERIFIED_NS:
            return known[1]
        report = verified(self._.journal, self._.state_dir, progress)
        if not occasion.is_manual:
            self._verified = now_ns, report
        return report

    def _place(self, night: Night, made: Checkpoint) -> Placed:
        if not made.text:
            return Placed("")
        placing = self._placing_of(night)
        placed = Placed("", why="the workspace has no memory directory")
        if os.path.isdir(os.path.join(night.occasion.root, os.path.dirname(made.log))):
            placed = placing.into(made.log, Placement.DAILY_LOG, lambda there: appended(there, made.text), self.name)
        if placed.is_inside and placed.where:
            return placed
        why = placed.why or "the log is no text, or ends inside of a code block or a comment"
        return placing.report(b"checkpoint/" + os.path.basename(made.log), made.text.encode(), why)


def _clock(night: Night) -> str:
    return datetime.fromtimestamp(night.occasion.now_ns / 1e9, ZoneInfo(night.occasion.zone)).strftime("%H:%M")


def _result(result: CheckpointResult) -> Result:
    if not result.is_whole:
        return Result.FAIL
    if result.unread or result.recorded < result.files:
        return Result.WARN
    return Result.OK


def _words(result: CheckpointResult) -> str:
    said = [f"{counted(result.recorded, 'file')} of {result.files} on record as on disk"]
    if result.unread:
        said.append(f"{counted(result.unread, 'file')} cannot be read")
    whole = f"the history of {counted(result.versions, 'version')} is whole"
    said.append(whole if result.is_whole else f"{counted(result.damaged, 'damaged place')} in the journal")
    lines = sum(result.quoted.values())
    if result.where:
        said.append(f"{counted(lines, 'line')} quoted in {shown(os.fsencode(result.where))}")
    if result.why:
        said.append(f"not in the log: {result.why}" if result.where else result.why)
    if result.withheld:
        said.append(f"{counted(result.withheld, 'line')} withheld")
    return "; ".join(each for each in said if each)
