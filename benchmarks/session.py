"""One run of the benchmarks: where it works, how thorough it is, what machine it is on."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
_MEMORY = ("tmpfs", "ramfs")


@dataclass
class Session:
    """``kept`` holds what several benchmarks share (a long history), made by the first that needs it.

    ``minutes``: how long the one that measures an hour of nothing takes.
    """

    root: Path
    quick: bool
    minutes: float = 60.0
    kept: dict[str, object] = field(default_factory=dict)

    def choose(self, full: T, quick: T) -> T:
        return quick if self.quick else full

    @contextlib.contextmanager
    def directory(self, name: str) -> Iterator[Path]:
        """An empty directory, gone afterwards."""
        path = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.root))
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def session(quick: bool, minutes: float = 60.0) -> Iterator[Session]:
    """On a disk, not in memory: a data sync must cost what it costs."""
    for place in (Path("/var/tmp"), Path(tempfile.gettempdir()), Path.home()):
        if place.is_dir() and file_system(place) not in _MEMORY:
            break
    root = Path(tempfile.mkdtemp(prefix="conductd-bench-", dir=place))
    try:
        yield Session(root, quick, minutes)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def machine(place: Path) -> str:
    """What the figures were measured on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    system = f"{platform.system()} {platform.release().partition('-')[0]}"
    return f"{cores} cores, {system}, {file_system(place) or 'unknown file system'}, Python {platform.python_version()}"


def file_system(place: Path) -> str:
    """Type of the file system that holds ``place``, "" where the system does not tell."""
    best, kind = "", ""
    with contextlib.suppress(OSError), open("/proc/self/mounts", encoding="utf-8", errors="replace") as mounts:
        for line in mounts:
            _, point, type_, *_ = line.split(" ")
            inside = str(place) == point or str(place).startswith(point.rstrip("/") + "/")
            if inside and len(point) >= len(best):
                best, kind = point, type_
    return kind


def load() -> float:
    """Processes that want to run, averaged over the last minute."""
    return os.getloadavg()[0]
