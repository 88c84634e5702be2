"""The collections of OpenClaw's QMD backend: what it was told to index, under which names.

Pure. Source: `backend-config.ts`, 2026.2 to 2026.7. The backend was removed in 2026.8.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conductd.core.openclaw_memory.rules import Rules
from conductd.model import Frozen

EVERY_MARKDOWN = "**/*.md"


class Collection(Frozen, frozen=True):
    """``kind``: "memory" (the workspace's own) or "custom"."""

    name: str
    path: str
    pattern: str
    kind: str


class Wanted(Frozen, frozen=True):
    """A configured path, absolute. ``name``, ``pattern``: "" where none is given."""

    path: str
    pattern: str = ""
    name: str = ""


def collections(root: str, agent: str, own: bool, wanted: Iterable[Wanted], those: Rules) -> tuple[Collection, ...]:
    """``own``: with the workspace's own memory. Paths in ``wanted`` are in the order of the configuration."""
    taken: set[str] = set()
    found: list[Collection] = []
    if own:
        bases = [("memory-root", root, "MEMORY.md")]
        bases += [] if those.exact_root else [("memory-alt", root, "memory.md")]
        bases.append(("memory-dir", f"{root.rstrip('/')}/memory", EVERY_MARKDOWN))
        found = [Collection(_unique(_scoped(base, agent), taken), path, glob, "memory") for base, path, glob in bases]
    seen: set[tuple[str, str]] = set()
    for number, each in enumerate(wanted, 1):
        pattern = each.pattern or EVERY_MARKDOWN
        if those.shared_collections and (each.path, pattern) in seen:
            continue
        seen.add((each.path, pattern))
        is_outside = each.path != root and not each.path.startswith(root.rstrip("/") + "/")
        is_shared = bool(each.name) and is_outside and those.shared_collections
        base = each.name if is_shared else _scoped(each.name or f"custom-{number}", agent)
        found.append(Collection(_unique(base, taken), each.path, pattern, "custom"))
    return tuple(found)


def _scoped(base: str, agent: str) -> str:
    return f"{base}-{_plain(agent)}"


def _unique(base: str, taken: set[str]) -> str:
    name, number = _plain(base), 1
    while name in taken:
        number += 1
        name = f"{_plain(base)}-{number}"
    taken.add(name)
    return name


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9-]+", "-", text.lower()).strip("-") or "collection"
