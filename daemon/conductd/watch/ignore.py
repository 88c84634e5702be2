"""The simple part of a workspace's top-level `.gitignore`: enough to keep a search off build output.

Understands comments, ``name``, ``dir/``, ``/anchored``, ``a/b``, ``*``, ``?``, ``[…]`` and ``**``.
A pattern file with a negation (``!``) is applied without the patterns before it that it may undo, so
that at worst too much is searched, never too little.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from conductd.watch.reader import observe

_MAX_SIZE = 64 * 1024
_MAX_PATTERNS = 500


class Pattern(NamedTuple):
    regex: re.Pattern[bytes]
    directories_only: bool
    whole_path: bool  # else only the last name is matched


class Ignored(NamedTuple):
    patterns: tuple[Pattern, ...] = ()

    def matches(self, path: bytes, *, is_directory: bool) -> bool:
        name = path.rpartition(b"/")[2]
        return any(
            pattern.regex.fullmatch(path if pattern.whole_path else name) is not None
            for pattern in self.patterns
            if is_directory or not pattern.directories_only
        )


def read_ignored(root_fd: int) -> Ignored:
    """The patterns of the workspace's own `.gitignore`; none when there is no such regular file."""
    seen = observe(root_fd, b".gitignore", limit=_MAX_SIZE, digest_limit=0)
    return parse(seen.data) if seen.data is not None else Ignored()


def parse(text: bytes) -> Ignored:
    patterns: list[Pattern] = []
    for raw in text.splitlines():
        line = raw.rstrip()
        if not line or line.startswith(b"#"):
            continue
        if line.startswith(b"!"):
            patterns.clear()
            continue
        pattern = _pattern(line)
        if pattern is not None and len(patterns) < _MAX_PATTERNS:
            patterns.append(pattern)
    return Ignored(tuple(patterns))


def _pattern(line: bytes) -> Pattern | None:
    directories_only = line.endswith(b"/")
    body = line.rstrip(b"/").removeprefix(b"\\")
    whole_path = b"/" in body
    body = body.lstrip(b"/")
    if not body:
        return None
    try:
        return Pattern(re.compile(_regex(body), re.DOTALL), directories_only, whole_path)
    except re.error:
        return None


def _regex(glob: bytes) -> bytes:
    out = b""
    at = 0
    while at < len(glob):
        if glob.startswith(b"**/", at):
            out, at = out + b"(?:.*/)?", at + 3
        elif glob.startswith(b"**", at):
            out, at = out + b".*", at + 2
        elif glob[at : at + 1] == b"*":
            out, at = out + b"[^/]*", at + 1
        elif glob[at : at + 1] == b"?":
            out, at = out + b"[^/]", at + 1
        elif glob[at : at + 1] == b"[" and (end := glob.find(b"]", at + 2)) > 0:
            inner = glob[at + 1 : end].replace(b"\\", b"\\\\")
            out, at = out + b"[" + (b"^" + inner[1:] if inner[:1] == b"!" else inner) + b"]", end + 1
        else:
            out, at = out + re.escape(glob[at : at + 1]), at + 1
    return out
