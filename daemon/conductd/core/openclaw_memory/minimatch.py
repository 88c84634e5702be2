"""Patterns of extra paths, as Node's `path.posix.matchesGlob` reads them. Another meaning than `core.globs`.

Pure. `*` and `?` stay inside a part and match no leading dot, `**` as a whole part is any number of parts that do not
begin with a dot, `[...]` a set, `{a,b}` alternatives. `+(...)` and the like are not understood: `understood` says so.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

_ALTERNATIVES = 256
_EXTENDED = re.compile(r"[!?*+@]\(")


def understood(pattern: str) -> bool:
    return not _EXTENDED.search(pattern) and len(pattern) <= 4_096 and _expanded(pattern) is not None


def matches(pattern: str, path: str) -> bool:
    """Whether a relative path (`/` between parts) fits; False for a pattern that is not understood."""
    if _EXTENDED.search(pattern) or len(pattern) > 4_096:
        return False
    parts = path.split("/")
    return any(_match(each, parts) for each in _expanded(pattern) or ())


@lru_cache(maxsize=64)
def _expanded(pattern: str) -> tuple[tuple[str, ...], ...] | None:
    """The alternatives, each as its parts; None: too many."""
    found = [pattern]
    for _ in range(_ALTERNATIVES):
        for number, each in enumerate(found):
            split = _alternatives(each)
            if split is not None:
                found[number : number + 1] = split
                break
        else:
            return tuple(tuple(part for part in each.split("/") if part != ".") for each in found)
        if len(found) > _ALTERNATIVES:
            return None
    return None


def _alternatives(pattern: str) -> list[str] | None:
    """The pattern with its first braces written out; None: it has none with a comma."""
    for start in (at for at, letter in enumerate(pattern) if letter == "{" and pattern[at - 1 : at] != "\\"):
        depth, commas = 0, []
        for at in range(start, len(pattern)):
            letter = pattern[at]
            depth += (letter == "{") - (letter == "}")
            if letter == "," and depth == 1:
                commas.append(at)
            if depth == 0:
                if commas:
                    edges = [start, *commas, at]
                    inside = [pattern[a + 1 : b] for a, b in pairwise(edges)]
                    return [pattern[:start] + each + pattern[at + 1 :] for each in inside]
                break
    return None


def _match(pattern: tuple[str, ...], parts: list[str]) -> bool:
    """Every way through the parts at once: many `**` cost no more than their number."""
    places = _and_after({0}, pattern)
    for part in parts:
        reached = set()
        for place in places:
            if place == len(pattern):
                continue
            if pattern[place] == "**":
                if not part.startswith("."):
                    reached.add(place)
            elif _part(pattern[place]).fullmatch(part):
                reached.add(place + 1)
        places = _and_after(reached, pattern)
    return len(pattern) in places


def _and_after(places: set[int], pattern: tuple[str, ...]) -> set[int]:
    """With the places that no part is needed for: behind a `**`."""
    found = set(places)
    for place in places:
        at = place
        while at < len(pattern) and pattern[at] == "**":
            at += 1
            found.add(at)
    return found


@lru_cache(maxsize=1024)
def _part(pattern: str) -> re.Pattern[str]:
    """One part. Between two stars the first place that fits is taken: nothing is tried twice."""
    signs: list[str] = []
    at = 0
    while at < len(pattern):
        sign, at = _sign(pattern, at)
        if sign != "*" or not signs or signs[-1] != "*":
            signs.append(sign)
    pieces: list[str] = [""]
    for sign in signs:
        if sign == "*":
            pieces.append("")
        else:
            pieces[-1] += sign
    guard = "" if pattern.startswith((".", "\\.")) else r"(?!\.)"
    if len(pieces) == 1:
        return re.compile(guard + pieces[0], re.DOTALL)
    between = "".join(f"(?>.*?{piece})" for piece in pieces[1:-1])
    return re.compile(f"{guard}{pieces[0]}{between}.*{pieces[-1]}", re.DOTALL)


def _sign(pattern: str, at: int) -> tuple[str, int]:
    letter = pattern[at]
    if letter == "*":
        return "*", at + 1
    if letter == "?":
        return ".", at + 1
    if letter == "\\" and at + 1 < len(pattern):
        return re.escape(pattern[at + 1]), at + 2
    if letter == "[":
        end = pattern.find("]", at + 2)
        inside = pattern[at + 1 : end] if end > 0 else ""
        negated = inside[:1] in ("!", "^")
        members = inside[negated:]
        if members:
            escaped = members.replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^")
            try:
                re.compile(f"[{escaped}]")
            except re.error:
                return re.escape(letter), at + 1
            return f"[{'^' if negated else ''}{escaped}]", end + 1
    return re.escape(letter), at + 1
