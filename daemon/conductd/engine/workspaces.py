"""The protected directories as live handles: descriptor, lock, roles, modes, watch sets.

Owns one open descriptor per root (which also carries the one-daemon lock). Opening and closing is
the intake's; everybody else asks by workspace id. Never writes into a workspace.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import structlog

from conductd.agents.profiles import GENERIC, known_profiles, profile_named
from conductd.config import Config
from conductd.core.case import Git, Provenance
from conductd.core.globs import any_matches
from conductd.core.losses.conflict_copy import originals
from conductd.core.roles import classify, is_passing
from conductd.engine.answering import notices
from conductd.engine.answering.endings import paid
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.moved import Moved, moved_here
from conductd.engine.recording.recorder import Recorder
from conductd.errors import StoreUnavailable
from conductd.journal.journal import Draft
from conductd.model import FileState, IncidentRecord, Mode, Role, WorkspaceRecord
from conductd.watch.capabilities import Capabilities, probe
from conductd.watch.git import git_state
from conductd.watch.lock import Held, Taken, try_lock
from conductd.watch.reader import observe
from conductd.watch.watched import leaves, watched
from conductd.watch.watchset import WatchSet

log = structlog.get_logger("workspaces")

ROLES_KEPT = 50_000
_ROOT_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Handle:
    """One workspace while the daemon runs. ``fd`` is None while the root is missing."""

    def __init__(self, workspace: str, root: bytes, profile: str) -> None:
        self.id, self.root, self.profile = workspace, root, profile
        self.fd: int | None = None
        self.lock: Held | None = None
        self.locked_by = ""  # another daemon that holds the root
        self.capabilities = Capabilities()
        self.wrote_by = ""  # "swap" or "in place": how a file was written over here last, since the start
        self.roles: dict[bytes, Role | None] = {}
        self.moved_from: bytes | None = None  # its root until a moment ago
        self.searched: WatchSet | None = None  # where what was lost may have been moved to; None: anywhere in it
        self.first = False  # nothing of it is recorded yet
        self.fresh = False  # another directory stands at the root than the one recorded
        self.hashed_ns = 0
        self.offline = True  # the next scan finds what happened while the daemon was down
        self._guard = threading.Lock()

    @contextmanager
    def opened(self) -> Iterator[int | None]:
        """A descriptor of the root that stays open to the end of the block, None while the root is missing.

        For every thread: the intake closes `fd` when the root goes, and its number soon means another directory.
        """
        with self._guard:
            own = None if self.fd is None else os.dup(self.fd)
        try:
            yield own
        finally:
            if own is not None:
                os.close(own)

    def let_go(self) -> None:
        """Close the root and give up its lock."""
        with self._guard:
            fd, self.fd = self.fd, None
        if fd is not None:
            os.close(fd)
        if self.lock is not None:
            self.lock.release()
            self.lock = None


class Workspaces:
    """See the module. Thread-safe for reading; opened and closed on the intake thread."""

    def __init__(
        self, state: State, recorder: Recorder, config: Config, state_dirs: dict[bytes, bytes], *, observe: bool
    ) -> None:
        """`state_dirs`: workspace root → its agent's state directory, where one is known. `observe`: write nowhere."""
        self._observe = observe
        self._state, self._recorder = state, recorder
        self._agent_state = state_dirs
        self.recorded: Callable[[str, bytes], Provenance | None] = lambda _workspace, _path: None  # by an agent itself
        self._lock = threading.RLock()
        self._handles: dict[str, Handle] = {}
        self.config = config
        self.profiles = known_profiles(each.chain() for each in config.agents)
        self.recognise: Callable[[bytes], str] = lambda _: GENERIC.name  # the profile of a directory nobody knows

    def take(self, config: Config, state_dirs: Mapping[bytes, bytes]) -> None:
        """Another configuration is in force: every role, every mode is worked out anew."""
        self.profiles = known_profiles(each.chain() for each in config.agents)
        self.config = config
        self._agent_state.update(state_dirs)
        for handle in self.handles():
            handle.roles = {}

    def handles(self) -> list[Handle]:
        with self._lock:
            return list(self._handles.values())

    def handle(self, workspace: str) -> Handle | None:
        return self._handles.get(workspace)

    # ------------------------------------------------------------------ opening

    def register(self, root: bytes, mode: Mode, profile: str) -> Handle:
        """Bind a root to a workspace id; journaled when new or changed. Raises StoreUnavailable."""
        with self._state.lock:
            track = self._state.workspace_at(root)
        moved = moved_here(self._state, root) if track is None else None
        track = moved.track if moved else track
        if moved is not None and not self._names_profile(root):
            profile = moved.track.profile
        workspace = track.id if track else uuid.uuid4().hex
        handle = self._handles.get(workspace) or Handle(workspace, root, profile)
        handle.moved_from = handle.root if handle.root != root else None
        handle.root = root
        self._take_profile(handle, profile)
        handle.first = track is None or track.files == 0
        device, inode = self._open(handle)
        replaced = bool(track and track.inode and inode and (track.device, track.inode) != (device, inode))
        # What differs in a moved one is looked at as for the first time: never an answer in bytes to a move.
        handle.fresh = bool(moved.differing) if moved else replaced
        found = handle.capabilities.words() if handle.fd is not None else ()
        known = track is not None and moved is None and (track.mode, track.profile) == (mode, profile)
        known = known and track is not None and track.capabilities == (found or track.capabilities)
        if not known or replaced or (track is not None and inode and not track.inode):
            try:
                self._write(handle, mode, device, inode, fresh=handle.fresh, moved=moved)
            except StoreUnavailable:
                handle.let_go()
                raise
        with self._lock:
            self._handles[workspace] = handle
        return handle

    def _take_profile(self, handle: Handle, profile: str) -> None:
        if profile != handle.profile:
            handle.profile, handle.roles = profile, {}
        handle.searched = self.watch_set(handle) if profile_named(profile, self.profiles).home else None

    def _names_profile(self, root: bytes) -> bool:
        table = self.config.workspace(root)
        return table is not None and table.profile is not None

    def _write(
        self, handle: Handle, mode: Mode, device: int, inode: int, *, fresh: bool, moved: Moved | None = None
    ) -> None:
        found = handle.capabilities.words() if handle.fd is not None else ()
        record = WorkspaceRecord(handle.id, handle.root, mode, handle.profile, device, inode, fresh, found)
        offered = () if not fresh else self._not_offered(moved.differing) if moved else self._held_before(handle)
        over = [Draft(each) for each in self._standing_again(moved)] if fresh and moved else []

        def compose(seq: int) -> list[Draft]:
            drafts = [Draft(record)]
            if offered:
                incident = notices.replaced_root(handle.id, offered, moved=moved is not None)
                told = notices.offer(handle.root, incident, seq + 1, moved=moved is not None)
                drafts += [Draft(incident), Draft(told)]
            return drafts + over

        self._recorder.compose(compose)

    def _held_before(self, handle: Handle) -> tuple[tuple[int, int], ...]:
        """(file, version) of what the directory held that stood here before, unless it is offered already."""
        with self._state.lock:
            last = [(file.id, file.baseline) for file in self._state.files_of(handle.id)]
        return self._not_offered([(file, seen.seq) for file, seen in last if seen and seen.state is FileState.FILE])

    def _not_offered(self, held: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        with self._state.lock:
            open_debts = {
                number
                for incident in self._state.incidents.values()
                if incident.record.state == "open"
                for number, _ in incident.record.debt
            }
        return tuple(owed for owed in held if owed[0] not in open_debts)

    def _standing_again(self, moved: Moved) -> list[IncidentRecord]:
        """Incidents whose lost files are in the moved directory as they were."""
        with self._state.lock:
            known = [each for each in self._state.incidents.values() if each.record.state == "open"]
        back = {each.id: {file for file, seq in each.record.debt if (file, seq) in moved.standing} for each in known}
        return [paid(each, *back[each.id]) for each in known if back[each.id]]

    def _open(self, handle: Handle) -> tuple[int, int]:
        self.root_gone(handle)
        try:
            handle.fd = os.open(handle.root, _ROOT_FLAGS)
        except OSError as error:
            log.warning("workspace root cannot be opened", root=handle.root, error=error.strerror)
            return 0, 0
        lock = try_lock(handle.root)
        handle.lock = lock if isinstance(lock, Held) else None
        handle.locked_by = ""
        if isinstance(lock, Taken):
            handle.locked_by = f"process {lock.pid} ({lock.name})" if lock.pid else "another daemon"
        handle.capabilities = probe(handle.root, self.watch_set(handle))
        stat = os.fstat(handle.fd)
        return stat.st_dev, stat.st_ino

    def root_gone(self, handle: Handle) -> None:
        """The root is not at its path any more: let go of it (and of its lock)."""
        handle.let_go()

    def root_back(self, handle: Handle) -> None:
        """A directory stands at the root again; with another inode its baselines start anew."""
        with self._state.lock:
            track = self._state.workspaces[handle.id]
            known, mode = (track.device, track.inode), track.mode
        was_never_there = known == (0, 0)
        if was_never_there and not self._names_profile(handle.root):
            self._take_profile(handle, self.recognise(handle.root))
        device, inode = self._open(handle)
        if handle.fd is not None and known != (device, inode):
            try:
                self._write(handle, mode, device, inode, fresh=True)
            except StoreUnavailable:
                # Reading it as the old one would take over its losses as meant: it stays away until this is recorded.
                handle.let_go()
            else:
                handle.fresh = True

    def lock_again(self, handle: Handle) -> None:
        """The daemon that held the workspace may be gone."""
        if handle.locked_by and handle.fd is not None:
            self._open(handle)

    def is_current(self, handle: Handle) -> bool:
        """Whether the open descriptor is the directory that stands at the root's path now."""
        if handle.fd is None:
            return False
        try:
            there, ours = os.lstat(handle.root), os.fstat(handle.fd)
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

    def remove(self, handle: Handle) -> None:
        """It is not watched any more; what is recorded of it stays."""
        with self._lock:
            self._handles.pop(handle.id, None)
        handle.let_go()

    def settle(self, handle: Handle, mode: Mode, profile: str) -> None:
        """Its mode and profile, journaled where they are others. Raises StoreUnavailable."""
        with self._state.lock:
            track = self._state.workspaces[handle.id]
        self._take_profile(handle, profile)
        if (track.mode, track.profile) != (mode, profile):
            self.set_mode(handle, mode)

    def set_mode(self, handle: Handle, mode: Mode) -> None:
        with self._state.lock:
            track = self._state.workspaces[handle.id]
        self._write(handle, mode, track.device, track.inode, fresh=False)

    def close(self) -> None:
        for handle in self.handles():
            self.root_gone(handle)

    def is_apart(self, outer: bytes, below: bytes) -> bool:
        """Whether what is, or would be, a workspace watches nothing in a directory below it."""
        with self._lock:
            known = next((each.profile for each in self._handles.values() if each.root == outer), None)
        table = self.config.workspace(outer)
        profile = known or (table and table.profile) or self.recognise(outer)
        return leaves(profile_named(profile, self.profiles), table.extra if table else (), below)

    # ------------------------------------------------------------------ asking

    def role(self, workspace: str, path: bytes) -> Role | None:
        """The role of a file, None when it is not protected."""
        handle = self._handles.get(workspace)
        if handle is None:
            return None
        roles = handle.roles  # another one stands there once a role was learned meanwhile
        try:
            return roles[path]
        except KeyError:
            role = self._role(handle, path)
        if len(roles) >= ROLES_KEPT:
            roles.clear()
        if role is not None or not originals(path):  # the file that it is a copy of may come yet
            roles[path] = role
        return role

    def roles_changed(self, workspace: str) -> None:
        """A person said what some files are for: every role is worked out anew."""
        handle = self._handles.get(workspace)
        if handle is not None:
            handle.roles = {}

    def _role(self, handle: Handle, path: bytes) -> Role | None:
        with self._state.lock:
            learned = self._state.decided.role(handle.id, path)
        own = self.config.role(handle.root, path) or learned
        found = classify(path, profile=profile_named(handle.profile, self.profiles).roles)
        if found is None:
            is_extra = not is_passing(path) and self.config.is_extra(handle.root, path)
            return (own or Role.TOPIC) if is_extra else self._role_of_copy(handle, path)
        return own or found

    def _role_of_copy(self, handle: Handle, path: bytes) -> Role | None:
        """A sync client's copy has the role of the file that it is a copy of, if that is or was there."""
        for name in originals(path) if not is_passing(path) else ():
            role = classify(name, profile=profile_named(handle.profile, self.profiles).roles)
            if role is None:
                continue
            with self._state.lock:
                known = self._state.track(handle.id, name) is not None
            if known or _stands(handle, name):
                return self.config.role(handle.root, name) or role
        return None

    def mode(self, file: FileTrack) -> Mode:
        return self.mode_at(file.workspace, file.path)

    def mode_at(self, workspace: str, path: bytes) -> Mode:
        """Of whatever stands, or is to stand, at a path."""
        handle = self._handles.get(workspace)
        track = self._state.workspaces.get(workspace)
        if handle is None or track is None:
            return Mode.OBSERVE
        if handle.locked_by or self._observe:
            return Mode.OBSERVE
        return self.config.file_mode(handle.root, path, track.mode)

    def in_place(self, workspace: str, path: bytes) -> bool:
        return workspace in self._handles and any_matches(self.config.in_place, path)

    def watch_set(self, handle: Handle) -> WatchSet:
        """What the profile keeps memory in, where agents keep rules, and the places of configured extras."""
        table = self.config.workspace(handle.root)
        return watched(profile_named(handle.profile, self.profiles), table.extra if table else ())

    def git(self, workspace: str) -> Git:
        handle = self._handles.get(workspace)
        return git_state(handle.root) if handle else Git()

    def agent_state(self, root: bytes) -> bytes | None:
        """The state directory of the agent that works there, where discovery found one."""
        return self._agent_state.get(root)

    def provenance(self, workspace: str, path: bytes) -> Provenance | None:
        return self.recorded(workspace, path)


def _stands(handle: Handle, path: bytes) -> bool:
    with handle.opened() as root:
        return root is not None and observe(root, path).state is FileState.FILE
