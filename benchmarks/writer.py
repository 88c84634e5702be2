"""`python -m benchmarks.writer DIRECTORY FILES WRITES INTERVAL_US SIZE`: saves files in place, one after another.

Every state is different and can be made again from its number. Prints the monotonic time of the last close.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.floor import write

_CHECKOUT = Path(__file__).resolve().parents[1]


def name(file: int) -> str:
    return f"note-{file:03}.md"


def state(number: int, size: int) -> bytes:
    """The content of write ``number``."""
    head = b"# Note\n\n- state %d\n" % number
    line = b"- the quarterly report goes to the whole team on the first Friday of the month\n"
    return head + line * max(0, (size - len(head)) // len(line))


def digest(number: int, size: int) -> bytes:
    return hashlib.sha256(state(number, size)).digest()


def last_states(files: int, writes: int) -> list[int]:
    """The number of the last write of each file."""
    return list(range(writes - files, writes))


def run(directory: Path, *, files: int, writes: int, interval_us: int, size: int) -> int:
    """In a process of its own; the monotonic time of the last close."""
    numbers = map(str, (files, writes, interval_us, size))
    command = [sys.executable, "-m", "benchmarks.writer", str(directory), *numbers]
    return int(subprocess.run(command, check=True, capture_output=True, cwd=_CHECKOUT).stdout)


def main(directory: str, files: int, writes: int, interval_us: int, size: int) -> None:
    paths = [Path(os.path.join(directory, name(file))) for file in range(files)]
    # Made before the first write: making a state must not space the writes.
    ready = [state(number, size) for number in range(writes)] if interval_us else None
    closed_ns = 0
    for number in range(writes):
        if interval_us and closed_ns:
            time.sleep(max(0.0, interval_us / 1e6 - (time.monotonic_ns() - closed_ns) / 1e9))
        closed_ns = write(paths[number % files], ready[number] if ready else state(number, size))
    sys.stdout.write(f"{closed_ns}\n")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
