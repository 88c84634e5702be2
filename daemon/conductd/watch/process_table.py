"""All processes as `ps` tells of them, for systems without /proc (macOS, the BSDs)."""

from __future__ import annotations

import subprocess
from typing import NamedTuple

_COMMAND = ("ps", "-axww", "-o", "pid=,ppid=,tty=,command=")
_TIMEOUT_S = 5.0
_NO_TERMINAL = ("?", "??", "-")


class Row(NamedTuple):
    pid: int
    parent: int
    terminal: bool
    words: list[str]  # the command line as far as it can be told: words with a space in them fall apart


def read() -> dict[int, Row]:
    """By pid; empty when there is no `ps`, or it does not answer."""
    try:
        ran = subprocess.run(_COMMAND, capture_output=True, timeout=_TIMEOUT_S, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return {}
    return parse(ran.stdout)


def parse(table: bytes) -> dict[int, Row]:
    rows = {}
    for line in table.decode("utf-8", "replace").splitlines():
        fields = line.split(None, 3)
        if len(fields) < 3 or not fields[0].isdigit() or not fields[1].isdigit():
            continue
        words = fields[3].split() if len(fields) > 3 else []
        rows[int(fields[0])] = Row(int(fields[0]), int(fields[1]), fields[2] not in _NO_TERMINAL, words)
    return rows
