"""How large the memory has become, and whether what was written is found. Pure."""

from __future__ import annotations

from conductd.core.qc.check import Check, Seen
from conductd.core.qc.notes import Given
from conductd.core.qc.results import Grade
from conductd.views import shown
from conductd.views.words import counted

_WARN_BYTES = 500_000  # what a memory tool indexes and searches gladly
_MANY_BYTES = 1_000_000
_LARGEST = 5


def _size(given: Given) -> Seen:
    below = [file for file in given.night.files if b"/" in file.path]
    total = sum(len(file.data) for file in below)
    figures = f"{counted(len(below), 'file')} below the workspace, {total:,} bytes"
    if total < _WARN_BYTES:
        return Seen(Grade.PASS, figures)
    largest = sorted(below, key=lambda file: (-len(file.data), file.path))[:_LARGEST]
    places = [f"{shown(file.path)}: {len(file.data):,} bytes" for file in largest]
    grade = Grade.FAIL if total >= _MANY_BYTES else Grade.WARN
    return Seen(grade, figures, places, "move logs over 30 days into an archive outside of memory/")


def _search(given: Given) -> Seen:
    if given.night.agent != "openclaw":
        return Seen(Grade.PASS, "the agent has no search of its own that is known")
    said = "whether its search finds what was written today only the agent itself can tell"
    return Seen(Grade.UNKNOWN, said, (), "conductd memory list shows what its tools index")


CHECKS = (
    Check("memory_size", "how large the files below the workspace are together", _size),
    Check("findable", "whether what was written today is found by the agent's search", _search),
)
