"""Which editor saved a file: from what lies beside it, and from the living editor that this leads to.

The intake thread tells of names that editors make; everything else happens on the judge thread. What is
found is an opinion (an `Actor`), recorded by `engine.gathering.witness` before it counts. Times are the file system's.

Only traces around the very write count: somebody may have a file open for days while an agent writes it.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from math import inf
from typing import NamedTuple

from conductd.core.save_patterns import SWAP_HEADER, Kind, Swap, Trace, read_lock, read_swap, trace_of
from conductd.engine.workspaces import Workspaces
from conductd.model import Actor, FileStat
from conductd.watch.editor_programs import Hosts
from conductd.watch.editors import Around, Editor, Tie, has_open, names, swap_owner
from conductd.watch.hints import Hint, HintKind

NEAR_NS = 2_000_000_000  # a trace this close to a write belongs to it
KEPT = 64  # traces of one directory
DIRECTORIES = 1_024
SESSIONS = 1_024
WRITES = 4_096
OPENINGS = 64  # waiting to be looked at

VERIFIED, ALONE, IN_PLACE, MAYBE, FAKEABLE = 0.95, 0.6, 0.85, 0.6, 0.5
DANCE = 0.7  # the old file steps aside, a new one is written, the old one goes: hardly anything but an editor does that

_COMES = frozenset({HintKind.CREATED, HintKind.MODIFIED, HintKind.CLOSED, HintKind.MOVED})
_GOES = frozenset({HintKind.DELETED, HintKind.MOVED_FROM})


class Beside(NamedTuple):
    """A name that an editor made, and what happened to it; ``order`` among all events that were seen."""

    name: bytes
    trace: Trace
    kind: HintKind
    at_ns: int
    cookie: int
    order: int


class Wrote(NamedTuple):
    """A write of a file, by its place among all events. ``cookie``: if the file was moved into place."""

    order: int
    at_ns: int
    cookie: int = 0


class Window(NamedTuple):
    """Where one write of a file lies among all events, between those before and after it: what an editor does lies
    around its own write, not around somebody else's."""

    before: int = 0
    here: int = 0
    after: float = inf
    written_ns: int = 0
    cookie: int = 0


class Session(NamedTuple):
    """A file open in an editor. ``owner``: "vim, process 4711", when a living editor of a person was found
    behind the swap file or lock; "" otherwise."""

    name: bytes
    editor: str
    owner: str


