"""How large the memory has become, and whether what was written is found. Pure."""

from __future__ import annotations

from conductd.core.qc.check import Check, Seen
from conductd.core.qc.notes import Given
from conductd.core.qc.results import Grade
from conductd.model import Role
from conductd.views import shown
from conductd.views.words import counted

_WARN_BYTES = 500_000  # what a memory tool indexes and searches gladly
_MANY_BYTES = 1_000_000
_LARGEST = 5


def _size(given: Given) -> Seen:
    below = [file for file in given.night.files if b"/" in file.path]
    total = sum(len(file.data) for file in below)
    figures = f"{counted(len(below), 'file')} in directories of the workspace, {counted(total, 'byte')}"
    if total < _WARN_BYTES:
        return Seen(Grade.PASS, figures)
    largest = sorted(below, key=lambda file: (-len(file.data), file.path))[:_LARGEST]
    places = [f"{shown(file.path)}: {len(file.data):,} bytes" for file in largest]
    grade = Grade.FAIL if total >= _MANY_BYTES else Grade.WARN
    return Seen(grade, figures, places, "move logs older than 30 days into an archive outside of memory/")


def _search(given: Given) -> Seen:
    """By the rules of its release; whether its index has them already only the agent knows."""
    searched = given.facts.searched or frozenset()
    if not given.facts.has_search:
        return Seen(Grade.PASS, "the agent has no memory search that is known, or it is switched off")
    notes = (Role.CURATED, Role.DAILY, Role.TOPIC)
    changed = {each.path for each in given.night.before}
    written = [
        file.path
        for file in given.night.files
        # What lies beside them and is loaded whole at every start is found without a search.
        if file.path in changed and file.role in notes and (b"/" in file.path or file.path.lower() == b"memory.md")
    ]
    lost = [shown(path) for path in written if path not in searched]
    if lost:
        said = f"the agent's memory search does not take {counted(len(lost), 'note')} of today"
        return Seen(Grade.WARN, said, lost, "conductd memory list")
    if not written:
        return Seen(Grade.PASS, "no note was written today")
    return Seen(Grade.PASS, f"the agent's memory search takes {counted(len(written), 'note')} of today")


CHECKS = (
    Check("memory_size", "how large the files below the workspace are together", _size, reads=True),
    Check(
        "findable",
        "whether the agent's memory search takes what was written today, by the rules of its release",
        _search,
        ("searched",),
        reads=True,
    ),
)
