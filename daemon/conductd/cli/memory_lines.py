"""`conductd memory` for people and for programs: the files, the collections, the answer of `memory_get`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conductd.agents.openclaw_memory import Listing, MemoryFile
from conductd.agents.openclaw_memory_get import Got
from conductd.cli.load_json import plain
from conductd.cli.memory_asked import Asked
from conductd.cli.output import harmless, paint
from conductd.cli.table import table
from conductd.core.openclaw_memory.collections import Collection
from conductd.core.openclaw_memory.rules import rules

_SHOWN = 40  # that are not taken; the rest is counted


def listing_lines(asked: Asked, found: Listing) -> Iterator[str]:
    yield from _head(asked)
    yield ""
    if found.files:
        rows = [
            [
                harmless(each.path),
                each.source,
                each.medium.value,
                f"{each.size:,}",
                "" if each.readable else "unreadable",
            ]
            for each in found.files
        ]
        colours = [None if each.readable else "yellow" for each in found.files]
        yield from table(rows, ["FILE", "FROM", "AS", "BYTES", ""], colours, spare=("AS",))
    else:
        yield "no file is indexed"
    if not found.is_whole:
        yield "there is more: not all of it was looked at"
    for each in found.review:
        yield f"read by memory_get, not indexed: {harmless(each.path)}"
    if found.not_taken:
        yield ""
        yield "not taken:"
        yield from (f"  {harmless(each.path)}: {harmless(each.why)}" for each in found.not_taken[:_SHOWN])
        if rest := len(found.not_taken) - _SHOWN + found.more if len(found.not_taken) > _SHOWN else found.more:
            yield f"  and {rest:,} more"


def listing_object(asked: Asked, found: Listing) -> dict[str, Any]:
    own = asked.own
    return {
        **_common(asked),
        "files": [_file(each) for each in found.files],
        "review": [_file(each) for each in found.review],
        "not_taken": [{"path": plain(each.path), "why": plain(each.why)} for each in found.not_taken],
        "not_told": found.more,
        "complete": found.is_whole,
        "extra_paths": [{"path": plain(each.path), "pattern": each.pattern or None} for each in own.extra],
        "media": {"kinds": [each.value for each in own.media.kinds], "max_bytes": own.media.most_bytes},
    }


def collections_lines(asked: Asked, found: tuple[Collection, ...]) -> Iterator[str]:
    yield from _head(asked)
    yield ""
    if not found:
        yield "no collection"
        return
    rows = [[each.name, harmless(each.pattern), harmless(each.path)] for each in found]
    yield from table(rows, ["COLLECTION", "PATTERN", "DIRECTORY"])


def collections_object(asked: Asked, found: tuple[Collection, ...]) -> dict[str, Any]:
    return {
        **_common(asked),
        "backend": "qmd" if asked.own.qmd_is_on and rules(asked.version).has_qmd else "builtin",
        "collections": [
            {"name": each.name, "path": plain(each.path), "pattern": plain(each.pattern), "kind": each.kind}
            for each in found
        ],
    }


def answer(asked: Asked, got: Got) -> dict[str, Any]:
    """The object that the tool itself returns, by release."""
    told: dict[str, Any] = {"text": got.page.text, "path": plain(got.path)}
    if rules(asked.version).says_status:
        told["status"] = "ok" if got.is_there else "not_found"
    if got.page.first is not None and got.is_there:
        told |= {"from": got.page.first, "lines": got.page.lines}
    if got.page.is_cut:
        told["truncated"] = True
    if got.page.following is not None:
        told["nextFrom"] = got.page.following
    return told


def _head(asked: Asked) -> Iterator[str]:
    own = asked.own
    yield paint(f"OpenClaw {asked.release}, agent {harmless(own.agent)}: {harmless(own.workspace)}", "bold")
    yield from (paint(harmless(note), "dim") for note in asked.notes)


def _common(asked: Asked) -> dict[str, Any]:
    own = asked.own
    return {
        "agent": own.agent,
        "version": asked.release,
        "workspace": plain(own.workspace),
        "search": own.searches,
        "memory_get_max_chars": own.most if rules(asked.version).paged else None,
        "notes": [plain(note) for note in asked.notes],
    }


def _file(each: MemoryFile) -> dict[str, Any]:
    return {
        "path": plain(each.path),
        "absolute": plain(each.absolute),
        "source": each.source,
        "kind": each.medium.value,
        "size": each.size,
        "readable": each.readable,
    }
