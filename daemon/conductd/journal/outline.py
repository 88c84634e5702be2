"""What a journal that writes tells one that reads it in another process: which segments there are, and up to where.

So both look at the same history, whatever is appended or taken away meanwhile. Values, and one question to the disk.
"""

from __future__ import annotations

from collections.abc import Sequence

from conductd.errors import StoreDamaged
from conductd.journal import format as fmt
from conductd.journal.format import SegmentHeader
from conductd.journal.segment import Segment
from conductd.model import Frozen
from conductd.ports import Storage


class SegmentOutline(Frozen, frozen=True):
    """As `Segment`."""

    header: SegmentHeader
    number: int
    last_seq: int
    limit: int


class Outline(Frozen, frozen=True):
    """``segments`` oldest first; ``last_seq``: the newest acknowledged record."""

    segments: tuple[SegmentOutline, ...]
    last_seq: int


def outline(segments: Sequence[Segment], last_seq: int) -> Outline:
    """While nothing is appended."""
    return Outline(
        tuple(SegmentOutline(each.header, each.number, each.last_seq, each.limit) for each in segments), last_seq
    )


def segments_of(storage: Storage, told: Outline) -> list[Segment]:
    return [Segment(storage, each.number, each.header, each.last_seq, each.limit) for each in told.segments]


def rewritten(segments: Sequence[Segment]) -> list[str]:
    """Names of those that stand on the disk as another file now than the one they were opened as: an erasure gives each
    file that it writes a seed of its own. One that is missing or has no header any more is damaged, not rewritten."""
    found = []
    for segment in segments:
        segment.close()
        try:
            header, _ = fmt.unpack_header(segment.read_at(fmt.DATA_START, 0))
        except StoreDamaged:
            continue
        if header is not None and header.seed != segment.header.seed:
            found.append(segment.name)
    return found
