"""Gathers what the judge needs to weigh small losses of the last days: the versions that held them.

Reading only; judge thread only. Called where a change has lost something, before it is judged again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

import msgspec

from conductd.core.case import Case, LedgerLine, Neighbour, Text
from conductd.core.judging.charge import trusted_name
from conductd.core.losses.erosion import BASES_KEPT, may_be
from conductd.core.policy import Thresholds
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.gathering.content import Contents
from conductd.errors import ConductdError
from conductd.model import UNKNOWN, Span, Verdict

HELD_BYTES = 8 * 1024 * 1024  # of versions in one case
NEIGHBOURS = 32


class Ledgers:
    """See the module."""

    def __init__(self, state: State, contents: Contents, limits: Thresholds | None = None) -> None:
        self._state, self._contents = state, contents
        self._limits = limits or Thresholds()

    def marks(self, file: FileTrack, writer: str) -> list[Span]:
        """What the file, and others by its writer, lost in small measure lately: it may stand elsewhere by now."""
        lines = [*file.ledger]
        if writer != UNKNOWN.name:
            with self._state.lock:
                others = [other for other in self._state.files_of(file.workspace) if other.id != file.id]
            lines += [line for other in others for line in other.ledger if line.actor == writer]
        return [span for line in lines for span in line.spans]

    def into(self, case: Case, file: FileTrack, first: Verdict | None = None) -> Case:
        """The case with the versions that its ledger speaks of, and with the other files that its writer took
        something from. ``first``: the verdict without them; where it shows that they cannot matter, none is read."""
        if case.baseline is None or (first is not None and (first.booked is None or not first.booked.lost)):
            return case
        writer, at_ns = trusted_name(case.versions[-1].actor), case.versions[-1].at_ns
        neighbours: tuple[Neighbour, ...] = ()
        if writer != UNKNOWN.name:
            neighbours = tuple(self._neighbours(file, writer, first))
        matters = first is None or bool(neighbours) or may_be(file.ledger, first, at_ns, self._limits, case.brought)
        bases = self._bases(file.ledger) if matters else ()
        return msgspec.structs.replace(case, bases=bases, neighbours=neighbours)

    def _neighbours(self, file: FileTrack, writer: str, first: Verdict | None) -> Iterable[Neighbour]:
        with self._state.lock:
            others = [
                (other, mine)
                for other in self._state.files_of(file.workspace)
                if other.id != file.id and (mine := tuple(line for line in other.ledger if line.actor == writer))
            ]
        losing = [(other, mine) for other, mine in others if any(line.spans for line in mine)]
        lost = sum(line.lost for _, mine in losing for line in mine) + sum(line.lost for line in file.ledger)
        booked = first.booked if first is not None else None
        if booked is not None and lost + len(booked.lost) < self._limits.erosion_entries:
            return
        for other, mine in losing[-NEIGHBOURS:]:
            data = self._contents.of(other.head)
            yield Neighbour(other.id, other.path, mine, data, self._bases(mine))

    def _bases(self, ledger: Sequence[LedgerLine]) -> tuple[Text, ...]:
        wanted = dict.fromkeys(line.base_seq for line in reversed(ledger) if line.spans)
        found: list[Text] = []
        room = HELD_BYTES
        for seq in list(wanted)[:BASES_KEPT]:
            try:
                data = self._contents.get(seq)
            except ConductdError:
                continue  # erased or damaged: nothing can be said of what it held
            room -= len(data)
            if room < 0:
                break
            found.append(Text(seq, sha256(data).digest(), data, 0, UNKNOWN))
        return tuple(found)
