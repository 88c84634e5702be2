"""A process that writes to the file while it is being repaired: `FILE KIND SEED`.

For each number read from stdin it waits a moment, writes a text nobody else writes, and answers
with the number. ``append``: opens, sometimes lingers, appends a line. ``truncate``: truncates and
writes in two halves. ``rename``: writes beside and renames over.
"""

from __future__ import annotations

import os
import random
import sys
import time


def line_for(kind: str, seed: str, number: str) -> bytes:
    return f"- {kind} {seed} number {number} end\n".encode()


def main(file: str, kind: str, seed: str) -> None:
    chance = random.Random(seed)
    print("ready", flush=True)
    for request in sys.stdin:
        number = request.strip()
        line = line_for(kind, seed, number)
        time.sleep(chance.random() * 0.004)
        if kind == "append":
            descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            time.sleep(chance.choice([0, 0, 0.002]))
            os.write(descriptor, line)
            os.close(descriptor)
        elif kind == "truncate":
            descriptor = os.open(file, os.O_WRONLY | os.O_TRUNC | os.O_CREAT, 0o644)
            os.write(descriptor, line[:5])
            time.sleep(chance.choice([0, 0.001]))
            os.write(descriptor, line[5:])
            os.close(descriptor)
        else:
            beside = f"{file}.{seed}.new"
            with open(beside, "wb") as opened:
                opened.write(line)
            os.rename(beside, file)
        print(number, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3])
