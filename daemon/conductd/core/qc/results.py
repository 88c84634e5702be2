"""What the checks of a night said, as the journal keeps it and the report takes it up. Values that do nothing."""

from __future__ import annotations

from enum import StrEnum

from conductd.model import Frozen


class Grade(StrEnum):
    """From the best to the worst. ``UNKNOWN``: the data is missing; never a silent pass."""

    PASS = "pass"  # noqa: S105 - a grade
    UNKNOWN = "unknown"
    WARN = "warn"
    FAIL = "fail"


class Finding(Frozen, frozen=True):
    """What one check said. ``check``: its name in docs/qc.md. ``words``: one sentence, names and counts. ``evidence``:
    the places, at most a dozen lines, each "file:line …" or a figure; text of files is in none of it, for the journal
    keeps it. ``fix``: the one command or act that helps; "" when nothing is wrong."""

    check: str
    grade: Grade
    words: str
    evidence: tuple[str, ...] = ()
    fix: str = ""
    fixed: str = ""  # what was done about it by itself, and the undo


class QcResult(Frozen, frozen=True):
    """``findings`` in the order of the page. ``where``: the log that was written."""

    format: int = 1
    findings: tuple[Finding, ...] = ()
    where: str = ""
    why: str = ""

    def count(self, grade: Grade) -> int:
        return sum(1 for each in self.findings if each.grade is grade)

    @property
    def worst(self) -> Grade:
        """Of no findings nobody knows anything."""
        order = list(Grade)
        return max((each.grade for each in self.findings), key=order.index, default=Grade.UNKNOWN)
