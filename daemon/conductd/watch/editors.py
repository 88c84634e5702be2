"""Which living editors may have written a file, and which agents are about, from /proc.

Reads command lines, working directories and open files of processes of our own user; signals none, and
keeps no argument. Elsewhere than on Linux nothing is found. Judge thread only, when a loss is about to be
answered or an editor's swap file came: a look costs a few milliseconds.
"""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from urllib.parse import unquote_to_bytes

from msgspec.structs import replace

from conductd.agents.processes import is_agent
from conductd.core.save_patterns import SWAP_HEADER, read_swap
from conductd.model import Frozen
from conductd.watch.ancestry import Process, ancestry, command_line, program_name
from conductd.watch.editor_programs import Hosts, Program, editor_program

MOST_PROCESSES = 4_096
MOST_FILES = 1_024
AT_ONCE_NS = 500_000_000
TICK_NS = 20_000_000  # file systems tell time in ticks
TYPED_NS = 9_000_000_000  # the kernel tells of a terminal's last key in steps of 8 s
_ENVIRON = 128 * 1_024
_TERMINALS = frozenset({4, *range(136, 144)})  # device numbers of consoles and pseudo-terminals
_DISPLAYS = (b"DISPLAY=", b"WAYLAND_DISPLAY=")


class Tie(StrEnum):
    """What ties an editor to a file, the strongest first."""

    SWAP = "swap"  # it keeps its swap file open
    OPEN = "open"  # it has the file itself open
    ARGUMENT = "argument"  # it was started for the file
    DIRECTORY = "directory"  # it was started in, or for, a directory that holds the file


_TIES = tuple(Tie)


class Editor(Frozen, frozen=True):
    """A living editor that a person may sit at. ``leaves_traces``: a save of its would have left something beside the
    file. ``just_saved``: its swap file, wherever it is, says so. ``typed_ns``: when it last read a key from its
    terminal, or opened it; 0 where that is not told."""

    pid: int
    editor: str
    hosts: Hosts
    tie: Tie
    leaves_traces: bool = False
    just_saved: bool = False
    typed_ns: int = 0

    def typed(self, written_ns: int) -> bool:
        """Whether somebody was at it when a file was written: who saves has pressed a key for it."""
        return self.typed_ns > written_ns - TYPED_NS

    @property
    def strong(self) -> bool:
        return self.tie is not Tie.DIRECTORY


class Around(Frozen, frozen=True):
    """``editors``: strongest tie first. ``agents``: pid and name of known agents at work in, above or below
    the workspace, or nobody knows where."""

    editors: tuple[Editor, ...] = ()
    agents: tuple[tuple[int, str], ...] = ()

    def joined(self, later: Around) -> Around:
        """With what a later look at the same write found: it may add and raise, never take back. Whoever was there
        when the write came may be gone by then."""
        best: dict[int, Editor] = {}
        for editor in (*self.editors, *later.editors):
            known = best.get(editor.pid)
            if known is None or (editor.just_saved, -_TIES.index(editor.tie)) > (
                known.just_saved,
                -_TIES.index(known.tie),
            ):
                # Keys that came after the first look are not what saved.
                best[editor.pid] = editor if known is None else replace(editor, typed_ns=known.typed_ns)
        return Around(_by_tie(best.values()), tuple(sorted({*self.agents, *later.agents})))


class Known(Frozen, frozen=True):
    """A process of our user that is an editor (``program``) or an agent (``agent`` is its name)."""

    pid: int
    words: tuple[bytes, ...]
    program: Program | None = None
    agent: str = ""


class Processes(Frozen, frozen=True):
    """The processes of our user at a moment, and what is known of the editors and agents among them."""

    pids: frozenset[int] = frozenset()
    known: tuple[Known, ...] = ()


def processes(before: Processes | None = None) -> Processes:
    """Look at every process of our user once; those of a look just before are not looked at again."""
    looked = before or Processes()
    pids = frozenset(own_processes())
    found = [each for each in looked.known if each.pid in pids]
    for pid in sorted(pids - looked.pids):
        words = tuple(command_line(pid))
        name = program_name([os.fsdecode(word) for word in words])
        program = editor_program(name)
        if is_agent(name):
            found.append(Known(pid, words, agent=name))
        elif program is not None:
            found.append(Known(pid, words, program))
    return Processes(pids, tuple(found))


def around(root: bytes, path: bytes, known: tuple[Known, ...]) -> Around:
    """Which of the processes may have to do with a file. ``path`` is below ``root`` (absolute)."""
    file = os.path.join(root, path)
    editors: list[Editor] = []
    agents: list[tuple[int, str]] = []
    for process in known:
        if process.program is None:
            if _is_near(_link(process.pid, b"cwd"), root):
                agents.append((process.pid, process.agent))
            continue
        tied = _tie(process.pid, process.words, file, root)
        if tied is not None and is_a_persons(process.pid):
            program, (tie, swap) = process.program, tied
            saved = swap is not None and _says_saved(swap, file)
            typed_ns = _typed_ns(process.pid)
            editors.append(Editor(process.pid, program.editor, program.hosts, tie, program.traces, saved, typed_ns))
    return Around(_by_tie(editors), tuple(sorted(agents)))


