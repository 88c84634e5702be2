"""Changes that a rescan met and that no event announced: signs that a mount sends none.

A link count, a mode, an owner or time stamps alone are no sign: of those the directory of another name hears, or
nobody. Called by the intake.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from conductd.watch.reader import Observation
from conductd.watch.rescan import Found

UNANNOUNCED_NS = 5_000_000_000  # a change this old that no hint announced: the mount sends nothing


def unannounced(
    changed: Iterable[Found], before: Mapping[bytes, bytes | None], read: Mapping[bytes, Observation], now_ns: int
) -> list[bytes]:
    """Of the files that a rescan found changed, those that hold something else, and have for a while."""
    return [
        each.path
        for each in changed
        if now_ns - max(each.stat.mtime_ns, each.stat.ctime_ns) > UNANNOUNCED_NS
        and (before.get(each.path) is None or before[each.path] != read[each.path].digest)
    ]
