"""`python -m benchmarks [NAME…] [--quick] [--write] [--list]`."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from types import ModuleType

from benchmarks import report
from benchmarks.session import load, machine, session

# In the order of the design's table of targets.
NAMES = (
    "latency",
    "capture",
    "overflow",
    "repair",
    "judging",
    "conserving",
    "burst",
    "space",
    "start",
    "history",
    "idle",
    "idle-hour",
    "status",
    "load",
    "night",
)
# Takes an hour by itself: only when it is asked for by name.
LONG = frozenset({"idle-hour"})


def main(arguments: list[str]) -> int:
    """0 whatever the figures are: a missed target is a result, not a failure."""
    options = _options(arguments)
    if options.list:
        for name in NAMES:
            sys.stdout.write(f"{name:<10} {_summary(name)}\n")
        return 0
    measured: dict[str, list[str]] = {}
    with session(options.quick, options.minutes) as run:
        sys.stdout.write(f"{machine(run.root)}; load {load():.1f}\n")
        for name in options.names or [name for name in NAMES if name not in LONG]:
            begun = time.monotonic()
            for figure in _module(name).run(run):
                sys.stdout.write(report.line(name, figure) + "\n")
                sys.stdout.flush()
                measured.setdefault(name, []).append(report.row(name, figure, load()))
            sys.stdout.write(f"{name:<10} took {time.monotonic() - begun:.0f} s; load {load():.1f}\n")
            if options.write:
                report.write(NAMES, measured, machine(run.root))
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure conductd against its targets.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all but those of an hour when none is given"
    )
    parser.add_argument("--quick", action="store_true", help="a smoke run in under a minute; its figures mean little")
    parser.add_argument("--write", action="store_true", help="put the results into benchmarks/README.md")
    parser.add_argument("--minutes", type=float, default=60.0, metavar="N", help="how long idle-hour measures (60)")
    parser.add_argument("--list", action="store_true", help="say what each benchmark measures")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}")
    if options.write and options.quick:
        parser.error("the results of a quick run are not worth writing down")
    return options


def _module(name: str) -> ModuleType:
    return importlib.import_module("benchmarks." + name.replace("-", "_"))


def _summary(name: str) -> str:
    text = _module(name).__doc__ or ""
    return text.strip().partition("\n")[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
