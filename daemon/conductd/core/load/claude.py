"""What Claude Code makes of an instruction file and of its memory index.

Pure. Source: Claude Code's pages on memory and its changelog (2.1.83, 2.1.211, 2.1.277); the byte value behind
"25 KB" is not published, 25,000 is the safe bound. Called by `agents.claude_files`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conductd.core.load.loaded import Cause, LoadedFile
from conductd.model import Frozen

Version = tuple[int, ...]
Ranges = tuple[tuple[int, int], ...]

INDEX_LINES = 200
INDEX_BYTES = 25_000
_BYTES_SINCE: Version = (2, 1, 83)
_UNCOUNTED_SINCE: Version = (2, 1, 211)
AGENTS_SINCE: Version = (2, 1, 277)

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_COMMENT = re.compile(r" {0,3}<!--")
_FRONT = re.compile(r"---[ \t]*\r?\n(?:.*?\n)??---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_CODE = re.compile(r"(`+)(?:(?!`).|(?<!`)`+(?!`))*?(?<!`)\1(?!`)")
_IMPORT = re.compile(r"(?:^|(?<=\s))@((?:[^\s\\]|\\ )+)")
_KEY = re.compile(r"^paths\s*:", re.MULTILINE)


def parse_version(text: str) -> Version | None:
    """ "2.1.211"; None for anything else."""
    found = re.fullmatch(r"v?(\d+(?:\.\d+){0,3})(?:[-+].*)?", text.strip())
    return tuple(int(part) for part in found[1].split(".")) if found else None


class Body(Frozen, frozen=True):
    """The parts of a text that are loaded, in order."""

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
    return _body(text, tuple((low, high) for low, high in out if low < high))


def front_matter_end(text: str) -> int:
    """Where the text begins after its front matter; 0 when it has none."""
    found = _FRONT.match(text)
    return found.end() if found else 0


def is_scoped(text: str) -> bool:
    """Whether a rule names the files that it is for."""
    end = front_matter_end(text)
    return end > 0 and _KEY.search(text[:end]) is not None


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


def index(name: str, path: str, text: str, version: Version) -> LoadedFile:
    """The memory index: its first 200 lines or 25,000 bytes, whichever ends first."""
    body = without_comments(text, front_matter_end(text)) if version >= _UNCOUNTED_SINCE else _whole(text)
    counted = body.text.rstrip()
    size = len(counted.encode("utf-8", "replace"))
    lines = counted.split("\n")
    kept = counted if len(lines) <= INDEX_LINES else "\n".join(lines[:INDEX_LINES])
    if version >= _BYTES_SINCE:
        kept = kept.encode("utf-8", "replace")[:INDEX_BYTES].decode("utf-8", "ignore")
    is_cut = len(kept) < len(counted)
    injected = len(kept.encode("utf-8", "replace"))
    by_lines = len(lines) > INDEX_LINES
    limit = INDEX_BYTES if version >= _BYTES_SINCE else None
    return LoadedFile(
        name,
        path,
        size,
        injected,
        kept or None,
        limit=limit,
        causes=(Cause.PER_FILE,) if is_cut else (),
        source=text,
        kept=_prefix(body.kept, len(kept)) if is_cut else body.kept,
        own_limit=injected if is_cut and by_lines else limit,
        lines=len(lines),
        lines_limit=INDEX_LINES,
    )


def instructions(name: str, path: str, text: str, note: str = "", *, is_rule: bool = False) -> LoadedFile:
    """A whole file, comments left out; of a rule also its front matter."""
    body = without_comments(text, front_matter_end(text) if is_rule else 0)
    size = len(body.text.encode("utf-8", "replace"))
    return LoadedFile(name, path, size, size, body.text or None, note=note, source=text, kept=body.kept)


def _whole(text: str) -> Body:
    return Body(text, ((0, len(text)),) if text else ())


def _body(text: str, kept: Ranges) -> Body:
    return Body("".join(text[low:high] for low, high in kept), kept)


def _prefix(kept: Ranges, length: int) -> Ranges:
    """The first `length` characters of what the ranges hold."""
    return tuple(_first(kept, length))


def _first(kept: Ranges, length: int) -> Iterator[tuple[int, int]]:
    for low, high in kept:
        if length <= 0:
            return
        yield low, min(high, low + length)
        length -= high - low
