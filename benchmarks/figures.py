"""What a benchmark finds: figures with their rounds, their target and what they are compared with. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """``rounds``: one value a round, in ``unit``. ``against``: floor or peer, in words. ``passed`` None: no target."""

    what: str
    rounds: tuple[float, ...]
    unit: str
    target: str = ""
    passed: bool | None = None
    against: str = ""
    ratio: float | None = None
    note: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    @property
    def spread(self) -> str:
        """Lowest to highest round; nothing for a single one."""
        if len(self.rounds) < 2:
            return ""
        return f"{number(min(self.rounds))}–{number(max(self.rounds))}"

    @property
    def result(self) -> str:
        return {True: "pass", False: "miss", None: ""}[self.passed]


def at_most(
    what: str, rounds: Sequence[float], unit: str, limit: float, *, against: str = "", ratio: float | None = None
) -> Figure:
    """A figure whose median must not be above ``limit``."""
    target, passed = f"≤ {number(limit)} {unit}", statistics.median(rounds) <= limit
    return Figure(what, tuple(rounds), unit, target, passed, against, ratio)


def quantile(values: Sequence[float], share: float) -> float:
    """The value that this share (0..1) of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def number(value: float) -> str:
    """Three digits that mean something."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{digits}f}"