class Editing:
    """See the module. ``wake`` is called from the intake thread when `open_waiting` has something to do."""

    def __init__(self, workspaces: Workspaces, wake: Callable[[], None] = lambda: None) -> None:
        self._workspaces, self.wake = workspaces, wake
        self._lock = threading.Lock()
        self._beside: OrderedDict[tuple[str, bytes], deque[Beside]] = OrderedDict()
        self._writes: OrderedDict[tuple[str, bytes], deque[Wrote]] = OrderedDict()
        self._order = 0
        self._waiting: set[tuple[str, bytes, bytes]] = set()
        self._sessions: OrderedDict[tuple[str, bytes], Session] = OrderedDict()

    # ------------------------------------------------------------------ intake thread

    def saw(self, workspace: str, hint: Hint) -> None:
        """Something happened to a file, protected or not. Cheap for all names but an editor's."""
        if hint.path is None:
            return
        directory, _, name = hint.path.rpartition(b"/")
        trace = trace_of(name)
        if trace is None:
            if hint.kind in (HintKind.CLOSED, HintKind.MOVED):
                self._wrote(workspace, hint.path, hint)
            return
        at_ns = _at_ns(hint)
        with self._lock:
            seen = self._beside.setdefault((workspace, directory), deque(maxlen=KEPT))
            self._beside.move_to_end((workspace, directory))
            self._order += 1
            seen.append(Beside(name, trace, hint.kind, at_ns, hint.cookie, self._order))
            while len(self._beside) > DIRECTORIES:
                self._beside.popitem(last=False)
            if trace.kind not in (Kind.SWAP, Kind.LOCK) or trace.target is None or hint.kind not in _COMES:
                return
            target = _join(directory, trace.target)
            known = self._sessions.get((workspace, target))
            is_known = known is not None and known.name == name and hint.kind is not HintKind.CREATED
            if is_known or len(self._waiting) >= OPENINGS:
                return
            self._waiting.add((workspace, target, name))
        self.wake()

    def _wrote(self, workspace: str, path: bytes, hint: Hint) -> None:
        with self._lock:
            self._order += 1
            self._writes.setdefault((workspace, path), deque(maxlen=8)).append(
                Wrote(self._order, _at_ns(hint), hint.cookie if hint.kind is HintKind.MOVED else 0)
            )
            self._writes.move_to_end((workspace, path))
            while len(self._writes) > WRITES:
                self._writes.popitem(last=False)

    # ------------------------------------------------------------------ judge thread

    def open_waiting(self) -> None:
        """Look at swap files and locks that came: who has the file open, while that can still be asked."""
        with self._lock:
            waiting, self._waiting = self._waiting, set()
        for workspace, target, name in waiting:
            self._open(workspace, target, name)

    def is_known(self, workspace: str, path: bytes) -> bool:
        """Whether anything lies, or lay, beside the file that is worth a closer look."""
        with self._lock:
            return (workspace, path) in self._sessions or (workspace, os.path.dirname(path)) in self._beside

    def writer(self, workspace: str, path: bytes, stat: FileStat) -> Actor | None:
        """Who saved what stands there with ``stat``, by the traces around that write. None: they do not tell."""
        self.open_waiting()
        written_ns = stat.ctime_ns
        near = self._near(workspace, path, written_ns)
        session = self._sessions.get((workspace, path))
        if session is None:
            session = self._open(workspace, path, b".%b.swp" % os.path.basename(path)) or self._open(
                workspace, path, b".#" + os.path.basename(path)
            )
        window = self._window(workspace, path, written_ns)
        pattern = _by_pattern(os.path.basename(path), near, window)
        how = self._saved(workspace, path, session, near, window) if session is not None else ""
        if session is None or not how:
            return pattern
        if session.owner:
            return Actor(f"human:{session.editor}", VERIFIED, (session.owner, how))
        return pattern or Actor(f"human:{session.editor}", FAKEABLE, (f"{how}, but no living editor has it open",))

    @staticmethod
    def in_place(around: Around, named: Actor | None, written_ns: int) -> Actor | None:
        """Who may have saved it, by the editors that are alive. ``named``: what the traces said, if they did.
        ``written_ns``: when it was written."""
        for editor in around.editors:
            words = (f"{editor.editor}, process {editor.pid}", _TIES[editor.tie])
            if named is not None and named.name == f"human:{editor.editor}":
                sure = IN_PLACE if editor.hosts is Hosts.NO else MAYBE
                return Actor(named.name, max(sure, named.confidence), (*named.evidence, *words))
            if named is None and editor.strong and editor.hosts is not Hosts.DOES:
                if not editor.leaves_traces:
                    return _unseen(editor, around, words, written_ns)
                if editor.just_saved:
                    return Actor(
                        f"human:{editor.editor}", VERIFIED, (*words, "its swap file says that it has just saved")
                    )
        notes = [e for e in around.editors if not e.leaves_traces]
        if named is None and notes:
            return Actor(evidence=(f"{notes[0].editor}, process {notes[0].pid}", _TIES[notes[0].tie]))
        return named

    def is_saving(self, workspace: str, path: bytes) -> bool:
        """Whether an editor is between two steps of a save of this file."""
        now = time.time_ns()
        base = os.path.basename(path)
        last: dict[bytes, Beside] = {}
        for each in self._near(workspace, path, now):
            last[each.name] = each
        return any(
            each.kind in _COMES
            and (each.trace.target == base or each.trace.target is None)
            and (each.trace.kind is Kind.TEMP or (each.trace.kind is Kind.BACKUP and each.kind is HintKind.MOVED))
            and self._stands(workspace, path, each.name)
            for each in last.values()
        )

    # ------------------------------------------------------------------ parts

    def _open(self, workspace: str, target: bytes, name: bytes) -> Session | None:
        """The session behind a swap file or lock that stands there."""
        trace = trace_of(name)
        if trace is None:
            return None
        session = None
        if trace.kind is Kind.SWAP and trace.editor == "vim":
            swap = self._swap(workspace, target, name)
            if swap is not None:
                editor = "nano" if "nano" in swap.version else "vim"
                session = self._session(workspace, target, name, editor, swap.pid, swap.host)
        elif trace.kind is Kind.LOCK:
            link = self._link(workspace, target, name)
            lock = read_lock(link) if link is not None else None
            if lock is not None:
                session = self._session(workspace, target, name, trace.editor, lock.pid, lock.host)
        if session is not None:
            with self._lock:
                self._sessions[workspace, target] = session
                while len(self._sessions) > SESSIONS:
                    self._sessions.popitem(last=False)
        return session

    def _session(self, workspace: str, target: bytes, name: bytes, editor: str, pid: int, host: str) -> Session:
        """Who a swap file or lock names. Anybody can write a number: vim must have that very swap file open, nano
        (which does not keep it open) must have been started for the file."""
        owner, handle = swap_owner(pid, host), self._workspaces.handle(workspace)
        if owner is None or handle is None:
            return Session(name, editor, "")
        process, program = owner
        swap = os.path.join(handle.root, os.path.dirname(target), name)
        if editor == "vim" and not has_open(pid, swap):
            return Session(name, editor, "")
        if editor == "nano" and not names(pid, os.path.join(handle.root, target)):
            return Session(name, editor, "")
        where = "on a terminal" if process.terminal else "on a display"
        return Session(name, program.editor, f"{program.editor}, process {pid}, {where}")

    def _saved(self, workspace: str, path: bytes, session: Session, near: list[Beside], window: Window) -> str:
        """What shows that the session's editor made this very write; "" when nothing does."""
        base = os.path.basename(path)
        after = [e for e in near if window.here < e.order < window.after and e.at_ns >= window.written_ns]
        swap = self._swap(workspace, path, session.name)
        if swap is not None:
            if swap.modified:
                return ""  # what is in the editor is not what stands in the file
            if any(each.name == session.name and each.kind in _COMES for each in after):
                return "its swap file says that it has just saved"
        for each in after:
            if each.name == session.name and each.kind in _GOES:
                return "it closed the file right after"
            if each.trace.kind is Kind.TEMP and each.trace.target == base and each.kind in _GOES:
                return "its own copy went right after"
        for each in near:
            if not window.before < each.order <= window.here:
                continue
            if each.trace.kind is Kind.PROBE and each.kind is HintKind.CREATED:
                return "it tried the directory just before"
            if each.trace.kind is Kind.BACKUP and each.trace.target == base and each.kind in _COMES:
                return "it made a backup just before"
        return ""

    def _window(self, workspace: str, path: bytes, written_ns: int) -> Window:
        with self._lock:
            writes = list(self._writes.get((workspace, path), ()))
        here = next((n for n, each in enumerate(writes) if each.at_ns >= written_ns), None)
        if here is None:
            return Window(writes[-1].order if writes else 0, self._order, written_ns=written_ns)
        before = writes[here - 1].order if here else 0
        after = writes[here + 1].order if here + 1 < len(writes) else inf
        return Window(before, writes[here].order, after, written_ns, writes[here].cookie)

    def _near(self, workspace: str, path: bytes, at_ns: int) -> list[Beside]:
        with self._lock:
            seen = self._beside.get((workspace, os.path.dirname(path)), ())
            return [each for each in seen if abs(each.at_ns - at_ns) <= NEAR_NS]

    def _swap(self, workspace: str, target: bytes, name: bytes) -> Swap | None:
        data = self._read(workspace, _join(os.path.dirname(target), name))
        return read_swap(data) if data is not None else None

    def _read(self, workspace: str, path: bytes) -> bytes | None:
        handle = self._workspaces.handle(workspace)
        if handle is None:
            return None
        with handle.opened() as root:
            if root is None:
                return None
            try:
                fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=root)
            except OSError:
                return None
            try:
                return os.read(fd, SWAP_HEADER)
            except OSError:
                return None
            finally:
                os.close(fd)

    def _link(self, workspace: str, target: bytes, name: bytes) -> bytes | None:
        handle = self._workspaces.handle(workspace)
        if handle is None:
            return None
        with handle.opened() as root:
            try:
                return None if root is None else os.readlink(_join(os.path.dirname(target), name), dir_fd=root)
            except OSError:
                return None

    def _mtime_ns(self, workspace: str, target: bytes, name: bytes) -> int | None:
        handle = self._workspaces.handle(workspace)
        if handle is None:
            return None
        with handle.opened() as root:
            try:
                at = _join(os.path.dirname(target), name)
                return None if root is None else os.lstat(at, dir_fd=root).st_mtime_ns
            except OSError:
                return None

    def _stands(self, workspace: str, target: bytes, name: bytes) -> bool:
        return self._mtime_ns(workspace, target, name) is not None


