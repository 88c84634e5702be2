"""How much time has really passed since a record: no single clock is believed (see `core.retention.Moment`).

Reads the journal; keeps how far it read. One thread at a time.
"""

from __future__ import annotations

from conductd.core.retention import Moment, first
from conductd.journal.journal import Journal
from conductd.ports import Clock


class Lived:
    """See the module."""

    def __init__(self, journal: Journal, clock: Clock) -> None:
        self._journal, self._clock = journal, clock
        self._known: dict[int, tuple[int, Moment]] = {}  # by the first record: the last that was read, its moment

    def since(self, number: int) -> int:
        """Nanoseconds that passed since the record ``number``; 0 where neither it nor a later one can be read."""
        upto, moment = self._known.get(number, (number - 1, None))
        for stored in self._journal.replay(upto):
            at = stored.wall_ns, stored.mono_ns
            moment = moment.then(*at) if moment is not None else first(*at)
            self._known[number] = stored.seq, moment
        return 0 if moment is None else moment.then(self._clock.wall_ns(), self._clock.mono_ns()).lived_ns
