"""Long work on a terminal shows a bar (on stderr); elsewhere it is silent until the result."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TypeVar

import click

from conductd.errors import DaemonNotRunning

T = TypeVar("T")
STEPS = 1000


def finished(steps: Iterable[float | T], label: str, quiet: bool) -> T:
    """Runs `steps` to its end: floats (0..1) are progress, the last item is the result."""
    if quiet or not sys.stderr.isatty():
        return _last(steps)
    with click.progressbar(length=STEPS, label=label, file=sys.stderr, width=30) as bar:

        def shown() -> Iterator[float | T]:
            for step in steps:
                at = int(step * STEPS) if isinstance(step, float) else STEPS
                bar.update(max(0, at - bar.pos))
                yield step

        return _last(shown())


def _last(steps: Iterable[float | T]) -> T:
    results = deque(steps, maxlen=1)
    if not results or isinstance(results[0], float):
        raise DaemonNotRunning("the work ended without a result", "try again; see: conductd status")
    return results[0]
