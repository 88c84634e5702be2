"""Who asks: the ancestors of a process and whether a terminal is behind it, from /proc (elsewhere from `ps`).

A decision that weakens protection records this (promise P8). A process can lie about its name, not
about its parents. Of processes that are gone the answer is empty.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable

from conductd.agents.processes import is_agent, package_of, program_of
from conductd.faces import Caller
from conductd.model import Frozen
from conductd.watch import process_table
from conductd.watch.editor_programs import Hosts, editor_program
from conductd.watch.orphans import adopted, kin
from conductd.watch.terminal_holder import holders

HAS_PROC = os.path.isdir("/proc/self")
MAX_DEPTH = 64
_INTERPRETERS = ("node", "python", "bun", "deno", "ruby", "perl", "bash", "sh")
_MAX_CMDLINE = 4_096


class Process(Frozen, frozen=True):
    """``name``: the program, with its script for an interpreter ("node openclaw.mjs"), or the agent's package
    that the script is of ("node claude-code"); never arguments, which may hold secrets.
    ``terminal``: it has a controlling terminal."""

    pid: int
    name: str
    parent: int
    terminal: bool
    terminal_device: int = 0


def ancestry(pid: int) -> list[Process]:
    """The process and its ancestors, nearest first, up to but without init (pid 1)."""
    find = look_up if HAS_PROC else _table()
    chain: list[Process] = []
    while pid > 1 and len(chain) < MAX_DEPTH:
        process = find(pid)
        if process is None or any(known.pid == pid for known in chain):
            break
        chain.append(process)
        pid = process.parent
    return chain


def asker(pid: int) -> Caller:
    """Who is behind a process that asks for something: its ancestors, those of who made its terminal, and, when it
    left its parents behind, whoever is of its session."""
    chain = ancestry(pid)
    made_by = holders(pid, chain[0].terminal_device) if chain and chain[0].terminal_device else []
    makers = [process for holder in made_by for process in ancestry(holder)]
    terminal = bool(chain) and chain[0].terminal
    left = adopted([(process.pid, process.name) for process in chain], terminal) if HAS_PROC else None
    relatives = [process for each in kin(left) for process in ancestry(each)] if left is not None else []
    # Where all of a container is an agent's, it may be its first process.
    first = look_up(1) if HAS_PROC and chain and chain[-1].parent == 1 else None
    others = [*makers, *relatives, *([first] if first is not None else [])]
    names = [name for process in (*chain, *others) for name in names_of(process.pid, process.name)]
    editors = [editor_program(name) for process in chain for name in names_of(process.pid, process.name)]
    return Caller(
        ancestry=shown(chain),
        terminal=terminal,
        is_agent=any(is_agent(name) for name in names)
        or any(editor is not None and editor.hosts is Hosts.DOES for editor in editors),
        editor=next((editor.editor for editor in editors if editor is not None and editor.hosts is Hosts.NO), ""),
        whole=bool(chain) and chain[-1].parent <= 1 and (left is None or terminal),
        agent=next((shown([process])[0] for process in chain if _is_agent(process)), ""),
    )


def _is_agent(process: Process) -> bool:
    return any(is_agent(name) for name in names_of(process.pid, process.name))


def names_of(pid: int, name: str) -> tuple[str, ...]:
    """What a process may be known by: its command line is its own to change, its executable is not."""
    try:
        program = program_of(os.readlink(f"/proc/{pid}/exe").removesuffix(" (deleted)"))
    except OSError:
        program = ""
    return name, program


def shown(chain: list[Process]) -> tuple[str, ...]:
    """As a decision records it: "pid name", nearest first."""
    return tuple(f"{process.pid} {process.name}" for process in chain)


def look_up(pid: int) -> Process | None:
    """One process, or None when it is gone or hidden."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            line = file.read()
    except OSError:
        return None
    fields = parse_stat(line)
    if fields is None:
        return None
    command, parent, terminal = fields
    return Process(pid, _program(pid) or command, parent, terminal != 0, terminal)


def _table() -> Callable[[int], Process | None]:
    rows = process_table.read()

    def find(pid: int) -> Process | None:
        row = rows.get(pid)
        return Process(pid, program_name(row.words), row.parent, row.terminal) if row is not None else None

    return find


def parse_stat(line: bytes) -> tuple[str, int, int] | None:
    """Command, parent pid and terminal (a device number, 0 for none) from a /proc/PID/stat line. The command may
    itself hold spaces and parentheses; the last closing one ends it."""
    start, end = line.find(b"("), line.rfind(b")")
    fields = line[end + 1 :].split()
    if start < 0 or end < start or len(fields) < 5:
        return None
    try:
        return line[start + 1 : end].decode("utf-8", "replace"), int(fields[1]), int(fields[4])
    except ValueError:
        return None


def process_name(pid: int) -> str:
    process = look_up(pid)
    return process.name if process is not None else ""


def _program(pid: int) -> str:
    return program_name([os.fsdecode(word) for word in command_line(pid)])


def command_line(pid: int) -> list[bytes]:
    """The words a process was started with, without empty ones; none when it is gone, hidden or the kernel's."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return [word for word in file.read(_MAX_CMDLINE).split(b"\0") if word]
    except OSError:
        return []


def program_name(words: list[str]) -> str:
    """The name for a command line: its program, and the script when that is an interpreter."""
    if not words:
        return ""
    program = program_of(words[0].split(" ", 1)[0]).lstrip("-")
    if not program.rstrip("0123456789.").endswith(_INTERPRETERS):
        return program
    for before, word in itertools.pairwise(words):
        if before in ("-c", "-e", "--eval", "-p"):
            break
        if before == "-m":
            return f"{program} -m {word}"
        if not word.startswith("-"):
            return f"{program} {package_of(word) or os.path.basename(word)}"
    return program
