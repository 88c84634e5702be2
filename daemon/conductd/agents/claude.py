"""Claude Code: one memory directory a project, below its configuration directory.

Source: Claude Code's memory documentation (`~/.claude/projects/<project>/memory/`, `CLAUDE_CONFIG_DIR`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from conductd.agents.found import Found, real_directory, set_value, subdirectories


def find(env: Mapping[str, str], home: str) -> Iterator[Found]:
    """The memory directories that exist. Links inside the configuration directory are not followed."""
    named = set_value(env, "CLAUDE_CONFIG_DIR")
    config_dir = real_directory(
        os.path.join(home, named.removeprefix("~/")) if named else os.path.join(home, ".claude")
    )
    if config_dir is None:
        return
    projects = os.path.join(config_dir, "projects")
    if os.path.islink(projects):
        return
    for project in subdirectories(projects):
        memory = os.path.join(projects, project, "memory")
        if os.path.isdir(memory) and not os.path.islink(memory):
            shown = os.fsencode(project).decode("utf-8", "replace")
            yield Found(os.fsencode(memory), "claude-memory", f"Claude Code's memory of the project {shown}")
