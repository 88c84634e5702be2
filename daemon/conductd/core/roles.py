"""Which files of a workspace are protected, and what each is for.

Owns the table from workspace-relative path to role. Pure names: it never looks at a file. Called
by the engine for every path it hears of, so it is cheap and says None quickly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from conductd.model import Role

_CURATED = frozenset({b"memory.md", b"user.md"})
_INSTRUCTIONS = frozenset(
    {
        b"agents.md",
        b"agents.override.md",
        b"claude.md",
        b"claude.local.md",
        b"gemini.md",
        b"soul.md",
        b"identity.md",
        b"tools.md",
        b"bootstrap.md",
        b"qwen.md",
        b"warp.md",
        b".cursorrules",
        b".windsurfrules",
        b".clinerules",
        b".goosehints",
    }
)
_REPLACEABLE = frozenset(
    {
        b"heartbeat.md",
        b"session_handoff.md",
        b"handoff.md",
        b"tasks.md",
        b"task.md",
        b"todo.md",
        b"todos.md",
        b"scratchpad.md",
        b"session.md",
    }
)
_INSTRUCTION_FILES = re.compile(
    rb"\.claude/(?:claude\.md|rules/.+\.md)|\.github/(?:copilot-instructions\.md|instructions/.+\.instructions\.md)"
    rb"|\.(?:cursor|windsurf|devin|agents?)/rules/.+\.mdc?|\.clinerules/.+\.md"
)
_DAILY = re.compile(rb"\d{4}-\d{2}-\d{2}(?!\d)[^/]*\.md")

# Files that editors and savers make for a moment, and trees that are never memory.
_PASSING = re.compile(
    rb"\.#.*|#.*#|.*~|\.goutputstream-.*|.*\.sw[a-z]|4913|.*\.tmp(?:[.-].*)?|.*\.te?mp|.*\.bak|.*\.orig|.*\.rej|.*\.lock|.*\.part|.*\.crdownload|\.~lock\..*"
    rb"|\.conductd-.*|\.__.*|___jb_(?:tmp|old)___|.*___jb_(?:tmp|old)___|\.ds_store|\._.*",
    re.S,
)
_NEVER_TREES = frozenset(
    {b".git", b".hg", b".svn", b".jj", b".openclaw-repair", b"node_modules", b".venv", b"venv", b"__pycache__"}
)

Extra = Mapping[Role, Sequence[str]]
"""Configured globs by role. ``*`` stays inside a path part, ``**`` crosses parts."""


def classify(path: bytes, profile: str = "generic", extra: Extra | None = None) -> Role | None:
    """The role of a workspace-relative path; None: not protected.

    ``profile`` "claude-memory": the workspace is the memory directory itself, so every ``*.md`` is
    memory. ``extra`` wins over the table, but never makes a passing file or a `.git` file protected.
    """
    if is_passing(path):
        return None
    if extra:
        for role in Role:
            if any(matches(path, pattern) for pattern in extra.get(role, ())):
                return role
    lower = path.lower()
    folder, _, name = lower.rpartition(b"/")
    in_root = not folder
    if in_root and name in _CURATED:
        return Role.CURATED
    if profile == "claude-memory":
        return _memory_role(name)
    if name in _REPLACEABLE and (in_root or folder == b"memory"):
        return Role.REPLACEABLE
    if lower.startswith(b"memory/"):
        return Role.CURATED if lower == b"memory/memory.md" else _memory_role(name)
    if in_root and name in _INSTRUCTIONS:
        return Role.INSTRUCTIONS
    if _INSTRUCTION_FILES.fullmatch(lower):
        return Role.INSTRUCTIONS
    return None


def _memory_role(name: bytes) -> Role | None:
    if not name.endswith(b".md"):
        return None
    return Role.DAILY if _DAILY.fullmatch(name) else Role.TOPIC


def is_passing(path: bytes) -> bool:
    """A file that only passes by: an editor's temporary, a backup, our own temporary, a tree of another tool."""
    *folders, name = path.split(b"/")
    if not name or any(part.lower() in _NEVER_TREES for part in (*folders, name)):
        return True
    return _PASSING.fullmatch(name.lower()) is not None


def matches(path: bytes, pattern: str) -> bool:
    """Glob match on raw path bytes, case-sensitive. A pattern without ``/`` matches in the root only."""
    return _glob(pattern).fullmatch(path) is not None


@lru_cache(maxsize=512)
def _glob(pattern: str) -> re.Pattern[bytes]:
    out: list[bytes] = []
    data = pattern.encode("utf-8", "surrogateescape")
    at = 0
    while at < len(data):
        if data.startswith(b"**/", at):
            out.append(b"(?:[^/]+/)*")
            at += 3
        elif data.startswith(b"**", at):
            out.append(b".*")
            at += 2
        elif data[at : at + 1] == b"*":
            out.append(b"[^/]*")
            at += 1
        elif data[at : at + 1] == b"?":
            out.append(b"[^/]")
            at += 1
        else:
            out.append(re.escape(data[at : at + 1]))
            at += 1
    return re.compile(b"".join(out), re.S)
