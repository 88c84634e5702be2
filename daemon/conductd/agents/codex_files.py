"""Reads what Codex loads when it starts in a directory: the global file, the project's chain, the memory summary.

Read-only, never raises. Sources: Codex's pages on AGENTS.md, configuration and memories.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from conductd.agents.bootstrap_read import Guard, read
from conductd.agents.found import set_value
from conductd.core.load.codex import PROJECT_BYTES, Document, chain, summary, whole
from conductd.core.load.loaded import Load, LoadedFile, Unit, Why
from conductd.core.load.openclaw_versions import Session

_NAMES = ("AGENTS.override.md", "AGENTS.md")
_CONFIG = Guard(most=1024 * 1024)


def load(root: str, version: str, session: Session, env: Mapping[str, str], home: str) -> Load:
    """What is in the context when a session starts in `root`; in Codex' own directory, what is of there in every one:
    its global instructions are no project's, and take nothing of the project's budget."""
    root = os.path.realpath(root)
    base = set_value(env, "CODEX_HOME") or os.path.join(home, ".codex")
    config = _config(os.path.join(base, "config.toml"))
    limit = config.get("project_doc_max_bytes")
    most = limit if isinstance(limit, int) and not isinstance(limit, bool) and limit >= 0 else PROJECT_BYTES
    left_out: list[LoadedFile] = []
    above = _global(base, left_out)
    is_own = (root + "/").startswith(os.path.join(os.path.realpath(base), ""))
    found = chain(_documents(root, config, left_out), most) if most and not is_own else []
    if not most and not is_own:
        left_out += [_left(each, Why.RETIRED, "project_doc_max_bytes is 0") for each in _documents(root, config, [])]
    files = [*above, *found, *_memories(base, config, left_out)]
    notes = [f"project_doc_max_bytes is {most:,}"] if most != PROJECT_BYTES else []
    if len(files) > len(found):
        notes.append("only the project's own files are counted against the total")
    return Load("codex", version, session.value, Unit.BYTES, tuple(files), most or None, tuple(notes), tuple(left_out))


def _global(base: str, left_out: list[LoadedFile]) -> list[LoadedFile]:
    """The first of the names that has any text."""
    taken: list[LoadedFile] = []
    for name in _NAMES:
        path = os.path.join(base, name)
        got = read(path)
        if got.data is None or not got.data.strip():
            continue
        document = Document(path, path, got.data)
        if taken:
            left_out.append(_left(document, Why.OTHER_FILE, _NAMES[0]))
        else:
            taken.append(replace(whole(document), is_counted=False))
    return taken


def _documents(root: str, config: dict[str, Any], left_out: list[LoadedFile]) -> list[Document]:
    """One file of each directory, from the project's root down."""
    fallbacks = config.get("project_doc_fallback_filenames")
    more = [each for each in fallbacks if isinstance(each, str) and each] if isinstance(fallbacks, list) else []
    names = [*_NAMES, *(each for each in dict.fromkeys(more) if each not in _NAMES)]
    found: list[Document] = []
    for directory in _chain(root, config):
        taken = ""
        for name in names:
            path = os.path.join(directory, name)
            if not os.path.isfile(path):
                continue
            got = read(path)
            shown = os.path.relpath(path, root)
            if taken:
                left_out.append(_left(Document(shown, path, got.data or b""), Why.OTHER_FILE, taken))
                continue
            taken = name
            if got.data is None:
                left_out.append(LoadedFile(shown, path, why=got.why, note=got.detail))
            else:
                found.append(Document(shown, path, got.data))
    return found


def _chain(root: str, config: dict[str, Any]) -> list[str]:
    markers = config.get("project_root_markers")
    names = [each for each in markers if isinstance(each, str)] if isinstance(markers, list) else [".git"]
    found = [root]
    for directory in _up(root):
        if directory != root:
            found.append(directory)
        if any(os.path.lexists(os.path.join(directory, name)) for name in names):
            return found[::-1]
    return [root]


def _up(directory: str) -> Iterator[str]:
    while True:
        yield directory
        above = os.path.dirname(directory)
        if above == directory:
            return
        directory = above


def _memories(base: str, config: dict[str, Any], left_out: list[LoadedFile]) -> list[LoadedFile]:
    path = os.path.join(base, "memories", "memory_summary.md")
    data = read(path).data
    if data is None:
        return []
    document = Document(path, path, data)
    features, memories = config.get("features"), config.get("memories")
    if not (isinstance(features, dict) and features.get("memories") is True):
        left_out.append(_left(document, Why.RETIRED, "[features] memories is not on"))
        return []
    if isinstance(memories, dict) and memories.get("use_memories") is False:
        left_out.append(_left(document, Why.RETIRED, "[memories] use_memories is off"))
        return []
    return [replace(summary(document), is_counted=False)]


def _left(document: Document, why: Why, note: str) -> LoadedFile:
    source = document.data.decode("utf-8", "replace")
    return LoadedFile(document.name, document.path, len(document.data), why=why, note=note, source=source)


def _config(path: str) -> dict[str, Any]:
    data = read(path, _CONFIG).data
    try:
        return tomllib.loads(data.decode()) if data else {}
    except (ValueError, RecursionError):
        return {}
