"""Where sections go: names of topic files beside the memory, that no agent loads by itself and none takes for a day.

Pure names, the likeliest first; whether one is free, protected and not loaded is for the caller to find out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

MOST = 99  # files of one name
_ARCHIVE = re.compile(rb"-archive(-\d+)?\Z")
_DAY = re.compile(rb"\d{4}-\d{2}-\d{2}")


def topics(path: bytes, *, beside: bool) -> Iterator[bytes]:
    """For the file at a path (relative to its workspace). ``beside``: the workspace is a memory directory itself, so
    that the next file is where an agent looks."""
    directory, name = posixpath.split(path)
    stem = _ARCHIVE.sub(b"", name[: -len(b".md")].lower() if name.lower().endswith(b".md") else name.lower())
    stem = stem.lstrip(b".") if _is_sayable(stem) else b""
    stem = stem or b"notes"
    first = b"notes-of-" + stem if _DAY.match(stem) else stem
    directories = [directory] if directory or beside else []
    for number in range(1, MOST + 1):
        named = first + b"-archive" + (b"" if number == 1 else b"-%d" % number) + b".md"
        for each in dict.fromkeys((*directories, b"memory", directory)):
            yield posixpath.join(each, named) if each else named


def link(path: bytes, topic: bytes) -> str | None:
    """From the directory of one file to the other, as Markdown takes it; None where no text can name it."""
    try:
        said = posixpath.relpath(topic, posixpath.dirname(path) or b".").decode()
    except UnicodeDecodeError:
        return None
    return said if said.isprintable() and not set(said) & set("<>[]\\") else None


def _is_sayable(name: bytes) -> bool:
    try:
        return name.decode().isprintable()
    except UnicodeDecodeError:
        return False
