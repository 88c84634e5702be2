"""After a crash: what became of a plan that has no "done", told from what is on disk.

`inspect` reads, `decide` is pure, `remove_leftover` drops a temporary file that a plan names
(and only such a one). Called by the engine at start, before anything is judged.
"""

from __future__ import annotations

import hashlib
import stat
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from conductd.core.merging.standing import is_written_on
from conductd.core.temp_name import is_temp_name
from conductd.model import RepairPlanRecord
from conductd.repair.links import read_link
from conductd.repair.opening import NotRegular, Parent, Unreachable

_PAGE: Final = 4096


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at the path and at the plan's temporary name. None: nothing there, or nothing
    readable; ``odd`` says that the path holds something that is no readable regular file."""

    file: bytes | None
    temp: bytes | None
    odd: bool = False
    link: bytes | None = None  # the path is a symlink, and leads there


class Step(StrEnum):
    """What the engine does with the plan."""

    DONE = "done"  # the target is in place: journal "done"
    AGAIN = "again"  # apply once more, over the bytes whose digest is `expect`
    GIVE_BACK = "give_back"  # ours is in place of bytes nobody judged: record `rescued`, put it back, judge
    WRITTEN = "written"  # ours was in place, and somebody wrote on it: journal "done", judge what is there
    SUPERSEDED = "superseded"  # something else is there: journal "superseded", judge what is there


@dataclass(frozen=True, slots=True)
class Recovery:
    """``rescued`` are bytes that stand only under the temporary name: record them as a version
    (cause `swapped_out`) before `remove_leftover`. ``expect`` is the order's `judged` for AGAIN
    (None: absence) and GIVE_BACK."""

    step: Step
    expect: bytes | None = None
    rescued: bytes | None = None


def decide(plan: RepairPlanRecord, target: bytes | None, judged: bytes | None, found: Found) -> Recovery:
    """``target`` and ``judged`` are the bytes behind the plan's digests (None: absence).

    Deciding again after acting on the answer gives DONE, WRITTEN or SUPERSEDED, never another write. SUPERSEDED does
    not say that ours never stood there; of a plan that is part of a set WRITTEN says that it did.
    """
    digest = _digest(found.file)
    # By digest first: what the exchange took out may be recorded already, and its version no longer at hand.
    is_known = _digest(found.temp) in (plan.target_digest, plan.judged_digest) or _known(found, target, judged)
    rescued = None if is_known else found.temp
    if plan.judged_link is not None or plan.target_link is not None:
        return _decide_link(plan, found, rescued)
    if found.odd:
        return Recovery(Step.SUPERSEDED, None, rescued)
    if digest == plan.target_digest:
        if rescued is not None:
            return Recovery(Step.GIVE_BACK, plan.target_digest, rescued)
        return Recovery(Step.DONE)
    if digest == plan.judged_digest:
        return Recovery(Step.AGAIN, plan.judged_digest, rescued)
    if found.file is not None and _is_half_written(found.file, target, judged):
        return Recovery(Step.AGAIN, digest, rescued)
    if plan.whole and found.file is not None and _was_written(plan, found, target, judged):
        return Recovery(Step.WRITTEN, None, rescued)
    return Recovery(Step.SUPERSEDED, None, rescued)


def _was_written(plan: RepairPlanRecord, found: Found, target: bytes | None, judged: bytes | None) -> bool:
    """What was judged stands under the temporary name only once it was taken out of place."""
    if plan.judged_digest is not None and _digest(found.temp) == plan.judged_digest != plan.target_digest:
        return True
    return found.file is not None and is_written_on(found.file, target, judged)


def _decide_link(plan: RepairPlanRecord, found: Found, rescued: bytes | None) -> Recovery:
    now = (_digest(found.file), found.link)
    if found.odd and found.link is None:
        return Recovery(Step.SUPERSEDED, None, rescued)
    if now == (plan.target_digest, plan.target_link):
        # A link that somebody exchanged in that moment has no bytes of its own; what it led to was never touched.
        return Recovery(Step.DONE, None, rescued)
    if now == (plan.judged_digest, plan.judged_link):
        return Recovery(Step.AGAIN, plan.judged_digest, rescued)
    return Recovery(Step.SUPERSEDED, None, rescued)


def inspect(root: int | bytes, path: bytes, temp_name: bytes) -> Found:
    """Read both names, following no link. OSError when a file is there but cannot be read."""
    try:
        with Parent(root, path) as parent:
            temp, _ = _read(parent, temp_name)
            file, odd = _read(parent, parent.name)
            return Found(file, temp, odd, read_link(parent, parent.name))
    except Unreachable:
        return Found(None, None, odd=True)


def remove_leftover(root: int | bytes, path: bytes, temp_name: bytes) -> bool:
    """Remove the temporary file of a plan. False: nothing was there, or nothing we would make
    (a name that is not ours, a directory)."""
    if not is_temp_name(temp_name) or b"/" in temp_name:
        return False
    try:
        with Parent(root, path) as parent:
            seen = parent.look(temp_name)
            if seen is None or stat.S_ISDIR(seen.st_mode):
                return False
            parent.unlink(temp_name)
            parent.sync()
            return True
    except Unreachable:
        return False


def _read(parent: Parent, name: bytes) -> tuple[bytes | None, bool]:
    try:
        opened = parent.open_and_read(name)
    except NotRegular:
        return None, True
    if opened is None:
        return None, False
    opened.close()
    return opened.data, False


def _digest(data: bytes | None) -> bytes | None:
    return None if data is None else hashlib.sha256(data).digest()


def _known(found: Found, target: bytes | None, judged: bytes | None) -> bool:
    """Whether the bytes under the temporary name are elsewhere too: the target as far as it was
    written, or the judged text that an exchange took out."""
    temp = found.temp
    if temp is None or temp in (target, judged):
        return True
    if target is None or found.file == target:
        # Ours is in place, so this is not a half-written copy of it: it came out.
        return False
    if target.startswith(temp):
        return True
    # After a power loss, pages that never reached the disk read as zeros.
    return len(temp) <= len(target) and all(
        temp[at : at + _PAGE] == target[at : at + _PAGE][: len(temp) - at] or not any(temp[at : at + _PAGE])
        for at in range(0, len(temp), _PAGE)
    )


def _is_half_written(data: bytes, target: bytes | None, judged: bytes | None) -> bool:
    """Whether this is what a crash leaves of a write in place: nothing was truncated before the
    whole target stood there, and each page is old, new, or new up to some byte and then old.

    A text that some program cut off is never taken for one: it is shorter than the old text.
    """
    if target is None or judged is None or not len(judged) <= len(data) <= max(len(judged), len(target)):
        return False
    return all(
        _is_between(data[at : at + _PAGE], target[at : at + _PAGE], judged[at : at + _PAGE])
        for at in range(0, len(data), _PAGE)
    )


def _is_between(page: bytes, new: bytes, old: bytes) -> bool:
    if page in (new, old):
        return True
    same = next((at for at, (one, other) in enumerate(zip(page, new, strict=False)) if one != other), len(new))
    same = min(same, len(page), len(new))
    return page[same:] == old[same:]
