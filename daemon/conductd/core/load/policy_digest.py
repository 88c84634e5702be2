"""The policy lines that OpenClaw keeps of an AGENTS.md that is too long (from 2026.5.19 on).

Headings, list items and lines with words of policy; those with the stronger words first, all in their order.
Source: `buildAgentsPolicyDigest` of OpenClaw 2026.5.19–2026.8; re-stated.
"""

from __future__ import annotations

import re

from conductd.core.load.javascript import WHITE_SPACE, safe_cut, trim, units
from conductd.model import Frozen

_LINE_MOST = 240
_SPACE = re.compile(f"[{re.escape(WHITE_SPACE)}]+")
_LINES = re.compile(r"\r?\n")
_LISTED = re.compile(r"(?:#{1,6}|[-*+]|[0-9]+[.)]) \S")  # of a line whose white space is one space
_STRONG = "AGENTS\\.md|scoped|required|must|never|do not|before subtree|read scoped|security|secret|credential"
_HIGH = re.compile(rf"\b(?:{_STRONG})\b", re.IGNORECASE | re.ASCII)
_ANY = re.compile(rf"\b(?:{_STRONG}|owner|test|validation|command|commit|push|github|pr)\b", re.IGNORECASE | re.ASCII)
# JavaScript's /iu folds these two into ASCII letters.
_FOLDED = str.maketrans({"\u017f": "s", "\u212a": "k"})


class Digest(Frozen, frozen=True):
    """``omitted``: candidates that found no room."""

    text: str
    omitted: int


def policy_digest(text: str, room: int) -> Digest:
    """The digest of a text in at most ``room`` units."""
    if room <= 0:
        return Digest("", 0)
    lines = [_normalised(line) for line in _LINES.split(text)]
    candidates = [(place, line) for place, line in enumerate(lines) if line and _is_candidate(line)]
    chosen: dict[int, str] = {}
    used = 0
    for wanted in (True, False):
        for place, line in candidates:
            if place in chosen or (wanted and not _HIGH.search(line.translate(_FOLDED))):
                continue
            size = units(line) + bool(chosen)
            if used + size <= room:
                chosen[place] = line
                used += size
    return Digest("\n".join(chosen[place] for place in sorted(chosen)), len(candidates) - len(chosen))


def _normalised(line: str) -> str:
    line = _SPACE.sub(" ", trim(line))
    return line if units(line) <= _LINE_MOST else safe_cut(line, 0, _LINE_MOST - 1) + "…"


def _is_candidate(line: str) -> bool:
    return _LISTED.match(line) is not None or _ANY.search(line.translate(_FOLDED)) is not None
