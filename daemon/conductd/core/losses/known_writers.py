"""Memory jobs of known agents, recognised by what they leave in a text.

Owns the marks: OpenClaw's dreaming, doctor and session files (2026.1 to 2026.9), imports, Claude Code's auto
memory, Hermes' notes, Codex' memories. A mark is text, and anybody can write it: it names a writer with little
confidence, it may soften an automatic write to an offer, and it never excuses a loss. Pure; called by
`core.judging.answer` and by the engine's witness.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from conductd.core.judging.charge import MARKED
from conductd.model import Actor

LONGEST = 1024 * 1024  # bytes; no memory that a job keeps is that long
LEAST_LEFT = 0.25  # of the old text's weight: a job in its own form leaves a text, not a stub

_PROMOTION = re.compile(rb"openclaw-memory-promotion:[\w:.-]+")
_PROMOTED = re.compile(rb"(?m)^#{1,3} Promoted From Short-Term Memory \(")
_PHASE = re.compile(rb"(?m)^## (?:Light|REM|Deep) Sleep\b")
_LEGACY = re.compile(rb"(?m)^#{1,3} Imported From Legacy Root memory\.md")
_TOOLS = re.compile(rb"(?m)^## Tools\b")
_SESSION_NAME = re.compile(rb"memory/\d{4}-\d{2}-\d{2}-[\w-]+\.md")
_SESSION = re.compile(rb"\A\s*# Session: \d{4}-\d{2}-\d{2}")
_IMPORT = re.compile(rb"memory/imports/.+")
_PARTED = re.compile("(?m)^[ \\t]*§[ \\t]*\\r?$".encode())
_FRONT = re.compile(rb"\A---\r?\n(.*?)\r?\n---\r?\n", re.S)
_CLAUDE_TYPE = re.compile(rb"(?m)^\s*type:\s*(?:user|feedback|project|reference)\s*$")
_CLAUDE_MODIFIED = re.compile(rb"(?m)^\s*modified:\s*(\S.*?)\s*$")
_CODEX_HEAD = re.compile(rb"\Av1\r?\n")
_CODEX_FILE = re.compile(rb"(?:.*/)?(?:memory_summary|raw_memories)\.md")


class Known(NamedTuple):
    """A writer by name, and what says so. ``rewrites``: it rewrites whole files by design, so a person is asked."""

    name: str
    sign: str
    rewrites: bool = True

    @property
    def actor(self) -> Actor:
        return Actor(self.name, MARKED, (self.sign,))


def recognise(path: bytes, before: bytes, after: bytes) -> Known | None:
    """Whose form the step from one text to the next has; None for nobody's. It must be in the step: marks that
    stood there before say nothing about who wrote now."""
    if max(len(before), len(after)) > LONGEST:
        return None
    return next((known for look in _FORMS if (known := look(path, before, after)) is not None), None)


def _dreaming(path: bytes, before: bytes, after: bytes) -> Known | None:
    name = path.rpartition(b"/")[2].lower()
    promoted, had = set(_PROMOTION.findall(after)), set(_PROMOTION.findall(before))
    if promoted - had or (promoted and len(_PROMOTED.findall(after)) != len(_PROMOTED.findall(before))):
        return Known("cron:dreaming", "promotion marks")
    if had - promoted and promoted and len(_PROMOTED.findall(after)) < len(_PROMOTED.findall(before)):
        return Known("cron:dreaming", "promotions dropped")
    slept = len(_PHASE.findall(after)) > len(_PHASE.findall(before))
    if slept and (name == b"dreams.md" or b"/dreaming/" in b"/" + path or b"memory/" in path):
        return Known("cron:dreaming", "a sleep section", rewrites=False)
    return None


def _doctor(path: bytes, before: bytes, after: bytes) -> Known | None:
    if path == b"MEMORY.md" and _LEGACY.search(after) and not _LEGACY.search(before):
        return Known("agent:openclaw-doctor", "legacy memory merged")
    if path == b"AGENTS.md" and _TOOLS.search(after) and not _TOOLS.search(before):
        return Known("agent:openclaw-doctor", "tools merged")
    return None


def _session(path: bytes, before: bytes, after: bytes) -> Known | None:
    if _SESSION_NAME.fullmatch(path) and _SESSION.match(after) and (not before or _SESSION.match(before)):
        return Known("agent:session-memory", "a session file")
    return None


def _import(path: bytes, _before: bytes, _after: bytes) -> Known | None:
    return Known("agent:memory-import", "an imported file") if _IMPORT.fullmatch(path) else None


def _claude(_path: bytes, before: bytes, after: bytes) -> Known | None:
    old, new = _FRONT.match(before), _FRONT.match(after)
    if new is None or not _CLAUDE_TYPE.search(new[1]):
        return None
    stamp = _CLAUDE_MODIFIED.search(new[1])
    was = _CLAUDE_MODIFIED.search(old[1]) if old is not None else None
    if stamp is None or (was is not None and was[1] == stamp[1]) or (before and old is None):
        return None
    return Known("agent:claude-memory", "a newer time of change in the front matter")


def _hermes(_path: bytes, before: bytes, after: bytes) -> Known | None:
    if len(_PARTED.findall(before)) >= 2 and len(_PARTED.findall(after)) >= 2:
        return Known("agent:hermes-memory", "notes parted by §")
    return None


def _codex(path: bytes, before: bytes, after: bytes) -> Known | None:
    if _CODEX_FILE.fullmatch(path) and _CODEX_HEAD.match(after) and (not before or _CODEX_HEAD.match(before)):
        return Known("cron:codex-memories", "a summary of version 1")
    return None


_FORMS: tuple[Callable[[bytes, bytes, bytes], Known | None], ...] = (
    _dreaming,
    _doctor,
    _session,
    _import,
    _claude,
    _hermes,
    _codex,
)
