"""Which files of a workspace are protected, and what each is for.

Owns the table from workspace-relative path to role. Pure names: it never looks at a file. Called
by the engine for every path it hears of, so it is cheap and says None quickly.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from conductd.core.globs import matches
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
        # Written for a new workspace and removed by the agent when it is set up: put back, it would
        # start the setup again.
        b"bootstrap.md",
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

# Copies that somebody keeps for a while, and folders of such: what is only there is gone tomorrow.
_THROW_AWAY = re.compile(
    rb".*\.(?:bak|backup|old|orig|save|saved|prev|previous|te?mp|copy|deleted|trash)(?:[-._]?\d[-\d.t:_z]*)?(?:\.[a-z0-9]{1,8})?"
    rb"|.*[-_ .](?:bak|backup|old|orig|copy)(?:[-_ ]?\d[-\d_]*)?(?:\.[a-z0-9]{1,8})?"
    rb"|.*\((?:copy|\d+)\)(?:\.[a-z0-9]{1,8})?"
    rb"|(?:te?mp|bak|copy of|copy-of|copy_of|trash)(?:[-_. ].*)?|.*\.(?:md|txt)\.[-\d._t:z]+",
    re.S,
)
_ROTATED = re.compile(rb".*\.(?:md|txt|markdown|log)\.\d[-\d._t:z]*")
# What file managers call a copy (Windows, macOS, GNOME, KDE) in their languages: "NAME - Kopie", "NAME (copie)",
# "NAME のコピー 2", "Copia de NAME". A word of it alone names no copy.
_COPY = (
    "copy|kopie|copie|copia|cópia|kópia|kopio|kopya|másolat|копия|копія|копие|αντίγραφο|コピー|複製"
    "|副本|拷贝|拷貝|复件|복사본|사본|نسخة|עותק|bản sao|สำเนา|salinan"
)
_COPIED = re.compile(
    rf".+(?:[ _.–—-]|の|的)(?:{_COPY})(?: ?\(?\d+\)?)?"
    r"|.+ [–—-] kopi(?:a|ja)?(?: ?\(\d+\))?"  # elsewhere coffee, or a program for backups
    rf"|.+[(（](?:[^()（）]* )?(?:{_COPY}|kopia?)(?: \d+)?[)）](?: ?\d+)?"
    r"|(?:copy of|kopie v[ao]n|copie de|copia d[ei]|cópia de|kopi[ae]? a[fv]|копия|копія|копие|αντίγραφο)[ _].+",
    re.S,
)
_THROW_AWAY_TREES = frozenset(
    {b"tmp", b".tmp", b"temp", b".trash", b"trash", b".cache", b"backup", b"backups", b".backup", b".backups", b".bak"}
)

Table = Sequence[tuple[str, Role]]
"""Globs (`core.globs`) with the role of the files they match; the first match counts."""


def classify(path: bytes, profile: Table = (), extra: Table = ()) -> Role | None:
    """The role of a workspace-relative path; None: not protected.

    ``extra`` (configured) is asked first, then ``profile`` (what the agent of this workspace is known
    to do: in a memory directory of Claude Code every ``*.md`` is memory), then the general table.
    None of them makes a passing file or a tree of another tool protected.
    """
    if is_passing(path):
        return None
    for pattern, role in (*extra, *profile):
        if matches(pattern, path):
            return role
    return _general(path.lower())


def _general(lower: bytes) -> Role | None:
    folder, _, name = lower.rpartition(b"/")
    if name in _REPLACEABLE and folder in (b"", b"memory"):
        return Role.REPLACEABLE
    if folder in (b"", b"memory") and name in _CURATED:
        return Role.CURATED
    if lower.startswith(b"memory/"):
        return _memory_role(name)
    if not folder and name in _INSTRUCTIONS:
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


def is_rotated(path: bytes) -> bool:
    """By its name a log that was turned over (`NAME.md.1`, `NAME.md.2026-03-01`), or a copy with a number: whether it
    is the file itself, moved, its inode tells."""
    *folders, name = path.lower().split(b"/")
    if is_passing(path) or any(folder in _THROW_AWAY_TREES for folder in folders):
        return False
    return _ROTATED.fullmatch(name) is not None


def is_throw_away(path: bytes) -> bool:
    """A file that is no home for what was moved into it: it passes by, or its name or folder says that it is
    a copy kept for a while."""
    *folders, name = path.lower().split(b"/")
    if is_passing(path) or any(folder in _THROW_AWAY_TREES for folder in folders):
        return True
    stem, dot, _ = name.rpartition(b".")
    text = unicodedata.normalize("NFC", (stem if dot else name).decode("utf-8", "replace")).lower()
    return _THROW_AWAY.fullmatch(name) is not None or _COPIED.fullmatch(text) is not None
