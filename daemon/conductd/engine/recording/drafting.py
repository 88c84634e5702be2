"""What was read of a file, and the version it becomes. Recorder thread, but for the values.

A version is drafted only for what differs from the file's last state; who wrote it is what was
announced, or the daemon itself where a plan of its own says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future

from conductd.engine.fold.attribution import announced
from conductd.engine.fold.forgotten import standing_mark
from conductd.engine.fold.state import State
from conductd.journal.journal import Draft
from conductd.model import DAEMON, UNKNOWN, Actor, Cause, FileState, Frozen, VersionRecord
from conductd.ports import Clock
from conductd.watch.reader import Observation

# Bytes given back after a crash are somebody's change: they are judged.
_CAUSES = {"repair": Cause.REPAIR, "give_back": Cause.CHANGE}


LEASED = 0.9  # how sure it is that whoever has a lease for an editor wrote


class Observed(Frozen, frozen=True):
    """A file was read. ``durable`` is told True once that is recorded, False when it was not at the first try."""

    workspace: str
    path: bytes
    observation: Observation
    cause: Cause = Cause.CHANGE
    swept: bool = False
    coalesced: int = 0
    durable: Future[bool] | None = None
    expected: bool = False  # nothing is there and never was, and that is recorded: a file is about to be made

    @property
    def size(self) -> int:
        """Bytes that it keeps in memory."""
        return len(self.observation.data or b"")


class Drafter:
    """See the module. `touched(file)`: a write left the recorded bytes as they were."""

    def __init__(self, state: State, clock: Clock, touched: Callable[[int], None], key: bytes) -> None:
        self._state, self._clock, self._touched, self._key = state, clock, touched, key

    def versions(self, batch: Sequence[Observed]) -> list[Draft]:
        """A draft for every observation that differs from the file's last state."""
        drafts: list[Draft] = []
        heads: dict[tuple[str, bytes], tuple[int, FileState, bytes | None, bytes | None]] = {}
        with self._state.lock:
            next_file = self._state.next_file
            for observed in batch:
                at = (observed.workspace, observed.path)
                seen, file = observed.observation, self._state.track(*at)
                head = heads.get(at)
                if head is None and file is not None and file.head is not None:
                    head = (file.id, file.head.state, file.head.digest, file.head.link_target)
                if head is None and seen.state is FileState.ABSENT and not observed.expected:
                    continue
                if observed.cause is Cause.SWAPPED_OUT and head is not None:
                    drafts.append(Draft(self._version(observed, head[0], again=True), seen.data, head[0]))
                    continue
                mark = self._state.forgotten.standing.get(file.id) if file is not None and at not in heads else None
                if mark is not None:
                    # It was erased in the journal: as long as the file holds it nobody has written.
                    held = seen.digest or seen.link_target
                    same = held is not None and mark == standing_mark(held, self._key)
                else:
                    same = head is not None and head[1:] == (seen.state, seen.digest, seen.link_target)
                if same:
                    if file is not None:
                        known = file.stat
                        self._state.saw(file, seen.state, seen.stat)
                        # A rescan that reads to be sure is no write: it must not put a waiting repair off.
                        if not observed.swept or known is None or seen.stat is None or known.key != seen.stat.key:
                            self._touched(file.id)
                    continue
                number = head[0] if head else file.id if file else next_file
                next_file = max(next_file, number + 1)
                version = self._version(observed, number, again=at in heads)
                heads[at] = (number, seen.state, seen.digest, seen.link_target)
                drafts.append(Draft(version, seen.data, number))
        return drafts

    def _version(self, observed: Observed, number: int, *, again: bool) -> VersionRecord:
        """`again`: an earlier version of the batch used up what was announced of the file."""
        seen = observed.observation
        cause, actor = observed.cause, None
        plan = self._state.open_plan(number)
        wanted = None if plan is None else (plan[1].target_digest, plan[1].target_link)
        if plan is not None and wanted == (seen.digest, seen.link_target) and seen.state is not FileState.UNREADABLE:
            cause, actor = _CAUSES.get(plan[1].purpose, Cause.RESTORE), DAEMON
        return VersionRecord(
            workspace=observed.workspace,
            file=number,
            path=observed.path,
            state=seen.state,
            cause=cause,
            digest=seen.digest,
            size=seen.size,
            stat=seen.stat,
            link_target=seen.link_target,
            reason=seen.reason,
            actor=actor or self._writer(observed, by_content_only=again or cause is not Cause.CHANGE),
            parents=plan[1].parents if actor and plan else (),
            coalesced=observed.coalesced,
            swept=observed.swept,
        )

    def _writer(self, observed: Observed, *, by_content_only: bool) -> Actor:
        now = self._clock.wall_ns()
        found = announced(
            self._state.evidence,
            observed.workspace,
            observed.path,
            observed.observation.digest,
            now,
            by_content_only=by_content_only,
        )
        lease = self._state.decided.lease(observed.workspace, observed.path, now) if found == UNKNOWN else None
        return Actor(lease.holder, LEASED, ("lease",)) if lease is not None and lease.holder else found
