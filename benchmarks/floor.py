"""The floor under recording: raw inotify from the C library, then one append and data sync of the same size.

`python -m benchmarks.floor DIRECTORY SIZE` is the measured process. It writes two monotonic times for every file
closed in DIRECTORY: when read(2) gave the event, and when SIZE bytes were synced to a file whose blocks were written
before (as the journal's are).
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

_TIMES = struct.Struct("<qq")
_CLOSE_WRITE = 0x8
_ROOM = 64 << 20
_CHECKOUT = Path(__file__).resolve().parents[1]


class Floor:
    """Use as a context manager. `sample` writes a file; its answer is (to the callback, to durable), in seconds."""

    def __init__(self, directory: Path, size: int) -> None:
        self._directory, self._size = directory / "floor", size
        self._directory.mkdir()

    def __enter__(self) -> Floor:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.floor", str(self._directory), str(self._size)],
            stdout=subprocess.PIPE,
            cwd=_CHECKOUT,
        )
        self._next()  # it listens
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def sample(self, data: bytes) -> tuple[float, float]:
        closed_ns = write(self._directory / "MEMORY.md", data)
        heard_ns, synced_ns = self._next()
        return (heard_ns - closed_ns) / 1e9, (synced_ns - closed_ns) / 1e9

    def _next(self) -> tuple[int, int]:
        assert self._process.stdout is not None
        heard_ns, synced_ns = _TIMES.unpack(self._process.stdout.read(_TIMES.size))
        return heard_ns, synced_ns


def write(path: Path, data: bytes) -> int:
    """Save in place as most agents do; the monotonic time just after the close."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.write(fd, data)
    os.close(fd)
    return time.monotonic_ns()


def main(directory: str, size: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    inotify = libc.inotify_init1(os.O_CLOEXEC)
    if inotify < 0 or libc.inotify_add_watch(inotify, os.fsencode(directory), _CLOSE_WRITE) < 0:
        raise OSError(ctypes.get_errno(), "inotify")
    journal = os.open(directory + ".journal", os.O_RDWR | os.O_CREAT, 0o600)
    zeros = bytes(1 << 20)
    for at in range(0, _ROOM, len(zeros)):
        os.pwrite(journal, zeros, at)
    os.fsync(journal)
    buffer, block, at = ctypes.create_string_buffer(4096), os.urandom(size), 0
    os.write(1, _TIMES.pack(0, 0))
    while libc.read(inotify, buffer, len(buffer)) > 0:
        heard_ns = time.monotonic_ns()
        os.pwrite(journal, block, at)
        os.fdatasync(journal)
        os.write(1, _TIMES.pack(heard_ns, time.monotonic_ns()))
        at = (at + size) % (_ROOM - size)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