def _by_pattern(base: bytes, near: list[Beside], window: Window) -> Actor | None:
    """A way of saving that editors have and hardly anybody else, without a look at who did it."""
    aside = False
    for each in near:
        trace = each.trace
        if not window.before < each.order < window.after:
            continue
        if window.cookie and each.cookie == window.cookie and each.kind is HintKind.MOVED_FROM and trace.editor:
            return Actor(f"human:{trace.editor}", ALONE, (f"moved into place as {trace.editor} does",))
        if trace.target != base:
            continue
        if trace.kind is Kind.BACKUP and not trace.editor:
            aside = aside or (each.kind is HintKind.MOVED and each.order <= window.here)
            if aside and each.kind is HintKind.DELETED:
                return Actor("human:vim", DANCE, ("saved by way of a backup, as vim does",))
        elif trace.editor not in ("", "vim") and trace.kind is not Kind.LOCK and each.kind in _GOES:
            # A swap file of vim's that holds no header says nothing.
            return Actor(f"human:{trace.editor}", ALONE, (f"saved as {trace.editor} does",))
    return None


def _at_ns(hint: Hint) -> int:
    """When a hint's event was read, by the clock of the file system."""
    return time.time_ns() - max(0, time.monotonic_ns() - hint.mono_ns)


_TIES = {
    Tie.SWAP: "it has the file open",
    Tie.OPEN: "it has the file open",
    Tie.ARGUMENT: "it was started for this file",
    Tie.DIRECTORY: "it was started in or for the workspace",
}


def _unseen(editor: Editor, around: Around, words: tuple[str, str], written_ns: int) -> Actor:
    """An editor that saves in place leaves no trace: believed when somebody was at it in that moment, unless an agent
    is about that could have written. A file may be open for days while others write it."""
    if around.agents:
        pid, name = around.agents[0]
        return Actor(f"human:{editor.editor}", MAYBE, (*words, f"but {name}, process {pid}, is at work here too"))
    if not editor.typed(written_ns):
        return Actor(f"human:{editor.editor}", MAYBE, (*words, "but nothing shows that anybody was at it just then"))
    return Actor(f"human:{editor.editor}", IN_PLACE, words)


def _join(directory: bytes, name: bytes) -> bytes:
    return directory + b"/" + name if directory else name
