"""The recap of a week: a page in the reports as Markdown and as HTML, a few words by the notice channels."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from conductd.core.night.facts import Night
from conductd.core.report.recap import chat, markdown, page, title
from conductd.core.report.result import RecapResult
from conductd.engine.jobs.job import Outcome, Progress, Result
from conductd.engine.jobs.placing import Placing
from conductd.engine.jobs.reporting import Reporting
from conductd.model import EventClass, NoticeRecord, Severity

RECAPS = b"recap/"


class RecapJob:
    """`placing_of(night)`: where it writes; `is_quiet(night)`: whether a week of clean days is told to nobody."""

    name = "recap"

    def __init__(
        self, reporting: Reporting, placing_of: Callable[[Night], Placing], is_quiet: Callable[[Night], bool]
    ) -> None:
        self._reporting, self._placing_of, self._is_quiet = reporting, placing_of, is_quiet

    def run(self, night: Night, progress: Progress) -> Outcome:
        """Raises StoreUnavailable, Refused when the reports cannot be written."""
        progress(0, 2, "gathering the week")
        week = self._reporting.week(night)
        progress(1, 2, "writing the recap")
        placing, stem = self._placing_of(night), RECAPS + week.week.encode()
        placed = [
            placing.report(stem + b".md", markdown(week).encode()),
            placing.report(stem + b".html", page(week).encode()),
        ]
        known = sum(1 for each in week.days if each.shape is not None)
        result = RecapResult(week.week, week.clean, known, placing.where(stem + b".html"))
        is_clean = week.clean == len(week.days)
        notice = NoticeRecord(
            EventClass.REPORT,
            Severity.INFO if is_clean else Severity.NOTICE,
            title(week),
            workspace=night.occasion.workspace,
            detail=chat(week),
            attachment=(stem + b".html").decode(),
        )
        return Outcome(
            Result.OK if known == len(week.days) else Result.UNKNOWN,
            f"{week.clean}/{len(week.days)} days clean, {known} known",
            msgspec.msgpack.encode(result),
            tuple(each.where for each in placed if each.where),
            notices=() if is_clean and self._is_quiet(night) else (notice,),
        )
