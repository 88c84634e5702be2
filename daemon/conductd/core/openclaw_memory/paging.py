"""What `memory_get` answers: the lines asked for, cut to a number of lines and of UTF-16 units, and how to go on.

Pure. Source: `packages/memory-host-sdk/src/host/read-file-shared.ts`; without limits before 2026.4.15.
"""

from __future__ import annotations

from conductd.core.load.javascript import cut, safe_cut, units
from conductd.core.openclaw_memory.rules import Rules
from conductd.model import Frozen

LINES = 120
CHARACTERS = 12_000


class Page(Frozen, frozen=True):
    """``text`` with its notice. ``first``: the 1-based line it starts at, ``lines``: how many of the file it holds;
    both None before there were pages. ``following``: where to go on, None: nowhere. ``is_cut``: there is more."""

    text: str
    first: int | None = None
    lines: int | None = None
    is_cut: bool = False
    following: int | None = None


def page(
    content: str,
    those: Rules,
    first: int | None = None,
    lines: int | None = None,
    most: int = CHARACTERS,
    *,
    in_workspace: bool = True,
) -> Page:
    """``first`` and ``lines`` as asked (None: not said; less than 1 is 1). ``most``: of the excerpt, in units."""
    if not those.paged:
        return _unlimited(content, first, lines)
    every = content.split("\n")
    if those.whole_lines and every[-1] == "":
        every.pop()
    start = max(1, first if first is not None else 1)
    wanted = max(1, lines if lines is not None else LINES)
    chosen = every[start - 1 : start - 1 + wanted]
    more = start - 1 + len(chosen) < len(every)
    fitting = _fitting(chosen, max(1, most))
    joined = "\n".join(chosen[:fitting])
    is_over = units(joined) > max(1, most)  # the first line alone
    text = (safe_cut if those.safe_cuts else cut)(joined, 0, max(1, most)) if is_over else joined
    is_cut = is_over or fitting < len(chosen) or more
    following = start + fitting if not is_over and (more or fitting < len(chosen)) else None
    notice = _notice(following, is_over and in_workspace) if is_cut and (text or is_over) else ""
    return Page(text + notice, start, fitting, is_cut, following)


def _fitting(lines: list[str], most: int) -> int:
    """How many lines fit; one at least, where there are any."""
    size = 0
    for number, line in enumerate(lines):
        size += units(line) + (number > 0)
        if number and size > most:
            return number
    return len(lines)


def _notice(following: int | None, suggests_read: bool) -> str:
    how = (
        f"Use from={following} to continue." if following else "Requested excerpt exceeded the default maxChars budget."
    )
    read = " If you need the full raw line, use read on the source file." if suggests_read else ""
    return f"\n\n[More content available. {how}{read}]"


def _unlimited(content: str, first: int | None, lines: int | None) -> Page:
    if first is None and lines is None:
        return Page(content)
    every = content.split("\n")
    start = max(1, first if first is not None else 1)
    count = max(1, lines if lines is not None else len(every))
    return Page("\n".join(every[start - 1 : start - 1 + count]))
