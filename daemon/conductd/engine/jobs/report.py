"""The report of a day: a page in the reports as Markdown and as HTML, a few words by the notice channels."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from conductd.core.night.facts import Night
from conductd.core.report.chat import chat, title
from conductd.core.report.facts import figures
from conductd.core.report.html import page
from conductd.core.report.markdown import markdown
from conductd.core.report.result import ReportResult
from conductd.core.report.verdict import Shape, Verdict, verdict
from conductd.engine.jobs.job import Outcome, Progress, Result
from conductd.engine.jobs.placing import Placing
from conductd.engine.jobs.reporting import Reporting
from conductd.model import EventClass, NoticeRecord
from conductd.views.words import counted, pasted

REPORTS = b"report/"
_RESULTS = {Shape.CLEAN: Result.OK, Shape.HANDLED: Result.WARN, Shape.NEEDS_YOU: Result.FAIL}


class ReportJob:
    """`placing_of(night)`: where it writes; `is_quiet(night)`: whether a clean day is told to nobody."""

    name = "report"

    def __init__(
        self, reporting: Reporting, placing_of: Callable[[Night], Placing], is_quiet: Callable[[Night], bool]
    ) -> None:
        self._reporting, self._placing_of, self._is_quiet = reporting, placing_of, is_quiet

    def run(self, night: Night, progress: Progress) -> Outcome:
        """Raises StoreUnavailable, Refused when the reports cannot be written."""
        progress(0, 2, "gathering the day")
        facts = self._reporting.facts(night, progress)
        found = verdict(facts)
        progress(1, 2, "writing the report")
        placing, stem = self._placing_of(night), REPORTS + facts.day.encode()
        placed = [
            placing.report(stem + b".md", markdown(facts).encode()),
            placing.report(stem + b".html", page(facts).encode()),
        ]
        where = placing.where(stem + b".html")
        result = ReportResult(
            shape=found.shape,
            needs=len(found.needs),
            handled=len(found.handled),
            unknown=len(found.unknown),
            is_urgent=found.is_urgent,
            figures=figures(facts),
            where=where,
        )
        notice = NoticeRecord(
            EventClass.REPORT,
            found.severity,
            title(facts),
            workspace=night.occasion.workspace,
            command=pasted("conductd", "report", "--date", facts.day, "--workspace", facts.workspace),
            detail=chat(facts),
            attachment=(stem + b".html").decode(),
        )
        is_silent = found.shape is Shape.CLEAN and self._is_quiet(night)
        return Outcome(
            _RESULTS[found.shape],
            words(found),
            msgspec.msgpack.encode(result),
            tuple(each.where for each in placed if each.where),
            notices=() if is_silent else (notice,),
        )


def words(found: Verdict) -> str:
    said = [str(found.shape)]
    said += [f"{counted(len(found.needs), 'thing')} to do"] if found.needs else []
    said += [f"{len(found.handled)} handled"] if found.handled else []
    said += [f"{len(found.unknown)} unknown"] if found.unknown else []
    return ", ".join(said)
