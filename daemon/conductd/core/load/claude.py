"""What Claude Code makes of an instruction file and of its memory index.

Pure. Source: Claude Code's pages on memory and its changelog (2.1.83, 2.1.211, 2.1.277); the byte value behind
"25 KB" is not published, 25,000 is the safe bound. Called by `agents.claude_files`.
"""

from __future__ import annotations

import re

from conductd.core.load.body import front_matter_end, without_comments
from conductd.core.load.counting import measure, readable
from conductd.core.load.cutting import Document, cut
from conductd.core.load.limits import Limits
from conductd.core.load.loaded import LoadedFile, Unit

Version = tuple[int, ...]

INDEX_LINES = 200
INDEX_BYTES = 25_000
_BYTES_SINCE: Version = (2, 1, 83)
_UNCOUNTED_SINCE: Version = (2, 1, 211)
AGENTS_SINCE: Version = (2, 1, 277)

_KEY = re.compile(r"^paths\s*:", re.MULTILINE)


def parse_version(text: str) -> Version | None:
    """ "2.1.211"; None for anything else."""
    found = re.fullmatch(r"v?(\d+(?:\.\d+){0,3})(?:[-+].*)?", text.strip())
    return tuple(int(part) for part in found[1].split(".")) if found else None


def is_scoped(text: str) -> bool:
    """Whether a rule names the files that it is for."""
    end = front_matter_end(text)
    return end > 0 and _KEY.search(text[:end]) is not None


def index(name: str, path: str, text: str, version: Version) -> LoadedFile:
    """The memory index: its first 200 lines or 25,000 bytes, whichever ends first."""
    limits = Limits(
        per_file=INDEX_BYTES if version >= _BYTES_SINCE else 0,
        lines=INDEX_LINES,
        trim_end=True,
        frontmatter=version < _UNCOUNTED_SINCE,
        comments=version < _UNCOUNTED_SINCE,
    )
    return cut(Document(name, path, text, limits), Unit.BYTES)


def instructions(name: str, path: str, text: str, note: str = "", *, is_rule: bool = False) -> LoadedFile:
    """A whole file, comments left out; of a rule also its front matter."""
    body = without_comments(text, front_matter_end(text) if is_rule else 0)
    size = measure(body.text, Unit.BYTES)
    source = readable(text)
    return LoadedFile(
        name,
        path,
        size,
        size,
        readable(body.text) or None,
        note=note,
        source=source,
        kept=body.kept,
        escaped="" if source == text else text,
    )