def _typed_ns(pid: int) -> int:
    """When the terminal of a process was last read, which is when a key came; 0 without a terminal."""
    for number in range(3):
        try:
            seen = os.stat(f"/proc/{pid}/fd/{number}")
        except OSError:
            continue
        if stat.S_ISCHR(seen.st_mode) and os.major(seen.st_rdev) in _TERMINALS:
            return seen.st_atime_ns
    return 0


def _by_tie(editors: Iterable[Editor]) -> tuple[Editor, ...]:
    return tuple(sorted(editors, key=lambda e: (_TIES.index(e.tie), e.pid)))


def swap_owner(pid: int, host: str) -> tuple[Process, Program] | None:
    """The living editor that a swap file or lock link names: on this host, of our user, an editor by its program,
    a person's. None when any of it is not so."""
    if host != socket.gethostname() or not _is_own(pid):
        return None
    chain = ancestry(pid)
    program = editor_program(chain[0].name) if chain else None
    return (chain[0], program) if program is not None and is_a_persons(pid) else None


def has_open(pid: int, path: bytes) -> bool:
    return path in _open_files(pid)


def names(pid: int, path: bytes) -> bool:
    """Whether a process was started for this file."""
    cwd = _link(pid, b"cwd")
    return any(_named(word, cwd) == path for word in command_line(pid)[1:])


def is_a_persons(pid: int) -> bool:
    """On a terminal or a display, and no known agent started it."""
    chain = ancestry(pid)
    if not chain or any(is_agent(process.name) for process in chain):
        return False
    return chain[0].terminal or has_display(pid)


def has_display(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return any(word.startswith(_DISPLAYS) for word in file.read(_ENVIRON).split(b"\0"))
    except OSError:
        return False


def own_processes() -> Iterator[int]:
    """Pids of our user, newest numbers first, at most `MOST_PROCESSES`; without our own."""
    try:
        names = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return
    for pid in sorted(names, reverse=True)[:MOST_PROCESSES]:
        if pid != os.getpid() and _is_own(pid):
            yield pid


def _is_own(pid: int) -> bool:
    try:
        return pid > 1 and os.stat(f"/proc/{pid}").st_uid == os.geteuid()
    except OSError:
        return False


def _tie(pid: int, words: Sequence[bytes], file: bytes, root: bytes) -> tuple[Tie, bytes | None] | None:
    opened = list(_open_files(pid))
    swap = next((each for each in opened if is_swap_of(each, file)), None)
    if swap is not None:
        return Tie.SWAP, swap
    if file in opened:
        return Tie.OPEN, None
    cwd = _link(pid, b"cwd")
    named = {_named(word, cwd) for word in words[1:]}
    if file in named:
        return Tie.ARGUMENT, None
    if any(_holds(place, file) and _reaches(place, root) for place in (*named, cwd) if place is not None):
        return Tie.DIRECTORY, None
    return None


def _says_saved(swap: bytes, file: bytes) -> bool:
    """Vim marks its swap file as unchanged in the moment in which it has saved the file."""
    try:
        fd = os.open(swap, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)  # whatever lies there by now
        try:
            header = read_swap(os.read(fd, SWAP_HEADER))
        finally:
            os.close(fd)
        since_ns = os.stat(swap).st_mtime_ns - os.lstat(file).st_ctime_ns
    except OSError:
        return False
    return header is not None and not header.modified and -TICK_NS <= since_ns <= AT_ONCE_NS


def is_swap_of(name: bytes, file: bytes) -> bool:
    """Whether an open file is the swap file of ``file``: beside it, or in a directory of swap files, where the whole
    path is the name with ``%`` for every slash."""
    directory, _, base = name.rpartition(b"/")
    stem, _, ending = base.rpartition(b".")
    if len(ending) != len(b"swp") or not ending.startswith(b"s"):
        return False
    beside = directory == os.path.dirname(file) and stem == b"." + os.path.basename(file)
    return beside or stem == file.replace(b"/", b"%")


def _open_files(pid: int) -> Iterator[bytes]:
    try:
        numbers = os.listdir(b"/proc/%d/fd" % pid)
    except OSError:
        return
    for number in numbers[:MOST_FILES]:
        target = _link(pid, b"fd/" + number)
        if target is not None and target.startswith(b"/"):
            yield target


def _link(pid: int, name: bytes) -> bytes | None:
    try:
        return os.readlink(b"/proc/%d/%s" % (pid, name))
    except OSError:
        return None


def _named(word: bytes, cwd: bytes | None) -> bytes | None:
    """The path that a word of a command line names, if it is one."""
    if word.startswith(b"file://"):
        word = unquote_to_bytes(word[len(b"file://") :])
    if not word or word.startswith((b"-", b"+")):
        return None
    if not word.startswith(b"/"):
        if cwd is None:
            return None
        word = os.path.join(cwd, word)
    return os.path.normpath(word)


def _holds(place: bytes, file: bytes) -> bool:
    return file.startswith(place.rstrip(b"/") + b"/")


def _reaches(place: bytes, root: bytes) -> bool:
    """The workspace or a directory in it; not just some directory far above."""
    return place == root or _holds(root, place)


def _is_near(cwd: bytes | None, root: bytes) -> bool:
    return cwd is None or cwd == root or _holds(root, cwd) or _holds(cwd, root)
