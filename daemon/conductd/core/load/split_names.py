"""Files whose names differ only in how they are spelt: MEMORY.md beside memory.md.

Pure. An agent loads one of them and not the other, and on a file system that does not tell case apart they are one
file: whoever copies the directory loses one. Called by `engine.loading`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from conductd.core.load.finding import Finding, mark
from conductd.core.spelling import spelt_alike
from conductd.model import EventClass

_ENDINGS = (".md", ".mdc", ".markdown")
SPELLING = "names that differ only in case"


def split_names(names: Iterable[str], ours: Collection[str], loaded: Collection[str] = ()) -> tuple[Finding, ...]:
    """``names``: files that are there, relative. Only groups that hold one of ``ours``, the protected ones, count.
    The one named is one that an agent loads where there is such a one."""
    groups: dict[str, set[str]] = {}
    for each in names:
        if each.casefold().endswith(_ENDINGS):
            groups.setdefault(spelt_alike(each), set()).add(each)
    found = []
    for group in groups.values():
        if len(group) > 1 and not group.isdisjoint(ours):
            several = tuple(sorted(group))
            first = next((each for each in several if each in loaded), several[0])
            marks = tuple(mark("name", each) for each in several)
            found.append(Finding(EventClass.SPLIT_FILES, "", first, SPELLING, files=several, marks=marks))
    return tuple(sorted(found, key=lambda each: each.name))
