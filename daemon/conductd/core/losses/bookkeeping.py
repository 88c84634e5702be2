"""Lines that keep books on the others: how many are open, when something was changed last, where more of it is.

Owns the question whether a line that came is news of its writer's, or only what a line that stood there comes to when
others go: whoever tidies up counts again. Pure; called by `core.losses.older_base`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from conductd.core.losses.pointers import pointer
from conductd.core.losses.recounted import Numbered, numbered
from conductd.core.losses.standins import is_stand_in
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry

_MOST = 1_000  # lines that went; nobody tidies that many
_DIGITS = 6


class Books:
    """The lines that ``went``, against which one that came is held; ``gone`` of them are nowhere in other words."""

    def __init__(self, went: Iterable[Entry], gone: int) -> None:
        self._went, self._gone = tuple(went), gone

    def is_news(self, entry: Entry) -> bool:
        """The entry says something, and keeps no books."""
        if entry.kind is Kind.HEADING or not entry.words or is_stand_in(entry):
            return False
        return not self.keeps(entry)

    def keeps(self, entry: Entry) -> bool:
        """It is a line that went, with another count, date or file in it."""
        if not self._gone or len(self._went) > _MOST:
            return False
        mine = numbered(entry)
        if any(self._is_count(old, mine) for old in self._by_rest.get(mine.rest, ())):
            return True
        label, targets = pointer(entry)
        return bool(targets) and (label in self._labels or not targets.isdisjoint(self._targets))

    @cached_property
    def _by_rest(self) -> dict[tuple[str, ...], list[Numbered]]:
        found: dict[tuple[str, ...], list[Numbered]] = {}
        for line in map(numbered, self._went):
            found.setdefault(line.rest, []).append(line)
        return found

    @cached_property
    def _labels(self) -> frozenset[tuple[str, ...]]:
        return frozenset(line.label for line in map(pointer, self._went) if line.targets and line.label)

    @cached_property
    def _targets(self) -> frozenset[str]:
        return frozenset().union(*(pointer(entry).targets for entry in self._went))

    def _is_count(self, old: Numbered, new: Numbered) -> bool:
        """The same line counted anew, after so many went; or with another date."""
        if len(old.values) != len(new.values):  # "one" and "no" are no numbers
            return {*old.values, *new.values} <= set(map(str, range(self._gone + 2)))
        return all(map(self._is_near, old.values, new.values))

    def _is_near(self, was: str, now: str) -> bool:
        if was == now or ("/" in was and "/" in now):
            return True
        return (
            max(len(was), len(now)) <= _DIGITS
            and was.isdecimal()
            and now.isdecimal()
            and abs(int(was) - int(now)) <= self._gone
        )
