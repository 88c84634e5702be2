"""Which of the lines that belong on the card get on it, when all do not fit: by priority, and fairly. Pure."""

from __future__ import annotations

from conductd.core.bootcard.finding import Section

PIN_SHARE = 0.6  # of the room goes to pins before the others have their turn
_TRIES = 3  # lines of a section in a row that do not fit, before it is done
_ORDER = (Section.ME, Section.TASK, Section.OPEN, Section.CONTINUED, Section.QC, Section.LOADED)


def chosen_lines(costs: dict[Section, list[int]], lines: int, tokens: int) -> list[tuple[Section, int]]:
    """(section, place in it), in the order in which they were taken: pins up to their share, then a line of each other
    section in turn, then the pins that were left. ``costs``: tokens of each line; ``lines``, ``tokens``: the room."""
    room = _Room(costs, lines, tokens)
    kept = 1 - PIN_SHARE if any(costs.get(section) for section in _ORDER) else 0.0
    while room.take(Section.PINNED, lines * kept, tokens * kept):
        pass
    while sum(room.take(section) for section in _ORDER):
        pass
    while room.take(Section.PINNED):
        pass
    return room.taken


class _Room:
    """What is left of the limits while lines are taken."""

    def __init__(self, costs: dict[Section, list[int]], lines: int, tokens: int) -> None:
        self.taken: list[tuple[Section, int]] = []
        self._costs, self._lines, self._tokens = costs, lines, tokens
        self._next, self._failed = dict.fromkeys(Section, 0), dict.fromkeys(Section, 0)

    def take(self, section: Section, least_lines: float = 0.0, least_tokens: float = 0.0) -> bool:
        """Take the next line of a section that fits; False: there is none that may be taken. So many lines and tokens
        must be left."""
        costs = self._costs.get(section, [])
        place = self._next[section]
        if place >= len(costs) or self._failed[section] >= _TRIES or self._lines <= least_lines:
            return False
        if self._tokens - costs[place] < least_tokens:
            if least_tokens:  # it gets its chance when the others had theirs
                return False
            self._failed[section] += 1
        else:
            self._failed[section] = 0
            self._lines -= 1
            self._tokens -= costs[place]
            self.taken.append((section, place))
        self._next[section] += 1
        return True
