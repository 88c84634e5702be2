"""A process in a mount namespace of its own that repairs on a small, full or read-only file system: `ROOT CASE`."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

from conductd.repair.apply import apply
from conductd.repair.order import Applied, Order
from conductd.repair.temporary import new_temp_name

JUDGED = b"- the judged words\n" * 1000
TARGET = b"- the old words, and more of them\n" * 4000  # more than the file system holds beside it
SMALL = b"- few words\n"


def run(*words: str) -> None:
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def main(root: str, case: str) -> None:
    file = os.path.join(root, "MEMORY.md")
    target = SMALL if case in ("read_only", "bind") else TARGET
    run("mount", "-t", "tmpfs", "-o", "size=96k", "none", root)
    with open(file, "wb") as opened:
        opened.write(JUDGED)
    if case == "in_place":
        os.link(file, os.path.join(root, "twin"))
    if case == "bind":
        run("mount", "--bind", file, file)
    if case == "read_only":
        run("mount", "-o", "remount,ro", root)
    before = set(os.listdir(root))
    judged = None if case == "create" else hashlib.sha256(JUDGED).digest()
    path = b"new.md" if case == "create" else b"MEMORY.md"
    outcome = apply(Order(os.fsencode(root), path, judged, target, new_temp_name()))
    assert set(os.listdir(root)) == before, os.listdir(root)
    with open(file, "rb") as opened:
        assert opened.read() == (SMALL if case == "bind" else JUDGED)
    print(type(outcome).__name__, outcome.method if isinstance(outcome, Applied) else outcome.reason)  # type: ignore[union-attr]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
