"""The report of a day as the faces ask for it: the one that is kept, else one made now and not kept. Any thread."""

from __future__ import annotations

from datetime import date

import msgspec

from conductd.core.night.facts import Occasion
from conductd.core.report.facts import figures
from conductd.core.report.html import page
from conductd.core.report.markdown import markdown
from conductd.core.report.verdict import verdict
from conductd.engine.health.overview import Parts
from conductd.engine.jobs.gathering import Gathering
from conductd.engine.jobs.report import REPORTS
from conductd.engine.jobs.reporting import Reporting
from conductd.engine.jobs.reports import Reports
from conductd.views import ReportView, b64, shown


class ReportAsked:
    """See the module."""

    def __init__(self, parts: Parts, gathering: Gathering) -> None:
        self._, self._gathering = parts, gathering
        self._reporting = Reporting(parts)

    def report(self, occasion: Occasion, *, is_named: bool) -> ReportView:
        """``is_named``: a person named the day; else the last that is kept is taken. Raises NotFound: the workspace
        is not there, and nothing is kept."""
        reports = Reports(self._.state_dir, occasion.workspace)
        last = occasion.day if is_named else _last(reports) or occasion.day
        wanted = msgspec.structs.replace(occasion, day=last)
        return self._kept(reports, wanted) or self._made(wanted)

    def _kept(self, reports: Reports, occasion: Occasion) -> ReportView | None:
        stem = REPORTS + occasion.day.isoformat().encode()
        text, html = reports.get(stem + b".md"), reports.get(stem + b".html")
        if text is None or html is None:
            return None
        found = self._reporting.result(occasion)
        return ReportView(
            workspace=occasion.workspace,
            root=shown(occasion.root),
            root_b64=b64(occasion.root),
            day=occasion.day.isoformat(),
            kept=True,
            shape=found.shape if found is not None else "",
            figures=dict(found.figures) if found is not None else {},
            markdown=text.decode("utf-8", "replace"),
            html=html.decode("utf-8", "replace"),
            where=shown(reports.path + b"/" + stem + b".html"),
        )

    def _made(self, occasion: Occasion) -> ReportView:
        facts = self._reporting.facts(self._gathering.night(occasion))
        return ReportView(
            workspace=occasion.workspace,
            root=shown(occasion.root),
            root_b64=b64(occasion.root),
            day=facts.day,
            kept=False,
            shape=verdict(facts).shape,
            figures=dict(figures(facts)),
            markdown=markdown(facts),
            html=page(facts),
            where="",
        )


def _last(reports: Reports) -> date | None:
    days = []
    for name, _ in reports.all():
        if name.startswith(REPORTS):
            try:
                days.append(date.fromisoformat(name[len(REPORTS) : -len(b".md")].decode("ascii", "replace")))
            except ValueError:
                continue
    return max(days, default=None)
