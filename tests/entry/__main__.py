"""`python -m entry [OPTIONS] -- run …`: the product's own command line on replaced ports.

Everything after `--` goes to the product unchanged. Only what `conductd.app.run` is given differs.
"""

from __future__ import annotations

import argparse
import faulthandler
import functools
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence

import msgspec

from conductd import app
from conductd.cli import main as command_line
from conductd.journal.storage import DirectoryStorage
from conductd.repair import killpoints
from conductd.repair.exchange import SystemExchange
from conductd.watch.backends import default_backend
from entry.clock import FakeClock
from entry.control import Control
from entry.exchange import FaultExchange
from entry.faults import Fault, Faults
from entry.jobs import Looks
from entry.storage import FaultStorage
from entry.watch import FaultBackend


class WriteAt(msgspec.Struct, frozen=True):
    """Somebody saves a file in place while the daemon is at a kill point."""

    name: str
    path: str
    hex: str


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    # A test that waited in vain asks what every thread is doing.
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    clock = None if options.wall_ns is None else FakeClock(options.wall_ns, options.mono_ns)
    system = app.Ports()
    faults = Faults((clock or system.clock).mono_ns)
    for fault in options.fault:
        faults.turn_on(fault)
    killpoints.install(_at_points(options.kill_at, {one.name: one for one in options.write_at}))
    environ = dict(os.environ)
    Control(options.control_fd, clock, faults, environ).start()
    ports = app.Ports(
        clock=clock or system.clock,
        storage=lambda directory: FaultStorage(DirectoryStorage(directory, exclusive=True), faults),
        exchange=FaultExchange(SystemExchange(), faults),
        watch_backend=lambda: FaultBackend(default_backend(), faults),
        environ=environ,
        jobs=None if options.own_jobs else tuple(map(Looks, options.job)),
    )
    app.run = functools.partial(app.run, ports=ports)  # type: ignore[assignment]
    return command_line.run(options.command)


def _at_points(kill_at: str | None, writes: dict[str, WriteAt]) -> Callable[[str], None]:
    def reached(name: str) -> None:
        write = writes.pop(name, None)
        if write is not None:
            with open(write.path, "wb") as stream:
                stream.write(bytes.fromhex(write.hex))
        if name == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    return reached


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="entry", description=__doc__)
    parser.add_argument("--control-fd", type=int, required=True)
    parser.add_argument("--wall-ns", type=int, help="start the fake clock here; without it time is real")
    parser.add_argument("--mono-ns", type=int, default=0)
    parser.add_argument("--kill-at", metavar="POINT")
    parser.add_argument("--write-at", metavar="JSON", type=_json(WriteAt), action="append", default=[])
    parser.add_argument("--fault", metavar="JSON", type=_json(Fault), action="append", default=[])
    parser.add_argument("--own-jobs", action="store_true", help="the product's own jobs of the night; else none")
    parser.add_argument("--job", metavar="NAME", action="append", default=[], help="one that only counts files")
    parser.add_argument("command", nargs="+")
    return parser.parse_args(arguments)


def _json(kind: type[msgspec.Struct]) -> Callable[[str], msgspec.Struct]:
    def parse(text: str) -> msgspec.Struct:
        return msgspec.convert(json.loads(text), kind)

    return parse


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
