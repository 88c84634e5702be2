"""What a night's look at unfinished work came to, as the journal keeps it. Values that do nothing."""

from __future__ import annotations

from conductd.model import Frozen


class ContinuityResult(Frozen, frozen=True):
    """All are counts: names of tasks are text of files. ``new``, ``changed``, ``done`` (moved) pages; ``unfinished``:
    open ones afterwards; ``left_out``: tasks without a page for want of room; ``gone``: pages whose task stands in no
    note any more. ``removed``: pages that somebody took away. ``where``: the directory, ``why`` it is not one of the
    workspace."""

    format: int = 1
    new: int = 0
    changed: int = 0
    unfinished: int = 0
    done: int = 0
    left_out: int = 0
    gone: int = 0
    refused: int = 0
    withheld: int = 0
    unread: int = 0
    where: str = ""
    why: str = ""
    removed: int = 0
