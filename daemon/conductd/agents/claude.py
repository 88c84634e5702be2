"""Claude Code: its own directory, one memory directory a project below it, and the one that its settings name.

Source: Claude Code's pages on memory and settings (`~/.claude/projects/<project>/memory/`, `CLAUDE_CONFIG_DIR`,
`autoMemoryDirectory`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping

from conductd.agents import homes
from conductd.agents.bootstrap_read import Guard, read
from conductd.agents.found import Found, real_directory

MANAGED = "/etc/claude-code/managed-settings.json"
_SETTINGS = Guard(most=4 * 1024 * 1024)


def find(env: Mapping[str, str], home: str) -> Iterator[Found]:
    """The memory directories that exist. Links inside the configuration directory are not followed."""
    yield from homes.find(homes.CLAUDE, env, home)
    base = homes.directory_of(homes.CLAUDE, env, home)
    for path in (MANAGED, *([os.path.join(base, "settings.json")] if base else [])):
        named = _memory_directory(path, home)
        if named is not None:
            yield Found(os.fsencode(named), "claude-memory", "Claude Code's memory (autoMemoryDirectory)")
            return


def _memory_directory(settings: str, home: str) -> str | None:
    data = read(settings, _SETTINGS).data
    try:
        said = json.loads(data) if data else None
    except (ValueError, RecursionError):
        return None
    named = said.get("autoMemoryDirectory") if isinstance(said, dict) else None
    if not isinstance(named, str) or "\0" in named or not named.startswith(("/", "~/")):
        return None
    try:
        return real_directory(os.path.join(home, named.removeprefix("~/")))
    except UnicodeEncodeError:  # half a character
        return None
