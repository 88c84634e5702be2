"""A process that repairs one file and kills itself at a named place: `ROOT CASE POINT`."""

from __future__ import annotations

import hashlib
import os
import signal
import sys

from conductd.repair import killpoints
from conductd.repair.apply import apply
from conductd.repair.exchange import SystemExchange
from conductd.repair.order import Order

OLD = b"# Memory\n\n- the old words\n" * 500
STUB = b"# Memory\n\n- stub\n" * 3
NEWER = b"# Memory\n\n- words saved in the last moment\n"
TEMP = b".conductd-0011223344556677.tmp"
FILE = b"MEMORY.md"

# case -> (judged, target, written in place)
CASES: dict[str, tuple[bytes | None, bytes | None, bool]] = {
    "swap": (STUB, OLD, False),
    "undo": (STUB, OLD, False),
    "create": (None, OLD, False),
    "remove": (OLD, None, False),
    "in_place_longer": (STUB, OLD, True),
    "in_place_shorter": (OLD, STUB, True),
}


def digest(data: bytes | None) -> bytes | None:
    return None if data is None else hashlib.sha256(data).digest()


def order_of(case: str, root: bytes) -> Order:
    judged, target, in_place = CASES[case]
    return Order(root, FILE, digest(judged), target, TEMP, force_in_place=in_place)


class SavedInTheLastMoment(SystemExchange):
    """Another program saves right before the first exchange, so that it has to be taken back."""

    def __init__(self, root: bytes) -> None:
        super().__init__()
        self.root: bytes | None = root

    def exchange(self, directory: int, one: bytes, other: bytes) -> None:
        if self.root is not None:
            saved = os.path.join(self.root, b"saved")
            with open(saved, "wb") as file:
                file.write(NEWER)
            os.rename(saved, os.path.join(self.root, FILE))
            self.root = None
        super().exchange(directory, one, other)


def main(root: bytes, case: str, point: str) -> None:
    def kill(name: str) -> None:
        if name == point:
            os.kill(os.getpid(), signal.SIGKILL)

    killpoints.install(kill)
    apply(order_of(case, root), exchange=SavedInTheLastMoment(root) if case == "undo" else None)


if __name__ == "__main__":
    main(os.fsencode(sys.argv[1]), sys.argv[2], sys.argv[3])
