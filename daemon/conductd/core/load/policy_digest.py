"""The policy lines that OpenClaw keeps of an AGENTS.md that is too long (from 2026.5.19 on).

Headings, list items and lines with words of policy; those with the stronger words first, all in their order. From
2026.9 on a policy line brings the prose line right before it, and a red circle and Chinese words of policy count.
Source: `buildAgentsPolicyDigest` of OpenClaw 2026.5.19–2026.9.6; behaviour re-stated.
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
_RED = "\U0001f534"
_STRONG_CHINESE = "|".join((_RED, "禁止", "嚴禁", "不得", "絕不", "絕對不", "切勿"))
_FRAMED_HIGH = re.compile(f"{_HIGH.pattern}|{_STRONG_CHINESE}", re.IGNORECASE | re.ASCII)
_FRAMED_ANY = re.compile(f"{_ANY.pattern}|{_STRONG_CHINESE}|必須|務必|一律|紅線", re.IGNORECASE | re.ASCII)
_FENCE = re.compile(r"`{3}|~{3}")
# JavaScript's /iu folds these two into ASCII letters.
_FOLDED = str.maketrans({"\u017f": "s", "\u212a": "k"})


class Digest(Frozen, frozen=True):
    """``omitted``: candidates that found no room. ``lines``: the 0-based lines of the text that it quotes."""

    text: str
    omitted: int
    lines: tuple[int, ...] = ()


class Candidate(Frozen, frozen=True):
    """A policy line, with the line before it where that belongs to it."""

    text: str
    is_strong: bool
    lines: tuple[int, ...]


def policy_digest(text: str, room: int, *, framed: bool = False) -> Digest:
    """The digest of a text in at most ``room`` units."""
    return digest_of(candidates(text, framed=framed), room)


def candidates(text: str, *, framed: bool) -> list[Candidate]:
    """The policy lines of a text, in order. ``framed``: as from 2026.9 on."""
    high, any_of = (_FRAMED_HIGH, _FRAMED_ANY) if framed else (_HIGH, _ANY)
    found: list[Candidate] = []
    before: int | None = None  # the prose line right above
    lines = [_normalised(line) for line in _LINES.split(text)]
    for place, line in enumerate(lines):
        folded = line.translate(_FOLDED)
        if not line or (framed and _FENCE.match(line)):
            before = None
        elif _LISTED.match(line) or any_of.search(folded):
            quoted = (before, place) if framed and before is not None else (place,)
            whole = "\n".join(lines[each] for each in quoted)
            found.append(Candidate(whole, high.search(folded) is not None, quoted))
            before = None
        else:
            before = place
    return found


def digest_of(those: list[Candidate], room: int) -> Digest:
    """Those that find room, the strong ones first, rendered in the order of the text."""
    if room <= 0:
        return Digest("", 0)
    chosen: set[int] = set()
    used = 0
    for wanted in (True, False):
        for number, each in enumerate(those):
            if number in chosen or (wanted and not each.is_strong):
                continue
            size = units(each.text) + bool(chosen)
            if used + size <= room:
                chosen.add(number)
                used += size
    kept = [those[number] for number in sorted(chosen)]
    lines = tuple(line for each in kept for line in each.lines)
    return Digest("\n".join(each.text for each in kept), len(those) - len(kept), lines)


def _normalised(line: str) -> str:
    line = _SPACE.sub(" ", trim(line))
    return line if units(line) <= _LINE_MOST else safe_cut(line, 0, _LINE_MOST - 1) + "…"
