"""Loaders that count characters: Hermes' context files and memories, and rule files that are cut at their end.

Pure. Sources: Hermes' `agent/prompt_builder.py` and its page on memory; Windsurf's page on memories and rules.
"""

from __future__ import annotations

from conductd.core.load.loaded import Cause, LoadedFile, Why

HERMES_CONTEXT = 20_000
HERMES_MEMORY = 2_200
HERMES_USER = 1_375
HERMES_SEPARATOR = "\n§\n"
_HEAD, _TAIL = 0.7, 0.2


def head_and_tail(name: str, path: str, text: str, limit: int = HERMES_CONTEXT) -> LoadedFile:
    """As Hermes cuts: 70 % and 20 % of the limit around a marker that is not counted."""
    if len(text) <= limit:
        return whole(name, path, text, limit)
    head, tail = int(limit * _HEAD), int(limit * _TAIL)
    marker = (
        f"\n\n[...truncated {name}: kept {head}+{tail} of {len(text)} chars. Use file tools to read the full file.]\n\n"
    )
    start = len(text) - tail if tail else 0
    shown = text[:head] + marker + text[start:]
    return LoadedFile(
        name,
        path,
        len(text),
        len(shown),
        shown,
        limit,
        (Cause.PER_FILE,),
        source=text,
        kept=((0, head), (start, len(text))),
        own_limit=limit,
    )


def beginning(name: str, path: str, text: str, limit: int | None) -> LoadedFile:
    """Cut at the end, without a mark; limit None: whole."""
    if limit is None or len(text) <= limit:
        return whole(name, path, text, limit)
    return LoadedFile(
        name,
        path,
        len(text),
        limit,
        text[:limit],
        limit,
        (Cause.PER_FILE,),
        source=text,
        kept=((0, limit),),
        own_limit=limit,
    )


def whole(name: str, path: str, text: str, limit: int | None = None, note: str = "") -> LoadedFile:
    size = len(text)
    if not text.strip():
        return LoadedFile(name, path, size, why=Why.EMPTY, note=note, own_limit=limit)
    return LoadedFile(name, path, size, size, text, limit, note=note, source=text, kept=((0, size),), own_limit=limit)


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
    return whole(name, path, joined, limit, "; ".join(notes))
