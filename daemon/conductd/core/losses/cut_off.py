"""An unfinished write: the new text is the old one cut off."""

from __future__ import annotations

from conductd.core.judging.finding import Evidence

_BLOCK = 4096


def cut_sign(e: Evidence) -> str:
    """How an unfinished write shows, or "" when the text is not the old one cut off."""
    old, new = e.baseline.data, e.last.data
    if not new or len(new) >= len(old) or not old.startswith(new) or not e.last.table.entries:
        return ""
    rest = old[len(new) :]
    if not rest.strip():
        return ""
    mid_line = new[-1:] not in (b"\n", b"\r") and rest[:1] not in (b"\n", b"\r")
    at_block = len(new) % _BLOCK == 0
    # The last words of an unended last line: that is somebody's edit, and no line was cut.
    if mid_line and not at_block and b"\n" not in rest:
        return ""
    if at_block:
        return f"cut at a multiple of {_BLOCK}, {'mid-line, ' if mid_line else ''}rest identical"
    return "cut mid-line, rest identical" if mid_line else ""
