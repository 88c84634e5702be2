"""The glob for files like this one: its dates, numbers and ids are what changes from one to the next.

Pure. Used to ask a person about a kind of file where only one of them was met.
"""

from __future__ import annotations

import re

LETTERS = 3  # that must be left in the name: less would fit everything

# Runs that count or date: dates and times in digits, hexadecimal ids (with a digit among them), UUIDs.
_VARIES = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|(?<![^\W\d_])(?=[a-f]*\d)[0-9a-f]{6,}(?![^\W_])"
    r"|\d+(?:[-_.:T]?\d+)*Z?",
    re.I,
)
_SPECIAL = re.compile(r"[*?\[]")
_STARS = re.compile(r"\*(?:[-_.T ]*\*)+")


def glob_for(path: bytes) -> str:
    """The glob, relative to the workspace; just this file when what is left of its name says nothing.

    A glob for a file at the root begins with "/", for without one it would fit at any depth.
    """
    parts = path.decode("utf-8", "surrogateescape").split("/")
    stem, dot, suffix = parts[-1].rpartition(".")
    if not stem:
        stem, dot, suffix = parts[-1], "", ""
    name = _general(stem)
    if sum(letter.isalpha() for letter in name) < LETTERS:
        return _rooted([_literal(part) for part in parts])
    return _rooted([*(_general(part) for part in parts[:-1]), name + dot + _literal(suffix)])


def _general(part: str) -> str:
    out, at = "", 0
    for found in _VARIES.finditer(part):
        out += _literal(part[at : found.start()]) + "*"
        at = found.end()
    return _STARS.sub("*", out + _literal(part[at:]))


def _literal(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"[{found[0]}]", text)


def _rooted(parts: list[str]) -> str:
    return "/".join(parts) if len(parts) > 1 else f"/{parts[0]}"
