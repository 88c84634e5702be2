"""What Codex makes of its chain of instruction files and of its memory summary.

Pure. Source: Codex's pages on AGENTS.md and memories, `codex-rs/core` (`project_doc`), `codex-rs/memories`. Tokens are
Codex's own estimate: four bytes each. Called by `agents.codex_files`.
"""

from __future__ import annotations

from collections.abc import Iterable

from conductd.core.load.counting import first_from, measure, readable, text_in, whole_before
from conductd.core.load.loaded import Cause, LoadedFile, Unit, Why
from conductd.model import Frozen

PROJECT_BYTES = 32 * 1024
SUMMARY_TOKENS = 5_000
_TOKEN_BYTES = 4


class Document(Frozen, frozen=True):
    name: str
    path: str
    data: bytes


def chain(documents: Iterable[Document], limit: int = PROJECT_BYTES) -> list[LoadedFile]:
    """The project's files, root first, in one budget of bytes: the one that crosses it is cut at the byte, what comes
    after is not loaded, also where the cut left nothing but white space. Files without text take nothing."""
    left = limit
    found: list[LoadedFile] = []
    for each in documents:
        text = text_in(each.data, Unit.BYTES)
        size = len(each.data)
        if not text.strip():
            found.append(LoadedFile(each.name, each.path, size, why=Why.EMPTY))
        elif size <= left:
            left -= size
            found.append(whole(each))
        else:
            found.append(_cut(each, text, left))
            left = 0
    return found


def whole(document: Document) -> LoadedFile:
    """A file outside of any budget."""
    text = text_in(document.data, Unit.BYTES)
    size = len(document.data)
    return LoadedFile(
        document.name,
        document.path,
        size,
        size,
        _decoded(document.data),
        source=readable(text),
        kept=((0, len(text)),),
        escaped=_escaped(text),
    )


def summary(document: Document, tokens: int = SUMMARY_TOKENS) -> LoadedFile:
    """The memory summary: half of the budget from the top, half from the end, a marker between that is not counted."""
    text = text_in(document.data, Unit.BYTES).strip()
    size, most = measure(text, Unit.BYTES), tokens * _TOKEN_BYTES
    source = readable(text)
    if not text:
        return LoadedFile(document.name, document.path, 0, why=Why.EMPTY)
    if size <= most:
        return LoadedFile(
            document.name,
            document.path,
            size,
            size,
            source,
            most,
            source=source,
            kept=((0, len(text)),),
            own_limit=most,
            escaped=_escaped(text),
        )
    end = whole_before(text, most // 2, Unit.BYTES)
    start = first_from(text, size - (most - most // 2), Unit.BYTES)
    gone = -((most - size) // _TOKEN_BYTES)
    marker = f"…{gone} tokens truncated…"
    return LoadedFile(
        document.name,
        document.path,
        size,
        measure(text[:end] + marker + text[start:], Unit.BYTES),
        source[:end] + marker + source[start:],
        most,
        (Cause.PER_FILE,),
        note=f"{tokens:,} tokens of {_TOKEN_BYTES} bytes",
        source=source,
        kept=((0, end), (start, len(text))),
        own_limit=most,
        escaped=_escaped(text),
    )


def _cut(of: Document, text: str, left: int) -> LoadedFile:
    """What is left of the budget; of white space alone nothing is loaded, and of what comes after it nothing either."""
    part = of.data[: max(left, 0)]
    kept = whole_before(text, len(part), Unit.BYTES)
    loaded = _decoded(part)
    is_loaded = bool(loaded.strip())
    return LoadedFile(
        of.name,
        of.path,
        len(of.data),
        len(part) if is_loaded else 0,
        loaded if is_loaded else None,
        left or None,
        (Cause.TOTAL,),
        Why.LOADED if is_loaded else Why.NO_ROOM,
        source=readable(text),
        kept=((0, kept),) if kept and is_loaded else (),
        splits=is_loaded and measure(text[:kept], Unit.BYTES) < len(part),
        escaped=_escaped(text),
    )


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _escaped(text: str) -> str:
    return text if readable(text) != text else ""
