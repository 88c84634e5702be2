"""What OpenClaw makes of bytes that stand in a protected file, or would: whether it leaves the file out of the prompt.

Any thread. Reads OpenClaw's record, once for every state of its database; decides nothing. What it means is
`core.provenance`'s. No agent but OpenClaw has such a gate.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from conductd.agents.openclaw_gate import Place, gated_files, known_version, place_of, said_at
from conductd.agents.profiles import profile_named
from conductd.agents.provenance import UNREADABLE, database_of, records
from conductd.core.case import Provenance
from conductd.core.load.openclaw_versions import Version, reading
from conductd.core.provenance import (
    UNKNOWN,
    Effect,
    Looked,
    Standing,
    effect,
    effect_of_digest,
    is_gated,
    written,
)
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.workspaces import Handle, Workspaces
from conductd.model import FileState
from conductd.ports import Clock

PLACES_NS = 60_000_000_000  # so long a configuration and an installed release are taken as they were
UNKNOWN_NS = 5_000_000_000  # so long a database that cannot be read is not tried again

SECOND_NS = 1_000_000_000
FRESH_NS = 100_000_000  # what a clock tick of a kernel leaves open, ten times over
COARSE_NS = 2_000_000_000  # where times are whole seconds, or every second one (FAT)

Stamp = tuple[tuple[int, int, int] | None, ...]


class Known(NamedTuple):
    """Of one workspace. ``is_openclaw`` False: another agent's, which has no gate."""

    is_openclaw: bool
    place: Place = Place()
    version: Version | None = None


