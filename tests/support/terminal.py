"""A person at a terminal: runs a command under a pseudo-terminal and confirms what it asks."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# A prompt is an unended last line that asks.
_PROMPT = re.compile(rb"(\[y/n\]|\(y/n\)|\[yes/no\]|\?)\s*:?\s*\Z", re.IGNORECASE)
# What has to be typed in a whole word.
_WHOLE = {"y": "yes", "n": "no"}


@dataclass(frozen=True)
class Ran:
    """What the command printed (both streams, as a person sees them) and how it ended."""

    exit_code: int
    output: str


def run_in_terminal(
    command: Sequence[str],
    environment: Mapping[str, str],
    directory: Path,
    answer: str = "y",
    timeout_s: float = 60,
) -> Ran:
    """Run `command` with a controlling terminal of its own; every prompt is answered with `answer`."""
    leader, follower = pty.openpty()

    def take_terminal() -> None:
        os.setsid()
        fcntl.ioctl(follower, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        command,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=dict(environment),
        cwd=directory,
        preexec_fn=take_terminal,
    )
    os.close(follower)
    try:
        output = _converse(leader, answer, time.monotonic() + timeout_s)
        exit_code = process.wait(timeout=timeout_s)
    except BaseException:
        process.kill()
        process.wait()
        raise
    finally:
        os.close(leader)
    return Ran(exit_code, output.decode("utf-8", "replace").replace("\r\n", "\n"))


def _converse(leader: int, answer: str, deadline: float) -> bytes:
    output = b""
    answered_at = 0
    while True:
        readable, _, _ = select.select([leader], [], [], max(0, deadline - time.monotonic()))
        if not readable:
            raise TimeoutError(f"no end of the command; so far: {output.decode('utf-8', 'replace')}")
        try:
            chunk = os.read(leader, 65536)
        except OSError:
            # EIO: the last holder of the terminal has gone.
            return output
        if not chunk:
            return output
        output += chunk
        prompt = _PROMPT.search(output[answered_at:])
        if prompt is not None:
            answered_at = len(output)
            whole = _WHOLE.get(answer, answer) if prompt[1].lower() == b"[yes/no]" else answer
            os.write(leader, whole.encode() + b"\n")
