"""Names of any bytes as text that can be written down, each another text, and back. Pure."""

from __future__ import annotations

import re

# A byte that is no UTF-8 is written `\xe8`; a name that has such letters of its own gets its backslash written so.
_OWN = re.compile(rb"\\(?=x(?:5c|[89a-f][0-9a-f]))")
_WRITTEN = re.compile(rb"\\x(5c|[89a-f][0-9a-f])")


def named(path: bytes) -> str:
    """What no other path is called."""
    return _OWN.sub(rb"\\x5c", path).decode("utf-8", "backslashreplace")


def path_of(name: str) -> bytes:
    """The path that is called so."""
    return _WRITTEN.sub(lambda found: bytes([int(found[1], 16)]), name.encode("utf-8", "surrogateescape"))


def is_writable(path: bytes) -> bool:
    """Whether the name is the path itself, so that it can be given to a command."""
    return named(path).encode("utf-8", "surrogateescape") == path
