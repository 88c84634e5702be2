"""Every check of the night, in the order of the page. Pure. docs/qc.md lists them; a test holds the two together."""

from __future__ import annotations

from collections.abc import Collection

from conductd.core.qc import dates, diagnosed, history, pointers, repeated, sizes
from conductd.core.qc.check import Check, asked
from conductd.core.qc.facts import QcFacts
from conductd.core.qc.notes import Given
from conductd.core.qc.results import Finding

ALL: tuple[Check, ...] = (
    *history.CHECKS,
    *diagnosed.CHECKS,
    *dates.CHECKS,
    *repeated.CHECKS,
    *pointers.CHECKS,
    *sizes.CHECKS,
)


def examine(facts: QcFacts, only: Collection[str] | None = None) -> tuple[Finding, ...]:
    """One finding for each check. ``only``: of the checks of these names, None: all."""
    given = Given(facts)
    return tuple(asked(check, given) for check in ALL if only is None or check.name in only)
