"""The peer of capture: the least a reader can do, raw inotify and a read of the file, and nothing else.

`python -m benchmarks.catcher FILE LAST` prints the SHA-256 of every state it saw, up to the one with digest LAST. What
it misses, the machine gave nobody a chance to see.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
import sys
from pathlib import Path

_CLOSE_WRITE = 0x8
_CHECKOUT = Path(__file__).resolve().parents[1]
_PATIENCE_S = 30


class Catcher:
    """Use as a context manager around the writes; then `seen`."""

    def __init__(self, file: Path, last: bytes) -> None:
        self._command = [sys.executable, "-m", "benchmarks.catcher", str(file), last.hex()]
        self.seen: set[bytes] = set()

    def __enter__(self) -> Catcher:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, cwd=_CHECKOUT)
        assert self._process.stdout is not None
        self._process.stdout.readline()  # it listens
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._process.kill()
        out = self._process.communicate(timeout=_PATIENCE_S)[0]
        self.seen = {bytes.fromhex(line.decode()) for line in out.splitlines()}


def main(file: str, last: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    inotify = libc.inotify_init1(os.O_CLOEXEC)
    directory = os.path.dirname(file)
    if inotify < 0 or libc.inotify_add_watch(inotify, os.fsencode(directory), _CLOSE_WRITE) < 0:
        raise OSError(ctypes.get_errno(), "inotify")
    sys.stdout.write("listening\n")
    sys.stdout.flush()
    buffer, wanted, digests = ctypes.create_string_buffer(65536), bytes.fromhex(last), []
    while libc.read(inotify, buffer, len(buffer)) > 0:
        fd = os.open(file, os.O_RDONLY)
        digests.append(hashlib.sha256(os.read(fd, 1 << 20)).digest())
        os.close(fd)
        if digests[-1] == wanted:
            break
    sys.stdout.write("".join(f"{digest.hex()}\n" for digest in digests))


if __name__ == "__main__":
    main(*sys.argv[1:])
