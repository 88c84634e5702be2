"""Whether what would be taken away stands elsewhere too: told from the bytes, never from what was meant.

By line, blank ones and the white space around them aside, so that it holds for every format and encoding. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Taken(NamedTuple):
    """What taking back makes of one file. ``after``: what was written there, that is taken back now."""

    now: bytes | None
    target: bytes | None
    after: bytes | None = None


def lines(data: bytes | None) -> frozenset[bytes]:
    return frozenset(line for each in (data or b"").splitlines() if (line := each.strip()))


def adds(taken: Taken) -> bool:
    return not lines(taken.target) <= lines(taken.now)


def loses(taken: Taken) -> bool:
    return not lines(taken.now) <= lines(taken.target)


def is_safe(all_taken: Sequence[Taken], before: Sequence[bytes] | None, others: Iterable[bytes]) -> bool:
    """Whether every line that they take away stands in one of the ``others``, or in what they leave. ``before``: the
    texts that the writes were made of; a line that none of them has is our own and needs no proof. None: not known."""
    needed = frozenset[bytes]().union(*(lines(each.now) - lines(each.target) for each in all_taken))
    needed -= frozenset[bytes]().union(*(lines(each.target) for each in all_taken))
    if before is not None:
        had = frozenset[bytes]().union(*(lines(each) for each in before))
        needed -= frozenset[bytes]().union(*(lines(each.after) for each in all_taken)) - had
    left = iter(others)
    while needed:
        data = next(left, None)
        if data is None:
            return False
        needed -= lines(data)
    return True


def is_written_on(now: bytes, target: bytes | None, judged: bytes | None) -> bool:
    """Whether ``now`` came of ``target`` and not of ``judged``: it has all that the step added, and nothing of what
    the step took away."""
    added, gone, held = lines(target) - lines(judged), lines(judged) - lines(target), lines(now)
    return target is not None and bool(added) and added <= held and not gone & held
