"""A person at an editor: a process of that name on a terminal of its own, that nobody's shell started.

The stand-in does what the real editor does to the file system, step by step, where the editor is not
installed; it is a real process all the same. Started by way of a process that ends at once, so that it has
no ancestors but init, as one from a desktop or a login.
"""

from __future__ import annotations

import getpass
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

# Reads the terminal for as long as the editor lives, and is nobody's child itself.
_LAUNCH = """
import fcntl, json, os, pty, sys, termios
how = json.loads(sys.argv[1])
leader, follower = pty.openpty()
if os.fork():
    os._exit(0)
os.setsid()
editor = os.fork()
if editor == 0:
    os.setsid()
    if not how["display"]:
        fcntl.ioctl(follower, termios.TIOCSCTTY, 0)
    for path in how["holds"]:
        os.set_inheritable(os.open(path, os.O_RDWR | os.O_CREAT), True)
    os.chdir(how["directory"])
    for number in (0, 1, 2):
        os.dup2(follower, number)
    os.execve(how["program"], how["words"], how["environment"])
print(editor, flush=True)
os.close(follower)
quiet = os.open(os.devnull, os.O_RDWR)
for number in (0, 1, 2):
    os.dup2(quiet, number)
try:
    while os.read(leader, 65536):
        pass
except OSError:
    pass
os.waitpid(editor, 0)
"""
_WAITS = "import time; time.sleep(900)"
_PATIENCE_S = 20.0


@contextmanager
def running(
    name: str,
    *words: str | Path,
    directory: Path,
    display: str = "",
    holds: Sequence[Path] = (),
    program: str = "",
    does: str = _WAITS,
) -> Iterator[int]:
    """A process that goes by ``name``, started in ``directory`` with ``words`` on its command line; its pid.

    On a terminal of its own, or with a ``display`` and no terminal; with the files of ``holds`` open. It waits
    until the block is left, or ``does`` something in Python; a real ``program`` gets the words alone."""
    stand_in = [name, "-IS", "-c", does, *map(str, words)]
    how = {
        "program": program or sys.executable,
        "words": [name, *map(str, words)] if program else stand_in,
        "directory": str(directory),
        "display": display,
        "holds": [str(path) for path in holds],
        "environment": {"PATH": os.environ.get("PATH", os.defpath), "TERM": "dumb", "HOME": str(directory)}
        | ({"DISPLAY": display} if display else {}),
    }
    command = [sys.executable, "-c", _LAUNCH, json.dumps(how)]
    ran = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert ran.stdout is not None
    with ran.stdout:
        pid = int(ran.stdout.readline())
    ran.wait(_PATIENCE_S)
    try:
        _wait_for(pid, name.encode())
        yield pid
    finally:
        end(pid)


def pid_told_in(file: Path) -> int:
    """The pid that a stand-in writes into a file, once it is there."""
    deadline = time.monotonic() + _PATIENCE_S
    while not (file.exists() and file.read_text()):
        assert time.monotonic() < deadline, f"nothing is told in {file}"
        time.sleep(0.002)
    return int(file.read_text())


def end(pid: int) -> None:
    """End it and wait until it is gone."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    wait_for_end(pid)


def leave_idle(pid: int, for_s: int = 60) -> None:
    """No key has come to its terminal for so long."""
    terminal = f"/proc/{pid}/fd/0"
    seen = os.stat(terminal)
    os.utime(terminal, ns=(seen.st_atime_ns - for_s * 1_000_000_000, seen.st_mtime_ns))


def wait_for_end(pid: int) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while _words(pid):
        assert time.monotonic() < deadline, f"process {pid} does not end"
        time.sleep(0.002)
    # What has ended is listed until its parent, by now the system's first process, takes note of it.
    deadline = time.monotonic() + 2
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:
        time.sleep(0.002)


def swap_file(file: Path) -> Path:
    return file.with_name(f".{file.name}.swp")


def write_swap(file: Path, pid: int, *, modified: bool, host: str = "", version: str = "VIM 9.0") -> None:
    """Block zero of vim's swap file, as vim 9.0 writes it (nano's lock file has the same fields)."""
    header = bytearray(4_096)
    header[0:12] = b"b0" + version.encode().ljust(10, b"\0")
    header[12:16] = (4_096).to_bytes(4, "little")
    header[24:28] = pid.to_bytes(4, "little")
    header[28:68] = getpass.getuser().encode().ljust(40, b"\0")
    header[68:108] = (host or socket.gethostname()).encode().ljust(40, b"\0")
    name = os.fsencode(file)
    header[108 : 108 + len(name)] = name
    header[1_006], header[1_007] = 0x0D, 0x55 if modified else 0
    header[1_008:1_012] = (0x30313233).to_bytes(4, "little")
    with open(swap_file(file), "r+b" if swap_file(file).exists() else "wb") as stream:
        stream.write(header)


@contextmanager
def saving(editor: str, file: Path, pid: int) -> Iterator[None]:
    """The text is changed in the editor, and saved inside the block. Vim's swap file tells both; others leave none."""
    if editor not in ("vim", "nvim"):
        yield
        return
    write_swap(file, pid, modified=True)
    yield
    write_swap(file, pid, modified=False)


def close(file: Path) -> None:
    """The editor is left: its swap file goes, if there is one."""
    swap_file(file).unlink(missing_ok=True)


def _wait_for(pid: int, name: bytes) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while _words(pid)[:1] != [name]:
        assert time.monotonic() < deadline, f"process {pid} does not become {name!r}"
        time.sleep(0.002)


def _words(pid: int) -> list[bytes]:
    try:
        return [word for word in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") if word]
    except OSError:
        return []
