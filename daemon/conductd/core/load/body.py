"""What of a text is loaded before any limit: without front matter, without comments; and what it imports.

Pure; places are characters. Source of the reading of comments and imports: Claude Code's page on memory. Called by the
loaders that leave something of a file out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conductd.model import Frozen

Ranges = tuple[tuple[int, int], ...]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_COMMENT = re.compile(r" {0,3}<!--")
_FRONT = re.compile(r"---[ \t]*\r?\n(?:.*?\n)??---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_CODE = re.compile(r"(`+)(?:(?!`).|(?<!`)`+(?!`))*?(?<!`)\1(?!`)")
_IMPORT = re.compile(r"(?:^|(?<=\s))@((?:[^\s\\]|\\ )+)")


class Body(Frozen, frozen=True):
    """The parts of a text that are loaded, in order: ``text`` is what ``kept`` holds."""

    text: str
    kept: Ranges


def without_comments(text: str, start: int = 0) -> Body:
    """From `start` on, without comments that begin a line outside of code, to the end of their last line."""
    out: list[tuple[int, int]] = []
    at, fence = start, ""
    place = start
    while place < len(text):
        end = text.find("\n", place) + 1 or len(text)
        line = text[place:end]
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        elif _COMMENT.match(line) and (close := text.find("-->", place)) >= 0:
            stop = text.find("\n", close) + 1 or len(text)
            out.append((at, place))
            if text[close + 3 : stop].strip():
                out.append((close + 3, stop))
            at = end = stop
        place = end
    out.append((at, len(text)))
    return body_of(text, tuple((low, high) for low, high in out if low < high))


def front_matter_end(text: str) -> int:
    """Where the text begins after its front matter; 0 when it has none."""
    found = _FRONT.match(text)
    return found.end() if found else 0


def imports(text: str) -> list[str]:
    """What the text imports with `@path`, in order: not in code, not in comments, without a fragment."""
    found: list[str] = []
    fence = ""
    for line in without_comments(text).text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif not line.startswith(("    ", "\t")):
            for each in _IMPORT.finditer(_CODE.sub(lambda code: " " * len(code[0]), line)):
                path = each[1].replace("\\ ", " ").partition("#")[0].rstrip(".,;:!?)\"'")
                if path and path not in found and re.match(r"(?:\./|\.\./|~/|/|[\w.\-])", path):
                    found.append(path)
    return found


def body_of(text: str, kept: Ranges) -> Body:
    return Body("".join(text[low:high] for low, high in kept), kept)


def rest_of(kept: Ranges, length: int) -> Ranges:
    """What of so many characters the ranges do not hold."""
    edges = [0, *(place for each in kept for place in each), length]
    return tuple((low, high) for low, high in zip(edges[::2], edges[1::2], strict=True) if low < high)


def part_of(kept: Ranges, start: int, end: int) -> Ranges:
    """The places of the characters `start` to `end` of what the ranges hold."""
    return tuple(_part(kept, start, end))


def _part(kept: Ranges, start: int, end: int) -> Iterator[tuple[int, int]]:
    before = 0
    for low, high in kept:
        first, last = max(start, before), min(end, before + high - low)
        if first < last:
            yield low + first - before, low + last - before
        before += high - low
