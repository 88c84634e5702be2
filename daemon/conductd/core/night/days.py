"""Local days, in stretches: which were run for, which slept through; written and read. Pure.

A stretch is (first, last), both counted as `date.toordinal` does: a year without a run is one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

Stretch = tuple[int, int]
BETWEEN = ".."


def with_days(stretches: Sequence[Stretch], first: int, last: int) -> list[Stretch]:
    """In order and apart: what touches is one."""
    before = [each for each in stretches if each[1] < first - 1]
    after = [each for each in stretches if each[0] > last + 1]
    touched = [(first, last), *(each for each in stretches if each[1] >= first - 1 and each[0] <= last + 1)]
    return [*before, (min(a for a, _ in touched), max(b for _, b in touched)), *after]


def holds(stretches: Iterable[Stretch], day: int) -> bool:
    return any(first <= day <= last for first, last in stretches)


def last_before(stretches: Iterable[Stretch], day: int) -> int | None:
    """The last day of them that is earlier than this one."""
    return max((min(last, day - 1) for first, last in stretches if first < day), default=None)


def written(stretch: Stretch) -> str:
    """ "2026-03-08", or "2026-03-08..2026-03-11"."""
    first, last = (date.fromordinal(each).isoformat() for each in stretch)
    return first if first == last else first + BETWEEN + last


def parsed(text: str) -> Stretch | None:
    """None: it is not written like that."""
    first, _, last = text.partition(BETWEEN)
    try:
        found = date.fromisoformat(first).toordinal(), date.fromisoformat(last or first).toordinal()
    except ValueError:
        return None
    return found if found[0] <= found[1] else None


def in_words(days: Iterable[str]) -> str:
    """For a person: "2026-03-08, 2026-03-10 to 2026-03-12"."""
    return ", ".join(each.replace(BETWEEN, " to ") for each in days)
