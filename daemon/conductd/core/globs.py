"""The one meaning of a glob, for files and for actor names, in the configuration and in the tables of roles.

Pure. `*` and `?` stay inside one path part, `**` spans parts, `[abc]` and `[!abc]` are sets. A pattern
without `/` matches the name at any depth; one with `/` matches the whole path from the root.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")


def matches(pattern: str, path: bytes) -> bool:
    """Whether a file (path relative to its workspace, `/` between parts, any bytes) fits the glob."""
    return _compiled(pattern).fullmatch(path) is not None


def any_matches(patterns: Iterable[str], path: bytes) -> bool:
    return any(matches(pattern, path) for pattern in patterns)


def first_match(table: Mapping[str, T], path: bytes) -> T | None:
    """The value of the first glob of the table, in the order written, that fits."""
    return next((value for pattern, value in table.items() if matches(pattern, path)), None)


def actor_matches(pattern: str, actor: str) -> bool:
    """Whether an actor name (`cron:dreaming`) fits; `*` spans everything, colons and slashes too."""
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), actor, re.DOTALL) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[bytes]:
    anywhere = "/" not in pattern
    text = pattern.lstrip("/").encode("utf-8", "surrogateescape")
    expression = b"(?:.*/)?" if anywhere else b""
    at = 0
    while at < len(text):
        if text.startswith(b"**/", at):
            expression += b"(?:.*/)?"
            at += 3
        elif text.startswith(b"**", at):
            expression += b".*"
            at += 2
        else:
            piece, at = _one(text, at)
            expression += piece
    return re.compile(expression, re.DOTALL)


def _one(text: bytes, at: int) -> tuple[bytes, int]:
    """The expression for the wildcard, set or letter at `at`, and where the next one starts."""
    letter = text[at : at + 1]
    if letter == b"*":
        return b"[^/]*", at + 1
    if letter == b"?":
        return b"[^/]", at + 1
    end = text.find(b"]", at + 2) if letter == b"[" else -1
    if end > 0:
        inside = text[at + 1 : end]
        negated = inside[:1] in (b"!", b"^")
        members = inside[1:] if negated else inside
        escaped = members.replace(b"\\", b"\\\\").replace(b"[", b"\\[").replace(b"^", b"\\^").replace(b"]", b"\\]")
        if members and _is_set(escaped):
            return b"(?!/)[" + (b"^" if negated else b"") + escaped + b"]", end + 1
    return re.escape(letter), at + 1


def _is_set(members: bytes) -> bool:
    try:
        re.compile(b"[" + members + b"]")
    except re.error:
        return False
    return True
