"""What a checkpoint found and did, as the journal keeps it and the report takes it up. Values that do nothing."""

from __future__ import annotations

from collections.abc import Mapping

from conductd.model import Frozen


class CheckpointResult(Frozen, frozen=True):
    """``files``: protected files that were read, ``recorded`` of them as they are on disk; ``unread`` could not be.
    ``is_whole``: the journal was verified without damage. ``quoted``: lines by kind of statement. ``where``: the file
    that has them, "" for none, and ``why`` it is none, or not the log of the day."""

    format: int = 1
    files: int = 0
    recorded: int = 0
    unread: int = 0
    is_whole: bool = False
    damaged: int = 0
    versions: int = 0
    not_restorable: int = 0
    quoted: Mapping[str, int] = {}
    left_out: int = 0
    withheld: int = 0
    where: str = ""
    why: str = ""
