"""What OpenClaw puts into the prompt beside the files of the workspace's root: a person's own USER.md, and the files
that its bundled hook `bootstrap-extra-files` adds.

Read-only, never raises. Sources: OpenClaw's page on hooks, `hooks/bundled/bootstrap-extra-files`, `agents/workspace.ts`
(`loadExtraBootstrapFilesWithDiagnostics`); of the people's files only their place is documented.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from conductd.agents.found import subdirectories
from conductd.agents.openclaw import table
from conductd.core.globs import matches
from conductd.core.load.openclaw_versions import Session, Version, load_order

NAMES = frozenset(
    ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md")
)
_HOOK = "bootstrap-extra-files"
_PEOPLE_SINCE: Version = (2026, 9, 1)
_FILES = 1_000  # of one pattern
_DIRECTORIES = 4_096  # looked into for one pattern
_PATTERNS = 200
_WILD = frozenset("*?[{")


def people(root: str, version: Version, session: Session) -> list[str]:
    """The people's own files, of which a session with one of them loads that one."""
    if version < _PEOPLE_SINCE or session is not Session.MAIN:
        return []
    names = (f"users/{name}/USER.md" for name in subdirectories(os.path.join(root, "users")))
    return [name for name in names if os.path.lexists(os.path.join(root, name))]


def patterns(config: Mapping[str, Any]) -> tuple[str, ...]:
    """What the hook is told to add; () when it is off."""
    internal = table(table(config.get("hooks")).get("internal"))
    hook = table(table(internal.get("entries")).get(_HOOK))
    if not hook or hook.get("enabled") is False or internal.get("enabled") is False:
        return ()
    for key in ("paths", "patterns", "files"):
        value = hook.get(key)
        named = [each.strip() for each in value if isinstance(each, str)] if isinstance(value, list) else []
        if found := tuple(each for each in named if each and "\0" not in each):
            return found[:_PATTERNS]
    return ()


def added(root: str, those: tuple[str, ...]) -> list[str]:
    """The files that the patterns mean, relative to the workspace, each once; also those that the hook refuses by their
    name. One that is named in full and is not there is none."""
    found: dict[str, None] = {}
    for pattern in those:
        inside = os.path.normpath(os.path.relpath(pattern, root) if os.path.isabs(pattern) else pattern)
        if inside == ".." or inside.startswith("../"):
            continue
        for name in sorted(islice(_meant(root, inside), _FILES)):
            found.setdefault(name)
    return list(found)


def is_added(name: str, version: Version, session: Session) -> bool:
    """Whether a file of this name that the hook adds stays in such a session: it is filtered as the others are."""
    if session is Session.LIGHT:
        return False
    return session in (Session.MAIN, Session.GROUP) or os.path.basename(name) in load_order(version, session)


def _meant(root: str, pattern: str) -> Iterator[str]:
    if not _WILD & set(pattern):
        if os.path.lexists(os.path.join(root, pattern)):
            yield pattern
        return
    wanted = [f"/{each}" for each in _without_braces(pattern)]
    depth = None if "**" in pattern else pattern.count("/")
    for count, (place, directories, files) in enumerate(os.walk(root)):
        if count >= _DIRECTORIES:
            return
        inside = os.path.relpath(place, root)
        prefix = "" if inside == "." else inside + "/"
        directories[:] = sorted(each for each in directories if each not in (".git", "node_modules"))
        if depth is not None and prefix.count("/") >= depth:
            directories.clear()
        for name in files:
            if any(matches(each, os.fsencode(prefix + name)) for each in wanted):
                yield prefix + name


def _without_braces(pattern: str) -> list[str]:
    """`a/{b,c}` as `a/b` and `a/c`; at most so many."""
    start = pattern.find("{")
    end = pattern.find("}", start)
    if start < 0 or end < 0:
        return [pattern]
    choices = pattern[start + 1 : end].split(",")
    every = (each for choice in choices for each in _without_braces(pattern[:start] + choice + pattern[end + 1 :]))
    return list(islice(every, _PATTERNS))
