"""Commands as other programs run them: below an agent, detached, in a terminal that somebody made."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

CONDUCTD = (sys.executable, "-m", "conductd")
_WAIT_FOR_IT = '"$@"; exit $?'  # so that the shell stays, as the parent
_PTY = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"


def called(name: str, command: Sequence[str]) -> list[str]:
    """The command below a process whose command line says `name`."""
    return ["bash", "-c", f"exec -a {name} bash -c '{_WAIT_FOR_IT}' {name} \"$@\"", "bash", *command]


def copied(name: str, directory: Path, command: Sequence[str]) -> list[str]:
    """The command below a program `name` that calls itself something else."""
    program = directory / name
    shell = shutil.which("bash")
    assert shell is not None
    shutil.copy(shell, program)
    return ["bash", "-c", f'exec -a bash "$0" -c \'{_WAIT_FOR_IT}\' bash "$@"', str(program), *command]


def in_made_terminal(command: Sequence[str]) -> list[str]:
    """The command in a pseudo-terminal that its parent opens for it."""
    return [sys.executable, "-c", _PTY, *command]


_LEAVE = """
import fcntl, os, sys, termios, time
leader, follower = os.openpty()
if os.fork() == 0:
    parent = os.getpid()
    if os.fork() != 0:
        os._exit(0)
    while os.getppid() == parent:
        time.sleep(0.001)
    os.setsid()
    fcntl.ioctl(follower, termios.TIOCSCTTY, 0)
    for fd in (0, 1, 2):
        os.dup2(follower, fd)
    os.close(leader)
    os.execvp(sys.argv[1], sys.argv[1:])
os.close(follower)
os.wait()
out = b""
try:
    while chunk := os.read(leader, 65536):
        out += chunk
except OSError:
    pass
os.write(1, out)
"""


def left_behind(command: Sequence[str]) -> list[str]:
    """The command in a pseudo-terminal that a process opens for it, and without that process among its parents."""
    return [sys.executable, "-c", _LEAVE, *command]


def run_detached(
    command: Sequence[str], environment: Mapping[str, str], directory: Path
) -> subprocess.CompletedProcess[str]:
    """Without a controlling terminal, in a session of its own."""
    return subprocess.run(
        command,
        env=dict(environment),
        cwd=directory,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        start_new_session=True,
    )
