"""One memory file as OpenClaw's `memory_get` reads it: which paths it allows, what it answers where nothing is.

Read-only. Source: `packages/memory-host-sdk/src/host/read-file.ts`, releases 2026.1.30 to 2026.9.6.
"""

from __future__ import annotations

import os
import stat

from conductd.agents.bootstrap_read import Guard, read, text_of
from conductd.agents.openclaw_memory_settings import Extra, MemorySettings
from conductd.core.load.loaded import Why
from conductd.core.load.openclaw_versions import Version
from conductd.core.openclaw_memory.minimatch import matches
from conductd.core.openclaw_memory.paging import Page, page
from conductd.core.openclaw_memory.rules import is_memory_path, rules
from conductd.errors import ContentUnavailable, MemoryPathNotAllowed
from conductd.model import Frozen


class Got(Frozen, frozen=True):
    """``path`` as OpenClaw names it. ``is_there`` False: the text is empty, which is no error."""

    path: str
    page: Page
    is_there: bool = True


def get(own: MemorySettings, version: Version, path: str, first: int | None = None, lines: int | None = None) -> Got:
    """Raises MemoryPathNotAllowed for what is no memory, ContentUnavailable for what cannot be read."""
    those = rules(version)
    root = own.workspace
    asked = path.strip()
    if not asked or "\0" in asked:
        raise _refused(path)
    absolute = os.path.normpath(os.path.join(root, asked))
    relative = os.path.relpath(absolute, root)
    is_inside = relative != "." and relative != ".." and not relative.startswith("../")
    in_workspace = is_inside and is_memory_path(relative, those)
    if not in_workspace and not any(_allows(each, absolute) for each in own.extra):
        raise _refused(path)
    if not absolute.endswith(".md") or os.path.islink(absolute):
        raise _refused(path)
    got = read(absolute, Guard(root=root if in_workspace else None))
    if got.why is Why.MISSING:
        return Got(relative, Page(""), is_there=False)
    if got.why is Why.OUTSIDE:
        raise _refused(path)
    if got.data is None:
        raise ContentUnavailable(f"{path} cannot be read: {got.detail or got.why.value}", "check its mode")
    text = text_of(got.data)
    return Got(relative, page(text, those, first, lines, own.most, in_workspace=in_workspace))


def _allows(extra: Extra, absolute: str) -> bool:
    """An extra path that is the file (there or not), or the directory above it with no link between."""
    try:
        mode = os.lstat(extra.path).st_mode
    except FileNotFoundError:
        return absolute == extra.path and not extra.pattern
    except (OSError, ValueError):
        return False
    if stat.S_ISREG(mode):
        return absolute == extra.path
    if not stat.S_ISDIR(mode) or not absolute.startswith(extra.path.rstrip("/") + "/"):
        return False
    below = os.path.relpath(absolute, extra.path)
    if extra.pattern and not matches(extra.pattern, below):
        return False
    place = extra.path
    for part in below.split("/")[:-1]:
        place = os.path.join(place, part)
        if os.path.islink(place):
            return False
    return True


def _refused(path: str) -> MemoryPathNotAllowed:
    return MemoryPathNotAllowed(
        f"MEMORY_PATH_NOT_ALLOWED: OpenClaw's memory_get does not read {path}", "see: conductd memory list"
    )
