"""What came of a report or a recap, as the journal keeps it. Values that do nothing."""

from __future__ import annotations

from conductd.core.report.verdict import Shape
from conductd.model import Frozen


class ReportResult(Frozen, frozen=True):
    """``needs``, ``handled``, ``unknown``: how many. ``figures``: (name, figure), as in every form. ``where``: the
    page, "" for none."""

    shape: Shape
    needs: int = 0
    handled: int = 0
    unknown: int = 0
    is_urgent: bool = False
    figures: tuple[tuple[str, str], ...] = ()
    where: str = ""
    format: int = 1


class RecapResult(Frozen, frozen=True):
    """``known``: days that have a report."""

    week: str
    clean: int
    known: int
    where: str = ""
    format: int = 1
