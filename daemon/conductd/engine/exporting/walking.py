"""Every recorded version with its bytes, oldest first, as anybody may see them: what is forgotten is left out."""

from __future__ import annotations

import os
from collections.abc import Iterator

from conductd.engine.fold.state import State
from conductd.engine.forgetting.veil import Veil
from conductd.engine.gathering.content import Contents
from conductd.errors import ConductdError, NotFound
from conductd.journal.journal import Journal
from conductd.model import Cause, ChangeRecord, FileState, Frozen, VersionRecord


class Exported(Frozen, frozen=True):
    """``place``: the path in what is exported, the workspace's name first where there are several. ``data``: None for
    a path at which nothing stood. ``verdict``: "class, action" where it was judged."""

    seq: int
    wall_ns: int
    place: bytes
    data: bytes | None
    version: VersionRecord
    verdict: str = ""


class LeftOut(Frozen, frozen=True):
    """A version that cannot be given away: its sequence and why."""

    seq: int
    wall_ns: int
    place: bytes
    why: str


class Walk:
    """One reading of the journal. ``workspace``: an id, a root, or None for all of them."""

    def __init__(self, journal: Journal, state: State, workspace: str | None) -> None:
        self._journal, self._state = journal, state
        self._contents = Contents(journal, Veil(state, journal.key))
        self.names = names(state, workspace)

    def __iter__(self) -> Iterator[Exported | LeftOut]:
        verdicts = self._verdicts()
        for stored in self._journal.replay():
            record = stored.record
            if not isinstance(record, VersionRecord) or record.workspace not in self.names:
                continue
            if record.cause is Cause.SWAPPED_OUT:
                continue  # it never stood there afterwards; who wrote it has a version of that write
            place = os.path.join(self.names[record.workspace], record.path)
            if record.state is FileState.ABSENT:
                data = None
            elif record.state is FileState.FILE:
                try:
                    data = self._contents.get(stored.seq)
                except ConductdError as error:
                    yield LeftOut(stored.seq, stored.wall_ns, place, error.message)
                    continue
            else:
                yield LeftOut(
                    stored.seq, stored.wall_ns, place, f"it was no file that could be read ({record.state.value})"
                )
                continue
            yield Exported(stored.seq, stored.wall_ns, place, data, record, verdicts.get(stored.seq, ""))

    def _verdicts(self) -> dict[int, str]:
        found: dict[int, str] = {}
        for stored in self._journal.replay():
            record = stored.record
            if isinstance(record, ChangeRecord) and record.workspace in self.names:
                found[record.version_seq] = f"{record.verdict.event_class.value}, {record.verdict.action.value}"
        return found


def names(state: State, workspace: str | None) -> dict[str, bytes]:
    """The directory of each workspace in an export; "" where there is only one. Raises NotFound."""
    wanted = os.fsencode(os.path.realpath(workspace)) if workspace else b""
    chosen = [w for w in state.workspaces.values() if not workspace or w.id == workspace or w.root == wanted]
    if not chosen:
        raise NotFound(
            f"there is no workspace {workspace}" if workspace else "nothing is recorded yet", "conductd status"
        )
    if len(chosen) == 1:
        return {chosen[0].id: b""}
    found: dict[str, bytes] = {}
    for each in sorted(chosen, key=lambda w: w.root):
        name = base = os.path.basename(each.root) or b"root"
        number = 1
        while name in found.values():
            number += 1
            name = b"%s-%d" % (base, number)
        found[each.id] = name
    return found
