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