class Gate:
    """See the module."""

    def __init__(
        self,
        state: State,
        workspaces: Workspaces,
        environ: Mapping[str, str],
        clock: Clock,
    ) -> None:
        self._state, self._workspaces = state, workspaces
        self._environ, self._clock = environ, clock
        self._home = environ.get("HOME") or os.path.expanduser("~")
        self._lock = threading.Lock()
        self._places: dict[bytes, tuple[int, Known]] = {}
        self._looked: dict[tuple[bytes, bytes], tuple[Stamp, int, Looked]] = {}

    # ------------------------------------------------------------------ of bytes

    def effect(self, file: FileTrack, data: bytes | None) -> Effect:
        """What these bytes in the file mean; None: the file is gone."""
        found = self._of(file)
        return Effect.NO_GATE if found is None else effect(file.path, found[1], found[0].version, data)

    def of_digest(self, file: FileTrack, digest: bytes | None) -> Effect:
        found = self._of(file)
        return Effect.NO_GATE if found is None else effect_of_digest(file.path, found[1], found[0].version, digest)

    def of_offer(self, file: FileTrack, digest: bytes | None, added: int) -> Effect:
        """What is offered: a version (its digest), with what else stands in the file now (``added`` entries)."""
        found = self.of_digest(file, digest)
        # With more in it than the version that the agent wrote, it is not the version that the agent wrote.
        looked = self._of(file)
        is_recorded = looked is not None and looked[1].record is not None
        return Effect.TAINTS if found is Effect.NEUTRAL and is_recorded and added else found

    def words(self, file: FileTrack, found: Effect | str) -> str:
        """One phrase about a write with this effect; "" when there is nothing to say."""
        known = self._of(file)
        if known is None or not found:
            return ""
        what, looked = Effect(found), known[1]
        if self._is_idle(known[0], what) or (what is Effect.NEUTRAL and looked.record is None):
            return ""
        return written(what, looked.record, _at(looked))

    def provenance(self, workspace: str, path: bytes) -> Provenance | None:
        """The record for a judgement; `UNREADABLE` where there may be one, None where there is none, or nobody could
        keep one."""
        found = self._found_of(workspace, path)
        if found is None:
            return None
        known, looked = found
        if looked.record is not None:
            return Provenance(looked.record.origin_class, looked.record.digest)
        has_gate = known.version is None or reading(known.version).has_provenance
        return UNREADABLE if has_gate and not looked.is_known else None

    # ------------------------------------------------------------------ of what stands there

    def standings(self) -> Iterator[tuple[Handle, Standing]]:
        """Every file of which there is something to say, as it was recorded last."""
        for handle in self._workspaces.handles():
            known = self._known(handle)
            if not known.is_openclaw:
                continue
            for path, looked in self._looks(handle.root, known, gated_files(handle.root)).items():
                found = self._standing(handle, known, path, looked)
                if found is not None and found.said and not self._is_idle(known, found.effect):
                    yield handle, found

    def _standing(self, handle: Handle, known: Known, path: bytes, looked: Looked) -> Standing | None:
        with self._state.lock:
            track = self._state.track(handle.id, path)
            head = track.head if track is not None else None
        is_there = head is not None and head.state is not FileState.ABSENT
        looked = _as_known(known, looked)
        if not is_there and looked.record is None:
            return None
        digest = head.digest if head is not None and head.state is FileState.FILE else None
        found = effect_of_digest(path, looked, known.version, digest)
        if is_there and digest is None and looked.record is not None and found is not Effect.UNTRUSTED_ALREADY:
            found = Effect.UNKNOWN
        return Standing(path, found, looked.record, _at(looked), is_there, looked.is_known)

    # ------------------------------------------------------------------ looking

    def _of(self, file: FileTrack) -> tuple[Known, Looked] | None:
        found = self._found_of(file.workspace, file.path)
        return None if found is None else (found[0], _as_known(found[0], found[1]))

    def _found_of(self, workspace: str, path: bytes) -> tuple[Known, Looked] | None:
        handle = self._workspaces.handle(workspace) if is_gated(path) else None
        known = self._known(handle) if handle is not None else None
        if handle is None or known is None or not known.is_openclaw:
            return None
        return known, self._looks(handle.root, known, (path,))[path]

    def _known(self, handle: Handle) -> Known:
        now = self._clock.mono_ns()
        with self._lock:
            kept = self._places.get(handle.root)
        if kept is not None and now - kept[0] < PLACES_NS:
            return kept[1]
        known = self._found(handle)
        with self._lock:
            self._places[handle.root] = now, known
        return known

    def _found(self, handle: Handle) -> Known:
        table = self._workspaces.config.workspace(handle.root)
        own = self._workspaces.agent_state(handle.root)
        named = [each.partition("@") for each in table.agents] if table is not None else []
        release = next((version for name, _, version in named if name == "openclaw" and version), "")
        release = release or (table.agent_version if table is not None else "")
        profile = profile_named(handle.profile, self._workspaces.profiles)
        is_openclaw = any(name == "openclaw" for name, _, _ in named) if named else profile.loader == "openclaw"
        if not is_openclaw and (named or own is None):
            return Known(is_openclaw=False)
        place = Place(own) if own is not None else place_of(handle.root, self._environ, self._home)
        return Known(True, place, known_version(release, self._environ))

    def _looks(self, root: bytes, known: Known, paths: Sequence[bytes]) -> dict[bytes, Looked]:
        """The records, from memory while the database is the same; else the database is opened once for all of the
        workspace."""
        if known.place.state_dir is None:
            return dict.fromkeys(paths, Looked())
        stamp, now = _stamp(known.place), self._clock.mono_ns()
        with self._lock:
            kept = {path: self._looked.get((root, path)) for path in paths}
        found = {
            path: each[2]
            for path, each in kept.items()
            if each is not None and each[0] == stamp and (each[2].is_known or now - each[1] < UNKNOWN_NS)
        }
        if len(found) < len(kept):
            found = records(known.place.state_dir, root, tuple(dict.fromkeys((*paths, *gated_files(root)))))
            if not _is_fresh(stamp):
                with self._lock:
                    self._looked.update(((root, path), (stamp, now, each)) for path, each in found.items())
        return {path: found[path] for path in paths}

    @staticmethod
    def _is_idle(known: Known, found: Effect) -> bool:
        """Not known, and nothing on this machine says that there is a gate at all: it is in the data, and disturbs
        nobody."""
        if found is not Effect.UNKNOWN or (known.version is not None and reading(known.version).has_provenance):
            return False
        return known.place.state_dir is None or not os.path.exists(database_of(known.place.state_dir))


def _as_known(known: Known, looked: Looked) -> Looked:
    """That there is no record says nothing where it may be kept elsewhere."""
    is_elsewhere = known.place.state_dir is None or not known.place.is_sure
    return UNKNOWN if is_elsewhere and looked.record is None else looked


def _is_fresh(stamp: Stamp) -> bool:
    """Written so lately that another write might leave the same stamp."""
    newest = max((each[2] for each in stamp if each is not None), default=0)
    return newest > time.time_ns() - (COARSE_NS if newest % SECOND_NS == 0 else FRESH_NS)


def _at(looked: Looked) -> str:
    return said_at(looked.record.at_ms) if looked.record is not None else ""


def _stamp(place: Place) -> Stamp:
    if place.state_dir is None:
        return ()
    database = database_of(place.state_dir)
    return tuple(_identity(database + suffix) for suffix in ("", "-wal", "-journal"))


def _identity(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
