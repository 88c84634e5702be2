"""What Codex makes of its chain of instruction files and of its memory summary.

Pure. Source: Codex's pages on AGENTS.md and memories, `codex-rs/core` (`project_doc`), `codex-rs/memories`. Tokens are
Codex's own estimate: four bytes each. Called by `agents.codex_files`.
"""

from __future__ import annotations

from collections.abc import Iterable

from conductd.core.load.loaded import Cause, LoadedFile, Why
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
    after is not loaded. Files without text take nothing."""
    left = limit
    found: list[LoadedFile] = []
    for each in documents:
        size = len(each.data)
        text = each.data.decode("utf-8", "replace")
        if left <= 0:
            found.append(_cut(each, text, size, None, b"", left))
            continue
        part = each.data[:left]
        loaded = part.decode("utf-8", "replace")
        if not loaded.strip():
            found.append(LoadedFile(each.name, each.path, size, why=Why.EMPTY))
            continue
        left -= len(part)
        if len(part) < size:
            found.append(_cut(each, text, size, loaded, part, len(part)))
        else:
            found.append(whole(each))
    return found


def whole(document: Document) -> LoadedFile:
    """A file outside of any budget."""
    text = document.data.decode("utf-8", "replace")
    size = len(document.data)
    return LoadedFile(document.name, document.path, size, size, text, source=text, kept=((0, len(text)),))


def summary(document: Document, tokens: int = SUMMARY_TOKENS) -> LoadedFile:
    """The memory summary: half of the budget from the top, half from the end, a marker between that is not counted."""
    text = document.data.decode("utf-8", "replace").strip()
    data = text.encode()
    most = tokens * _TOKEN_BYTES
    if not text:
        return LoadedFile(document.name, document.path, 0, why=Why.EMPTY)
    if len(data) <= most:
        return LoadedFile(
            document.name,
            document.path,
            len(data),
            len(data),
            text,
            most,
            source=text,
            kept=((0, len(text)),),
            own_limit=most,
        )
    head = data[: most // 2].decode("utf-8", "ignore")
    tail = data[len(data) - (most - most // 2) :].decode("utf-8", "ignore")
    gone = -((most - len(data)) // _TOKEN_BYTES)
    shown = f"{head}…{gone} tokens truncated…{tail}"
    return LoadedFile(
        document.name,
        document.path,
        len(data),
        len(shown.encode()),
        shown,
        most,
        (Cause.PER_FILE,),
        note=f"{tokens:,} tokens of {_TOKEN_BYTES} bytes",
        source=text,
        kept=((0, len(head)), (len(text) - len(tail), len(text))),
        own_limit=most,
    )


def _cut(of: Document, text: str, size: int, loaded: str | None, part: bytes, limit: int) -> LoadedFile:
    if not text.strip():
        return LoadedFile(of.name, of.path, size, why=Why.EMPTY)
    kept = len(part.decode("utf-8", "ignore"))
    return LoadedFile(
        of.name,
        of.path,
        size,
        len(part),
        loaded,
        limit or None,
        (Cause.TOTAL,),
        Why.LOADED if loaded is not None else Why.NO_ROOM,
        source=text,
        kept=((0, kept),) if kept else (),
        splits=loaded is not None and kept < len(loaded) and len(text) > kept and not text.startswith(loaded),
    )
