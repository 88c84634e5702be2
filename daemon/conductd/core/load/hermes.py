"""Hermes' context files and memories, which are counted in characters.

Pure. Sources: Hermes' `agent/prompt_builder.py` and its page on memory. Called by `agents.hermes_files`.
"""

from __future__ import annotations

from conductd.core.load.cutting import Document, cut
from conductd.core.load.limits import Keep, Limits
from conductd.core.load.loaded import LoadedFile, Unit, Why

HERMES_CONTEXT = 20_000
HERMES_MEMORY = 2_200
HERMES_USER = 1_375
HERMES_SEPARATOR = "\n§\n"
_MARKER = "\n\n[...truncated {name}: kept {head}+{tail} of {size} chars. Use file tools to read the full file.]\n\n"


def head_and_tail(name: str, path: str, text: str, limit: int = HERMES_CONTEXT) -> LoadedFile:
    """As Hermes cuts: 70 % and 20 % of the limit around a marker that is not counted."""
    limits = Limits(limit, keep=Keep.HEAD_TAIL, head=0.7, tail=0.2, marker=_MARKER)
    return cut(Document(name, path, text, limits), Unit.CHARACTERS)


def _whole(name: str, path: str, text: str, limit: int, note: str) -> LoadedFile:
    size = len(text)
    if not text.strip():
        return LoadedFile(name, path, size, why=Why.EMPTY, note=note, own_limit=limit, limits_writes=True)
    kept = ((0, size),)
    return LoadedFile(
        name, path, size, size, text, limit, note=note, source=text, kept=kept, own_limit=limit, limits_writes=True
    )


def hermes_memory(name: str, path: str, text: str, limit: int) -> LoadedFile:
    """All of it is loaded; over the limit the memory tool takes no more, and a text that does not come back the same
    from its entries is not written to at all. Both are noted."""
    entries = [entry for part in text.split(HERMES_SEPARATOR) if (entry := part.strip())]
    joined = HERMES_SEPARATOR.join(entries)
    notes = []
    if len(joined) > limit:
        notes.append(f"{len(joined):,} of {limit:,} characters: the memory tool adds nothing more")
    if any(len(entry) > limit for entry in entries) or joined != text.strip():
        notes.append("the memory tool will not write it: its entries do not give the same text")
    return _whole(name, path, joined, limit, "; ".join(notes))
