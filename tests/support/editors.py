"""A person at an editor: a process of that name on a terminal of its own, that nobody's shell started.

The stand-in does what the real editor does to the file system, step by step, where the editor is not
installed; it is a real process all the same. Started by way of a process that ends at once, so that it has
no ancestors but init, as one from a desktop or a login.
"""

from __future__ import annotations

import getpass
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LAUNCH = """
import fcntl, os, pty, sys, termios
name, directory, display, *words = sys.argv[1:]
leader, follower = pty.openpty()
if os.fork():
    os._exit(0)
os.setsid()
if not display:
    fcntl.ioctl(follower, termios.TIOCSCTTY, 0)
os.set_inheritable(leader, True)
os.chdir(directory)
print(os.getpid(), flush=True)
os.dup2(follower, 0); os.dup2(follower, 1); os.dup2(follower, 2)
environment = {"PATH": os.environ.get("PATH", os.defpath)} | ({"DISPLAY": display} if display else {})
os.execve(sys.executable, [name, "-IS", "-c", "import time; time.sleep(900)", *words], environment)
"""
_PATIENCE_S = 20.0


@contextmanager
def running(name: str, *words: str | Path, directory: Path, display: str = "") -> Iterator[int]:
    """A process that goes by ``name``, started in ``directory`` with ``words`` on its command line; its pid.
    On a terminal of its own, or with a ``display`` and no terminal."""
    command = [sys.executable, "-c", _LAUNCH, name, str(directory), display, *map(str, words)]
    pid = int(subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=_PATIENCE_S).stdout)
    try:
        _wait_for(pid, name.encode())
        yield pid
    finally:
        end(pid)


def end(pid: int) -> None:
    """End it and wait until it is gone."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + _PATIENCE_S
    while _words(pid):
        assert time.monotonic() < deadline, f"process {pid} does not end"
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
