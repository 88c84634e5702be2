"""`python -m benchmarks.tapped FD run …`: the product's command line on a storage that notes each sync on FD."""

from __future__ import annotations

import functools
import sys

from benchmarks.tap import TappedStorage
from conductd import app
from conductd.cli import main as command_line


def main(arguments: list[str]) -> int:
    tap = int(arguments[0])
    ports = app.Ports(storage=lambda directory: TappedStorage(directory, tap))
    app.run = functools.partial(app.run, ports=ports)
    return command_line.run(arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
