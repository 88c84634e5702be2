"""A restore to a time: what each file was then, is now, and what is to be done about it.

Owns the choice of the state that counts (the middle of a save does not) and the words for what would happen.
Pure; called by `engine.people.set_restore`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from conductd.model import Cause, FileState

SAVE_NS = 2_000_000_000  # absent or empty for less than this is the middle of a save


class What(StrEnum):
    """What a restore to a time does to a file."""

    CREATED = "created"  # it was there and is not
    CHANGED = "changed"
    REMOVED = "removed"  # it was not there
    UNCHANGED = "unchanged"
    LEFT = "left"  # it was not there then, and stays
    UNKNOWN = "unknown"  # nothing was recorded of it by then: stays


class Held(NamedTuple):
    """A state of a file: one that is recorded."""

    seq: int
    at_ns: int
    state: FileState
    digest: bytes | None
    size: int
    cause: Cause = Cause.CHANGE


class Step(NamedTuple):
    """``then``: the state to restore, None for none. ``refused``: why it cannot be restored."""

    what: What
    then: Held | None
    refused: str = ""


def state_then(before: tuple[Held, ...], after: Held | None) -> Held | None:
    """Of the newest states until a moment (newest first) and the first one after it: what the file was then."""
    if not before:
        return None
    newest = before[0]
    is_nothing = newest.state is FileState.ABSENT or (
        newest.state is FileState.FILE and not newest.size and newest.digest is not None
    )
    if is_nothing and after is not None and len(before) > 1:
        came = after.state is FileState.FILE and after.size > 0
        if came and after.at_ns - newest.at_ns <= SAVE_NS and before[1].state is FileState.FILE:
            return before[1]
    return newest


def step(before: tuple[Held, ...], after: Held | None, now: Held | None, *, exact: bool) -> Step | None:
    """What is to be done about a file; None when it was not there then and is not there now. ``exact``: what
    came later goes."""
    then = state_then(before, after)
    is_gone = now is None or now.state is FileState.ABSENT
    if then is None or then.state is FileState.ABSENT:
        if is_gone:
            return None
        if then is None and after is not None and after.cause is Cause.FIRST_SIGHT:
            return Step(What.UNKNOWN, None)
        return Step(What.REMOVED if exact else What.LEFT, None)
    if now is not None and (now.seq == then.seq or (now.state is then.state is FileState.FILE and _same(now, then))):
        return Step(What.UNCHANGED, then)
    what = What.CREATED if is_gone else What.CHANGED
    if then.state is not FileState.FILE:
        return Step(what, then, _NO_BYTES.get(then.state, "its bytes are not kept"))
    if then.digest is None:
        return Step(what, then, "what it held then was forgotten")
    if now is not None and now.state not in (FileState.FILE, FileState.ABSENT):
        return Step(what, then, f"it is {_A[now.state]} now")
    return Step(what, then)


def _same(one: Held, two: Held) -> bool:
    return one.digest is not None and one.digest == two.digest


_NO_BYTES = {
    FileState.SYMLINK: "it was a link then",
    FileState.OVERSIZE: "it was over the size limit then: its bytes were not kept",
    FileState.SPECIAL: "it was no regular file then",
}
_A = {
    FileState.SYMLINK: "a link",
    FileState.OVERSIZE: "over the size limit",
    FileState.SPECIAL: "no regular file",
    FileState.UNREADABLE: "not to be read",
}
