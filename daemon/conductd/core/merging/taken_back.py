"""Taking one write back out of a text that was written on since."""

from __future__ import annotations

from conductd.core.merging.merge import three_way


def without(now: bytes, written: bytes | None, before: bytes | None) -> bytes | None:
    """`now` with the step from `before` to `written` taken back; None when nothing was there before and
    nothing was added since."""
    target = three_way(written or b"", now, before or b"").data
    return target if before is not None or target.strip() else None
