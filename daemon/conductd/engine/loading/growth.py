"""Which file grew, and who wrote it: what a finding is charged to. Reads memory only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from conductd.core.load.finding import Finding
from conductd.core.load.loaded import Load
from conductd.engine.fold.tracks import FileTrack, Seen
from conductd.model import UNKNOWN, Cause, FileState

Sizes = Mapping[str, int]
"""By the name of a file, what it was in the unit of its loader."""


def sizes(load: Load) -> dict[str, int]:
    return {each.name: each.raw for each in load.files}


def charged(
    finding: Finding, load: Load | None, before: Sizes | None, tracks: Mapping[str, FileTrack], changed: Sequence[str]
) -> Finding:
    """The finding with what grew and its writer. ``before``: None at first sight. ``changed``: names of the files that
    were written since it was last looked."""
    grew = _grown(finding, load, before, tracks)
    blamed = grew or (finding.name if finding.name in changed else "")
    track = tracks.get(blamed)
    head = track.head if track is not None else None
    is_written = head is not None and (blamed in changed or head.cause is Cause.OFFLINE)
    writer = head.actor.name if head is not None and is_written and head.actor != UNKNOWN else ""
    return msgspec.structs.replace(finding, grew=grew, writer=writer)


def _grown(finding: Finding, load: Load | None, before: Sizes | None, tracks: Mapping[str, FileTrack]) -> str:
    """Of the files that take of the limit the one that grew most; of a file's own limit only the file itself."""
    if load is None:
        return ""
    now = sizes(load)
    counted = finding.files if "total" in finding.reason and finding.files else (finding.name,)
    grown = {name: _growth(name, now[name], before, tracks) for name in counted if name in now}
    name = max(grown, key=lambda each: grown[each], default="")
    return name if name and grown[name] > 0 else ""


def _growth(name: str, now: int, before: Sizes | None, tracks: Mapping[str, FileTrack]) -> int:
    if before is not None:
        return now - before.get(name, 0)
    track = tracks.get(name)
    if track is None or track.head is None or track.head.cause is not Cause.OFFLINE:
        return 0  # it stood there when it was seen first
    return track.head.size - _size_before(track, track.head)


def _size_before(track: FileTrack, head: Seen) -> int:
    known = (track.baseline, *track.since, *track.earlier)
    older = [seen for seen in known if seen is not None and seen.seq < head.seq and seen.state is FileState.FILE]
    return max(older, key=lambda seen: seen.seq).size if older else 0
