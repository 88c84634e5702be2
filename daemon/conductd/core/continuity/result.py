"""What a night's look at unfinished work came to, as the journal keeps it. Values that do nothing."""

from __future__ import annotations

from conductd.model import Frozen


class PageResult(Frozen, frozen=True):
    """``name``: of the page's file, as text."""

    name: str
    status: str
    is_new: bool = False


class ContinuityResult(Frozen, frozen=True):
    """``pages``: written or moved; ``unfinished``: open ones afterwards; ``left_out``: tasks without a page for want of
    room; ``gone``: pages whose task stands in no note any more. ``where``: the directory, ``why`` it is not one of the
    workspace."""

    format: int = 1
    pages: tuple[PageResult, ...] = ()
    unfinished: int = 0
    done: int = 0
    left_out: int = 0
    gone: tuple[str, ...] = ()
    withheld: int = 0
    unread: int = 0
    where: str = ""
    why: str = ""
