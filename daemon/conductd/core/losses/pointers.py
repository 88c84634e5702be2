"""Lines that point to a file: "- [Deploy](deploy.md), hosts and ports", "see [[plan]]".

Owns what a line points to, and which lost lines only led to a file that is gone as well: whoever takes both out, or
puts the file away, has lost nothing more with the line. Pure; called by `core.judging.judge` and `losses.bookkeeping`.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote

from conductd.core.comparing.calendar_words import MONTHS
from conductd.core.comparing.wording import core_words
from conductd.core.judging.finding import Evidence
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, once
from conductd.core.reading.text import is_character, words

_TARGET = re.compile(
    r"\]\(\s*(?:<([^>]+)>|([^)\s]+))[^)]*\)"  # [title](file.md)
    r"|\[\[([^\]|#]+)[^\]]*\]\]"  # [[file]]
    r"|(?<![\w/])@?((?:[\w.~-]+/)*[\w.-]+\.(?:md|mdx|markdown|txt|org|rst|adoc))\b"
)
_EXTENSION = re.compile(r"\.(?:md|mdx|markdown|txt|org|rst|adoc)$")
_LONGEST = 24  # words, or twice as many characters, beside the file's name; a longer line says something itself
_MOST_SHARE = 0.5  # of the text: more is an index that was emptied


class Pointer(NamedTuple):
    """``label``: what a line says without the files it points to; ``targets``: these."""

    label: tuple[str, ...]
    targets: frozenset[str]


@once
def pointer(entry: Entry) -> Pointer:
    targets = frozenset(next(filter(None, found)) for found in _TARGET.findall(entry.text))
    told = words(_TARGET.sub(" ", entry.text)) if targets else ()
    return Pointer(core_words(tuple(word for word in told if word not in MONTHS)), frozenset(map(_plain, targets)))


def led_nowhere(e: Evidence) -> frozenset[int]:
    """First lines of lost entries that pointed to files that are gone, and to no other."""
    if not e.case.gone:
        return frozenset()
    lost = {span.line for span in e.change.lost}
    gone = {_plain(path.decode("utf-8", "surrogateescape")) for path in e.case.gone}
    stems = {_EXTENSION.sub("", path) for path in gone}
    folder = _plain(posixpath.dirname(e.case.path.decode("utf-8", "surrogateescape")))
    found = [
        entry
        for entry in e.baseline.table.entries
        if entry.line in lost and _is_one(entry) and all(_is_in(t, folder, gone, stems) for t in pointer(entry).targets)
    ]
    if sum(entry.weight for entry in found) > _MOST_SHARE * e.baseline.table.weight:
        return frozenset()
    return frozenset(entry.line for entry in found)


def named(paths: Iterable[bytes], text: bytes) -> tuple[bytes, ...]:
    """Those of the paths whose file the text names somewhere."""
    seen = _plain(text.decode("utf-8", "surrogateescape"))
    return tuple(path for path in paths if _stem(path) in seen)


def _is_one(entry: Entry) -> bool:
    if entry.kind in (Kind.HEADING, Kind.CODE, Kind.FRONT_MATTER):
        return False
    label, targets = pointer(entry)
    return bool(targets) and len(label) <= _LONGEST * (2 if any(map(is_character, label)) else 1)


def _is_in(target: str, folder: str, gone: set[str], stems: set[str]) -> bool:
    target = target.partition("#")[0]
    for path in (posixpath.normpath(posixpath.join(folder, target)), posixpath.normpath(target.lstrip("/"))):
        if path in gone or path in stems:
            return True
    return "/" not in target and any(posixpath.basename(stem) == _EXTENSION.sub("", target) for stem in stems)


def _stem(path: bytes) -> str:
    return _EXTENSION.sub("", _plain(posixpath.basename(path).decode("utf-8", "surrogateescape")))


def _plain(text: str) -> str:
    """As it is compared: case, composition and escapes are the file system's."""
    return unicodedata.normalize("NFC", unquote(text)).casefold().strip()
