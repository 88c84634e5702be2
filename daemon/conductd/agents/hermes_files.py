"""Reads what Hermes loads: its memories, and the context files of its home and of a directory.

Read-only, never raises. Sources: Hermes' pages on memory and context files, its `agent/prompt_builder.py`,
`tools/memory_tool.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from conductd.agents.bootstrap_read import Guard, read, text_of
from conductd.agents.found import set_value
from conductd.core.load.hermes import (
    HERMES_CONTEXT,
    HERMES_MEMORY,
    HERMES_USER,
    head_and_tail,
    hermes_memory,
)
from conductd.core.load.loaded import Load, LoadedFile, Unit
from conductd.core.load.openclaw_versions import Session

_CONFIG = Guard(most=1024 * 1024)


def load(root: str, version: str, session: Session, env: Mapping[str, str], home: str) -> Load:
    """What is in the context when a session starts in `root`; in a Hermes home, of that profile alone."""
    root = os.path.realpath(root)
    base = _home(root, env, home)
    config = text_of(read(os.path.join(base, "config.yaml"), _CONFIG).data or b"")
    files: list[LoadedFile] = []
    left_out: list[LoadedFile] = []
    for path in _context(base, root):
        got = read(path)
        name = _shown(path, root)
        if got.data is not None:
            limit = _number(config, "context_file_max_chars") or HERMES_CONTEXT
            # Its marker names the file as Hermes does; it is shown by where it lies.
            found = head_and_tail(os.path.basename(path) if name == path else name, path, text_of(got.data), limit)
            files.append(replace(found, name=name))
        elif os.path.lexists(path):
            left_out.append(LoadedFile(name, path, why=got.why, note=got.detail))
    for name, key, default in (
        ("MEMORY.md", "memory_char_limit", HERMES_MEMORY),
        ("USER.md", "user_char_limit", HERMES_USER),
    ):
        path = os.path.join(base, "memories", name)
        got = read(path)
        if got.data is not None:
            limit = _number(config, key) or default
            files.append(hermes_memory(_shown(path, root), path, text_of(got.data), limit))
        elif os.path.lexists(path):
            left_out.append(LoadedFile(_shown(path, root), path, why=got.why, note=got.detail))
    notes = ("memories are frozen at the start of a session: later writes are seen in the next",)
    return Load("hermes", version, session.value, Unit.CHARACTERS, tuple(files), None, notes, tuple(left_out))


def _shown(path: str, root: str) -> str:
    return os.path.relpath(path, root) if path.startswith(root + "/") else path


def _home(root: str, env: Mapping[str, str], home: str) -> str:
    """The home of the profile: the directory itself, or the one above its memories, where it is one."""
    for place in (root, os.path.dirname(root)):
        if os.path.isfile(os.path.join(place, "memories", "MEMORY.md")):
            return place
    named = set_value(env, "HERMES_HOME")
    return os.path.join(home, named.removeprefix("~/")) if named else os.path.join(home, ".hermes")


def _context(base: str, root: str) -> Iterator[str]:
    yield os.path.join(base, "SOUL.md")
    yield os.path.join(base, "AGENTS.md")
    if root == base or root.startswith(os.path.join(base, "")):
        return
    for name in ("AGENTS.md", "SOUL.md", ".cursorrules"):
        yield os.path.join(root, name)
    rules = os.path.join(root, ".cursor", "rules")
    try:
        names = sorted(os.listdir(rules))
    except OSError:
        return
    yield from (os.path.join(rules, name) for name in names if name.endswith(".mdc"))


def _number(config: str, key: str) -> int | None:
    """A number of the configuration; a line is enough to read it."""
    found = re.search(rf"^[ \t]*{key}[ \t]*:[ \t]*(\d{{1,9}})[ \t]*(?:#.*)?$", config, re.MULTILINE)
    return int(found[1]) or None if found else None
